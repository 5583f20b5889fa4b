"""From install to uninstall on real-looking files, through the command line."""

import json
import os
import stat
import tomllib
from pathlib import Path

import pytest

from shirube.doors.agents import jsonc
from shirube.doors.agents.install import plan_install
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import AgentFile, Receipts
from tests.doors.agents.house import House
from tests.doors.agents.samples import AGENTS_MD, BROKEN, CLAUDE, CODEX, GEMINI, SAMPLES, Sample

EACH = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


def lay_out(house: House, sample: Sample) -> Path:
    """Write a sample where its agent would have it, and return where it really is."""
    path = (house.root if sample.scope == "project" else house.home) / sample.path
    path.parent.mkdir(parents=True, exist_ok=True)
    real = path
    if sample.link:
        real = house.home / sample.link
        real.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(real)
    real.write_bytes(sample.data)
    real.chmod(sample.mode)
    return real


def install(house: House, sample: Sample, *more: str):
    return house.run("install", sample.agent, "--type", sample.kinds, "--scope", sample.scope, *more)


def uninstall(house: House, sample: Sample, *more: str):
    return house.run("uninstall", sample.agent, "--scope", sample.scope, *more)


def test_there_are_enough_samples():
    assert len(SAMPLES) >= 30
    assert {sample.agent for sample in SAMPLES} >= {"claude-code", "codex", "gemini", "opencode", "zed", "vscode"}


@EACH
def test_install_then_uninstall_leaves_every_byte_as_it_was(house: House, sample: Sample):
    real = lay_out(house, sample)
    before, mode = house.files(), stat.S_IMODE(real.stat().st_mode)
    ran = install(house, sample)
    assert ran.code == 0, ran.err
    assert "added" in ran.out
    assert real.read_bytes() != sample.data
    assert stat.S_IMODE(real.stat().st_mode) == mode
    again = house.files()
    assert "present" in install(house, sample).out
    assert house.files() == again
    assert "removed" in uninstall(house, sample).out
    assert house.files() == before
    assert stat.S_IMODE(real.stat().st_mode) == mode
    assert [path.name for path in (house.state / "agents").iterdir() if path.suffix] == []


@EACH
def test_only_our_lines_are_added_and_the_rest_means_what_it_meant(house: House, sample: Sample):
    real = lay_out(house, sample)
    install(house, sample)
    text = real.read_bytes().decode("utf-8")
    if not sample.path.endswith((".json", ".jsonc")):
        assert text.startswith(sample.text)
        return
    before = jsonc.parse(sample.text).data() if sample.text.strip() else {}
    assert _without_ours(jsonc.parse(text).data(), before) == before
    comments = [line.strip() for line in sample.text.splitlines() if line.strip().startswith("//")]
    assert [comment for comment in comments if comment not in text] == []


def _without_ours(after, before):
    """Return what is left when everything is taken away that is new and ours."""
    if isinstance(after, dict):
        kept = {
            name: value for name, value in after.items() if name in before or "shirube" not in json.dumps({name: value})
        }
        return {name: _without_ours(value, before.get(name, {})) for name, value in kept.items()}
    if isinstance(after, list):
        return [value for value in after if "shirube" not in json.dumps(value)]
    return after


@EACH
def test_without_the_memory_of_it_our_entries_go_by_their_names(house: House, sample: Sample):
    real = lay_out(house, sample)
    install(house, sample)
    for path in (house.state / "agents").iterdir():
        path.unlink()
    assert "removed" in uninstall(house, sample).out
    text = real.read_bytes().decode("utf-8")
    assert text.count("shirube") == sample.text.count("shirube")
    if sample.path.endswith((".md", ".toml")):
        assert text.strip() == sample.text.strip()


@pytest.mark.parametrize("sample", BROKEN, ids=lambda sample: sample.name)
def test_what_cannot_be_edited_safely_is_refused_and_not_touched(house: House, sample: Sample):
    real = lay_out(house, sample)
    before, changed = house.files(), real.stat().st_mtime_ns
    ran = install(house, sample)
    assert ran.code == 2
    assert "refused" in ran.out
    assert "left alone" in ran.out
    assert house.files() == before
    assert real.stat().st_mtime_ns == changed


def test_one_broken_file_does_not_hold_up_the_others(house: House):
    (house.root / ".mcp.json").write_text("{")
    ran = house.run("install", "claude-code", "codex")
    assert ran.code == 2
    assert (house.root / ".mcp.json").read_text() == "{"
    assert (house.root / "CLAUDE.md").is_file()
    assert (house.root / ".codex/config.toml").is_file()


def test_a_link_that_leads_out_of_the_project_is_refused(house: House, tmp_path: Path):
    secret = tmp_path / "secret.md"
    secret.write_text("mine\n")
    (house.root / "CLAUDE.md").symlink_to(secret)
    ran = house.run("install", "claude-code", "--type", "instructions")
    assert ran.code == 2
    assert "leads out of the project" in ran.out
    assert secret.read_text() == "mine\n"


def test_a_second_name_for_the_same_file_gets_one_block(house: House):
    (house.root / "AGENTS.md").write_text(AGENTS_MD)
    (house.root / "CLAUDE.md").symlink_to("AGENTS.md")
    before = house.files()
    house.run("install", "claude-code", "codex", "--type", "instructions")
    assert (house.root / "AGENTS.md").read_text().count("shirube:begin") == 1
    house.run("uninstall")
    assert house.files() == before


def test_permissions_are_never_touched(house: House):
    for scope in ("project", "user"):
        house.run("install", "all", "--type", "all", "--scope", scope)
    words = ("permission", "allowedTools", "trust", "autoApprove", "alwaysAllow", "approval")
    written = [path for base in (house.root, house.home) for path in base.rglob("*") if path.is_file()]
    settings = [path for path in written if path.suffix in (".json", ".jsonc") or path.name == "config.toml"]
    assert len(settings) > 15
    assert [path for path in settings if any(word in path.read_text("utf-8") for word in words)] == []


def test_an_entry_of_somebody_else_under_our_name_stays(house: House):
    mine = '{"mcpServers": {"shirube": {"command": "docker", "args": ["run", "shirube"]}}}'
    (house.root / ".mcp.json").write_text(mine)
    assert "there is one already, which is not ours" in house.run("install", "claude-code", "--type", "mcp").out
    assert "it is not ours" in house.run("uninstall").out
    assert (house.root / ".mcp.json").read_text() == mine


def test_our_own_entry_is_brought_up_to_date_and_one_changed_by_hand_is_left(house: House):
    path = house.root / ".mcp.json"
    path.write_text(CLAUDE)
    house.run("install", "claude-code", "--type", "mcp")
    assert "updated" in house.run("install", "claude-code", "--type", "mcp", "--command", "/opt/shirube").out
    entry = json.loads(path.read_text())["mcpServers"]["shirube"]
    assert entry == {"type": "stdio", "command": "/opt/shirube", "args": ["serve"]}
    path.write_text(path.read_text().replace('["serve"]', '["serve", "--watch"]'))
    assert "there is one already, which is not ours" in house.run("install", "claude-code", "--type", "mcp").out
    assert '"--watch"' in path.read_text()
    assert "removed" in house.run("uninstall", "claude-code", "--type", "mcp").out
    assert path.read_text() == CLAUDE


def test_a_block_and_hooks_are_replaced_in_place(house: House):
    (house.root / "AGENTS.md").write_text("a\n<!-- shirube:begin -->\nan older text\n<!-- shirube:end -->\nb\n")
    assert "updated" in house.run("install", "codex", "--type", "instructions").out
    text = (house.root / "AGENTS.md").read_text()
    assert text.startswith("a\n<!-- shirube:begin -->\n## shirube")
    assert text.endswith("<!-- shirube:end -->\nb\n")
    house.run("install", "claude-code", "--type", "hooks")
    assert "updated" in house.run("install", "claude-code", "--type", "hooks", "--gate", "block").out
    hooks = json.loads((house.root / ".claude/settings.json").read_text())["hooks"]
    assert {name: len(items) for name, items in hooks.items()} == {
        **{"SessionStart": 1, "PreToolUse": 1, "PostToolUse": 1, "Stop": 1}
    }
    assert "--mode block" in json.dumps(hooks)


def test_a_command_of_somebody_else_is_not_overwritten(house: House):
    path = house.root / ".claude/commands/code.md"
    path.parent.mkdir(parents=True)
    path.write_text("my own /code\n")
    assert "there is one already, which is not ours" in house.run("install", "claude-code", "--type", "commands").out
    house.run("uninstall", "claude-code")
    assert path.read_text() == "my own /code\n"
    assert not (house.root / ".claude/commands/outcome.md").exists()


def test_hooks_come_only_when_asked_for_and_then_only_advise(house: House):
    house.run("install", "claude-code")
    assert not (house.root / ".claude/settings.json").exists()
    house.run("install", "claude-code", "--type", "hooks")
    text = (house.root / ".claude/settings.json").read_text()
    assert "--mode advise" in text
    assert "so nothing was checked" in text
    assert "so this is refused" not in text


def test_codex_reads_what_was_written(house: House):
    path = house.home / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text(CODEX)
    house.run("install", "codex", "--scope", "user", "--type", "mcp", "--command", "/opt/shirube")
    found = tomllib.loads(path.read_text())
    assert found["mcp_servers"].pop("shirube") == {"command": "/opt/shirube", "args": ["serve"]}
    assert found == tomllib.loads(CODEX)


def test_a_file_that_changes_between_reading_and_writing_is_left(house: House, monkeypatch: pytest.MonkeyPatch):
    path = house.root / ".mcp.json"
    path.write_text(CLAUDE)
    flush = os.fsync

    def meanwhile(handle: int) -> None:
        path.write_text("{}")
        flush(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    ran = house.run("install", "claude-code", "--type", "mcp")
    assert ran.code == 2
    assert "somebody else changed it" in ran.out
    assert path.read_text() == "{}"


def test_a_plan_changes_nothing(tmp_path: Path):
    piece = Piece("gemini", "mcp", tmp_path / "s.json", "json", {"command": "shirube"}, ("mcpServers", "shirube"))
    piece.path.write_text(GEMINI)
    change = plan_install(AgentFile(piece.path, GEMINI.encode()), [piece], Receipts(tmp_path))
    assert change.is_edit
    assert [row.action for row in change.rows] == ["added"]
    assert [path.read_text() for path in tmp_path.iterdir()] == [GEMINI]
