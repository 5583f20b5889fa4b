"""The gate as agents call it: as a program, and whatever goes wrong in it."""

import fcntl
import json
import os
import select
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
GIVES_UP_WHEN_GIT_RUNS = """
import shirube.doors.hook as door
from shirube.features.guard.tree_snapshot import TreeListing

def wait(listing):
    open({ack!r}).read(1)
    door._give_up(True, True)

TreeListing.paths = wait
"""
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
        call("snippets_get", session_id=handle, path=TARGET)
        understood = call(
            "submit_understanding",
            session_id=handle,
            symbols=["with_retries"],
            feature="retry of failed payments",
            why="`with_retries` calls the action ATTEMPTS times and then gives up",
        )
        assert understood.phase == "READY", understood


@pytest.mark.requirement("003-HOOK-01")
def test_a_write_is_refused_before_ready_and_allowed_after(repository: Path):
    refused = ask(repository, "before", "--mode", "block", **writing(repository))
    assert (refused.returncode, refused.stdout[:7]) == (2, "BLOCK {")
    told = json.loads(refused.stdout.removeprefix("BLOCK "))["hookSpecificOutput"]
    assert (told["permissionDecision"], told["permissionDecisionReason"]) == ("deny", refused.stderr.strip())
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


def test_a_write_from_a_directory_outside_is_judged_where_the_file_lies(repository: Path, tmp_path: Path):
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    edit = {**writing(repository), "cwd": str(outside)}
    assert ask(outside, "before", "--mode", "block", **edit).returncode == 2
    patch = f"*** Update File: note.txt\n*** Update File: {repository / TARGET}\n"
    both = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "cwd": str(outside)}
    assert ask(outside, "before", "--mode", "block", **both).returncode == 2
    until_ready(repository, "c")
    assert ask(outside, "before", "--mode", "block", **edit).stdout == "ALLOW\n"


def test_a_ready_session_is_the_clients_that_began_it(repository: Path):
    until_ready(repository, "a")
    with open_workspace(repository) as project:
        from shirube.operation import Call
        from shirube.operations import run

        run(project.workspace, "start_session", {"intent": "MODIFY", "query": "other"}, Call(client="b"))
    mine = ask(repository, "before", "--mode", "block", **{**writing(repository), "session_id": "a"})
    others = ask(repository, "before", "--mode", "block", **{**writing(repository), "session_id": "b"})
    assert (mine.returncode, others.returncode) == (0, 2)


def started(root: Path) -> str:
    """Start a session of which the server knows no client, and return its handle."""
    with open_workspace(root) as project:
        return project.start_session("MODIFY", "Fix the retry of failed payments").session_id


def answered(handle: str) -> dict[str, Any]:
    answer = [{"type": "text", "text": f"session_id {handle} MODIFY EXPLORATION risk HIGH"}]
    return {"tool_name": "mcp__shirube__start_session", "tool_input": {}, "tool_response": answer}


def has_session(root: Path, client: str, **event: Any) -> bool:
    """Tell whether the gate knows a session of a conversation: then it names the phase in which nothing is written."""
    refused = ask(root, "before", "--mode", "block", **{**writing(root), "session_id": client, **event})
    assert refused.returncode == 2
    return "EXPLORATION" in refused.stderr


def test_a_session_belongs_to_the_conversation_that_was_seen_to_start_it(repository: Path):
    handle = started(repository)
    assert not has_session(repository, "a")
    assert ask(repository, "after", **{**answered(handle), "session_id": "a"}).stdout == "ALLOW\n"
    assert has_session(repository, "a")
    assert has_session(repository, "a", agent_id="helper")
    ask(repository, "after", **{**answered(handle), "session_id": "b"})
    assert not has_session(repository, "b")


def test_a_session_that_another_conversation_made_ready_opens_nothing(repository: Path):
    until_ready(repository, "a")
    with open_workspace(repository) as project:
        (line,) = project.list_sessions().sessions
    for client in ("b", ""):
        echo = {**running(f"echo {line.session_id}"), "tool_response": {"stdout": line.session_id}}
        ask(repository, "after", "--mode", "block", **{**echo, "session_id": client})
        ask(repository, "after", "--mode", "block", **{**answered(line.session_id), "session_id": client})
        refused = ask(repository, "before", "--mode", "block", **{**writing(repository), "session_id": client})
        assert refused.returncode == 2
        assert "start_session" in refused.stderr


def test_what_an_agent_reads_by_itself_counts_as_looked_at(repository: Path):
    for name in ("one.txt", "two.txt"):
        (repository / name).write_text(f"this is {name}\n")
    until_ready(repository, "c")
    for path, look in (
        ("one.txt", {"tool_name": "Read", "tool_input": {"file_path": str(repository / "one.txt")}}),
        ("two.txt", {**running("head -3 two.txt"), "tool_response": "this is two.txt\n"}),
    ):
        assert ask(repository, "before", "--mode", "block", **writing(repository, path)).returncode == 2
        assert ask(repository, "after", "--mode", "block", **look).stdout == "ALLOW\n"
        assert ask(repository, "before", "--mode", "block", **writing(repository, path)).returncode == 0


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


@pytest.mark.parametrize("moment", ["before", "after", "start"])
def test_a_git_that_hangs_is_given_up_and_leaves_no_process(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
):
    """The stub of git and the child it starts hold a lock; both locks are free once nothing runs any more."""
    tools, locks = tmp_path / "tools", [tmp_path / name for name in ("git.lock", "child.lock")]
    tools.mkdir()
    (tools / "git").write_text(
        f"#!{sys.executable}\nimport fcntl, os, signal\n"
        f"os.fork() and os.fork()\nlock = open({str(locks[0])!r}, 'a')\nfcntl.flock(lock, fcntl.LOCK_SH)\n"
        f"open({str(locks[1])!r}, 'a').close()\nsignal.pause()\n"
    )
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    code = "import shirube.doors.hook as d\nd.SECONDS = 1.0"
    done = ask(repository, moment, "--mode", "block", code=code, **running("make"))
    assert done.returncode == (2 if moment == "before" else 1)
    assert "no answer in 1 s" in done.stderr
    assert locks[1].exists(), "git was not started"
    with locks[0].open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # waits until the last of them is gone


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
        ask(repository, moment, **running("make formatted"))
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
    assert "make formatted (1); gate.commands can let them pass" in shown
    server = Server(repository, state_dirs, "--toolsets", "all")
    try:
        server.initialize()
        rates = server.call("get_improvement_insights", {})["structuredContent"]["gate"]
    finally:
        server.close()
    assert rates == {
        **{"checks": 4, "blocked": 1, "advised": 2, "lifted": 1, "harmless": 1, "found": 1},
        **{"block_rate": 0.75, "false_block_rate": 1.0, "harmless_commands": {"make formatted": 1}},
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
    "fault",
    ["exit 1", "exit 0", "echo rubbish", "echo ALLOWED", "echo 'BLOCK {'; exit 2", "kill -9 $$", "sleep 60", "missing"],
)
def test_the_lines_of_shell_between_let_nothing_pass_but_clear_leave(tmp_path: Path, fault: str):
    """Whatever stands in the place of our program: only its clear word opens."""
    program = tmp_path / "shirube"
    if fault != "missing":
        program.write_text(f"#!/bin/sh\n{fault}\n")
        program.chmod(0o755)
    line = hook_command(str(program), "claude-code", "before", "block").replace("-k 1 6", "-k 1 0.3")
    done = subprocess.run(["/bin/sh", "-c", line], input="{}", capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert "the gate failed" in done.stderr or "BLOCK" in fault


def test_the_lines_of_shell_pass_on_what_the_gate_says(repository: Path):
    program = shutil.which("shirube", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert program is not None
    for agent, event, code, word in (
        ("claude-code", writing(repository), 2, '"deny"'),
        ("codex", writing(repository), 2, ""),
        ("claude-code", running("ls"), 0, ""),
    ):
        line = hook_command(program, agent, "before", "block")
        told = json.dumps({"session_id": "c", "cwd": str(repository), **event})
        done = subprocess.run(["/bin/sh", "-c", line], input=told, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, bool(done.stdout)) == (code, bool(word))
        assert word in done.stdout


def test_a_gate_that_gives_up_refuses_and_leaves_no_process(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The git it has started holds a pipe open; the pipe ends when that git does."""
    fifo, ack, slow = tmp_path / "pipe", tmp_path / "ack", tmp_path / "bin" / "git"
    os.mkfifo(fifo)
    os.mkfifo(ack)
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\nexec 3>{fifo}\necho started >&3\necho x >{ack}\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    code = GIVES_UP_WHEN_GIT_RUNS.format(ack=str(ack))
    refused = ask(repository, "before", "--mode", "block", code=code, **running("touch x"))
    assert (refused.returncode, refused.stdout) == (2, "BLOCK\n")
    told = b""
    while select.select([reader], [], [], 30)[0] and (more := os.read(reader, 100)):
        told += more
    assert told == b"started\n"
    assert select.select([reader], [], [], 0)[0], "the git that was started is still running"
    os.close(reader)
