"""The protocol on stdin and stdout: checks lines coming in, writes whole lines, and keeps stray output away."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from threading import Event, Lock, Thread
from typing import Any, BinaryIO

from shirube.messages import NOTHING, Message, say

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
MAX_DEPTH = 64
"""The deepest nesting of a request; real ones have three levels, and pydantic fails at about two hundred."""
HEAD = 65_536
"""How many characters at each end of a broken line are searched for its id."""
_ID = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})')
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def inspect(line: bytes) -> tuple[str | None, list[dict[str, Any]]]:
    """Return the line to pass on (or None), and the replies to send at once."""
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None, []
    try:
        if _depth(text) > MAX_DEPTH:
            raise ValueError(say("protocol.too_deep", most=MAX_DEPTH))
        message = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return None, [refusal(recover_id(text), PARSE_ERROR, say("protocol.not_json", error=str(error)))]
    if isinstance(message, list):
        numbers = [_id_of(item) for item in message if isinstance(item, dict) and "id" in item] or [None]
        return None, [refusal(number, INVALID_REQUEST, say("protocol.batch")) for number in numbers]
    if trouble := _trouble(message, text):
        return None, [refusal(_id_of(message), INVALID_REQUEST, trouble)]
    return text, []


def refusal(number: int | str | None, code: int, message: str) -> dict[str, Any]:
    """Return a JSON-RPC error reply."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message[:300]}}


def recover_id(text: str) -> int | str | None:
    """Return the request id in a line that cannot be parsed, or None."""
    match = _ID.search(text[:HEAD]) or _ID.search(text[-HEAD:])
    if not match:
        return None
    try:
        value: int | str = json.loads(match[1])
    except ValueError:
        return None
    return value


def _depth(text: str) -> int:
    """Return how deeply brackets nest outside strings; 0 for a line with too few brackets to matter."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for char in re.findall(r"[\[\]{}]", _STRINGS.sub("", text)):
        depth += 1 if char in "[{" else -1
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            break
    return deepest


def _no_constant(name: str) -> None:
    raise ValueError(say("protocol.constant", name=name))


def _id_of(message: Any) -> int | str | None:
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def _trouble(message: Any, text: str) -> Message:
    """Return why a value is not a JSON-RPC message; empty if it is one."""
    # Only an escape \ud… can produce a lone surrogate.
    shown = json.dumps(message, ensure_ascii=False) if "\\ud" in text.lower() else ""
    if any("\ud800" <= char <= "\udfff" for char in shown):
        return say("protocol.surrogate")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return say("protocol.not_rpc")
    if "id" in message and _id_of(message) is None:
        return say("protocol.bad_id")
    if "method" not in message:
        return NOTHING if "result" in message or "error" in message else say("protocol.no_method")
    if not isinstance(message["method"], str) or not isinstance(message.get("params", {}), dict):
        return say("protocol.bad_method")
    return NOTHING


READ_BYTES = 65_536
GRACE_SECONDS = 1.5
"""How long after the end of input answers may still be written; then running calls are abandoned."""


class Wire:
    """Standard input and output of the process, taken over for the protocol.

    While it is open, file descriptor 0 is empty and 1 goes to stderr, so that neither a stray ``print`` nor a child
    process can corrupt the protocol.
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
        # A daemon thread: waiting for input must not keep the process alive after a signal.
        Thread(target=self._read, name="shirube-stdin", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    async def write(self, text: str) -> None:
        """Write a whole line; no other line can interleave."""
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
        """Yield lines; of a line over the limit only its beginning and end, which is enough to refuse it."""
        rest, long = b"", b""
        while data := self._source.read(READ_BYTES):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield long + line
                long = b""
            if len(rest) > self._max:
                long = long or rest[: self._max + 1]
                rest = rest[-HEAD:]
        if rest or long:
            yield long + rest

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
            message = json.loads(text)
            if "method" in message and "id" in message:
                with self._lock:
                    self._open.add(message["id"])
                    self._settled.clear()
            self._put(text)

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            sys.exit()  # the loop is closed: the server is shutting down
