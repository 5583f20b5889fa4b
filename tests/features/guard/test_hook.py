"""The gate as agents call it: as a program, and whatever goes wrong in it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shirube import open_workspace
from shirube.doors.agents.pieces import hook_command
from shirube.doors.hook import choose_mode, read_options
from shirube.engine.store.disk import JOURNAL, project_directory
from shirube.errors import UnknownName
from tests.cases import for_each
from tests.conftest import StateDirs
from tests.doors.mcp.client import Server

TARGET = "src/shop/retry.py"
HEAVY = (
    *("numpy", "yaml", "tantivy", "tree_sitter", "mcp", "pydantic", "jinja2"),
    *("shirube.workspace", "shirube.operations", "shirube.doors.cli"),
)


def ask(
    root: Path, *options: str, code: str = "", told: str | None = None, **event: Any
) -> subprocess.CompletedProcess:
    """Call the program as a hook does; ``code`` runs first, to break something."""
    program = f"import sys\n{code}\nfrom shirube.__main__ import main\n"
    payload = json.dumps({"session_id": "c", "cwd": str(root), **event}) if told is None else told
    return subprocess.run(
        [sys.executable, "-c", f"{program}main()", "gate", "--hook", *options],
        input=payload,
        capture_output=True,
        encoding="utf-8",
        cwd=root,
        check=False,
    )


def writing(root: Path, path: str = TARGET) -> dict[str, Any]:
    return {"tool_name": "Write", "tool_input": {"file_path": str(root / path)}}


def running(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def until_ready(root: Path, client: str) -> None:
    """Go the whole way to READY through the operations, as this client."""
    with open_workspace(root) as project:
        project.sync_index()
        request = "Fix the retry of failed payments: checkout gives up too early"
        from shirube.operation import Call
        from shirube.operations import run

        def call(name: str, **arguments: Any) -> Any:
            return run(project.workspace, name, arguments, Call(client=client))

        handle = call("start_session", intent="MODIFY", query=request).session_id
        for slot, text in (
            ("target_feature", "retry of failed payments"),
            ("observed_issue", "checkout gives up too early"),
        ):
            call("set_query_frame", session_id=handle, **{slot: {"value": text, "quote": text}})
        call("search", session_id=handle, query="retry failed payments checkout")
        call("search_text", session_id=handle, patterns=["with_retries"])
        call("find_definitions", session_id=handle, symbol="with_retries")
        call("find_references", session_id=handle, symbol="with_retries")
        pattern = "calls that may fail are wrapped by `with_retries`, as in src/shop/payment.py"
        understood = call(
            "submit_understanding", session_id=handle, entry_points=["with_retries"], existing_patterns=[pattern]
        )
        assert understood.phase == "READY", understood


@pytest.mark.requirement("003-HOOK-01")
def test_a_write_is_refused_before_ready_and_allowed_after(repository: Path):
    refused = ask(repository, "before", "--mode", "block", **writing(repository))
    assert (refused.returncode, refused.stdout) == (2, "BLOCK\n")
    assert "start_session" in refused.stderr
    assert ask(repository, "before", "--mode", "block", **running("echo x > a")).returncode == 2
    assert ask(repository, "before", "--mode", "block", **running("git log | head")).stdout == "ALLOW\n"
    until_ready(repository, "c")
    for event in (writing(repository), writing(repository, "src/shop/new.py"), running("echo x > a")):
        passed = ask(repository, "before", "--mode", "block", **event)
        assert (passed.returncode, passed.stdout, passed.stderr) == (0, "ALLOW\n", "")


def test_a_file_that_the_session_made_may_be_written_again(repository: Path):
    until_ready(repository, "c")
    made = "src/shop/made.py"
    assert ask(repository, "before", "--mode", "block", **writing(repository, made)).returncode == 0
    (repository / made).write_text("first\n")
    assert ask(repository, "after", "--mode", "block", **writing(repository, made)).returncode == 0
    again = ask(repository, "before", "--mode", "block", **writing(repository, made))
    assert (again.returncode, again.stderr) == (0, "")


def test_a_ready_session_is_the_clients_that_began_it(repository: Path):
    until_ready(repository, "a")
    with open_workspace(repository) as project:
        from shirube.operation import Call
        from shirube.operations import run

        run(project.workspace, "start_session", {"intent": "MODIFY", "query": "other"}, Call(client="b"))
    mine = ask(repository, "before", "--mode", "block", **{**writing(repository), "session_id": "a"})
    others = ask(repository, "before", "--mode", "block", **{**writing(repository), "session_id": "b"})
    assert (mine.returncode, others.returncode) == (0, 2)


@pytest.mark.requirement("003-HOOK-02")
def test_what_a_shell_wrote_is_held_against_the_same_session(repository: Path):
    assert ask(repository, "start", "--mode", "block").stdout == "ALLOW\n"
    (repository / "README.md").write_text("changed by a shell\n")
    found = ask(repository, "after", "--mode", "block", **running("make"))
    assert found.returncode == 2
    assert "README.md" in found.stderr
    assert ask(repository, "stop", "--mode", "block").returncode == 2
    assert ask(repository, "stop", "--mode", "block").returncode == 0
    with open_workspace(repository) as project:
        assert project.get_improvement_insights().gate.found == 2


def test_a_start_in_the_middle_forgets_nothing(repository: Path):
    ask(repository, "start", "--mode", "block")
    (repository / "README.md").write_text("changed\n")
    ask(repository, "start", "--mode", "block", source="compact")
    assert ask(repository, "stop", "--mode", "block").returncode == 2


def test_advice_is_given_on_stdout(repository: Path):
    told = ask(repository, "before", "--agent", "codex", **writing(repository))
    word, _, rest = told.stdout.partition(" ")
    assert (told.returncode, word) == (0, "ALLOW")
    assert "start_session" in json.loads(rest)["hookSpecificOutput"]["additionalContext"]


@for_each(
    ("configured", "told", "mode"),
    [
        ("advise", "advise", "advise"),
        ("advise", "block", "block"),
        ("block", "advise", "block"),
        ("block", "off", "block"),
        ("off", "advise", "off"),
        ("off", "block", "block"),
        ("advise", "off", "advise"),
    ],
)
def test_a_hook_can_make_the_gate_stronger_and_only_the_user_switches_it_off(configured: str, told: str, mode: str):
    assert choose_mode(configured, told) == mode


def test_the_user_can_switch_it_off(repository: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_GATE_MODE", "off")
    assert ask(repository, "before", **writing(repository)).stdout == "ALLOW\n"


def test_options_nobody_knows_are_refused():
    assert read_options(["--hook", "before"])["--mode"] == "advise"
    for argv in (["--hook", "befor"], ["--hok", "before"], ["--hook", "before", "--agent", "x"], ["--mode"]):
        with pytest.raises(UnknownName):
            read_options(argv)


CRASH = "import shirube.doors.hook as d\ndef f(*_): raise RuntimeError('broken')\nd.answer_hook = f"
HANG = (
    "import shirube.doors.hook as d, threading\nd.SECONDS = 0.2\nd.answer_hook = lambda *_: threading.Event().wait(60)"
)


@pytest.mark.parametrize("code", [CRASH, HANG], ids=["crash", "hang"])
def test_a_gate_that_fails_refuses_in_block_mode_and_says_so_in_advise_mode(repository: Path, code: str):
    refused = ask(repository, "before", "--mode", "block", code=code, **writing(repository))
    assert (refused.returncode, refused.stdout) == (2, "BLOCK\n")
    assert "the gate failed" in refused.stderr
    told = ask(repository, "before", "--mode", "advise", code=code, **writing(repository))
    assert (told.returncode, told.stdout) == (1, "FAILED\n")
    assert "nothing was checked" in told.stderr


def test_a_fault_at_the_stop_never_keeps_an_agent_from_stopping(repository: Path):
    assert ask(repository, "stop", "--mode", "block", code=CRASH).returncode == 1


@pytest.mark.parametrize("told", ["", "rubbish", "[]", '{"tool_name": "Write"', "\x00", "{}", '{"tool_name": 7}'])
def test_a_question_that_cannot_be_read_is_refused(repository: Path, told: str):
    assert ask(repository, "before", "--mode", "block", told=told).returncode == 2
    assert ask(repository, "before", "--mode", "advise", told=told).returncode == 1


def _no_journal(place: Path) -> None:
    place.mkdir(parents=True)


def _rubbish(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.write_bytes(b"rubbish" * 1000)


@pytest.mark.parametrize("damage", [_no_journal, _rubbish])
def test_a_journal_that_cannot_be_read_opens_nothing(
    repository: Path, state_dirs: StateDirs, damage: Callable[[Path], None]
):
    damage(project_directory(state_dirs.state, repository) / JOURNAL)
    assert ask(repository, "before", "--mode", "block", **writing(repository)).returncode == 2


def test_the_rates_are_shown_in_the_terminal_and_to_an_agent(repository: Path, state_dirs: StateDirs):
    """Block and advice by real hooks; then both doors are asked how often it was, and how often wrongly."""
    for moment in ("before", "after"):
        ask(repository, moment, **running("make docs"))
    ask(repository, "before", **writing(repository))
    with (repository / TARGET).open("a") as stream:
        stream.write("# changed although advised against\n")
    ask(repository, "after", **writing(repository))
    ask(repository, "before", "--mode", "block", **writing(repository, "README.md"))
    ask(repository, "before", "--mode", "block", **running("cat README.md"))
    assert ask(repository, "stop", "--mode", "block").returncode == 2
    until_ready(repository, "c")
    ask(repository, "before", "--mode", "block", **writing(repository))
    program = [sys.executable, "-m", "shirube", "--root", str(repository), "outcome", "insights"]
    shown = subprocess.run(program, capture_output=True, encoding="utf-8", check=True).stdout
    assert "4 writes judged, 1 blocked, 2 advised against (75%), 1 allowed later, 1 found afterwards" in shown
    assert "false blocks: 100%" in shown
    assert "make docs (1); gate.commands can let them pass" in shown
    server = Server(repository, state_dirs, "--toolsets", "all")
    try:
        server.initialize()
        rates = server.call("get_improvement_insights", {})["structuredContent"]["gate"]
    finally:
        server.close()
    assert rates == {
        **{"checks": 4, "blocked": 1, "advised": 2, "lifted": 1, "harmless": 1, "found": 1},
        **{"block_rate": 0.75, "false_block_rate": 1.0, "harmless_commands": {"make docs": 1}},
    }


@pytest.mark.parametrize("text", ["rubbish", '[gate]\nmode = "off"\n', '[gate]\nmode = "advise"\nexempt = ["**"]\n'])
def test_a_projects_file_cannot_weaken_what_the_user_set(repository: Path, state_dirs: StateDirs, text: str):
    (state_dirs.config / "config.toml").write_text('[gate]\nmode = "block"\n')
    (repository / ".shirube").mkdir()
    (repository / ".shirube" / "config.toml").write_text(text)
    assert ask(repository, "before", "--mode", "advise", **writing(repository)).returncode == 2


def test_a_projects_file_can_make_it_stronger(repository: Path):
    (repository / ".shirube").mkdir()
    (repository / ".shirube" / "config.toml").write_text('[gate]\nmode = "block"\n')
    assert ask(repository, "before", "--mode", "advise", **writing(repository)).returncode == 2


def test_state_inside_the_project_is_not_believed(repository: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_STATE_DIR", str(repository / "state"))
    refused = ask(repository, "before", "--mode", "block", **writing(repository))
    assert refused.returncode == 2
    assert "forge" in refused.stderr


def test_nothing_heavy_is_imported_on_the_way(repository: Path):
    ask(repository, "start")
    loaded = f"[m for m in {HEAVY!r} if m in sys.modules]"
    tell = (
        f"import os, sys\nleave = os._exit\nos._exit = lambda code: (os.write(2, str({loaded}).encode()), leave(code))"
    )
    for event in (writing(repository), running("ls"), running("make")):
        for moment in ("before", "after"):
            assert ask(repository, moment, code=tell, **event).stderr == "[]"
    light = tell.replace(
        repr(HEAVY), "('sqlite3', 'shirube.settings', 'shirube.features.guard.state', 'msgspec', 'subprocess')"
    )
    assert ask(repository, "before", code=light, **running("ls | head")).stderr == "[]"


@pytest.mark.parametrize(
    "fault", ["exit 1", "exit 0", "echo rubbish", "echo ALLOWED", "kill -9 $$", "sleep 60", "missing"]
)
def test_the_lines_of_shell_between_let_nothing_pass_but_clear_leave(tmp_path: Path, fault: str):
    """Whatever stands in the place of our program: only its clear word opens."""
    program = tmp_path / "shirube"
    if fault != "missing":
        program.write_text(f"#!/bin/sh\n{fault}\n")
        program.chmod(0o755)
    line = hook_command(str(program), "claude-code", "before", "block").replace("-k 1 8", "-k 1 0.3")
    done = subprocess.run(["/bin/sh", "-c", line], input="{}", capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert "the gate failed" in done.stderr


def test_the_lines_of_shell_pass_on_what_the_gate_says(repository: Path):
    program = shutil.which("shirube", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert program is not None
    line = hook_command(program, "claude-code", "before", "block")
    for event, code in ((writing(repository), 2), (running("ls"), 0)):
        told = json.dumps({"session_id": "c", "cwd": str(repository), **event})
        done = subprocess.run(["/bin/sh", "-c", line], input=told, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout) == (code, "")
