"""What others did to a file since is kept, byte for byte where a person would expect it."""

import json
from pathlib import Path

import pytest

from shirube.doors.agents.install import plan_uninstall
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import AgentFile, Receipts
from shirube.doors.agents.table import AGENTS
from tests.doors.agents.house import House
from tests.doors.agents.samples import AGENTS_MD, CLAUDE, CODEX, GEMINI, OPENCODE, SETTINGS, VSCODE, crlf

EDITS = [
    ("claude-code", ".mcp.json", CLAUDE, "mcp", '"postgres"', '"pg"'),
    ("claude-code", ".mcp.json", crlf(CLAUDE), "mcp", '"postgres"', '"pg"'),
    ("gemini", ".gemini/settings.json", GEMINI, "mcp,hooks", '"vimMode": true', '"vimMode": false /* really */'),
    ("opencode", "opencode.json", OPENCODE, "mcp", '"theme": "tokyonight"', '"theme": "夜"'),
    ("vscode", ".vscode/mcp.json", VSCODE, "mcp", '"uvx"', '"pipx"'),
    ("claude-code", ".claude/settings.json", SETTINGS, "hooks", '"opus"', '"haiku"'),
    ("codex", ".codex/config.toml", CODEX, "mcp", "notifications = true", "notifications = false # quiet"),
    ("codex", "AGENTS.md", AGENTS_MD, "instructions", "Run the tests", "Run all the tests"),
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[1])
def test_an_edit_elsewhere_in_the_file_is_kept_and_nothing_else_differs(house: House, edit: tuple[str, ...]):
    agent, path, text, kinds, old, new = edit
    file = house.root / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    house.run("install", agent, "--type", kinds)
    file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))
    house.run("uninstall", agent)
    assert file.read_bytes().decode() == text.replace(old, new)


def test_what_was_added_behind_our_entry_is_kept(house: House):
    path = house.root / ".mcp.json"
    path.write_text('{\n  "mcpServers": {}\n}\n')
    house.run("install", "claude-code", "--type", "mcp")
    data = json.loads(path.read_text())
    data["mcpServers"]["later"] = {"command": "x"}
    path.write_text(json.dumps(data, indent=2))
    house.run("uninstall", "claude-code")
    assert json.loads(path.read_text()) == {"mcpServers": {"later": {"command": "x"}}}


def test_an_agent_that_writes_its_file_anew_loses_nothing(house: House):
    path = house.home / ".claude.json"
    path.write_text('{"numStartups": 1}')
    house.run("install", "claude-code", "--type", "mcp", "--scope", "user")
    data = json.loads(path.read_text()) | {"numStartups": 2}
    path.write_text(json.dumps(data, indent=2))
    house.run("uninstall", "claude-code", "--scope", "user")
    assert json.loads(path.read_text()) == {"numStartups": 2}


def test_a_file_that_was_made_for_us_goes_unless_somebody_else_uses_it(house: House):
    house.run("install", "claude-code", "--type", "mcp,hooks")
    path = house.root / ".mcp.json"
    path.write_text(path.read_text().replace('"mcpServers"', '"$schema": "x",\n  "mcpServers"'))
    house.run("uninstall")
    assert json.loads(path.read_text()) == {"$schema": "x"}
    assert not (house.root / ".claude").exists()


def test_parts_can_be_taken_one_by_one_and_the_last_one_restores_every_byte(house: House):
    path = house.root / ".gemini/settings.json"
    path.parent.mkdir()
    path.write_text(GEMINI)
    house.run("install", "gemini", "--type", "mcp,hooks")
    house.run("uninstall", "gemini", "--type", "mcp")
    assert "gate --hook" in path.read_text()
    assert '"shirube": {' not in path.read_text()
    house.run("uninstall", "gemini", "--type", "hooks")
    assert path.read_text() == GEMINI


def test_a_shared_block_stays_until_its_last_agent_goes(house: House):
    house.run("install", "codex", "opencode", "--type", "instructions")
    ran = house.run("uninstall", "codex")
    assert "opencode uses it, too" in ran.out
    assert "shirube:begin" in (house.root / "AGENTS.md").read_text()
    house.run("uninstall", "opencode")
    assert not (house.root / "AGENTS.md").exists()


def test_a_command_that_was_changed_is_yours_now(house: House):
    house.run("install", "claude-code", "--type", "commands")
    path = house.root / ".claude/commands/code.md"
    path.write_text(path.read_text() + "\nAlso run the linter.\n")
    ran = house.run("uninstall", "claude-code")
    assert "yours now" in ran.out
    assert path.read_text().endswith("linter.\n")
    assert not (house.root / ".claude/commands/outcome.md").exists()


def test_other_hooks_keep_what_they_need(house: House):
    path = house.root / ".cursor/hooks.json"
    house.run("install", "cursor", "--type", "hooks")
    data = json.loads(path.read_text())
    data["hooks"]["stop"].append({"command": "mine.sh"})
    path.write_text(json.dumps(data))
    house.run("uninstall", "cursor")
    assert json.loads(path.read_text()) == {"version": 1, "hooks": {"stop": [{"command": "mine.sh"}]}}


def test_a_broken_file_is_refused_and_a_later_try_succeeds(house: House):
    path = house.root / ".mcp.json"
    path.write_text(CLAUDE)
    house.run("install", "claude-code", "--type", "mcp")
    whole = path.read_text()
    path.write_text(whole + "}")
    ran = house.run("uninstall", "claude-code")
    assert (ran.code, path.read_text()) == (2, whole + "}")
    path.write_text(whole)
    assert house.run("uninstall", "claude-code").code == 0
    assert path.read_text() == CLAUDE


def test_with_nothing_there_nothing_happens(house: House):
    before = house.files()
    ran = house.run("uninstall")
    assert (ran.code, ran.out.strip()) == (0, "nothing of ours is there")
    assert house.files() == before


FOREIGN = [
    (".mcp.json", b"{broken"),
    (".gemini/settings.json", b"\xff\xfe{"),
    (".cursor/hooks.json", b'{"hooks": 1}'),
    ("AGENTS.md", b"<!-- another:begin -->\n"),
    (".claude/commands/code.md", b"my own /code\n"),
]


def test_files_that_were_never_ours_are_not_even_looked_into(house: House):
    """However broken, locked or strange: an agent that was never installed is none of our business."""
    for name, data in FOREIGN:
        path = house.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (house.root / "opencode.json").symlink_to("/etc/hostname")
    (house.root / ".vscode").mkdir()
    (house.root / ".vscode/mcp.json").symlink_to("mcp.json")
    before = house.files()
    ran = house.run("uninstall")
    assert (ran.code, ran.out.strip(), ran.err) == (0, "nothing of ours is there", "")
    house.run("install", "codex")
    ran = house.run("uninstall")
    assert (ran.code, {line.split()[0] for line in ran.out.splitlines()}) == (0, {"removed"})
    assert house.files() == before


def test_everything_that_is_put_anywhere_names_us_so_that_it_is_found_again(house: House):
    for scope in ("project", "user"):
        house.run("install", *(agent.name for agent in AGENTS), "--type", "all", "--scope", scope)
    made = {name: data for name, data in house.files().items() if isinstance(data, bytes)}
    assert len(made) > 30
    assert [name for name, data in made.items() if b"shirube" not in data] == []


def test_a_plan_without_a_receipt_goes_by_the_program(tmp_path: Path):
    path = tmp_path / "s.json"
    piece = Piece("gemini", "mcp", path, "json", {"command": "shirube"}, ("mcpServers", "shirube"))
    for command, action in (("/opt/bin/shirube", "removed"), ("docker", "kept")):
        path.write_text(json.dumps({"mcpServers": {"shirube": {"command": command}}}))
        change = plan_uninstall(AgentFile(path, path.read_bytes()), [piece], Receipts(tmp_path / "state"))
        assert [row.action for row in change.rows] == [action]
