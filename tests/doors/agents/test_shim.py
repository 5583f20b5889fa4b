"""The lines between hook and gate, run by a real shell against gates that misbehave."""

import shutil
import subprocess
from pathlib import Path

import pytest

from shirube.doors.agents.pieces import MARK, hook_command, hook_script
from shirube.doors.agents.table import COMMAND

SHELLS = [path for shell in ("sh", "bash", "dash", "zsh") if (path := shutil.which(shell))]
GATES = {
    "allows": ("echo ALLOW", 0, 0),
    "allows with context": ("""echo 'ALLOW {"a": 1}'""", 0, 0),
    "blocks": ("echo BLOCK; echo 'call submit_understanding' >&2; exit 2", 2, 2),
    "crashes": ("echo Traceback >&2; exit 1", 1, 2),
    "says nothing": ("exit 0", 1, 2),
    "says something else": ('echo \'{"decision": "allow"}\'', 1, 2),
    "says more than it should": ("echo ALLOW; echo really", 1, 2),
    "allows and fails": ("echo ALLOW; exit 1", 1, 2),
    "does not know the command": ("echo 'shirube: unknown choice' >&2; exit 2", 1, 2),
    "is killed": ("kill -9 $$", 1, 2),
    "takes too long": ("exit 124", 1, 2),
}
"""What a gate does, and the exit codes that advise and block make of it; 2 is the only one that blocks."""


def gate(folder: Path, body: str) -> Path:
    """Write a program that stands in for ours."""
    path = folder / COMMAND
    path.write_text(f'#!/bin/sh\necho "$@" > {folder}/asked\n{body}\n')
    path.chmod(0o755)
    return path


def run(argv: list[str], folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    path = {"PATH": f"{folder}:/usr/bin:/bin"}
    return subprocess.run(argv, env=path | env, input="{}", capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("what", GATES)
def test_a_hook_lets_pass_only_what_the_gate_allows_in_words(tmp_path: Path, shell: str, what: str):
    body, *codes = GATES[what]
    gate(tmp_path, body)
    for mode, code in zip(("advise", "block"), codes, strict=True):
        done = run([shell, "-c", hook_command(COMMAND, "claude-code", "before", mode)], tmp_path)
        assert (mode, done.returncode) == (mode, code), done.stderr
        assert done.stdout.strip() == ('{"a": 1}' if "context" in what else "")
        assert (tmp_path / "asked").read_text().split() == [
            *("gate", "--hook", "before", "--agent", "claude-code", "--mode", mode)
        ]
        if what == "blocks":
            assert done.stderr.strip() == "call submit_understanding"
        elif code:
            assert "the gate failed" in done.stderr


@pytest.mark.parametrize(("mode", "code"), [("advise", 1), ("block", 2)])
def test_a_missing_program_blocks_only_in_block_mode(tmp_path: Path, mode: str, code: int):
    done = run(["/bin/sh", "-c", hook_command("/nowhere/shirube", "codex", "before", mode)], tmp_path)
    assert done.returncode == code
    assert "the gate failed" in done.stderr


def test_after_the_fact_a_failing_gate_blocks_nothing(tmp_path: Path):
    gate(tmp_path, "exit 1")
    for event in ("after", "stop"):
        done = run(["/bin/sh", "-c", hook_command(COMMAND, "codex", event, "block")], tmp_path)
        assert done.returncode == 1


def test_without_a_program_for_deadlines_the_gate_is_asked_all_the_same(tmp_path: Path):
    gate(tmp_path, "echo ALLOW")
    (tmp_path / "sh").symlink_to("/bin/sh")
    done = subprocess.run(
        ["/bin/sh", "-c", hook_command(COMMAND, "codex", "before", "block")],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0


def test_a_path_with_spaces_is_quoted(tmp_path: Path):
    (tmp_path / "my programs").mkdir()
    path = gate(tmp_path / "my programs", "echo ALLOW")
    path.write_text("#!/bin/sh\necho ALLOW\n")
    command = hook_command(str(path), "codex", "before", "block")
    assert run(["/bin/sh", "-c", command], tmp_path).returncode == 0
    assert MARK in command


@pytest.mark.parametrize("what", GATES)
def test_the_plugin_s_script_does_the_same(tmp_path: Path, what: str):
    body, *codes = GATES[what]
    gate(tmp_path, body)
    script = tmp_path / "gate.sh"
    script.write_text(hook_script())
    for mode, code in zip(("advise", "block"), codes, strict=True):
        assert run(["/bin/sh", str(script), "before"], tmp_path, SHIRUBE_GATE_MODE=mode).returncode == code
    assert run(["/bin/sh", str(script), "before"], tmp_path, CLAUDE_PLUGIN_OPTION_GATE_MODE="off").returncode == 0
    assert run(["/bin/sh", str(script), "before"], tmp_path).returncode == codes[0]


def test_the_plugin_without_the_program_is_silent_unless_it_should_block(tmp_path: Path):
    script = tmp_path / "gate.sh"
    script.write_text(hook_script())
    assert run(["/bin/sh", str(script), "before"], tmp_path).returncode == 0
    assert run(["/bin/sh", str(script), "before"], tmp_path, SHIRUBE_GATE_MODE="block").returncode == 2


def test_a_plugin_that_is_off_only_tells_of_starts(tmp_path: Path):
    gate(tmp_path, "echo ALLOW")
    script = tmp_path / "gate.sh"
    script.write_text(hook_script())
    for event in ("before", "after", "stop"):
        assert run(["/bin/sh", str(script), event], tmp_path, CLAUDE_PLUGIN_OPTION_GATE_MODE="off").returncode == 0
        assert not (tmp_path / "asked").exists()
    assert run(["/bin/sh", str(script), "start"], tmp_path, CLAUDE_PLUGIN_OPTION_GATE_MODE="off").returncode == 0
    assert "--hook start" in (tmp_path / "asked").read_text()
    (tmp_path / COMMAND).unlink()
    assert run(["/bin/sh", str(script), "start"], tmp_path, CLAUDE_PLUGIN_OPTION_GATE_MODE="off").returncode == 0
