"""Real agents, put into build/e2e by ``make e2e``; a test that needs one that is not there is skipped."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.node import run_in, search_path

PATIENCE = 4
HEALTHY = re.compile(r"(?<!dis)connected", re.IGNORECASE)


@dataclass(frozen=True)
class Desk:
    """A project and a home for one agent, and nothing else of this machine."""

    root: Path
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        """Return what a client and the program see."""
        return {
            "PATH": search_path(),
            "HOME": str(self.home),
            "SHIRUBE_CACHE_DIR": str(self.home / "cache"),
            "SHIRUBE_STATE_DIR": str(self.home / "state"),
            "SHIRUBE_EMBED_MODEL": "hashed",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "TERM": "dumb",
        }

    def run(self, *command: str) -> str:
        """Run a program in the project and return what it said; it has to succeed."""
        done = run_in(self.root, command, self.environ)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def is_connected(self, *command: str) -> bool:
        """Tell whether an agent says that our server is well.

        Agents wait a few seconds for a server, which is little on a busy machine: one that was too slow is asked again.
        """
        for _ in range(PATIENCE):
            line = next(line for line in self.run(*command).splitlines() if "shirube" in line)
            if HEALTHY.search(line):
                return True
        return False

    def codex_servers(self) -> list[dict[str, Any]]:
        """Return how Codex's own server finds the MCP servers, by its line protocol."""
        asked = [
            {
                "id": 1,
                "method": "initialize",
                "params": {"clientInfo": {"name": "e2e", "title": "e2e", "version": "0"}},
            },
            {"method": "initialized"},
            {"id": 2, "method": "mcpServerStatus/list", "params": {}},
        ]
        with subprocess.Popen(
            ["codex", "app-server"],
            cwd=self.root,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(json.dumps(one) + "\n" for one in asked))
            process.stdin.flush()
            for line in process.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    process.stdin.close()
                    return answer["result"]["data"]
        raise AssertionError("codex did not answer")
