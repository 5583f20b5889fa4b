"""What release 0.1.0 left behind (index, parsed cache, journal, map, settings, hooks) is used on, not lost."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shirube import Project, open_workspace
from tests.conftest import FOREIGN
from tests.golden import adapter
from tests.upgrade.layout import Laid, environment, lay_out

RETRY, CLIENT = "src/shop/retry.py", "claude-1"


@pytest.fixture
def laid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laid:
    """Lay out what 0.1.0 left, and let this process live there."""
    for name in list(os.environ):
        if name.startswith((*FOREIGN, "CODEX_HOME", "CLAUDE_CONFIG_DIR")):
            monkeypatch.delenv(name)
    found = lay_out(tmp_path / "made")
    for name, value in environment(found.base).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(found.root)
    return found


@pytest.fixture
def project(laid: Laid) -> Iterator[Project]:
    """Open the project as the next release finds it."""
    with open_workspace(laid.root) as opened:
        yield opened


def ask(project: Project, name: str, **arguments: Any) -> dict[str, Any]:
    """Return what an operation answers, as JSON; an error is none of the answers looked for here."""
    told, _ = adapter.answer(project, name, arguments)
    result: dict[str, Any] = told["result"]
    return result


def names(laid: Laid) -> set[str]:
    """Return every file below project and home."""
    return {str(file) for base in ("shop", "own/home") for file in (laid.base / base).rglob("*") if file.is_file()}


def test_the_databases_are_those_of_the_release(laid: Laid):
    found = sorted(file.name for file in laid.base.rglob("*.sqlite"))
    assert found == ["index.sqlite", "journal.sqlite", "parsed.sqlite"]
    for file in laid.base.rglob("*.sqlite"):
        with sqlite3.connect(file) as db:
            assert db.execute("PRAGMA quick_check").fetchone() == ("ok",)
        db.close()


def test_the_index_is_taken_as_it_is_or_made_anew_as_a_whole_and_says_which(laid: Laid, project: Project):
    was = laid.expected["index"]
    told = ask(project, "sync_index")
    assert (told["added"], told["removed"]) == ([], [])
    assert told["totals"]["files"] == was["files"]
    assert told["totals"]["parsed"] in (0, was["files"])
    assert len(told["changed"]) in (0, told["totals"]["parsed"])  # all of them, where the parser is another one
    now = ask(project, "index_status")
    assert (now["state"], now["needs_sync"]) == ("complete", False)
    if told["totals"]["parsed"] == 0:
        assert {name: now[name] for name in was} == was
    assert all("anew" in note for note in now["warnings"])


@pytest.mark.parametrize(
    ("question", "path"),
    [("ATTEMPTS", RETRY), ("charge the card", "src/shop/payment.py"), ("合計金額", "web/cart.ts")],
)
def test_a_question_is_answered(project: Project, question: str, path: str):
    found = ask(project, "search", query=question)
    assert path in [hit["path"] for hit in (found["map_hits"] + found["forest_hits"])[:3]]
    assert all("anew" in note for note in found["degraded"])


def test_the_settings_of_user_and_project_are_taken(laid: Laid, project: Project):
    config = project.workspace.config
    assert (config.session.expire_hours, config.outcomes.prior, config.index.workers) == (1_000_000.0, 0.1, 1)
    assert (config.search.limit, config.index.excludes, config.gate.mode) == (7, ("drafts/",), "block")
    assert config.refused == ()
    assert ask(project, "find_definitions", symbol="draft_only", exact_match=True)["answer"] == "none"


def test_sessions_are_listed_in_their_phases(laid: Laid, project: Project):
    listed = {line["session_id"]: line["phase"] for line in ask(project, "list_sessions")["sessions"]}
    assert listed == {one["id"]: one["phase"] for one in laid.expected["sessions"].values()}


@pytest.mark.parametrize("name", ["exploring", "supposing", "verifying", "done", "failed", "asked", "ready"])
def test_a_session_is_shown_with_what_was_recorded(laid: Laid, project: Project, name: str):
    shown = ask(project, "get_session_status", session_id=laid.session(name), detailed=True)
    assert shown["phase"] == laid.expected["sessions"][name]["phase"]
    assert shown["explored_files"]


def test_a_session_goes_on_where_it_was(laid: Laid, project: Project):
    supposing, verifying = laid.session("supposing"), laid.session("verifying")
    supposed = {"hypotheses": [f"with_retries in {RETRY} is the place"], "semantic_reason": "no_similar_implementation"}
    step = ask(project, "submit_semantic", session_id=supposing, **supposed)
    assert (step["accepted"], step["phase"]) == (True, "VERIFICATION")
    evidence = {"tool": "search_text", "target": "with_retries", "result": f"it is in {RETRY}", "files": [RETRY]}
    decided = [{"hypothesis": "h1", "status": "confirmed", "evidence": evidence}]
    step = ask(project, "submit_verification", session_id=verifying, verified=decided)
    assert (step["accepted"], step["phase"]) == (True, "READY")
    assert ask(project, "check_write_target", session_id=verifying, file_path=RETRY)["allowed"]
    assert not ask(project, "check_write_target", session_id=verifying, file_path="web/cart.ts")["allowed"]
    assert ask(project, "revert_to_exploration", session_id=laid.session("ready"))["phase"] == "EXPLORATION"


def test_plans_are_shown_and_can_be_shared(laid: Laid, project: Project):
    made = laid.expected["plans"]
    assert {line["planId"] for line in ask(project, "list_plans")["plans"]} == set(made.values())
    shown = ask(project, "show_plan", planId=made["retries"])
    assert shown["goal"] == "how are failed payments retried?"
    assert RETRY in [place["path"] for place in shown["finalResults"]["data"]]
    assert ask(project, "show_plan", planId=made["refunds"])["goal"] == "返金はどこ？"
    exported = json.loads(ask(project, "export_plans")["document"])
    assert {plan["planId"] for plan in exported["plans"]} == set(made.values())


def test_the_map_answers_and_is_bound_to_the_code_as_before(laid: Laid, project: Project):
    listed = ask(project, "list_agreements")["agreements"]
    assert sorted(f"{one['nl_term']} → {one['symbol']}" for one in listed) == laid.expected["agreements"]
    states = {one["symbol"]: one["state"] for one in ask(project, "check_agreements")["agreements"]}
    assert {states[name] for name in ("checkout", "with_retries", "PaymentGateway.refund")} == {"fresh"}
    for term, symbol in (("till", "checkout"), ("返金", "PaymentGateway.refund")):
        assert ask(project, "search_map", query=term)["map_hits"][0]["symbol"] == symbol
    pairs = (laid.root / ".shirube/learned_pairs.json").read_text("utf-8")
    assert ask(project, "sync_map")["problems"] == []
    assert json.loads((laid.root / ".shirube/learned_pairs.json").read_text("utf-8")) == json.loads(pairs)


def test_outcomes_teach_as_before(laid: Laid, project: Project):
    stats = ask(project, "get_outcome_stats", latest=10)
    assert stats["by_outcome"] == {"success": 1, "failure": 1, "partial": 1}
    insights = ask(project, "get_improvement_insights")
    assert insights["total_sessions_with_outcomes"] == 3
    assert insights["tool_failure_correlation"]["search_text"]["failures"] == 1
    told = ask(project, "get_session_analysis", session_id=laid.session("failed"))
    assert told["outcomes"][0]["analysis"]["failure_point"] == "wrong_file"
    ask(project, "record_outcome", session_id=laid.session("ready"), outcome="success")
    assert ask(project, "get_outcome_stats")["by_outcome"]["success"] == 2


def hooked(laid: Laid, path: str) -> subprocess.CompletedProcess[str]:
    """Run the line that 0.1.0 wrote into the agent's settings, as the agent does before an edit."""
    hooks = json.loads((laid.root / ".claude/settings.json").read_text("utf-8"))["hooks"]["PreToolUse"]
    (line,) = [one["command"] for group in hooks for one in group["hooks"] if "Edit" in group["matcher"]]
    event = {"session_id": CLIENT, "cwd": str(laid.root), "hook_event_name": "PreToolUse", "tool_name": "Edit"}
    told = json.dumps({**event, "tool_input": {"file_path": str(laid.root / path)}})
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", line], input=told, env=environ, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.skipif(
    shutil.which("shirube", path=str(Path(sys.executable).parent)) is None, reason="shirube is not installed here"
)
def test_the_hook_that_was_installed_still_judges(laid: Laid):
    allowed, refused = hooked(laid, RETRY), hooked(laid, "web/cart.ts")
    assert (allowed.returncode, allowed.stderr) == (0, "")
    assert refused.returncode == 2
    assert "was not looked at in this session" in refused.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("search", "with_retries"),
        ("session", "list"),
        ("plans",),
        ("map", "list"),
        ("outcome", "insights"),
        ("status",),
        ("gate",),
    ],
    ids=" ".join,
)
def test_commands_work_on_it(laid: Laid, command: tuple[str, ...]):
    code, out, err = adapter.command(*command)
    assert (code, err) == (0, "")
    assert out


def test_doctor_finds_nothing_wrong(laid: Laid):
    code, out, _ = adapter.command("doctor", "--json")
    found: list[dict[str, Any]] = json.loads(out)["findings"]
    assert [one for one in found if one["state"] == "bad"] == []
    assert code == 0


def test_installing_again_changes_nothing_and_uninstalling_puts_all_back(laid: Laid):
    agents = {"project": ("claude-code", "gemini", "cursor"), "user": ("codex",)}
    before = names(laid)
    for scope, known in agents.items():
        kinds = "mcp,instructions,commands,hooks"
        options = ("--scope", scope, "--type", kinds, "--gate", "block", "--command", "shirube")
        code, _, err = adapter.command("install", *known, *options)
        assert code == 0, err
    assert names(laid) == before
    for scope, known in agents.items():
        code, out, err = adapter.command("uninstall", *known, "--scope", scope, "--json")
        assert code == 0, err
        assert {row["action"] for row in json.loads(out)["rows"]} == {"removed"}
    for path, text in laid.expected["before"].items():
        assert (laid.base / path).read_text("utf-8") == text, path
    assert not any("shirube:begin" in Path(file).read_text("utf-8", "replace") for file in names(laid))
    for path in (".claude/commands", ".gemini", ".cursor", "AGENTS.md", "GEMINI.md"):
        assert not (laid.root / path).exists()
