"""Limits for whoever opens a connection: how long a request may take to arrive, and how many may be open at once.

uvicorn limits neither: a client that sends half a request and then nothing keeps its connection for ever.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVING = (h11.IDLE, h11.SEND_BODY)
"""What the other side is doing while its request is not whole."""


class LimitedProtocol(H11Protocol):
    """One connection, which ends when a request is not whole in time."""

    request_seconds = 30.0
    max_connections = 64
    _overdue: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request, or refuse one connection too many."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(b"503 Service Unavailable")
        else:
            self._watch()

    def handle_events(self) -> None:
        """Look after every piece that arrives whether the request is whole."""
        super().handle_events()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._settle()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state not in ARRIVING:
            self._settle()
        elif self._overdue is None:  # a drop now and then does not win more time
            self._overdue = self.loop.call_later(self.request_seconds, self._give_up)

    def _settle(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def _give_up(self) -> None:
        if self.conn.our_state is h11.IDLE:
            self._refuse(b"408 Request Timeout")
        else:
            self.transport.close()  # somebody is at the request already, and is told that the client went away

    def _refuse(self, status: bytes) -> None:
        self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()


def limited(request_seconds: float, max_connections: int) -> type[LimitedProtocol]:
    """Return the protocol with its limits, as uvicorn takes it: a class."""
    limits = {"request_seconds": request_seconds, "max_connections": max_connections}
    return type("LimitedProtocol", (LimitedProtocol,), limits)
