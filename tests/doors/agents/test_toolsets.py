import json
import tomllib

import pytest

from shirube.doors.agents.table import AGENTS
from tests.doors.agents.house import House

ENTRIES = {
    "claude-code": (".mcp.json", "mcpServers", "args"),
    "gemini": (".gemini/settings.json", "mcpServers", "args"),
    "opencode": ("opencode.json", "mcp", "command"),
    "cursor": (".cursor/mcp.json", "mcpServers", "args"),
}
GATED = [agent.name for agent in AGENTS if agent.hooks]


def started(house: House, agent: str = "claude-code") -> list[str]:
    """Return the words that start an agent's server in the project."""
    if agent == "codex":
        return tomllib.loads((house.root / ".codex/config.toml").read_text())["mcp_servers"]["shirube"]["args"]
    file, servers, words = ENTRIES[agent]
    return json.loads((house.root / file).read_text())[servers]["shirube"][words]


def test_an_agent_gets_the_tools_of_every_day_alone(house: House):
    house.run("install", "claude-code", "opencode")
    assert started(house) == ["serve"]
    assert started(house, "opencode") == ["michishirube", "serve"]


@pytest.mark.parametrize("agent", GATED)
def test_with_the_gate_the_tools_of_sessions_are_listed(house: House, agent: str):
    before = house.files()
    house.run("install", agent, "--type", "all")
    assert started(house, agent)[-3:] == ["serve", "--toolsets", "core,session"]
    house.run("uninstall", agent)
    assert house.files() == before


@pytest.mark.parametrize("agent", GATED)
def test_the_gate_may_come_later_and_go_earlier(house: House, agent: str):
    before = house.files()
    house.run("install", agent)
    plain = house.files()
    rows = json.loads(house.run("install", agent, "--type", "hooks", "--json").out)["rows"]
    assert ("mcp", "updated") in [(row["kind"], row["action"]) for row in rows]
    assert started(house, agent)[-1] == "core,session"
    house.run("install", agent)
    assert started(house, agent)[-1] == "core,session"
    house.run("uninstall", agent, "--type", "hooks")
    assert house.files() == plain
    house.run("uninstall", agent)
    assert house.files() == before


def test_flows_need_the_tools_they_name(house: House):
    house.run("install", "opencode", "--type", "mcp,commands")
    assert started(house, "opencode")[-1] == "core,session"
    house.run("uninstall", "opencode", "--type", "commands")
    assert started(house, "opencode") == ["michishirube", "serve"]


def test_one_of_two_reasons_is_enough(house: House):
    house.run("install", "claude-code", "--type", "mcp,commands,hooks")
    house.run("uninstall", "claude-code", "--type", "hooks")
    assert started(house)[-1] == "core,session"


def test_a_scout_needs_no_more_tools(house: House):
    house.run("install", "claude-code", "--type", "mcp,scout")
    assert started(house) == ["serve"]
    assert (house.root / ".claude/agents/shirube-scout.md").is_file()


def test_the_agent_s_other_words_stay(house: House):
    house.run("install", "claude-code", "--command", "/opt/shirube")
    house.run("install", "claude-code", "--type", "hooks")
    entry = json.loads((house.root / ".mcp.json").read_text())["mcpServers"]["shirube"]
    assert entry["command"] == "/opt/shirube"
    assert entry["args"][-1] == "core,session"


def test_an_entry_that_the_user_changed_stays(house: House):
    house.run("install", "claude-code", "--type", "mcp")
    file = house.root / ".mcp.json"
    file.write_text(file.read_text().replace('"serve"', '"serve",\n        "--watch"'))
    house.run("install", "claude-code", "--type", "hooks")
    assert started(house) == ["serve", "--watch"]


def test_nothing_is_registered_that_nobody_asked_for(house: House):
    house.run("install", "claude-code", "--type", "hooks")
    assert not (house.root / ".mcp.json").exists()


@pytest.mark.parametrize(("scope", "listed"), [("project", ["core,commands"]), ("user", [])])
def test_a_registry_of_the_project_brings_its_tools_to_the_project(house: House, scope: str, listed: list[str]):
    registry = house.root / ".agent/climpt/registry.json"
    registry.parent.mkdir(parents=True)
    registry.write_text('{"tools": {"commands": []}}')
    house.run("install", "codex", "--scope", scope, "--type", "mcp")
    folder = house.root if scope == "project" else house.home
    entry = tomllib.loads((folder / ".codex/config.toml").read_text())["mcp_servers"]["shirube"]
    assert entry["args"][2:] == listed


def test_a_registry_that_cannot_be_read_brings_nothing(house: House):
    config = house.root / ".agent/climpt/config/registry_config.json"
    config.parent.mkdir(parents=True)
    config.write_text("{")
    assert house.run("install", "claude-code").code == 0
    assert started(house) == ["serve"]


def test_a_dry_run_shows_the_other_tools_and_changes_nothing(house: House):
    house.run("install", "claude-code")
    before = house.files()
    assert '"core,session"' in house.run("install", "claude-code", "--type", "hooks", "--dry-run").out
    assert house.files() == before


def test_a_server_of_the_user_lists_what_the_project_s_flows_name(house: House):
    house.run("install", "windsurf", "--type", "commands")
    house.run("install", "windsurf", "--type", "mcp", "--scope", "user")
    file = house.home / ".codeium/windsurf/mcp_config.json"
    assert json.loads(file.read_text())["mcpServers"]["shirube"]["args"][-1] == "core,session"
