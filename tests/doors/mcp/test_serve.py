import asyncio
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from shirube import open_workspace
from shirube.engine.store.disk import JOURNAL, project_directory
from shirube.engine.store.journal import Journal
from shirube.operations import OPERATIONS
from tests.conftest import StateDirs, isolate, make_state_dirs, write_sample
from tests.doors.mcp.client import PATIENCE_SECONDS, Server
from tests.stubborn import RUN, Stubborn, commanded


def children_of(process: int) -> list[int]:
    """Return the processes whose parent is this one."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found.append(int(status.parent.name))
    return found


def ended(process: int) -> bool:
    """Wait for the end of somebody else's child, and tell whether it came."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE_SECONDS)[0])
    finally:
        os.close(handle)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_the_versions_of_todays_clients_are_spoken(start: Callable[..., Server], version: str):
    one = start()
    result = one.initialize(version)["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "shirube"
    assert "search" in result["instructions"]
    assert [tool["name"] for tool in one.tools()] == [row.tool for row in OPERATIONS if row.tool]


@pytest.mark.parametrize("form", [(), ("--structured",)], ids=["text", "JSON"])
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_is_served_in_both_eras(
    served: tuple[Path, StateDirs], mode: str, form: tuple[str, ...], tmp_path: Path
):
    root, dirs = served
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "shirube", "--root", str(root), "serve", "--toolsets", "all", *form],
        env=dirs.environ(),
    )

    async def talk() -> tuple[str, list[str], Any, bool]:
        with (tmp_path / "stderr").open("w") as errors:
            async with Client(stdio_client(parameters, errlog=errors), mode=mode) as client:
                listed = await client.list_tools()
                result = await client.call_tool("search", {"query": "cartTotal", "limit": 1})
                failed = await client.call_tool("search", {"query": "", "limit": 1})
                names = [tool.name for tool in listed.tools]
                return client.protocol_version, names, result, bool(failed.is_error)

    version, names, result, failed = asyncio.run(talk())
    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert names == [operation.name for operation in OPERATIONS]
    if form:
        assert result.structured_content["forest_hits"][0]["path"] == "web/cart.ts"
    else:
        assert result.structured_content is None
        assert "\nweb/cart.ts:" in result.content[0].text
    assert failed


def test_a_version_nobody_knows_is_answered_with_one_we_speak(start: Callable[..., Server]):
    result = start().initialize("1999-01-01")["result"]
    assert result["protocolVersion"].startswith("202")


EARLY = {
    "tools/list": {},
    "tools/call": {"name": "search", "arguments": {"query": "retry"}},
    "resources/list": {},
    "resources/read": {"uri": "shirube://file/README.md"},
    "prompts/list": {},
    "prompts/get": {"name": "code"},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}},
}


@pytest.mark.requirement("N002-WIRE-01")
def test_a_request_before_initialize_is_told_what_to_send_and_may_then_come_again(start: Callable[..., Server]):
    one = start()
    assert one.ask("ping")["result"] == {}
    for method, params in [*EARLY.items(), ("tools/call", {"name": 5})]:
        error = one.ask(method, params)["error"]
        assert error["message"].startswith(f"'{method}' came before 'initialize'")
        assert error["data"]["hint"] in error["message"]
    japanese = one.ask("tools/call", {"name": "search", "arguments": {"query": "返金"}})["error"]
    assert "最初の要求として 'initialize' が必要です" in japanese["message"]
    assert one.ask("no/such/method")["error"]["code"] == one.ask("server/discover")["error"]["code"] == -32601
    one.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    (told,) = re.findall(r"\{.*\}", error["message"])
    greeting = json.loads(told)
    one.send(greeting)
    assert one.answer(greeting["id"])["result"]["serverInfo"]["name"] == "shirube"
    assert one.tools()


@pytest.mark.requirement("002-SHELL-01")
def test_a_line_from_a_shell_is_told_and_with_the_line_it_names_answered(served: tuple[Path, StateDirs]):
    root, dirs = served
    line = '{"jsonrpc":"2.0","method":"tools/list","params":{},"id":1}'
    asked = '{"name":"gistdex_query_plan","arguments":{"goal":"test"}}'
    plan = f'{{"jsonrpc":"2.0","method":"tools/call","params":{asked},"id":1}}'

    def shell(*lines: str) -> list[Any]:
        command = [sys.executable, "-m", "shirube", "--root", str(root), "serve", "--toolsets", "compat"]
        asked = "".join(f"{line}\n" for line in lines)
        done = subprocess.run(command, input=asked, capture_output=True, text=True, env=dirs.environ(), check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    (refused,) = shell(line)
    greeting = re.findall(r"\{.*\}", refused["error"]["message"])[0]
    _, listed = shell(greeting, line)
    names = [tool["name"] for tool in listed["result"]["tools"]]
    assert {"gistdex_index", "gistdex_query", "gistdex_list", "gistdex_query_plan"} <= set(names)
    _, answered = shell(greeting, plan)
    assert answered["result"]["content"][0]["text"].startswith("success")


def test_a_modern_request_of_a_version_nobody_knows_is_refused(server: Server):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    assert "error" in server.ask("tools/list", {"_meta": meta})
    assert server.tools()


def test_a_quiet_client_that_goes_away_leaves_no_word_behind(start: Callable[..., Server]):
    one = start("--toolsets", "core,index")
    one.initialize()
    listed = [tool["name"] for tool in one.tools()]
    core = [row.tool for row in OPERATIONS if row.tool]
    assert listed == [*core, *(row.name for row in OPERATIONS if row.group == "index")]
    assert one.end() == 0
    assert one.rest() == []
    assert one.stderr == b""


def test_the_end_of_input_before_any_message_ends_the_server_well(start: Callable[..., Server]):
    assert start().end() == 0


@pytest.mark.parametrize(
    ("number", "code"),
    [(None, 0), (signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)],
    ids=["end of input", "SIGTERM", "SIGINT", "SIGKILL"],
)
def test_the_server_ends_well_and_no_worker_outlives_it(
    start: Callable[..., Server], number: signal.Signals | None, code: int
):
    one = start("--toolsets", "all")
    one.initialize()
    one.call("sync_index", {"full": True})
    (one.served / "new.py").write_text(f"# {number}\n")
    one.call("sync_index")
    workers = children_of(one.process.pid)
    assert workers
    if number is not None:
        one.process.send_signal(number)
        assert one.wait() == code
    else:
        assert one.end() == code
    assert b"Traceback" not in one.stderr
    assert all(ended(worker) for worker in workers)


PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=sys.stdout)
print(child.pid, file=sys.stderr, flush=True)
for line in sys.stdin.buffer:
    child.stdin.write(line)
    child.stdin.flush()
"""


@pytest.mark.parametrize("end", ["end of input", "SIGTERM", "SIGINT", "the client is killed"])
def test_a_server_in_the_middle_of_a_session_ends_and_holds_nothing(
    start: Callable[..., Server], served: tuple[Path, StateDirs], end: str, monkeypatch: pytest.MonkeyPatch
):
    """The next one to come can write the journal and the index at once, and goes on with the session."""
    root, dirs = served
    program = [sys.executable, "-m", "shirube", "--root", str(root), "serve", "--structured", "--toolsets", "all"]
    one = start(program=[sys.executable, "-c", PARENT, *program] if end.startswith("the client") else program)
    one.initialize()
    handle = one.call("start_session", {"intent": "MODIFY", "query": "the cart"})["structuredContent"]["session_id"]
    one.call("search", {"query": "cartTotal", "session_id": handle})
    inner = int(one.stderr.split()[0]) if end.startswith("the client") else one.process.pid
    handles = [inner, *children_of(inner)]
    if end == "end of input":
        assert one.end() == 0
    else:
        one.process.send_signal(signal.SIGKILL if end.startswith("the client") else signal.Signals[end])
        one.wait()
    assert all(ended(process) for process in handles)
    journal = Journal(project_directory(dirs.state, root) / JOURNAL, 0.0, lambda: 0)
    journal.append("after", {"end": end})
    journal.close()
    isolate(dirs, monkeypatch)
    with open_workspace(root) as project:
        status = project.get_session_status(handle)
    assert (status.session_id, status.tools_used) == (handle, ("start_session", "search"))


def test_a_question_under_way_when_the_input_ends_does_not_hold_the_server(start: Callable[..., Server]):
    one = start("--toolsets", "all")
    one.initialize()
    one.send(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "sync_index", "arguments": {"full": True}},
        }
    )
    assert one.end() == 0
    assert b"Traceback" not in one.stderr


def test_a_server_that_cannot_start_says_why_on_stderr_alone(start: Callable[..., Server]):
    one = start("--toolsets", "nonsense")
    assert one.wait() == 2
    assert one.rest() == []
    assert b"unknown toolset 'nonsense'" in one.stderr


def test_an_unindexed_project_is_answered_and_its_state_is_said(tmp_path: Path, served: tuple[Path, StateDirs]):
    one = Server(write_sample(tmp_path / "fresh"), served[1])
    try:
        one.initialize()
        result = one.call("search", {"query": "cartTotal"})["structuredContent"]
        assert result["answer"] in ("found", "partial", "unknown")
        assert result["answer"] == "found" or "still being built" in result["next"]
        assert one.end() == 0
    finally:
        one.close()


@pytest.fixture
def executing(tmp_path: Path) -> Iterator[tuple[Server, Stubborn]]:
    """Return a server that waits for an outside command, and that command."""
    root, environ, runner = commanded(tmp_path)
    told = [f"{name}={value}" for name, value in environ.items()]
    program = ["/usr/bin/env", "-i", *told, sys.executable, "-m", "shirube", "serve"]
    one = Server(root, make_state_dirs(tmp_path / "unused"), program=program)
    one.initialize()
    one.send({"jsonrpc": "2.0", "id": "run", "method": "tools/call", "params": RUN})
    runner.wait_until_both_run()
    yield one, runner
    one.close()
    runner.close()


def test_a_command_ends_when_its_call_is_cancelled(executing: tuple[Server, Stubborn]):
    one, runner = executing
    one.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "run"}})
    runner.wait_until_both_are_gone()
    assert one.tools()


@pytest.mark.parametrize("end", ["end of input", "SIGTERM", "SIGINT", "SIGKILL"])
def test_no_command_outlives_the_server(executing: tuple[Server, Stubborn], end: str):
    one, runner = executing
    if end.startswith("SIG"):
        one.process.send_signal(signal.Signals[end])
    else:
        assert one.end() == 0
    runner.wait_until_both_are_gone()
    one.wait()
    assert b"Traceback" not in one.stderr
