"""The wire on stdin and stdout: guarded lines in, whole lines out, stray output kept off it."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from threading import Event, Lock, Thread
from typing import Any, BinaryIO

from shirube.doors.mcp.guard import HEAD, INVALID_REQUEST, inspect, recover_id, refusal
from shirube.messages import say

READ_BYTES = 65_536
GRACE_SECONDS = 1.5
"""How long after the end of input answers may still be written; then what is still at work is given up."""


class Wire:
    """Standard input and output of the process, taken over for the protocol.

    While it is open, file descriptor 0 is empty and 1 goes to stderr, so that neither a stray ``print`` nor a child
    process can garble the protocol.
    """

    def __init__(self, max_line_bytes: int) -> None:
        self._max = max_line_bytes
        self._source = os.fdopen(os.dup(0), "rb", buffering=0, closefd=False)
        self._sink: BinaryIO = os.fdopen(os.dup(1), "wb", closefd=False)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        self._lock = Lock()
        self._open: set[int | str | None] = set()
        """Requests that are not answered yet."""
        self._settled = Event()
        self._settled.set()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        # A daemon: a thread that waits for input must not keep the process alive after a signal.
        Thread(target=self._read, name="shirube-stdin", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    async def write(self, text: str) -> None:
        """Write a line; nothing else can come between."""
        await asyncio.to_thread(self._write, text)

    async def flush(self) -> None:
        """Every line is flushed as it is written."""

    def _write(self, text: str) -> None:
        with self._lock:
            self._sink.write(text.encode("utf-8", "replace"))
            self._sink.flush()
            self._open.discard(recover_id(text[:HEAD]))
            if not self._open:
                self._settled.set()

    def _read(self) -> None:
        try:
            for line in self._cut():
                self._take(line)
            # A client that closes its end right after asking still gets its answers.
            self._settled.wait(GRACE_SECONDS)
        finally:
            self._put(None)

    def _cut(self) -> Iterator[bytes]:
        """Yield lines; of one that grows over the limit only beginning and end, which is enough to refuse it."""
        kept, long = b"", b""
        while data := self._source.read(READ_BYTES):
            *lines, kept = (kept + data).split(b"\n")
            for line in lines:
                yield long + line
                long = b""
            if len(kept) > self._max:
                long = long or kept[: self._max + 1]
                kept = kept[-HEAD:]
        if kept or long:
            yield long + kept

    def _take(self, line: bytes) -> None:
        if len(line) > self._max:
            number = recover_id(line.decode("utf-8", "replace"))
            replies = [refusal(number, INVALID_REQUEST, say("protocol.long_line", most=self._max))]
            text = None
        else:
            text, replies = inspect(line)
        for reply in replies:
            self._write(json.dumps(reply) + "\n")
        if text is not None:
            self._expect(json.loads(text))
            self._put(text)

    def _expect(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            with self._lock:
                self._open.add(message["id"])
                self._settled.clear()

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            sys.exit()  # the loop is closed: the server is on its way out
