import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shirube.doors.cli import main
from tests.doors.agents.house import House
from tests.doors.agents.samples import CLAUDE
from tests.doors.cli.test_ownership import installed


@pytest.mark.requirement("004-SETUP-01")
def test_install_registers_one_server_for_the_project(house: House):
    ran = house.run("install", "claude-code")
    assert ran.code == 0
    entry = json.loads((house.root / ".mcp.json").read_text())
    assert entry == {"mcpServers": {"shirube": {"type": "stdio", "command": "michishirube", "args": ["serve"]}}}
    assert "asks once" in ran.err


@pytest.mark.requirement("004-SETUP-02")
def test_one_command_sets_up_every_agent_it_finds_and_keeps_what_is_there(house: House):
    (house.root / ".mcp.json").write_text(CLAUDE)
    (house.home / ".gemini").mkdir()
    ran = house.run("install", "--json")
    rows = json.loads(ran.out)["rows"]
    assert {row["agent"] for row in rows} == {"claude-code", "gemini"}
    assert {row["action"] for row in rows} == {"added"}
    servers = json.loads((house.root / ".mcp.json").read_text())["mcpServers"]
    assert set(servers) == {*json.loads(CLAUDE)["mcpServers"], "shirube"}


def test_nothing_is_guessed_where_no_agent_is_found(house: House):
    ran = house.run("install")
    assert (ran.code, ran.out) == (2, "")
    assert "name one: claude-code, codex" in ran.err


def test_a_dry_run_shows_a_diff_and_changes_nothing(house: House):
    (house.root / ".mcp.json").write_text(CLAUDE)
    before = house.files()
    ran = house.run("install", "claude-code", "codex", "--dry-run")
    assert house.files() == before
    assert '+    "shirube": {' in ran.out
    assert "+++ " in ran.out
    assert "[mcp_servers.shirube]" in ran.out
    assert list((house.state / "agents").glob("*.*")) == []
    assert json.loads(house.run("install", "claude-code", "--dry-run", "--json").out)["dry_run"] is True
    house.run("install", "claude-code", "codex")
    installed = house.files()
    assert '-    "shirube": {' in house.run("uninstall", "--dry-run").out
    assert house.files() == installed


def test_print_config_shows_what_to_add_and_changes_nothing(house: House):
    before = house.files()
    ran = house.run("install", "codex", "zed", "--print-config", "--scope", "user", "--command", "/opt/shirube")
    assert house.files() == before
    assert "# " + str(house.home / ".codex/config.toml") in ran.out
    assert '[mcp_servers.shirube]\ncommand = "/opt/shirube"' in ran.out
    assert '"context_servers"' in ran.out


def test_a_shared_file_names_no_machine_and_the_user_s_own_names_the_program(house: House):
    house.run("install", "cursor", "--type", "mcp")
    assert str(house.root) not in (house.root / ".cursor/mcp.json").read_text()
    house.run("install", "gemini", "--type", "mcp", "--scope", "user")
    command = json.loads((house.home / ".gemini/settings.json").read_text())["mcpServers"]["shirube"]["command"]
    assert Path(command) == Path(sys.executable).parent / "michishirube"


def test_a_program_that_agents_would_not_find_is_told(house: House):
    assert "not on the path" in house.run("install", "opencode").err
    assert "not on the path" not in house.run("install", "opencode", "--command", "/opt/shirube").err


def test_another_project_s_program_is_not_what_agents_start_and_is_told(house: House, tmp_path: Path, monkeypatch):
    theirs = installed(tmp_path / "theirs", "shirube", "shirube-0.3.0b10")
    monkeypatch.setenv("PATH", f"{theirs.parent}{os.pathsep}{os.environ['PATH']}")
    ran = house.run("install", "claude-code", "--type", "mcp,hooks")
    assert f"'shirube' on PATH is another program: {theirs} (shirube-0.3.0b10); this one is " in ran.err
    assert json.loads((house.root / ".mcp.json").read_text())["mcpServers"]["shirube"]["command"] == "michishirube"
    assert " michishirube gate --hook before " in (house.root / ".claude/settings.json").read_text()
    house.run("install", "claude-code", "--type", "mcp", "--scope", "user")
    assert str(theirs) not in (house.home / ".claude.json").read_text()


def test_what_is_left_to_do_is_told_by_scope_and_by_kind(house: House):
    assert "trusts" in house.run("install", "codex").err
    told = house.run("install", "codex", "--type", "hooks", "--scope", "user").err
    assert "reviewed" in told
    assert "trusts" not in told


def test_what_an_agent_has_no_place_for_is_told(house: House):
    rows = json.loads(house.run("install", "zed", "--json").out)["rows"]
    assert [(row["kind"], row["action"]) for row in rows] == [
        ("instructions", "added"),
        ("mcp", "skipped"),
    ]
    assert "only with --scope user" in rows[1]["detail"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("install", "gemni"), "did you mean 'gemini'?"),
        (("install", "codex", "--type", "mpc"), "did you mean 'mcp'?"),
        (("uninstall", "codex", "--type", "nothing"), "known: "),
        (("install", "--scope", "everywhere"), "known: "),
    ],
)
def test_a_wrong_word_names_the_nearest_right_one(house: House, arguments: tuple[str, ...], told: str):
    ran = house.run(*arguments)
    assert ran.code == 2
    assert told in ran.err


def test_types_may_be_joined_or_repeated(house: House):
    house.run("install", "claude-code", "--type", "mcp,commands", "--type", "hooks")
    assert (house.root / ".claude/settings.json").is_file()
    assert (house.root / ".claude/commands/code.md").is_file()
    assert not (house.root / "CLAUDE.md").exists()


def test_the_user_s_own_files_can_be_set_up_from_anywhere(house: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(house.home)
    assert main(("install", "codex", "--scope", "user")) == 0
    assert (house.home / ".codex/config.toml").is_file()
    assert main(("install", "codex")) == 2
    assert main(("search", "x")) == 2
    assert main(("uninstall", "--scope", "user")) == 0
    assert not (house.home / ".codex").exists()


def test_the_directories_agents_were_told_to_use_are_used(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    house.run("install", "claude-code", "codex", "zed", "--scope", "user", "--type", "mcp,instructions")
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("C*/*")}
    found |= {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("X*/*/*")}
    assert found == {
        "CLAUDE_CONFIG_DIR/.claude.json",
        "CLAUDE_CONFIG_DIR/CLAUDE.md",
        "CODEX_HOME/AGENTS.md",
        "CODEX_HOME/config.toml",
        "XDG_CONFIG_HOME/zed/AGENTS.md",
        "XDG_CONFIG_HOME/zed/settings.json",
    }


def test_other_commands_do_not_pay_for_the_installer():
    code = "import sys, shirube.doors.cli.main; print([n for n in sys.modules if 'shirube.doors.agents.' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"
