"""Ten thousand calls of every kind through the protocol: the server's memory and descriptors stay flat."""

import os
from pathlib import Path

import pytest

from tests.doors.mcp.client import Server
from tests.stress.conftest import Stressed, rounds

WARM = 400
"""Calls after which the allocator's arenas, caches and pages of the journal are what they will be."""
SLACK_KILOBYTES = 30_000
PLAN_EVERY = 40
"""A plan asks several questions; one for each of this many other calls keeps the run within minutes."""


class Client:
    """Somebody who uses everything, over and over."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = ""

    def call(self, name: str, **arguments: object) -> dict[str, object]:
        """Call a tool; it has to work."""
        result = self.server.call(name, arguments)
        assert not result.get("isError"), (name, result["structuredContent"])
        return result["structuredContent"]

    def step(self, number: int) -> None:
        """Do one of the things that agents do."""
        deeds = (
            self._begin,
            lambda n: self.call("search", query=f"alpha {n % 50}", session_id=self.session),
            lambda n: self.call("search_text", patterns=[f"alpha_{n % 20}"]),
            lambda n: self.call("find_references", symbol=f"alpha_{n % 20}"),
            lambda n: self.call("get_session_status", session_id=self.session),
            lambda n: self.call("add_agreement", nl_term=f"term {n % 20}", symbol=f"alpha_{n % 20}"),
            lambda n: self.call("search_map", query=f"term {n % 20}"),
            lambda n: self.call("list_agreements"),
            lambda n: self.call("list_plans"),
            lambda n: self.call("list_sessions"),
            lambda n: self.call("context_bundle", goal=f"alpha {n % 20}"),
            lambda n: self.server.ask("resources/read", {"uri": "shirube://file/pkg0/f0.py"})["result"],
            lambda n: self.server.ask("resources/list")["result"],
            lambda n: self.server.call("search", {"query": ""}),
        )
        if number % PLAN_EVERY == 0:
            self.call("query_plan", goal=f"where is alpha {number % 7}", maxIterations=2)
        deeds[number % len(deeds)](number)

    def _begin(self, number: int) -> None:
        begun = self.call("start_session", intent="INVESTIGATE", query=f"what is alpha {number}")
        self.session = str(begun["session_id"])

    def taken(self) -> tuple[int, int]:
        """Return the descriptors and the resident kilobytes of the server."""
        place = Path(f"/proc/{self.server.process.pid}")
        resident = place.joinpath("status").read_text().split("VmRSS:")[1].split()[0]
        return len(list((place / "fd").iterdir())), int(resident)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_server_takes_no_more_after_thousands_of_calls_than_after_hundreds(stressed: Stressed):
    stressed.write("alpha", 20)
    server = Server(stressed.root, stressed.dirs, "--toolsets", "all")
    try:
        server.initialize()
        client = Client(server)
        calls = int(os.environ.get("SOAK_CALLS", rounds(200, 10_000)))
        for number in range(WARM):
            client.step(number)
        files, memory = client.taken()
        for number in range(calls):
            client.step(number)
        files_then, memory_then = client.taken()
        print(f"{calls} calls: {files} → {files_then} descriptors, {memory} → {memory_then} kB")
        assert files_then <= files + 2
        assert memory_then < memory + SLACK_KILOBYTES
        assert server.end() == 0
    finally:
        server.close()
