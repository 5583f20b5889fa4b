from pathlib import Path

import pytest

from shirube.config import agent_directories
from shirube.doors.agents.pieces import detected_agents, named_agents
from shirube.doors.agents.table import AGENTS
from shirube.errors import BadArgument, UnknownName


def nothing(name: str) -> None:
    return None


@pytest.fixture
def directories(tmp_path: Path) -> dict[str, Path]:
    return {**agent_directories({"HOME": str(tmp_path / "home")}), "root": tmp_path / "project"}


def test_names_and_other_names_are_understood_once():
    assert [agent.name for agent in named_agents(["Claude", "claude-code", "copilot"])] == ["claude-code", "vscode"]
    assert named_agents(["all"]) == list(AGENTS)
    with pytest.raises(UnknownName, match="unknown agent 'gemni'"):
        named_agents(["gemni"])


@pytest.mark.parametrize(
    ("sign", "name"),
    [
        ("home/.claude", "claude-code"),
        ("home/.codex", "codex"),
        ("project/.gemini", "gemini"),
        ("project/opencode.jsonc", "opencode"),
        ("project/.cursor", "cursor"),
        ("project/.vscode", "vscode"),
        ("home/.codeium/windsurf", "windsurf"),
        ("home/.config/zed", "zed"),
    ],
)
def test_an_agent_is_known_by_what_it_leaves_behind(tmp_path: Path, directories, sign: str, name: str):
    (tmp_path / sign).mkdir(parents=True)
    assert [agent.name for agent in detected_agents(directories, nothing)] == [name]


def test_an_agent_is_known_by_its_program(directories):
    found = detected_agents(directories, lambda name: "/bin/x" if name in ("codex", "zed") else None)
    assert [agent.name for agent in found] == ["codex", "zed"]


def test_where_no_agent_is_found_the_names_are_told(directories):
    with pytest.raises(BadArgument) as caught:
        detected_agents(directories, nothing)
    assert "claude-code, codex" in caught.value.hint
