"""Real agents list the server as healthy after ``shirube install``, and no more after ``shirube uninstall``."""

from pathlib import Path

import pytest

from tests.conftest import write_sample
from tests.e2e.clients import Desk
from tests.e2e.node import needs_npm

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "home").mkdir()
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return Desk(write_sample(tmp_path / "shop").resolve(), tmp_path / "home")


@needs_npm("claude")
def test_claude_code_lists_the_server_as_connected(desk: Desk):
    desk.run("shirube", "install", "claude-code", "--scope", "user", "--type", "all")
    assert desk.is_connected("claude", "mcp", "list")
    desk.run("shirube", "uninstall", "claude-code", "--scope", "user")
    assert "shirube" not in desk.run("claude", "mcp", "list")


@needs_npm("claude")
def test_claude_code_knows_the_project_s_server(desk: Desk):
    desk.run("shirube", "install", "claude-code")
    assert "shirube" in desk.run("claude", "mcp", "list")


@needs_npm("codex")
def test_codex_lists_the_server_with_its_tools(desk: Desk):
    desk.run("shirube", "install", "codex", "--scope", "user", "--type", "all")
    assert "shirube" in desk.run("codex", "mcp", "list")
    (server,) = [server for server in desk.codex_servers() if server["name"] == "shirube"]
    assert "search" in server["tools"]
    desk.run("shirube", "uninstall", "codex", "--scope", "user")
    assert [server for server in desk.codex_servers() if server["name"] == "shirube"] == []


@needs_npm("gemini")
@pytest.mark.parametrize("scope", ["project", "user"])
def test_gemini_lists_the_server_as_connected(desk: Desk, scope: str):
    desk.run("shirube", "install", "gemini", "--scope", scope, "--type", "all")
    assert desk.is_connected("gemini", "mcp", "list")
    desk.run("shirube", "uninstall", "gemini", "--scope", scope)
    assert "shirube" not in desk.run("gemini", "mcp", "list")


@needs_npm("opencode")
@pytest.mark.parametrize("scope", ["project", "user"])
def test_opencode_lists_the_server_as_connected(desk: Desk, scope: str):
    desk.run("shirube", "install", "opencode", "--scope", scope, "--type", "all")
    assert desk.is_connected("opencode", "mcp", "list")
    desk.run("shirube", "uninstall", "opencode", "--scope", scope)
    assert "shirube" not in desk.run("opencode", "mcp", "list")


@needs_npm("claude")
def test_claude_code_finds_nothing_wrong_with_the_plugin(desk: Desk):
    plugin = Path(__file__).resolve().parents[2] / "plugin"
    strictly = ("--strict", "--profile", "directory")  # as the catalogue would look at it
    assert "Validation passed" in desk.run("claude", "plugin", "validate", str(plugin), *strictly)
    assert "Validation passed" in desk.run("claude", "plugin", "validate", str(plugin.parent), "--strict")
