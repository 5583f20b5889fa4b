"""The Inspector's command line against the real program: every era, strict about schemas."""

import json
import sys
from pathlib import Path

import pytest

from shirube.operations import OPERATIONS
from tests.conftest import StateDirs, make_state_dirs, write_sample
from tests.doors.mcp.test_http import start
from tests.e2e.node import needs_npm, run

pytestmark = [pytest.mark.slow, needs_npm("mcp-inspector")]

SERVERS = {"core": (), "all": ("--toolsets", "all"), "structured": ("--toolsets", "all", "--structured")}
ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
SEARCH = (*("--method", "tools/call", "--tool-name", "search"), "--tool-args-json", json.dumps({"query": "再試行"}))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StateDirs]:
    """Return a configuration with three ways to start the program on a sample project, and its directories."""
    base = tmp_path_factory.mktemp("inspected")
    root, dirs = write_sample(base / "shop"), make_state_dirs(base / "own")
    program = ["-m", "shirube", "--root", str(root), "serve"]
    servers = {
        name: {"type": "stdio", "command": sys.executable, "args": [*program, *options], "env": dirs.environ()}
        for name, options in SERVERS.items()
    }
    config = base / "servers.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    return config, dirs


def inspect(desk: tuple[Path, StateDirs], era: str, *options: str, server: str = "all") -> dict[str, object]:
    """Run the Inspector and return what it printed; it has to succeed and have nothing to complain of."""
    command = ["mcp-inspector", "--cli", "--config", str(desk[0]), "--server", server]
    done = run([*command, "--protocol-era", era, "--format", "json", *options], desk[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "portab" not in done.stderr.lower(), done.stderr
    return json.loads(done.stdout)


@ERAS
@pytest.mark.parametrize("server", SERVERS)
def test_the_schemas_are_strictly_portable(desk: tuple[Path, StateDirs], era: str, server: str):
    told = inspect(desk, era, "--method", "tools/list", "--strict", server=server)
    tools = told["result"]["tools"] if "result" in told else told["tools"]
    if server == "core":
        assert "outline" in {tool["name"] for tool in tools}
    else:
        assert [tool["name"] for tool in tools] == [row.name for row in OPERATIONS]
    assert all(("outputSchema" in tool) == (server == "structured") for tool in tools)


@ERAS
def test_a_tool_is_called_and_answers_in_text(desk: tuple[Path, StateDirs], era: str):
    told = inspect(desk, era, *SEARCH, server="core")
    result = told.get("result", told)
    assert "structuredContent" not in result
    assert "src/shop/retry.py:10-18" in result["content"][0]["text"]


@ERAS
def test_a_tool_is_called_and_its_result_fits_its_schema(desk: tuple[Path, StateDirs], era: str):
    told = inspect(desk, era, *SEARCH, server="structured")
    assert "forest_hits" in told.get("result", told)["structuredContent"]


@ERAS
def test_resources_and_prompts_are_listed_and_read(desk: tuple[Path, StateDirs], era: str):
    assert "shirube://file/{+path}" in json.dumps(inspect(desk, era, "--method", "resources/templates/list"))
    inspect(desk, era, "--method", "resources/list")
    inspect(desk, era, "--method", "prompts/list")
    read = inspect(desk, era, "--method", "resources/read", "--uri", "shirube://file/README.md")
    assert "contents" in json.dumps(read)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_it_gets_in_over_http_with_the_token(tmp_path: Path, era: str):
    dirs = make_state_dirs(tmp_path / "own")
    served = start(write_sample(tmp_path / "shop"), dirs.environ())
    try:
        address = f"http://127.0.0.1:{served.port}/mcp"
        command = ["mcp-inspector", "--cli", address, "--header", f"Authorization: Bearer {served.token}"]
        done = run([*command, "--protocol-era", era, "--method", "tools/list", "--strict", "--format", "json"], dirs)
        assert done.returncode == 0, done.stdout + done.stderr
        assert '"name":"search"' in done.stdout
    finally:
        served.kill()
