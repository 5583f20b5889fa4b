import json

import pytest

from shirube.doors.cli import main
from tests.conftest import write_sample


@pytest.fixture
def root(sample_repo) -> str:
    return str(sample_repo)


def test_a_session_can_be_begun_and_read_by_a_person(root: str, capsys):
    assert main(["--root", root, "session", "list"]) == 1
    assert "no session here yet" in capsys.readouterr().out
    assert main(["--root", root, "session", "start", "modify", "checkout retries", "for ever"]) == 0
    handle = capsys.readouterr().out.split()[0]
    call = json.dumps({"query": "checkout retry", "session_id": handle})
    assert main(["--root", root, "call", "search", "--json", call]) == 0
    capsys.readouterr()
    assert main(["session", "status", "--root", root]) == 0
    out = capsys.readouterr().out
    assert f"{handle}  MODIFY  EXPLORATION  risk HIGH  may not write" in out
    assert "src/shop/retry.py" in out
    assert "entry_points: 0 of 2" in out
    assert "set_query_frame" in out
    assert main(["--root", root, "session", "show", handle]) == 0
    assert "search checkout retry" in capsys.readouterr().out
    assert main(["--root", root, "session", "list"]) == 0
    assert "checkout retries for ever" in capsys.readouterr().out


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
    assert "リスク HIGH  まだ書き込めません" in out
    assert "web/cart.ts  不可: EXPLORATION では何も書き込めません" in out
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
