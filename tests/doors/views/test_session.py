import json
from pathlib import Path
from typing import Any

import pytest

from shirube import open_workspace
from shirube.codec import replace
from shirube.doors.cli import main
from shirube.doors.views import view_of
from shirube.doors.views.screen import Paint, Screen
from shirube.doors.views.session import (
    check_write_target,
    confirm_symbol_relevance,
    start_session,
    submit_understanding,
)
from shirube.features.guard.results import ConfirmResult, JudgedSymbol, StepResult, WriteResult
from shirube.features.guard.state import Coverage, Hypothesis, Lack, NextCall, Phase, WriteCheck
from shirube.messages import AGENT, NOTHING, say, verbatim
from shirube.operations import in_toolsets
from tests.conftest import write_sample


@pytest.fixture
def root(sample_repo) -> str:
    return str(sample_repo)


def test_a_session_can_be_begun_and_read_by_a_person(root: str, capsys):
    assert main(["--root", root, "session", "list"]) == 1
    assert "no session here yet" in capsys.readouterr().out
    assert main(["--root", root, "session", "start", "modify", "checkout retries", "for ever"]) == 0
    begun = capsys.readouterr().out
    handle = begun.split()[0]
    assert "probably: src/shop/" in begun
    call = json.dumps({"query": "checkout retry", "session_id": handle})
    assert main(["--root", root, "call", "search", "--json", call]) == 0
    capsys.readouterr()
    assert main(["session", "status", "--root", root]) == 0
    out = capsys.readouterr().out
    assert f"{handle}  MODIFY  EXPLORATION  may not write" in out
    assert "src/shop/retry.py" in out
    assert "entry_points" not in out
    assert "submit_understanding" in out
    assert main(["--root", root, "session", "show", handle]) == 0
    assert "search checkout retry" in capsys.readouterr().out
    assert main(["--root", root, "session", "list"]) == 0
    assert "checkout retries for ever" in capsys.readouterr().out


@pytest.mark.usefixtures("seed_evidence")
def test_by_the_seeds_a_person_reads_what_is_missing(root: str, capsys):
    main(["--root", root, "session", "start", "modify", "checkout retries", "for ever"])
    assert "probably" not in capsys.readouterr().out
    assert main(["session", "status", "--root", root]) == 0
    out = capsys.readouterr().out
    assert "MODIFY  EXPLORATION  risk HIGH  may not write" in out
    assert "entry_points: 0 of 2" in out
    assert "set_query_frame" in out


def test_everything_that_happened_is_shown(root: str, capsys):
    main(["--root", root, "session", "start", "MODIFY", "fix checkout", "--json"])
    handle = json.loads(capsys.readouterr().out)["session_id"]
    for name, arguments in (("check_write_target", {"file_path": "web/cart.ts"}), ("search_forest", {"query": "x"})):
        main(["--root", root, "call", name, "--json", json.dumps({**arguments, "session_id": handle})])
    capsys.readouterr()
    assert main(["--root", root, "session", "show"]) == 0
    out = capsys.readouterr().out
    assert "search_forest in EXPLORATION: not allowed in EXPLORATION" in out
    assert "web/cart.ts  no: nothing may be written in EXPLORATION" in out


def test_an_unknown_handle_is_an_error_with_the_next_step(root: str, capsys):
    assert main(["--root", root, "session", "status", "s_none"]) == 2
    assert "'shirube session start' begins a new one" in capsys.readouterr().err


def test_text_that_would_steer_the_terminal_is_shown_harmless(tmp_path, state_dirs, capsys):
    root = str(write_sample(tmp_path / "x"))
    main(["--root", root, "session", "start", "QUESTION", "what is \x1b[31mred"])
    main(["--root", root, "session", "status"])
    main(["--root", root, "session", "list"])
    assert "\x1b" not in capsys.readouterr().out


def test_a_terminal_speaks_japanese(root: str, capsys):
    japanese = ["--root", root, "--lang", "ja"]
    assert main([*japanese, "session", "list"]) == 1
    assert "まだセッションがありません" in capsys.readouterr().out
    assert main([*japanese, "session", "start", "modify", "会計を直す"]) == 0
    assert "次にすること" in capsys.readouterr().out
    asked = json.dumps({"file_path": "web/cart.ts", "session_id": handle_of(root, capsys)})
    assert main([*japanese, "call", "check_write_target", "--json", asked]) == 0
    capsys.readouterr()
    assert main([*japanese, "session", "show"]) == 0
    out = capsys.readouterr().out
    assert "EXPLORATION  まだ書き込めません" in out
    assert "web/cart.ts  不可: EXPLORATION ではまだ書けません" in out
    assert main([*japanese, "session", "status", "s_none"]) == 2
    assert "'shirube session start' で新しく始められます" in capsys.readouterr().err
    assert main([*japanese, "outcome", "success", "ありがとう"]) == 0
    assert "の結果を記録しました: success" in capsys.readouterr().out


def handle_of(root: str, capsys) -> str:
    main(["--root", root, "session", "list", "--json"])
    return json.loads(capsys.readouterr().out)["sessions"][0]["session_id"]


def test_an_outcome_without_any_session_names_the_next_step(root: str, capsys):
    assert main(["--root", root, "outcome", "success"]) == 2
    assert "'shirube session start' begins one" in capsys.readouterr().err


MODEL = Screen(Paint(on=False), AGENT, model=True)


def step_result(**changes: Any) -> StepResult:
    plain = StepResult(
        session_id="s_1",
        accepted=True,
        phase=Phase.SEMANTIC,
        risk="HIGH",
        message=say("session.suppose"),
        evaluated_confidence="low",
        errors=(),
        missing_requirements=(Lack("entry_points", 0, 2), Lack("slot_evidence", 1, 2, "observed_issue")),
        semantic_reasons=("architecture_unknown",),
        missing_slots=("desired_action",),
        guidance={},
        hypotheses=(Hypothesis("h1", "it is\nthere"),),
        mapped_symbols=(),
        coverage=Coverage(2, 1, ("b.py",)),
        next=(NextCall("search", {"query": "x", "session_id": "s_1"}, say("session.more_files")),),
    )
    return replace(plain, **changes)


def test_a_step_tells_a_model_what_is_missing_and_the_next_call_in_few_lines():
    view = submit_understanding(step_result(), MODEL)
    assert view.text.splitlines() == [
        "SEMANTIC: not enough is known yet: suppose, then verify (SEMANTIC)",
        "missing: entry_points 0/2, slot_evidence 1/2 observed_issue",
        "not said: desired_action",
        "h1 open: it is�there",
        "next",
        "  search query=x",
        "   more files have to be looked at",
    ]
    assert view.found
    refused = submit_understanding(step_result(accepted=False, errors=(say("session.no_code"),)), MODEL)
    assert refused.text.splitlines()[0] == "not enough is known yet: suppose, then verify (SEMANTIC) (SEMANTIC)"
    assert refused.text.splitlines()[1].startswith("! ")
    assert not refused.found
    person = submit_understanding(step_result(), Screen(Paint(on=False), AGENT))
    assert person.text.startswith("SEMANTIC risk HIGH: ")


def test_every_step_of_a_session_reads_alike():
    alike = [one for one in in_toolsets(["all"]).values() if one.result is StepResult]
    assert len(alike) == 6
    assert {view_of(one) for one in alike} == {submit_understanding}


def test_a_write_check_says_yes_or_no_and_why():
    no = verbatim("too early")
    refused = WriteCheck("a.py", False, True, no)
    result = WriteResult("s_1", "a.py", False, True, Phase.SEMANTIC, no, Coverage(), (), (refused,), ())
    assert check_write_target(result, MODEL).text == "a.py: no: too early"
    named = replace(refused, reason=say("guard.not_looked", path="a.py"))
    assert check_write_target(replace(result, files=(named,)), MODEL).text == f"no: {named.reason}"
    yes = replace(result, allowed=True, files=(WriteCheck("a.py", True),))
    assert check_write_target(yes, MODEL).text == "a.py may be written"
    several = (WriteCheck("b.py", True), refused, WriteCheck("c.py", True))
    some = check_write_target(replace(result, files=several), MODEL)
    assert some.text.splitlines() == ["b.py, c.py may be written", "a.py: no: too early"]
    assert not some.found


def test_a_confirmation_tells_what_is_kept_and_what_is_not():
    kept = JudgedSymbol("pay", "fact", 0.9, "a.py", 3, "similarity", NOTHING)
    far = JudgedSymbol("other", "refused", 0.1, "b.py", 1, "similarity", verbatim("too far"))
    result = ConfirmResult("s_1", "paying", (kept,), (far,), ("gone",), True, "LOW", verbatim("go on"))
    assert confirm_symbol_relevance(result, MODEL).text.splitlines() == [
        "confirmed  paying = pay  a.py:3",
        "not kept: other (too far)",
        f"not kept: gone ({say('session.no_name')})",
        "go on",
    ]


@pytest.mark.requirement("003-FRAMES-03")
def test_by_the_seeds_the_text_asks_for_the_slots(sample_repo: Path, seed_evidence: None):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        text = start_session(project.start_session("MODIFY", "checkout fails"), MODEL).text
        assert "\n- observed_issue: " in text
