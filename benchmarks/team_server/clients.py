"""Clients that ask over one connection each, as fast as they are answered; a process of its own runs them."""

import asyncio
import json
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

QUESTIONS = (
    ("search", 12),
    ("symbol", 3),
    ("read", 3),
    ("grep", 1),
    ("outline", 1),
)
"""What is asked, and how often."""
HEADERS = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"


@dataclass
class Told:
    """What the clients saw."""

    seconds: list[tuple[float, float, str]] = field(default_factory=list)
    """When each call ended, how long it took, and of what it was."""
    failed: dict[int, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


class Client:
    """One client: it has a server, and goes to the next one when that is gone."""

    def __init__(self, number: int, ports: list[int], token: str, payloads: list[tuple[str, bytes]]) -> None:
        self.number, self._ports, self._at = number, ports, number % len(ports)
        self._token, self._payloads = token, payloads
        self._dice = random.Random(number)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def work(self, until: float, told: Told) -> None:
        """Ask until a moment."""
        while time.monotonic() < until:
            name, body = self._dice.choice(self._payloads)
            began = time.monotonic()
            try:
                status, answer = await asyncio.wait_for(self._ask(body), 60)
                if status != 200 or b'"isError":false' not in answer:
                    raise ValueError(f"{status} {name} {answer[:200]!r}")
            except (OSError, ValueError, asyncio.IncompleteReadError, TimeoutError) as error:
                told.failed[self.number] = told.failed.get(self.number, 0) + 1
                told.errors.append(f"{type(error).__name__} {error}"[:300])
                self._at = (self._at + 1) % len(self._ports)
                if self._writer is not None:
                    self._writer.close()
                    self._writer = None
                await asyncio.sleep(0.05)
                continue
            told.seconds.append((began, time.monotonic() - began, name))

    async def _ask(self, body: bytes) -> tuple[int, bytes]:
        port = self._ports[self._at]
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        assert self._reader is not None
        head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {self._token}\r\n{HEADERS}"
        self._writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(answer.partition("content-length: ")[2].partition("\r\n")[0])
        return int(answer.split(" ", 2)[1]), await self._reader.readexactly(length)


def payloads(places: dict[str, list[str]]) -> list[tuple[str, bytes]]:
    """Return the calls: about the files and symbols of each repository."""
    calls = []
    for repository, words in places.items():
        arguments: dict[str, list[Any]] = {
            "search": [{"query": " ".join(words[at : at + 3])} for at in range(0, len(words) - 3, 3)],
            "symbol": [{"symbol": word} for word in words if word.isidentifier()][:40],
            "read": [{"path": words[0], "start_line": 1}],
            "grep": [{"patterns": [words[-1]], "path": words[0].rpartition("/")[0]}],
            "outline": [{"path": words[0]}],
        }
        for name, share in QUESTIONS:
            some = arguments[name]
            for at in range(share * 10):
                call = {"name": name, "arguments": {**some[at % len(some)], "repos": [repository]}}
                request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
                calls.append((name, json.dumps(request).encode()))
    return calls


async def main() -> None:
    """Read from stdin what to do, and write to stdout what was seen."""
    asked = json.loads(sys.stdin.readline())
    calls, told = payloads(asked["places"]), Told()
    until = time.monotonic() + asked["seconds"]
    clients = [Client(at, asked["ports"], asked["token"], calls) for at in range(asked["clients"])]
    await asyncio.gather(*(client.work(until, told) for client in clients))
    print(json.dumps({"seconds": told.seconds, "failed": told.failed, "errors": told.errors[:20]}))


if __name__ == "__main__":
    asyncio.run(main())
