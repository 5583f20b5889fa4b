"""Whose call is at work when, and what a client that hangs up ends."""

import asyncio
from functools import partial
from threading import Barrier, Event, Lock

import pytest

from shirube.deadline import Deadline
from shirube.doors.team import turns
from shirube.doors.team.turns import ClientLine, Turns
from shirube.errors import Cancelled, IndexBusy


class Client:
    """Sends some messages, and hangs up when it is told to."""

    def __init__(self, *messages):
        self.messages = list(messages) or [{"type": "http.request", "body": b"", "more_body": False}]
        self.hung_up = asyncio.Event()

    async def __call__(self):
        if self.messages:
            return self.messages.pop(0)
        await self.hung_up.wait()
        return {"type": "http.disconnect"}


class AtWork:
    """Counts how many calls of a token are at work, and lets them end when it is told to."""

    def __init__(self):
        self.now, self.most, self.go, self._lock = 0, 0, Event(), Lock()

    def __call__(self):
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.go.wait(30)
        with self._lock:
            self.now -= 1


def _until_cancelled(deadline, begun):
    """Be at work until the call is cancelled."""
    stopped = Event()
    deadline.when_cancelled(stopped.set)
    begun.set()
    stopped.wait(30)
    deadline.check()


async def _read(line):
    while (await line()).get("more_body"):
        pass


def _run(check):
    async def run():
        some = Turns(4)
        try:
            await asyncio.wait_for(check(some), 60)
        finally:
            some.close()

    asyncio.run(run())


async def _until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def test_one_token_has_half_of_the_threads_and_others_do_not_wait_for_it():
    async def check(some):
        greedy, line = AtWork(), ClientLine(Client())
        calls = [asyncio.create_task(some.run("greedy", line, Deadline(), greedy)) for _ in range(20)]
        await _until(lambda: greedy.now == 2)
        together = Barrier(2)
        both = [some.run(name, line, Deadline(), lambda: together.wait(30)) for name in ("a", "b")]
        assert len(await asyncio.gather(*both)) == 2, "two others are at work at once"
        assert await some.look_up(lambda: "found") == "found"
        greedy.go.set()
        await asyncio.gather(*calls)
        assert greedy.most == 2

    _run(check)


def test_more_calls_than_may_wait_are_refused_and_then_taken_again(monkeypatch):
    monkeypatch.setattr(turns, "MOST_WAITING", 3)

    async def check(some):
        slow, line = AtWork(), ClientLine(Client())
        calls = [asyncio.create_task(some.run("t", line, Deadline(), slow)) for _ in range(3)]
        await _until(lambda: slow.now == 2)
        with pytest.raises(IndexBusy, match="3 calls of this holder"):
            await some.run("t", line, Deadline(), slow)
        slow.go.set()
        await asyncio.gather(*calls)
        assert await some.run("t", line, Deadline(), lambda: 1) == 1

    _run(check)


def test_a_call_ends_when_its_client_hangs_up():
    async def check(some):
        client, deadline = Client(), Deadline()
        line, begun = ClientLine(client), Event()
        await _read(line)

        call = asyncio.create_task(some.run("t", line, deadline, partial(_until_cancelled, deadline, begun)))
        await _until(begun.is_set)
        client.hung_up.set()
        with pytest.raises(Cancelled):
            await call
        with pytest.raises(Cancelled):
            await some.run("t", line, Deadline(), lambda: pytest.fail("nobody waits for it"))

    _run(check)


def test_a_line_passes_on_what_is_sent_and_then_waits():
    async def check(some):
        first, last = ({"type": "http.request", "body": b"a", "more_body": more} for more in (True, False))
        client = Client(first, last)
        line = ClientLine(client)
        assert [await line(), await line()] == [first, last]
        waiting = asyncio.create_task(line())
        await asyncio.sleep(0)
        assert not waiting.done()
        client.hung_up.set()
        assert await waiting == {"type": "http.disconnect"}
        line.close()
        early = ClientLine(Client({"type": "http.disconnect"}))
        await early()
        assert early.gone.is_set()

    _run(check)


def test_what_is_at_work_ends_with_the_server():
    async def check(some):
        deadline, begun = Deadline(), Event()

        call = asyncio.create_task(
            some.run("t", ClientLine(Client()), deadline, partial(_until_cancelled, deadline, begun))
        )
        await _until(begun.is_set)
        some.close()
        with pytest.raises(Cancelled):
            await call

    _run(check)
