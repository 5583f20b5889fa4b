"""A client that speaks lines, so that a test can also say what no client should."""

import json
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.conftest import StateDirs

PATIENCE_SECONDS = 120.0
"""How long to wait for an answer before the test fails; answers come in milliseconds."""


class Server:
    """A server in a process of its own; it answers in JSON, or with ``text`` as agents get it."""

    def __init__(
        self, root: Path, dirs: StateDirs, *options: str, program: list[str] | None = None, text: bool = False
    ) -> None:
        form = [] if text else ["--structured"]
        command = program or [sys.executable, "-m", "shirube", "--root", str(root), "serve", *form, *options]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dirs.environ(),
            cwd=root,
        )
        self.served = root
        self._lines: Queue[bytes | None] = Queue()
        self._last = 1000
        self.stderr = b""
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Any) -> None:
        """Send a message, or bytes as they are."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Return the next message of the server; fail when it says nothing or something that is no message."""
        try:
            line = self._lines.get(timeout=PATIENCE_SECONDS)
        except Empty:
            raise AssertionError("the server did not answer") from None
        assert line is not None, f"the server went away: {self.stderr.decode(errors='replace')}"
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def reply(self) -> Any:
        """Return the next reply, passing over notifications."""
        while "method" in (message := self.receive()):
            pass
        return message

    def answer(self, number: int | str | None) -> Any:
        """Return the reply to a request, passing over notifications and other replies."""
        while (message := self.reply()).get("id") != number:
            pass
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send a request and return the whole reply."""
        self._last += 1
        request = {"jsonrpc": "2.0", "id": self._last, "method": method}
        self.send(request if params is None else {**request, "params": params})
        return self.answer(self._last)

    def initialize(self, version: str = "2025-11-25") -> Any:
        """Shake hands as clients before 2026-07-28 do."""
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
        reply = self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply

    def call(self, name: str, arguments: Any = None) -> Any:
        """Call a tool and return its result."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def read(self, name: str, arguments: Any = None) -> str:
        """Call a tool of a server that answers in text; return the text, which is all there is."""
        result = self.call(name, arguments)
        assert "structuredContent" not in result
        (content,) = result["content"]
        assert content["type"] == "text"
        return content["text"]

    def tools(self) -> list[dict[str, Any]]:
        """Return what the server lists."""
        return self.ask("tools/list")["result"]["tools"]

    def end(self) -> int:
        """Go away as a client does, and return how the server took it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the process and return its code."""
        code = self.process.wait(PATIENCE_SECONDS)
        self._tidy()
        return code

    def rest(self) -> list[bytes]:
        """Return what was said after the last answer, once the process has ended."""
        lines = []
        while (line := self._lines.get(timeout=PATIENCE_SECONDS)) is not None:
            lines.append(line)
        return lines

    def close(self) -> None:
        """End the process whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._tidy()

    def _tidy(self) -> None:
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):
                    stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line
