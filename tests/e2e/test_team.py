"""Two commands on a machine that has nothing: a database, an index of two clones, a server, and an agent that asks."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import write_sample
from tests.e2e.agents import Agent, shell
from tests.e2e.node import needs_npm, run_in
from tests.e2e.talks import Talk, Use, talking
from tests.teams import published

pytestmark = pytest.mark.slow


def clone(base: Path, name: str) -> Path:
    root = write_sample(base / name).resolve()
    (root / f"{name}.py").write_text(f"def only_{name}():\n    return 1\n")
    published(root, f"example.org/acme/{name}.git")
    return root


@contextmanager
def trial(agent: Agent, *places: object) -> Iterator[tuple[str, str]]:
    """Run the trial, and yield the token and the address that it prints."""
    place = Path(tempfile.mkdtemp(prefix="trial-", dir="/tmp"))
    place.chmod(0o755)  # for root, another user runs the database
    command = [sys.executable, "-m", "shirube", "team", "trial", str(place), *map(str, places)]
    environ = {**agent.environ, "SHIRUBE_WORKER_PROTOCOLS": "file"}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        try:
            assert one.stderr is not None
            assert one.stdout is not None
            told = "".join(iter(lambda: _line(one.stdout), "")) + one.stderr.readline()
            secret, address = re.findall(r"shirube_\w+", told)[0], re.findall(r"http://127\.0\.0\.1:\d+", told)[0]
            yield secret, address
        finally:
            one.terminate()
            one.communicate(timeout=60)
            shutil.rmtree(place)
    assert one.returncode == 0


def _line(stream):
    """Return the next line of what the trial prints; empty after its last one."""
    line = stream.readline()
    return "" if "owner.address" in line else line


@needs_npm("claude")
def test_claude_code_asks_the_team_on_a_fresh_machine(tmp_path: Path):
    (tmp_path / "home").mkdir()
    shop, bank = clone(tmp_path, "shop"), clone(tmp_path, "bank")
    agent = Agent("claude", shop, tmp_path / "home")
    # The worker clones by an address; git leads it to the directory.
    leads = ("config", "--global", f"url.file://{bank}.insteadOf", "https://example.org/acme/bank.git")
    subprocess.run(["git", *leads], env=agent.environ, check=True)
    with trial(agent, shop, "https://example.org/acme/bank.git") as (secret, address):
        agent.run("shirube", "install", "claude-code", "--team", address)
        assert secret not in (shop / ".mcp.json").read_text()
        search = "mcp__shirube-team__search"
        talk = Talk(
            [
                lambda shown: shell("claude", "sleep 2"),
                lambda shown: Use(search, {"query": "charge card", "repos": ["shop"]}),
                lambda shown: Use(search, {"query": "only_bank", "repos": ["*"]}),
                lambda shown: Use(search, {"query": "only_bank"}),
            ]
        )
        with talking(talk) as model:
            agent.run(
                *("claude", "-p", "go", "--dangerously-skip-permissions"),
                *("--mcp-config", str(shop / ".mcp.json"), "--strict-mcp-config"),
                ANTHROPIC_BASE_URL=model,
                ANTHROPIC_API_KEY="none",
                IS_SANDBOX="1",
                ENABLE_TOOL_SEARCH="false",
                SHIRUBE_TEAM_TOKEN=secret,
            )
        _, first, several, unclear = talk.results
        assert "src/shop/payment.py:12-24" in first
        assert "# repository example.org/acme/bank" in several
        assert "def only_bank" in several
        assert "you may ask: example.org/acme/bank, example.org/acme/shop" in unclear
        listed = run_in(shop, ["claude", "mcp", "list"], {**agent.environ, "SHIRUBE_TEAM_TOKEN": "shirube_wrong"})
        assert secret not in listed.stdout
        assert json.loads((shop / ".mcp.json").read_text())["mcpServers"]["shirube-team"]["type"] == "http"
