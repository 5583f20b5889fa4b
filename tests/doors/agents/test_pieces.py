import json
import tomllib
from pathlib import Path

import pytest

from shirube.config import agent_directories
from shirube.doors.agents.pieces import Setting, command_file, lacking, locate, pieces_of, scout_file
from shirube.doors.agents.table import AGENTS, KINDS, SCOPES
from shirube.features.guard.flows import FLOWS, SCOUT, SCOUT_TOOLS, scout
from tests.cases import for_each

BY_NAME = {agent.name: agent for agent in AGENTS}


@pytest.fixture
def directories(tmp_path: Path) -> dict[str, Path]:
    return {**agent_directories({"HOME": str(tmp_path / "home")}), "root": tmp_path / "project"}


def pieces(name: str, kinds: tuple[str, ...], directories: dict[str, Path], scope: str = "project", **more: str):
    return list(pieces_of(BY_NAME[name], kinds, Setting(scope, directories, "shirube", **more)))


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("claude-code", {"type": "stdio", "command": "shirube", "args": ["serve"]}),
        ("codex", {"command": "shirube", "args": ["serve"]}),
        ("gemini", {"command": "shirube", "args": ["serve"]}),
        ("opencode", {"type": "local", "command": ["shirube", "serve"], "enabled": True}),
        ("cursor", {"command": "shirube", "args": ["--root", "${workspaceFolder}", "serve"]}),
        ("vscode", {"type": "stdio", "command": "shirube", "args": ["--root", "${workspaceFolder}", "serve"]}),
        ("windsurf", {"command": "shirube", "args": ["serve"]}),
        ("zed", {"command": "shirube", "args": ["serve"]}),
    ],
)
def test_each_agent_gets_an_entry_of_its_own_shape(directories, name: str, entry):
    (piece,) = pieces(name, ("mcp",), directories, scope="user")
    assert piece.value == entry


@pytest.mark.parametrize("scope", SCOPES)
def test_an_agent_gets_pieces_of_a_kind_unless_it_has_no_place_for_it(directories, scope: str):
    for agent in AGENTS:
        for kind in KINDS:
            assert bool(pieces(agent.name, (kind,), directories, scope)) is not lacking(agent, kind, scope)


def test_the_first_place_that_exists_is_taken(directories):
    assert pieces("opencode", ("mcp",), directories)[0].path.name == "opencode.json"
    directories["root"].mkdir()
    (directories["root"] / "opencode.jsonc").touch()
    assert pieces("opencode", ("mcp",), directories)[0].path.name == "opencode.jsonc"
    assert locate("{codex}/config.toml", directories) == directories["home"] / ".codex/config.toml"


def test_hooks_name_their_event_their_agent_and_the_mode(directories):
    found = pieces("claude-code", ("hooks",), directories, gate="block")
    assert [piece.pointer[1] for piece in found] == ["SessionStart", "PreToolUse", "PostToolUse", "Stop"]
    assert ["Bash" in piece.value.get("matcher", "") for piece in found] == [False, True, True, False]
    for piece, event in zip(found, ("start", "before", "after", "stop"), strict=True):
        assert f"gate --hook {event} --agent claude-code --mode block" in json.dumps(piece.value)
    assert len({piece.key for piece in found}) == 4
    assert pieces("gemini", ("hooks",), directories)[0].value["hooks"][0]["timeout"] == 10_000
    version, *rest = pieces("cursor", ("hooks",), directories)
    assert (version.filler, version.value, len(rest)) == (True, 1, 5)


@for_each("flow", FLOWS)
def test_a_flow_becomes_a_file_in_each_agent_s_manner(flow):
    claude = command_file(flow, "claude")
    assert claude.startswith('---\ndescription: "')
    assert "argument-hint: " in claude
    assert "$ARGUMENTS" in claude
    gemini = tomllib.loads(command_file(flow, "gemini"))
    assert gemini["description"] == flow.description
    assert "{{args}}" in gemini["prompt"]
    assert f'name: "shirube-{flow.name}"' in command_file(flow, "skill")
    assert not command_file(flow, "bare").startswith("---")
    for form in ("skill", "described", "bare"):
        assert "$ARGUMENTS" not in command_file(flow, form)
        assert "in this conversation" in command_file(flow, form)


def test_a_scout_is_a_sub_agent_that_may_only_look(directories):
    written = {agent.name: pieces(agent.name, ("scout",), directories) for agent in AGENTS}
    texts = {name: found[0].value for name, found in written.items() if found}
    assert set(texts) == {"claude-code", "codex", "gemini", "opencode", "cursor"}
    codex = tomllib.loads(texts.pop("codex"))
    assert codex == {
        "name": "shirube-scout",
        "description": SCOUT,
        "sandbox_mode": "read-only",
        "developer_instructions": scout() + "\n",
    }
    for text in texts.values():
        head, body = text.removeprefix("---\n").split("\n---\n\n", 1)
        assert body == scout() + "\n"
        assert SCOUT in head
    tools = ", ".join(f"mcp__shirube__{name}" for name in SCOUT_TOOLS)
    assert f"\ntools: {tools}\n" in texts["claude-code"]
    assert "\ntools:\n  - mcp_shirube_search\n" in texts["gemini"]
    assert '\nmode: subagent\npermission:\n  "*": deny\n  shirube_search: allow\n' in texts["opencode"]
    assert "\nreadonly: true\n" in texts["cursor"]


def test_a_scout_s_report_is_short_and_names_places():
    assert "at most 400 tokens" in scout()
    assert "`path:start-end`" in scout()
    assert "name: scout\n" in scout_file("claude", ("x__{name}",), "scout")
