import io
import json
import shutil
from pathlib import Path

import pytest

from shirube.doors.cli import main

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"


@pytest.fixture
def team(tmp_path: Path, state_dirs) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "team")
    return tmp_path / "team"


@pytest.fixture
def cli(team: Path, capsys: pytest.CaptureFixture[str]):
    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--root", str(team), "commands", *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_search_shows_commands_and_their_descriptions(cli):
    code, out, err = cli("search", "undo", "my", "commit", "-k", "1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("git undo-last commit  ")
    assert lines[1] == "    Undo the most recent commit while keeping its changes in the working tree"


def test_search_in_japanese_says_that_it_went_wider(cli):
    code, out, err = cli("search", "コミットを取り消す", "-k", "1")
    assert code == 0
    assert "git undo-last commit" in out
    assert "the wider search answers" in err
    assert cli("search", "議事録の要約", "--agent", "annai")[1].startswith("docs summarise-meeting minutes")


@pytest.mark.requirement("000-RRF-05", "N000-CLIMPT-03")
def test_action_and_target_are_the_two_query_form(cli):
    code, out, _ = cli("search", "--action", "undo revert", "--target", "commit", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["results"][0]["c2"] == "undo-last"
    assert len(result["results"][0]["ranks"]) == 2
    assert cli("search", "x", "--action", "y")[0] == 2


def test_no_match_is_exit_code_1(cli):
    code, out, _ = cli("search", "zyzzyva")
    assert (code, out[:5]) == (1, "none:")
    assert cli("search")[0] == 2


def test_describe_shows_what_a_command_takes(cli):
    code, out, _ = cli("describe", "docs", "write-decision", "record")
    assert code == 0
    assert "takes  destination" in out
    assert "--uv-question  what has to be decided" in out
    code, out, _ = cli("describe", "docs", "write-decision", "nothing")
    assert (code, out) == (1, "none: no command has exactly these three words\n")


@pytest.mark.requirement("000-OPTION-01", "000-OPTION-04")
def test_execute_prints_the_prompt_and_nothing_else(cli, team: Path):
    words = ("execute", "docs", "write-decision", "record")
    code, out, err = cli(*words, "--uv-question=どれにするか", "-d=docs/x.md")
    assert (code, err) == (0, "")
    assert out.startswith("# Write a decision record\n\nQuestion: どれにするか\n")
    assert f"{team.resolve()}/.agent/climpt/docs/x.md" in out
    assert cli(*words, "--uv", "question=どれにするか", "-o", "docs/x.md")[1] == out
    code, out, err = cli("execute", "docs", "write-readme", "project", "-e=short")
    assert out == "# Write a short README\n\nOne screen: what it is, how to install it, one example with its output.\n"


def test_execute_says_what_is_missing_beside_the_prompt(cli):
    code, out, err = cli("execute", "docs", "write-decision", "record")
    assert code == 0
    assert "{uv-question}" in out
    assert "not given: uv-question" in err
    assert "left as written: destination_path" in err


def test_execute_reads_standard_input_when_it_is_told_to(cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("差分\n"))
    assert "\n差分\n" in cli("execute", "git", "write-message", "commit", "--stdin", "-")[1]
    assert "\ntyped\n" in cli("execute", "git", "write-message", "commit", "--stdin", "typed")[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("git", "undo-lst", "commit"), "did you mean 'git undo-last commit'"),
        (("test", "run-specific", "target", "--uv-tagret=x"), "did you mean 'uv-target'"),
        (("test", "run-specific", "target", "--editon=x"), "did you mean '--edition'"),
        (("review", "check-error", "handling", "-f=../x"), "leaves the working directory"),
        (("git", "undo-last", "commit", "--agent", "nobody"), "unknown agent 'nobody'"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(cli, words, told: str):
    code, out, err = cli("execute", *words)
    assert (code, out) == (2, "")
    assert told in err


def test_validate_fails_when_something_cannot_be_rendered(cli, team: Path):
    code, out, _ = cli("validate")
    assert (code, out) == (0, ".agent/climpt/registry.json: 30 of 30 commands can be rendered\n")
    (team / ".agent/climpt/prompts/git/undo-last/commit/f_default.md").unlink()
    (team / ".agent/climpt/prompts/plan/break-down/task/f_default_detailed.md").unlink()
    code, out, _ = cli("validate")
    assert code == 1
    assert "error  git undo-last commit  edition 'default'" in out
    assert "warning  plan break-down task  adaptation 'detailed'" in out
    assert "29 of 30" in out
    shutil.rmtree(team / ".agent")
    code, _, err = cli("validate")
    assert code == 1
    assert "there is no registry" in err


def test_build_shows_what_changes_and_writes_unless_told_otherwise(cli, team: Path):
    file = team / ".agent/annai/registry.json"
    file.unlink()
    code, out, _ = cli("build", "--agent", "annai", "--dry-run")
    assert code == 0
    assert "+ docs translate-page japanese" in out
    assert "6 commands would be written" in out
    assert not file.exists()
    assert "6 commands written" in cli("build", "--agent", "annai")[1]
    assert file.exists()
    (team / ".agent/climpt/prompts/x").mkdir()
    (team / ".agent/climpt/prompts/x/f_default.md").write_text("bare")
    assert "! .agent/climpt/prompts/x/f_default.md: no front matter" in cli("build", "--dry-run")[1]


def test_a_prompt_cannot_steer_a_terminal(cli, team: Path, monkeypatch: pytest.MonkeyPatch):
    prompt = team / ".agent/climpt/prompts/git/undo-last/commit/f_default.md"
    prompt.write_text("---\nc1: git\n---\n\x1b]0;owned\x07red\n")
    assert "\x1b" in cli("execute", "git", "undo-last", "commit")[1]  # a file or a pipe gets it as it is
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b" not in cli("execute", "git", "undo-last", "commit")[1]


@pytest.fixture
def japanese(team: Path, capsys: pytest.CaptureFixture[str]):
    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--root", str(team), "--lang", "ja", "commands", *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_the_terminal_speaks_japanese(japanese, team: Path):
    assert "広い検索で回答しています" in japanese("search", "コミットを取り消す")[2]
    assert "受け取るもの  destination" in japanese("describe", "docs", "write-decision", "record")[1]
    assert "指定なし: uv-question" in japanese("execute", "docs", "write-decision", "record")[2]
    assert japanese("validate")[1] == ".agent/climpt/registry.json: 30 個のコマンドのうち 30 個を出力できます\n"
    assert "30 個のコマンドを書き込みます" in japanese("build", "--dry-run")[1]
    assert "「git undo-last commit」のことですか？" in japanese("execute", "git", "undo-lst", "commit")[2]
    (team / ".agent/climpt/prompts/git/undo-last/commit/f_default.md").unlink()
    assert "エラー  git undo-last commit  エディション「default」" in japanese("validate")[1]


def test_advice_names_commands_and_options_as_they_are_typed(cli, japanese, team: Path):
    words = ("execute", "git", "undo-last", "commit", "-f=a.md")
    assert "'shirube commands describe' tells what it takes" in cli(*words)[2]
    assert "「git undo-last commit」は file を受け取りません" in japanese(*words)[2]
    shutil.rmtree(team / ".agent")
    assert "'shirube commands build' makes one from prompts" in cli("search", "undo")[1]
