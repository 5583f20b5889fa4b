"""Any sequence of calls: no way to READY around the gates, none into a corner, and every step survives a crash."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from shirube.errors import PhaseBlocked
from shirube.features.guard.session_store import load_session
from shirube.features.guard.state import WRITERS, Phase
from shirube.features.plan.frame import Intent
from shirube.operations import NAMES, run
from shirube.workspace import Workspace, build_workspace, open_journal
from tests.conftest import sync

REQUEST = "決済の再試行が三回で止まらない。checkout を直して (fix the retry of checkout)"
REAL = ("checkout", "with_retries", "PaymentGateway", "PaymentGateway.charge_card", "formatPrice", "cartTotal")
FALSE = ("WarpDrive", "checkout.invent")
FILES = (
    "src/shop/payment.py",
    "src/shop/retry.py",
    "web/cart.ts",
    "README.md",
    "gone.py",
    "payment.py",
    "src/shop/new.py",
)
QUERIES = ("retry", "checkout", "決済 再試行", "zyzzyva", "formatPrice")
REASONS = (
    "no_definition_found",
    "no_reference_found",
    "no_similar_implementation",
    "architecture_unknown",
    "context_fragmented",
)
QUOTES = ("決済の再試行", "三回で止まらない", "the retry", "never said")
VERIFYING = ("search_text", "find_definitions", "find_references")

TABLE = {
    "symbols_identified": REASONS[0] + REASONS[3],
    "entry_points": REASONS[0] + REASONS[1],
    "existing_patterns": REASONS[2] + REASONS[3],
    "files_analyzed": REASONS[4] + REASONS[3],
    "slot_evidence": REASONS[4] + REASONS[3],
    "nl_symbol_mapping": REASONS[4] + REASONS[3],
    "hypothesis_slots": REASONS[4] + REASONS[3],
}
"""Which reasons fit what is missing, written down once more."""


class Sessions(RuleBasedStateMachine):
    """One session, driven through two workspaces in turn, and an account of it that the server cannot see."""

    workspaces: tuple[Workspace, ...] = ()
    handle = ""

    @initialize(intent=st.sampled_from(Intent))
    def begin(self, intent: Intent) -> None:
        self.turn = 0
        self.intent = intent
        self.handle = self.ask("start_session", intent=intent, query=REQUEST)["session_id"]
        self.shown: set[str] = set()
        self.made: set[tuple[str, str]] = set()
        self.entered = "start_session" if intent is Intent.QUESTION else ""
        self.lacked: list[dict[str, Any]] = []
        self.settled: set[str] = set()

    # --- what anybody may call ---------------------------------------------------------------------------

    @rule(query=st.sampled_from(QUERIES))
    def search(self, query: str) -> None:
        hits = self.ask("search", query=query, session_id=self.handle)["forest_hits"]
        self.shown |= {hit["path"] for hit in hits}

    @rule(query=st.sampled_from(QUERIES))
    def search_text(self, query: str) -> None:
        result = self.ask("search_text", patterns=[query], session_id=self.handle)
        self.shown |= {match["file"] for match in result["matches"]}
        if result["matches"] or result["answer"] == "none":
            self.made.add(("search_text", query))

    @rule(name=st.sampled_from(REAL), tool=st.sampled_from(VERIFYING[1:]))
    def look_up(self, name: str, tool: str) -> None:
        if tool in NAMES:
            result = self.ask(tool, symbol=name, session_id=self.handle)
            places = [*result["definitions"], *result.get("references", [])]
            self.shown |= {place["file"] for place in places}
            if places or result["answer"] == "none":
                self.made.add((tool, name))

    @rule(query=st.sampled_from(QUERIES))
    def search_forest(self, query: str) -> None:
        phase = self.phase
        try:
            hits = self.ask("search_forest", query=query, session_id=self.handle)["forest_hits"]
        except PhaseBlocked as error:
            refused = error
            assert phase in (Phase.EXPLORATION, Phase.VERIFICATION)
        else:
            assert phase in (Phase.SEMANTIC, Phase.READY)
            self.shown |= {hit["path"] for hit in hits}
            return
        assert refused.allowed
        assert "search_forest" not in refused.allowed

    @rule(feature=st.sampled_from(QUOTES), issue=st.sampled_from((*QUOTES, "")), quoted=st.booleans())
    def set_query_frame(self, feature: str, issue: str, quoted: bool) -> None:
        slots = {"target_feature": {"value": feature, "quote": feature if quoted else ""}}
        if issue:
            slots["observed_issue"] = {"value": issue, "quote": issue}
        self.ask("set_query_frame", session_id=self.handle, **slots)
        for name, slot in self.status["slots"].items():
            assert slot["certainty"] != "fact" or slot["quote"] != "never said" or name in self.settled

    @rule()
    def look_around(self) -> None:
        for query in ("checkout", "retry"):
            self.search(query)
            self.search_text(query)
        for tool in VERIFYING[1:]:
            self.look_up("checkout", tool)

    @rule(
        symbols=st.lists(st.sampled_from(REAL), max_size=3, unique=True),
        entries=st.lists(st.sampled_from(REAL[:2]), max_size=2, unique=True),
        patterns=st.integers(0, 2),
        lie=st.sampled_from(["", "", "", "symbol", "entry", "file", "pattern", "twice"]),
    )
    def submit_understanding(self, symbols: list[str], entries: list[str], patterns: int, lie: str) -> None:
        claims = {
            "symbols_identified": [*symbols, *entries, *([FALSE[0]] if lie == "symbol" else [])],
            "entry_points": [*entries, *([FALSE[1]] if lie == "entry" else [])],
            "files_analyzed": {"file": ["pyproject.toml"], "twice": ["README.md"] * 2}.get(lie, []),
            "existing_patterns": [f"way {n}: as `checkout` does" for n in range(patterns)],
        }
        claims["symbols_identified"] = list(dict.fromkeys(claims["symbols_identified"]))
        claims["existing_patterns"] += ["as WarpDrive does"] if lie == "pattern" else []
        result = self.submit("submit_understanding", Phase.EXPLORATION, **claims)
        if result is None or not result["accepted"]:
            return
        assert not lie
        assert self.shown or not (symbols or entries or patterns)
        if result["phase"] == Phase.READY and self.intent in WRITERS:
            assert entries
            assert patterns
            assert len(self.shown) >= 2
            assert {tool for tool in VERIFYING[1:] if tool in NAMES} <= {tool for tool, _ in self.made}

    @rule(
        reason=st.sampled_from((*REASONS, "because")), texts=st.sampled_from([["a"], ["a", "b"], [], [""], ["a", "a"]])
    )
    def submit_semantic(self, reason: str, texts: list[str]) -> None:
        lacked = {lack["key"] for lack in self.lacked}
        result = self.submit("submit_semantic", Phase.SEMANTIC, hypotheses=texts, semantic_reason=reason)
        if result is not None and result["accepted"]:
            assert texts in (["a"], ["a", "b"])
            assert any(reason in TABLE[key] for key in lacked)

    @rule(data=st.data(), how=st.sampled_from(["honest", "honest", "one left out", "never made", "other tool"]))
    def submit_verification(self, data: st.DataObject, how: str) -> None:
        ids = [one["id"] for one in self.status["hypotheses"] if one["status"] == "open"] or ["h1"]
        made = sorted(self.made) or [("search_text", "nothing")]
        decided = []
        for one in ids[1:] if how == "one left out" else ids:
            tool, target = data.draw(st.sampled_from(made))
            target = "zyzzyva2" if how == "never made" else target
            tool = "search" if how == "other tool" else tool
            evidence = {"tool": tool, "target": target, "result": f"{target} is there"}
            status = data.draw(st.sampled_from(["confirmed", "rejected"]))
            decided.append({"hypothesis": one, "status": status, "evidence": evidence})
        result = self.submit("submit_verification", Phase.VERIFICATION, verified=decided)
        if result is not None and result["accepted"]:
            assert how == "honest"
            assert self.made
            confirmed = any(item["status"] == "confirmed" for item in decided)
            assert result["phase"] == (Phase.READY if confirmed else Phase.EXPLORATION)

    @rule()
    def go_on(self) -> None:
        """Take one step of the documented way, so that later phases are seen often."""
        if self.phase is not Phase.READY:
            self.walk()

    @rule(keep=st.booleans())
    def revert(self, keep: bool) -> None:
        result = self.ask("revert_to_exploration", session_id=self.handle, keep_results=keep)
        assert result["phase"] == Phase.EXPLORATION
        self.entered = ""
        if not keep:
            self.shown, self.made = set(), set()

    @rule(files=st.lists(st.sampled_from(FILES), min_size=1, max_size=2))
    def add_explored_files(self, files: list[str]) -> None:
        result = self.ask("add_explored_files", session_id=self.handle, files=files)
        assert not result["accepted"] or (self.phase is Phase.READY and set(files) <= self.shown)

    @rule(path=st.sampled_from(FILES))
    def check_write_target(self, path: str) -> None:
        result = self.ask("check_write_target", session_id=self.handle, file_path=path)
        if result["allowed"]:
            assert self.phase is Phase.READY
            assert self.intent in WRITERS
            assert result["new"] or result["path"] in self.shown
        else:
            assert result["next"], result["message"]

    # --- what holds whatever was called ------------------------------------------------------------------

    @invariant()
    def ready_was_entered_through_a_gate(self) -> None:
        if self.handle and self.phase is Phase.READY:
            assert self.entered in ("start_session", "submit_understanding", "submit_verification")

    @invariant()
    def another_process_would_see_the_same(self) -> None:
        if not self.handle:
            return
        one, two = (load_session(workspace, self.handle) for workspace in self.workspaces)
        assert one == two
        workspace = self.workspaces[0]
        reopened = open_journal(workspace.root, workspace.config)
        try:
            held, workspace._journal = workspace._journal, reopened
            assert load_session(workspace, self.handle) == one
        finally:
            workspace._journal = held
            reopened.close()

    @precondition(lambda self: bool(self.handle))
    @invariant()
    def there_is_always_a_next_call(self) -> None:
        status = self.status
        assert status["next"]
        assert all(step["operation"] in status["allowed_operations"] for step in status["next"])

    def teardown(self) -> None:
        """From wherever the session stands, documented calls lead to READY."""
        if self.handle:
            walk_to_ready(self)

    # --- how it is called --------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return load_session(self.workspaces[0], self.handle).phase

    @property
    def status(self) -> dict[str, Any]:
        return self.ask("get_session_status", session_id=self.handle)

    def ask(self, name: str, **arguments: Any) -> dict[str, Any]:
        from shirube.codec import shown_json

        self.turn += 1
        return shown_json(run(self.workspaces[self.turn % 2], name, arguments))

    def walk(self) -> None:
        walk(self)

    def takes(self, name: str, phase: Phase, at: Phase) -> bool:
        return phase is at

    def submit(self, name: str, at: Phase, **claims: Any) -> dict[str, Any] | None:
        phase, before = self.phase, load_session(self.workspaces[0], self.handle)
        try:
            result = self.ask(name, session_id=self.handle, **claims)
        except PhaseBlocked as error:
            assert not self.takes(name, phase, at)
            return way_on(error)
        assert self.takes(name, phase, at)
        if result["phase"] == Phase.READY and result["accepted"]:
            self.entered = name
        if name == "submit_understanding" and result["accepted"]:
            self.lacked = result["missing_requirements"]
        if name == "submit_verification" and result["accepted"]:  # a slot that was confirmed is a fact without a quote
            self.settled |= {slot for slot, told in self.status["slots"].items() if told["certainty"] == "fact"}
        if not result["accepted"]:
            assert result["next"]
            assert result["errors"] or result["missing_requirements"] or result["message"]
            after = load_session(self.workspaces[0], self.handle)
            assert (after.phase, after.hypotheses, after.understanding) == (
                before.phase,
                before.hypotheses,
                before.understanding,
            )
        return result


def way_on(error: PhaseBlocked) -> None:
    """Check that a refusal says how to go on."""
    assert error.hint.startswith("next: ")


def walk_to_ready(machine: Sessions) -> None:
    """Do what a patient caller would do, by what the answers say."""
    for _ in range(12):
        if machine.phase is Phase.READY:
            return
        machine.walk()
    raise AssertionError(f"stuck in {machine.phase}: {machine.status}")


def walk(machine: Sessions) -> None:
    """Take one step of the documented way."""
    phase, held = machine.phase, machine.status
    if phase is Phase.EXPLORATION:
        machine.look_around()
        patterns = ["as `checkout` does", "as `with_retries` does"]
        machine.submit(
            "submit_understanding", phase, entry_points=["checkout", "with_retries"], existing_patterns=patterns
        )
    elif phase is Phase.SEMANTIC:
        step = next(step for step in held["next"] if step["operation"] == "submit_semantic")
        reason = step["arguments"]["semantic_reason"]
        machine.submit("submit_semantic", phase, hypotheses=["checkout retries for ever"], semantic_reason=reason)
    else:
        machine.search_text("checkout")
        evidence = {"tool": "search_text", "target": "checkout", "result": "src/shop/payment.py has it"}
        decided = [
            {"hypothesis": one["id"], "status": "confirmed", "evidence": evidence}
            for one in held["hypotheses"]
            if one["status"] == "open"
        ]
        machine.submit("submit_verification", phase, verified=decided)


class Scaled(Sessions):
    """The same where what is needed depends on what is at stake."""

    @rule(
        symbols=st.lists(st.sampled_from((*REAL, *FALSE)), max_size=2, unique=True),
        files=st.lists(st.sampled_from(FILES), max_size=2, unique=True),
        why=st.sampled_from(["", "as `checkout` does", "as WarpDrive does"]),
    )
    def submit_understanding(self, symbols: list[str], files: list[str], why: str) -> None:
        result = self.submit("submit_understanding", Phase.EXPLORATION, symbols=symbols, files=files, why=why)
        if result is None or not result["accepted"]:
            return
        assert not set(symbols) & set(FALSE)
        assert "gone.py" not in files or self.intent is Intent.IMPLEMENT
        assert "WarpDrive" not in why
        if result["phase"] == Phase.READY and self.intent in WRITERS:
            self.only_what_was_shown(result)

    def only_what_was_shown(self, result: dict[str, Any]) -> None:
        claimed = load_session(self.workspaces[0], self.handle).understanding
        assert claimed is not None
        assert claimed.files
        new = {path for path in claimed.files if not (self.workspaces[0].root / path).exists()}
        assert set(claimed.files) - new <= self.shown
        assert not new or self.intent is Intent.IMPLEMENT
        checks = {check["path"]: check["allowed"] for check in self.status["checks"]}
        refused = [path for path in claimed.files if not checks[path]]
        assert len(result["errors"]) == len(refused)  # what may not be written is not told as writable

    @rule(
        reason=st.sampled_from((*REASONS, "because")),
        texts=st.sampled_from([["a"], ["checkout is wrong", "src/shop/retry.py is wrong"], [], [""], ["a", "a"]]),
    )
    def submit_semantic(self, reason: str, texts: list[str]) -> None:
        result = self.submit("submit_semantic", Phase.SEMANTIC, hypotheses=texts, semantic_reason=reason)
        if result is not None and result["accepted"]:
            assert texts not in ([], [""], ["a", "a"])
            assert reason in REASONS

    @rule(data=st.data())
    def submit_verification(self, data: st.DataObject) -> None:
        ids = [one["id"] for one in self.status["hypotheses"] if one["status"] == "open"] or ["h1"]
        made = sorted(self.made) or [("search_text", "nothing")]
        decided = []
        for one in ids:
            tool, target = data.draw(st.sampled_from(made))
            evidence = {"tool": tool, "target": target, "result": f"{target} is there"}
            status = data.draw(st.sampled_from(["confirmed", "rejected"]))
            decided.append({"hypothesis": one, "status": status, "evidence": evidence})
        result = self.submit("submit_verification", Phase.VERIFICATION, verified=decided)
        if result is not None and result["accepted"] and result["phase"] == Phase.READY and self.intent in WRITERS:
            self.only_what_was_shown(result)

    def takes(self, name: str, phase: Phase, at: Phase) -> bool:
        return phase is at or name == "submit_understanding"

    def walk(self) -> None:
        """Follow the answers alone: look where they say, then make the claim that they propose."""
        for step in self.status["next"]:
            if step["operation"] == "snippets_get":
                self.ask("snippets_get", **step["arguments"])
                self.shown.add(step["arguments"]["path"])
            elif step["operation"] == "search":
                self.search("checkout")
        told = self.submit(
            "submit_understanding",
            Phase.EXPLORATION,
            **({} if self.intent is Intent.INVESTIGATE else {"symbols": ["checkout"], "why": "it retries"}),
        )
        assert told is not None
        for step in told["next"] if not told["accepted"] else ():
            if step["operation"] == "snippets_get":
                self.ask("snippets_get", **step["arguments"])
                self.shown.add(step["arguments"]["path"])
            elif step["operation"] == "symbol":
                self.ask("symbol", **step["arguments"])
                self.look_up("checkout", "find_references")
            elif step["operation"] == "set_query_frame":
                self.ask("set_query_frame", **step["arguments"])


def two_of(root: Path) -> Iterator[tuple[Workspace, Workspace]]:
    first, second = build_workspace(root), build_workspace(root)
    sync(first)
    yield first, second
    first.close()
    second.close()


@pytest.fixture
def two(seed_evidence: None, sample_repo: Path) -> Iterator[tuple[Workspace, Workspace]]:
    yield from two_of(sample_repo)


@pytest.fixture
def two_scaled(sample_repo: Path) -> Iterator[tuple[Workspace, Workspace]]:
    yield from two_of(sample_repo)


@pytest.mark.hypothesis
@pytest.mark.requirement("003-FLOW-02", "N003-DEAD-01")
def test_no_sequence_of_calls_gets_around_the_gates_or_into_a_corner(two):
    Sessions.workspaces = two
    run_state_machine_as_test(Sessions, settings=settings(max_examples=10, stateful_step_count=15))


@pytest.mark.hypothesis
@pytest.mark.requirement("003-FLOW-02", "N003-DEAD-01")
def test_no_sequence_does_where_evidence_is_scaled(two_scaled):
    Scaled.workspaces = two_scaled
    run_state_machine_as_test(Scaled, settings=settings(max_examples=10, stateful_step_count=12))


@pytest.mark.slow
def test_no_long_sequence_does_either(two):
    Sessions.workspaces = two
    run_state_machine_as_test(Sessions, settings=settings(max_examples=100, stateful_step_count=30))


@pytest.mark.slow
def test_no_long_sequence_does_where_evidence_is_scaled(two_scaled):
    Scaled.workspaces = two_scaled
    run_state_machine_as_test(Scaled, settings=settings(max_examples=100, stateful_step_count=30))
