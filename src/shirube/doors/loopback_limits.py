"""Limits for clients: how long a request may take to arrive and an answer to be taken, and how many may be connected.

uvicorn has none: a client that sends half a request, or that asks and never reads, keeps its connection for ever.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVING = (h11.IDLE, h11.SEND_BODY)
"""The client's states (in h11) while its request is still incomplete."""


class LimitedProtocol(H11Protocol):
    """One connection, which is closed when a request is not complete, or what was answered not taken, in time."""

    request_seconds = 30.0
    max_connections = 64
    max_of_one = 64
    _timer: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request, or refuse a connection above the limit."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=1)  # so that we are told whether all was taken; TLS waits for ever at 0
        of_one = sum(other.address == self.address for other in self.connections if isinstance(other, LimitedProtocol))
        if len(self.connections) > self.max_connections or of_one > self.max_of_one:
            self._refuse(b"503 Service Unavailable")
        else:
            self._watch()

    @property
    def address(self) -> str:
        """The address of the client; empty where there is none."""
        return self.client[0] if self.client else ""

    def handle_events(self) -> None:
        """Check after each piece of input whether the request is complete."""
        super().handle_events()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self._stop_timer()
        self._stop_taking()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the time in which the client has to take what waits for it."""
        super().pause_writing()
        self._taking = self._taking or self.loop.call_later(self.request_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop that time: everything was taken."""
        super().resume_writing()
        self._stop_taking()

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _watch(self) -> None:
        if self.conn.their_state not in ARRIVING:
            self._stop_timer()
        elif self._timer is None:  # one timer per request: trickling bytes does not extend it
            self._timer = self.loop.call_later(self.request_seconds, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if self.conn.our_state is h11.IDLE:
            self._refuse(b"408 Request Timeout")
        else:
            self.transport.close()  # the application is at work already; it sees a disconnect

    def _refuse(self, status: bytes) -> None:
        self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()
        self.connections.discard(self)  # over TLS it is not closed before the client says so, too


def limited(request_seconds: float, max_connections: int, max_of_one: int = 0) -> type[LimitedProtocol]:
    """Return a subclass with these limits, the last of one address; uvicorn takes a class, not an instance."""
    most = {"max_connections": max_connections, "max_of_one": max_of_one or max_connections}
    limits = {"request_seconds": request_seconds, **most}
    return type("LimitedProtocol", (LimitedProtocol,), limits)
