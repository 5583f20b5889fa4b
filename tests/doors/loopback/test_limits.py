"""Limits for whoever opens a connection, with a clock that only the test moves."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import h11
import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from shirube.doors.loopback_limits import LimitedProtocol, limited

SECONDS = 7.0
MOST = 2
WHOLE = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
HALF_BODY = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345"


@dataclass
class Timer:
    """Something that is to be done later."""

    seconds: float
    action: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class Task:
    """A request that somebody is at."""

    def add_done_callback(self, action: object) -> None:
        pass


class Loop:
    """An event loop in which nothing happens by itself."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, action: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, action))
        return self.timers[-1]

    def create_task(self, work: Coroutine[Any, Any, None], **_: object) -> Task:
        work.close()
        return Task()

    @property
    def pending(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.cancelled]


class Transport:
    """A connection's other end."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.written = b""
        self.closed = self.aborted = False

    def abort(self) -> None:
        self.aborted = True

    def set_write_buffer_limits(self, high: int) -> None:
        self.high = high

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str) -> tuple[str, int] | None:
        return (self.peer, 1) if self.peer and name == "peername" else None

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Opened:
    """A connection that was opened to a server."""

    def __init__(self, state: ServerState, peer: str = "", most: tuple[int, ...] = (MOST,)) -> None:
        self.loop, self.transport = Loop(), Transport(peer)
        kind = limited(SECONDS, *most)
        self.protocol: LimitedProtocol = kind(Config(_app, log_config=None), state, {}, self.loop)  # type: ignore[arg-type]
        self.protocol.connection_made(self.transport)  # type: ignore[arg-type]

    def time_is_up(self) -> None:
        (timer,) = self.loop.pending
        assert timer.seconds == SECONDS
        timer.action()


async def _app(scope: object, receive: object, send: object) -> None:
    pass


@pytest.fixture
def state() -> ServerState:
    return ServerState()


@pytest.mark.parametrize("pieces", [[], [b"G"], [b"GET / HTTP/1.1\r\n"], [b"GET ", b"/ HTTP", b"/1.1\r\nhost:"]])
def test_a_request_whose_head_does_not_come_is_given_up_however_many_pieces_do(state: ServerState, pieces: list[bytes]):
    opened = Opened(state)
    for piece in pieces:
        opened.protocol.data_received(piece)
    assert not opened.transport.closed
    opened.time_is_up()
    assert opened.transport.written.startswith(b"HTTP/1.1 408 ")
    assert opened.transport.closed


def test_a_request_whose_body_does_not_come_is_given_up(state: ServerState):
    opened = Opened(state)
    for piece in (HALF_BODY, b"6", b"7"):
        opened.protocol.data_received(piece)
    opened.time_is_up()
    assert opened.transport.closed


@pytest.mark.parametrize("pieces", [[WHOLE], [WHOLE[:9], WHOLE[9:]], [HALF_BODY, b"67890"]])
def test_a_request_that_is_whole_may_take_as_long_as_it_likes(state: ServerState, pieces: list[bytes]):
    opened = Opened(state)
    for piece in pieces:
        opened.protocol.data_received(piece)
    assert opened.loop.pending == []


def test_a_second_request_on_the_connection_has_its_own_time(state: ServerState):
    opened = Opened(state)
    opened.protocol.data_received(WHOLE + WHOLE[:9])
    assert opened.loop.pending == []
    opened.protocol.conn.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
    opened.protocol.conn.send(h11.EndOfMessage())
    opened.protocol.on_response_complete()
    assert SECONDS in [timer.seconds for timer in opened.loop.pending]
    opened.protocol.data_received(WHOLE[9:])
    assert opened.loop.pending == []


def test_an_answer_that_is_not_taken_in_time_ends_the_connection(state: ServerState):
    opened = Opened(state)
    assert opened.transport.high == 1
    opened.protocol.data_received(WHOLE)
    for taken in (True, False):
        opened.protocol.pause_writing()
        (timer,) = opened.loop.pending
        assert timer.seconds == SECONDS
        if taken:
            opened.protocol.resume_writing()
            assert opened.loop.pending == []
    opened.time_is_up()
    assert opened.transport.aborted


def test_a_connection_that_is_gone_is_not_waited_for(state: ServerState):
    opened = Opened(state)
    opened.protocol.pause_writing()
    opened.protocol.connection_lost(None)
    assert opened.loop.pending == []


def test_one_connection_too_many_is_refused_and_let_in_when_another_went(state: ServerState):
    first, second, third = (Opened(state) for _ in range(3))
    assert third.transport.written.startswith(b"HTTP/1.1 503 ")
    assert (first.transport.closed, second.transport.closed, third.transport.closed) == (False, False, True)
    assert third.loop.pending == []
    for gone in (first, third):
        gone.protocol.connection_lost(None)
    assert not Opened(state).transport.closed


def test_one_address_has_no_more_connections_than_it_may_have(state: ServerState):
    first, second, third, other = (Opened(state, peer, (4, 2)) for peer in ("a", "a", "a", "b"))
    assert third.transport.written.startswith(b"HTTP/1.1 503 ")
    assert [one.transport.closed for one in (first, second, other)] == [False] * 3
    for gone in (first, third):
        gone.protocol.connection_lost(None)
    assert not Opened(state, "a", (4, 2)).transport.closed
