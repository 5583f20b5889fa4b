import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from shirube.doors.hook import answer_hook
from shirube.doors.mcp import sent
from shirube.doors.mcp.sent import Reply, Sent
from shirube.doors.mcp.server import Door, build_server
from shirube.features.guard.gate_memory import mark_new_context

QUESTION = "where is an order checked out and paid?"
FILE = "src/shop/checkout.py"
CODE = '''"""Checks orders out."""


def checkout(order):
    """Pay for an order and say that it was checked out."""
    order.pay()
    return f"checked out {order}"
'''
BODY = 'return f"checked out {order}"'
MARK = "(shown before; again=true sends it)"

Ask = Callable[..., Awaitable[str]]


@pytest.fixture
def shop(sample_repo: Path, unhurried) -> Path:
    (sample_repo / FILE).parent.mkdir(parents=True, exist_ok=True)
    (sample_repo / FILE).write_text(CODE)
    return sample_repo


def talk(root: Path, scenario: Callable[[Ask, str], Awaitable[None]], flags: dict[str, Any] | None = None) -> None:
    """Let a client of the SDK talk to a server in this process, with a session of its own."""

    async def main() -> None:
        with closing(Door(root, {"serve.toolsets": "core,session", **(flags or {})})) as door:
            async with Client(build_server(door)) as client:

                async def ask(name: str, meta: dict[str, Any] | None = None, **arguments: Any) -> str:
                    result = await client.call_tool(name, arguments, meta=meta)
                    assert not result.is_error, result.content
                    return result.content[0].text

                await ask("search", query=QUESTION)  # the index is made
                started = await ask("start_session", intent="QUESTION", query=QUESTION)
                await scenario(ask, re.search(r"s_\w+", started)[0])

    asyncio.run(main())


def hook(root: Path, moment: str, agent: str = "claude-code", mode: str = "advise", **event: str) -> None:
    options = {"--hook": moment, "--agent": agent, "--mode": mode, "--root": str(root)}
    answer_hook(options, json.dumps({"session_id": "c", "cwd": str(root), **event}).encode())


def test_a_place_is_sent_once_in_a_session_and_named_afterwards(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        first = await ask("search", query=QUESTION, session_id=handle)
        assert BODY in first
        second = await ask("search", query=QUESTION, session_id=handle)
        assert BODY not in second
        assert re.search(rf"^{FILE}:\d+-\d+ .*checkout.* {re.escape(MARK)}$", second, re.M)
        assert len(second) < len(first)

    talk(shop, scenario)


def test_lines_inside_of_lines_that_were_sent_are_not_sent_again(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        assert BODY in await ask("read", path=FILE, session_id=handle)
        within = await ask("read", path=FILE, start_line=5, end_line=6, session_id=handle)
        assert within == f"{FILE}:5-6 function checkout {MARK}"
        assert BODY not in await ask("search", query=QUESTION, session_id=handle)

    talk(shop, scenario)


def test_only_the_lines_that_were_sent_count_as_shown(shop: Path):
    (shop / "numbers.py").write_text("".join(f"number_{at} = {at}\n" for at in range(1, 101)))

    async def scenario(ask: Ask, handle: str) -> None:
        part = {"path": "numbers.py", "start_line": 1, "end_line": 100, "max_tokens": 60, "session_id": handle}
        *shown, rest = (await ask("read", **part)).split("\n")
        assert rest == f"start_line={len(shown)} end_line=100 shows the rest"
        assert await ask("read", **part) == f"numbers.py:1-{len(shown) - 1} variable number_1 {MARK}\n{rest}"
        assert "number_100 = 100" in await ask("read", **{**part, "max_tokens": 2000})

    talk(shop, scenario)


def test_a_place_that_search_cut_is_named_with_the_lines_that_were_not_shown(shop: Path):
    body = "".join(f"    step_{at}(order)\n" for at in range(60))
    (shop / FILE).write_text(f"def checkout(order):\n    # order checked out and paid\n{body}")

    async def scenario(ask: Ask, handle: str) -> None:
        first = await ask("search", query=QUESTION, path=FILE, max_tokens=150, session_id=handle)
        gaps = re.findall(r"^… \d+-\d+$", first, re.M)
        assert gaps
        second = await ask("search", query=QUESTION, path=FILE, max_tokens=150, session_id=handle)
        assert MARK in second
        assert re.findall(r"^… \d+-\d+$", second, re.M) == gaps

    talk(shop, scenario)


def test_the_rest_of_a_long_read_begins_behind_the_last_line_shown(shop: Path):
    (shop / "numbers.py").write_text("".join(f"number_{at} = {at}\n" for at in range(1, 901)))

    async def scenario(ask: Ask, handle: str) -> None:
        *_, last, rest = (await ask("read", path="numbers.py", start_line=1, end_line=900, max_tokens=60)).split("\n")
        assert rest == f"start_line={int(last.rpartition(' ')[2]) + 1} end_line=900 shows the rest"

    talk(shop, scenario)


def test_an_empty_last_line_belongs_to_what_was_sent():
    reply = Reply(lines := {}, again=False)
    assert not reply.was_sent("a.py", 1, 3, "x = 1\ny = 2\n")
    reply.finish("a.py:1-3\nx = 1\ny = 2\n")
    assert Reply(lines, again=False).was_sent("a.py", 1, 3, "x = 1\ny = 2\n")
    assert Reply(lines, again=False).was_sent("a.py", 1, 2, "x = 1\ny = 2\n")


def test_what_changed_is_sent_again(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        await ask("read", path=FILE, session_id=handle)
        (shop / FILE).write_text(CODE.replace("order.pay()", "order.pay(twice=True)"))
        changed = await ask("read", path=FILE, session_id=handle)
        assert "order.pay(twice=True)" in changed
        assert MARK not in changed

    talk(shop, scenario)


def test_agents_of_one_session_are_told_apart(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        for who in ({}, {"agent_id": "scout"}, {"meta": {"agentId": "helper"}}, {"meta": {"threadId": "t2"}}):
            assert BODY in await ask("read", path=FILE, session_id=handle, **who)
            assert MARK in await ask("read", path=FILE, session_id=handle, **who)

    talk(shop, scenario)


def test_again_sends_it(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        for _ in range(2):
            assert BODY in await ask("read", path=FILE, session_id=handle, again=True)
        assert MARK in await ask("read", path=FILE, session_id=handle)

    talk(shop, scenario)


def test_without_a_session_everything_is_sent(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        await ask("read", path=FILE, session_id=handle)
        for _ in range(2):
            assert BODY in await ask("read", path=FILE)

    talk(shop, scenario)


@pytest.mark.parametrize(
    ("event", "whole"),
    [
        ({"moment": "start", "source": "compact"}, True),
        ({"moment": "start", "source": "clear"}, True),
        ({"moment": "start", "source": "resume", "agent": "codex"}, True),
        ({"moment": "compact", "agent": "gemini"}, True),
        ({"moment": "compact", "agent": "cursor"}, True),
        ({"moment": "start", "source": "startup"}, False),
        ({"moment": "stop"}, False),
    ],
)
def test_a_client_that_lost_its_context_gets_all_of_it(shop: Path, event: dict[str, str], whole: bool):
    async def scenario(ask: Ask, handle: str) -> None:
        await ask("read", path=FILE, session_id=handle)
        hook(shop, **event)
        assert (BODY in await ask("read", path=FILE, session_id=handle)) is whole
        assert MARK in await ask("read", path=FILE, session_id=handle)

    talk(shop, scenario)


def test_a_gate_that_is_off_still_hears_of_a_lost_context(shop: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_GATE_MODE", "off")

    async def scenario(ask: Ask, handle: str) -> None:
        await ask("read", path=FILE, session_id=handle)
        hook(shop, "start", mode="off", source="compact")
        assert BODY in await ask("read", path=FILE, session_id=handle)

    talk(shop, scenario)


def test_json_is_always_whole(shop: Path):
    async def scenario(ask: Ask, handle: str) -> None:
        for _ in range(2):
            assert "checked out {order}" in await ask("read", path=FILE, session_id=handle)

    talk(shop, scenario, {"serve.structured": True})


def test_only_what_a_reply_really_holds_counts_as_sent():
    lines: sent.Lines = {}
    reply = Reply(lines, again=False)
    assert not reply.was_sent("a.py", 1, 2, "one\ntwo\n")
    assert not reply.was_sent("b.py", 1, 2, "three\nfour")
    assert not reply.was_sent("c.py", 1, 9, "only\nsome")
    reply.finish("a.py:1-2\none\ntwo\nb.py:1-2 three")
    assert set(lines) == {("a.py", 1), ("a.py", 2)}
    later = Reply(lines, again=False)
    assert later.was_sent("a.py", 2, 2, "two")
    assert not later.was_sent("a.py", 2, 2, "2")
    assert not later.was_sent("b.py", 1, 2, "three\nfour")


def test_the_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sent, "MOST_READERS", 2)
    monkeypatch.setattr(sent, "MOST_LINES", 1)
    memory = Sent(tmp_path)
    memory.reader("a")["x", 1] = 1
    memory.reader("b")
    assert memory.reader("a") == {("x", 1): 1}
    memory.reader("c")
    assert memory.reader("b") == {}
    memory.reader("b").update({("x", 1): 1, ("x", 2): 1})
    assert memory.reader("b") == {}


def test_a_mark_made_before_the_server_started_means_nothing(tmp_path: Path):
    mark_new_context(tmp_path)
    memory = Sent(tmp_path)
    memory.reader("a")["x", 1] = 1
    assert memory.reader("a")
    mark_new_context(tmp_path)
    assert not memory.reader("a")
