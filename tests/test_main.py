"""The program from its first line on: an interrupt at any moment ends it quietly."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import make_state_dirs, write_sample

INTERRUPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job may have been started without it

class Finger:
    '''Presses Ctrl-C when a module is about to be imported.'''
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finger())
from shirube.__main__ import main
main()
"""
BEFORE = """
import sys
from shirube.__main__ import main
WATCHED = {"typing", "re", "enum", "argparse", "json", "yaml", "shirube.doors.cli", "shirube.config"}
print(sorted({*sys.modules} & WATCHED))
"""


def run(code: str, *words: str, base: Path) -> "subprocess.CompletedProcess[str]":
    environ = make_state_dirs(base / "own").environ()
    root = write_sample(base / "shop")
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("shirube.doors.cli", ["search", "retry"]),
        ("shirube.doors.cli.main", ["search", "retry"]),
        ("argparse", ["search", "retry"]),
        ("shirube.doors.cli.commands", ["search", "retry"]),
        ("shirube.operations", ["search", "retry"]),
        ("shirube.workspace", ["search", "retry"]),
        ("sqlite3", ["search", "retry"]),
        ("mcp", ["serve"]),
        ("mcp.server.stdio", ["serve"]),
        ("uvicorn", ["serve", "--http"]),
        ("uvicorn", ["ui", "--no-open"]),
        ("shirube.doors.web.site", ["ui", "--no-open"]),
        ("shirube.doors.hook", ["gate", "--hook", "stop"]),
    ],
)
def test_an_interrupt_while_a_module_is_imported_ends_quietly(module: str, words: list[str], tmp_path: Path):
    done = run(INTERRUPT.format(module=module), *words, base=tmp_path)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "KeyboardInterrupt" not in done.stderr


def test_next_to_nothing_is_imported_where_an_interrupt_could_not_be_caught(tmp_path: Path):
    assert run(BEFORE, base=tmp_path).stdout == "[]\n"
