import json
import re
import tomllib
from pathlib import Path

from shirube import __version__
from shirube.doors.agents.plugin import plugin_files
from shirube.features.guard.flows import FLOWS

ROOT = Path(__file__).resolve().parents[3]


def test_the_files_of_the_plugin_are_up_to_date():
    stale = [name for name, text in plugin_files().items() if (ROOT / "plugin" / name).read_text("utf-8") != text]
    assert stale == [], "run 'make docs'"


def test_the_plugin_brings_server_hooks_commands_a_skill_and_a_scout():
    files = plugin_files()
    manifest = json.loads(files[".claude-plugin/plugin.json"])
    assert (manifest["name"], manifest["version"]) == ("shirube", __version__)
    assert manifest["userConfig"]["gate_mode"]["default"] == "advise"
    assert json.loads(files[".mcp.json"])["mcpServers"]["shirube"]["args"] == ["serve", "--toolsets", "core,session"]
    assert '"command": "shirube"' not in files[".mcp.json"], "on the path that may be another project's program"
    assert not re.search(r"(?<![\w-])shirube gate", files["bin/gate.sh"])
    hooks = json.loads(files["hooks/hooks.json"])["hooks"]
    events = {name: group[0]["hooks"][0]["args"][-1] for name, group in hooks.items()}
    assert events == {"SessionStart": "start", "PreToolUse": "before", "PostToolUse": "after", "Stop": "stop"}
    assert "mcp__plugin_shirube_shirube__search, " in files["agents/scout.md"]
    assert {f"commands/{flow.name}.md" for flow in FLOWS} <= set(files)
    assert re.match(r'---\nname: shirube\ndescription: "Use before ', files["skills/shirube/SKILL.md"])


def test_the_marketplace_leads_to_the_plugin():
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text("utf-8"))
    (entry,) = market["plugins"]
    assert (ROOT / entry["source"] / ".claude-plugin/plugin.json").is_file()


def test_the_registry_is_told_what_the_package_is():
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert len(server["description"]) <= 100
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert {server["version"], __version__} == {version}
    assert "packages" not in server, "the name is not registered: CONTRIBUTING.md says what comes before it is offered"
    assert f"mcp-name: {server['name']}" in (ROOT / "README.md").read_text("utf-8")
