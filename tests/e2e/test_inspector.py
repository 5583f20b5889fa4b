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

ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "modern"])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StateDirs]:
    """Return a configuration that starts the program on a sample project, and its directories."""
    base = tmp_path_factory.mktemp("inspected")
    root, dirs = write_sample(base / "shop"), make_state_dirs(base / "own")
    server = {
        "type": "stdio",
        "command": sys.executable,
        "args": ["-m", "shirube", "--root", str(root), "serve", "--toolsets", "all"],
        "env": dirs.environ(),
    }
    config = base / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"shirube": server}}))
    return config, dirs


def inspect(desk: tuple[Path, StateDirs], era: str, *options: str) -> dict[str, object]:
    """Run the Inspector and return what it printed; it has to succeed and have nothing to complain of."""
    command = ["mcp-inspector", "--cli", "--config", str(desk[0]), "--server", "shirube"]
    done = run([*command, "--protocol-era", era, "--format", "json", *options], desk[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "portab" not in done.stderr.lower(), done.stderr
    return json.loads(done.stdout)


@ERAS
def test_the_schemas_are_strictly_portable(desk: tuple[Path, StateDirs], era: str):
    told = inspect(desk, era, "--method", "tools/list", "--strict")
    tools = told["result"]["tools"] if "result" in told else told["tools"]
    assert [tool["name"] for tool in tools] == [row.name for row in OPERATIONS]
    assert all(tool["outputSchema"]["type"] == "object" for tool in tools)


@ERAS
def test_a_tool_is_called_and_its_result_fits_its_schema(desk: tuple[Path, StateDirs], era: str):
    arguments = json.dumps({"query": "再試行"})
    told = inspect(desk, era, "--method", "tools/call", "--tool-name", "search", "--tool-args-json", arguments)
    assert "forest_hits" in json.dumps(told)


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
        assert "files_search" in done.stdout
    finally:
        served.kill()
