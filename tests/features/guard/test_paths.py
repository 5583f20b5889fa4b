"""Any sequence of steps, without disk or index: many of them, judged by an account the steps cannot see."""

import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from shirube.codec import replace
from shirube.features.guard.advice import next_steps
from shirube.features.guard.phases import SUBMISSIONS, allows
from shirube.features.guard.state import (
    WRITERS,
    Hypothesis,
    Phase,
    Session,
    Understanding,
    pack_event,
    pack_session,
    unpack_event,
    unpack_session,
    with_events,
)
from shirube.features.guard.steps import (
    Decided,
    Step,
    add_files,
    begin,
    revert,
    set_frame,
    submit_semantic,
    submit_understanding,
    submit_verification,
)
from shirube.features.guard.writes import WriteTarget, check_write
from shirube.features.plan.frame import Intent, Slot
from tests.features.guard.sample import DEFINED, REQUEST, FakeFacts, called

FACTS = FakeFacts()
NAMES = tuple(DEFINED)
TOOLS = ("find_definitions", "find_references", "search_text")
FITTING = {
    "symbols_identified": {"no_definition_found", "architecture_unknown"},
    "entry_points": {"no_definition_found", "no_reference_found"},
    "existing_patterns": {"no_similar_implementation", "architecture_unknown"},
    "files_analyzed": {"context_fragmented", "architecture_unknown"},
    "slot_evidence": {"context_fragmented", "architecture_unknown"},
    "nl_symbol_mapping": {"context_fragmented", "architecture_unknown"},
    "hypothesis_slots": {"context_fragmented", "architecture_unknown"},
}
"""Which reasons fit what is missing, written down once more."""
REASONS = sorted({reason for reasons in FITTING.values() for reason in reasons} | {"because"})
LIES = ("", "", "", "symbol", "entry", "file", "pattern", "twice")
names = st.lists(st.sampled_from(NAMES), max_size=4, unique=True)


class Paths(RuleBasedStateMachine):
    """One session, and what really happened to it."""

    @initialize(intent=st.sampled_from([Intent.MODIFY, Intent.MODIFY, Intent.IMPLEMENT, *Intent]))
    def begin(self, intent: Intent) -> None:
        self.state = begin("s_1", intent, REQUEST, "")
        self.number = 0
        self.shown: set[str] = set()
        self.made: set[tuple[str, str]] = set()
        self.gate = "a question" if intent is Intent.QUESTION else ""

    @rule(tool=st.sampled_from(TOOLS), found=names, word=st.sampled_from(["login", "captcha"]), ok=st.booleans())
    def call(self, tool: str, found: list[str], word: str, ok: bool) -> None:
        self.number += 1
        answer = "found" if found else "unknown"
        made = called(tool, word, *found, ok=ok, number=self.number, answer=answer)
        self.state = with_events(self.state, [made])
        if ok and found:
            self.shown |= {DEFINED[name] for name in found}
            self.made.add((tool, word))

    @rule()
    def look_around(self) -> None:
        for tool in TOOLS:
            self.call(tool, list(NAMES), "login", True)

    @rule(feature=st.sampled_from(["ログイン機能", "never said"]), issue=st.booleans(), quoted=st.booleans())
    def frame(self, feature: str, issue: bool, quoted: bool) -> None:
        slots = {"target_feature": Slot(feature, feature if quoted else "")}
        slots |= {"observed_issue": Slot("エラーが出ない", "エラーが出ない")} if issue else {}
        accepted = self.step(set_frame(self.state, slots), "set_query_frame")
        said = quoted and feature != "never said"
        assert not accepted or ("target_feature" in self.state.asked_frame.validated) == said

    @rule(symbols=names, entries=names, patterns=st.integers(0, 2), lie=st.sampled_from(LIES))
    def understand(self, symbols: list[str], entries: list[str], patterns: int, lie: str) -> None:
        if not allows(self.state.phase, "submit_understanding"):
            return
        told = [*dict.fromkeys([*symbols, *entries]), *(["WarpDrive"] if lie == "symbol" else [])]
        claims = Understanding(
            tuple(told),
            (*entries, *(["invented"] if lie == "entry" else [])),
            {"file": ("src/never.py",), "twice": ("src/auth/service.py",) * 2}.get(lie, ()),
            (*(f"way {n} as AuthService" for n in range(patterns)), *(["as WarpDrive"] if lie == "pattern" else [])),
        )
        accepted = self.step(submit_understanding(self.state, claims, FACTS), "submit_understanding")
        if not accepted:
            return
        assert not lie
        assert {DEFINED[name] for name in told} <= self.shown
        if self.state.phase is Phase.READY and self.state.intent in WRITERS:
            assert entries
            assert patterns
            assert len(self.shown) >= 2
            assert {"find_definitions", "find_references"} <= {call.operation for call in self.state.calls if call.ok}

    @rule(reason=st.sampled_from(REASONS), texts=st.sampled_from([["a"], ["a", "b"], [], [" "], ["a", "a"]]))
    def suppose(self, reason: str, texts: list[str]) -> None:
        if not allows(self.state.phase, "submit_semantic"):
            return
        missing = self.state.missing
        step = submit_semantic(self.state, [Hypothesis("", text) for text in texts], reason, ())
        if self.step(step, "submit_semantic"):
            assert texts in (["a"], ["a", "b"])
            assert any(reason in FITTING[key] for key in missing)

    @rule(
        how=st.sampled_from(["honest", "honest", "one left out", "never made", "other tool", "false result"]),
        statuses=st.lists(st.sampled_from(["confirmed", "rejected"]), min_size=4, max_size=4),
        call=st.sampled_from([(tool, word) for tool in TOOLS for word in ("login", "captcha")]),
    )
    def verify(self, how: str, statuses: list[str], call: tuple[str, str]) -> None:
        if not allows(self.state.phase, "submit_verification"):
            return
        tool, target = (call[0], "nothing") if how == "never made" else call
        tool = "search" if how == "other tool" else tool
        result = "WarpDrive does it" if how == "false result" else f"as {target} showed"
        ids = [one.id for one in self.state.hypotheses][how == "one left out" :]
        decided = [Decided(one, status, tool, target, result) for one, status in zip(ids, statuses, strict=False)]
        if self.step(submit_verification(self.state, decided, FACTS), "submit_verification"):
            assert how == "honest"
            assert call in self.made
            confirmed = any(item.status == "confirmed" for item in decided)
            assert self.state.phase is (Phase.READY if confirmed else Phase.EXPLORATION)

    @rule(keep=st.booleans())
    def revert(self, keep: bool) -> None:
        self.state, verdict = revert(self.state, keep, self.number)
        assert verdict.accepted
        self.gate = ""
        if not keep:
            # what was recorded before is left out when the session is read again
            assert replace(self.state, calls=(), checks=()) == replace(
                begin("s_1", self.state.intent, REQUEST, ""), since=self.number, phase=Phase.EXPLORATION
            )
            self.state = replace(self.state, calls=())
            self.shown, self.made = set(), set()

    @rule(path=st.sampled_from([*DEFINED.values(), "src/never.py"]))
    def add(self, path: str) -> None:
        if self.step(add_files(self.state, (path,), FACTS, lambda _: False), "add_explored_files"):
            assert self.state.phase is Phase.READY
            assert path in self.shown

    @rule(path=st.sampled_from([*DEFINED.values(), "service.py"]))
    def write(self, path: str) -> None:
        check, verdict = check_write(self.state, WriteTarget(path, exists=True), True)
        if check.allowed:
            assert self.state.phase is Phase.READY
            assert self.state.intent in WRITERS
            assert path in self.shown
        else:
            assert verdict.next

    @rule()
    def go_on(self) -> None:
        """Take one step of the documented way, so that every phase is seen often."""
        phase = self.state.phase
        if phase is Phase.EXPLORATION:
            self.look_around()
            self.understand([], list(NAMES[:2]), 2, "")
        elif phase is Phase.SEMANTIC:
            (step,) = (step for step in next_steps(self.state) if step.operation == "submit_semantic")
            self.suppose(step.arguments["semantic_reason"], ["a"])
        elif phase is Phase.VERIFICATION:
            self.look_around()
            self.verify("honest", ["confirmed"] * 4, (TOOLS[0], "login"))

    def tempt(self) -> None:
        """Try every lie there is; whatever is told, the rules above check that it was refused."""
        for lie in set(LIES) - {""}:
            self.understand([], [], 2, lie)
        self.suppose("because", ["a"])
        for how in ("one left out", "never made", "other tool", "false result"):
            self.verify(how, ["confirmed"] * 4, (TOOLS[0], "login"))
        self.add("src/never.py")
        self.write("service.py")

    def step(self, taken: Step, name: str) -> bool:
        before, (self.state, verdict) = self.state, taken
        if not verdict.accepted:
            assert self.state == before
            assert verdict.errors or verdict.lacks or verdict.message
            assert verdict.next
        elif self.state.phase is Phase.READY and before.phase is not Phase.READY:
            assert name in SUBMISSIONS
            self.gate = name
        return verdict.accepted

    @invariant()
    def ready_has_gone_through_a_gate(self) -> None:
        if hasattr(self, "state") and self.state.phase is Phase.READY:
            assert self.gate

    @invariant()
    def it_comes_back_from_the_disk_as_it_was(self) -> None:
        if hasattr(self, "state"):
            assert reloaded(self.state) == self.state

    @invariant()
    def a_next_call_is_allowed(self) -> None:
        if hasattr(self, "state"):
            steps = next_steps(self.state)
            assert steps
            assert all(allows(self.state.phase, step.operation, step.arguments) for step in steps)

    def teardown(self) -> None:
        """From wherever it stands, the documented way leads to READY."""
        if not hasattr(self, "state"):
            return
        for _ in range(12):
            self.tempt()
            self.go_on()
        self.tempt()
        assert self.state.phase is Phase.READY, self.state


def reloaded(state: Session) -> Session:
    """Return a session as another process would read it."""
    events = [*state.calls, *state.checks, *state.refusals]
    packed = [(json.loads(json.dumps(pack_event(event))), getattr(event, "number", 0)) for event in events]
    read = [unpack_event(body, number) for body, number in packed]
    return with_events(unpack_session(json.loads(json.dumps(pack_session(state)))), [one for one in read if one])


@pytest.mark.hypothesis
@pytest.mark.requirement("003-FLOW-02", "N003-DEAD-01")
def test_no_sequence_of_steps_gets_around_the_gates_or_into_a_corner():
    run_state_machine_as_test(Paths, settings=settings(max_examples=80, stateful_step_count=25))


@pytest.mark.slow
def test_no_long_sequence_does_either():
    run_state_machine_as_test(Paths, settings=settings(max_examples=500, stateful_step_count=40))
