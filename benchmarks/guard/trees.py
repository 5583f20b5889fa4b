"""Edits that are really made, in copies of small repositories, with every hook in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks.guard.agents import Follower
from benchmarks.guard.changes import Change, Picked, change_of
from benchmarks.guard.conversation import Conversation, Server
from benchmarks.guard.wrong import wrong_files

SMALL = ("click", "cobra", "httpx", "sinatra", "voicevox")
"""Repositories of which a copy is cheap."""


@dataclass
class Tried:
    """What was written, and what the gate said of it."""

    wrong: int = 0
    reported: int = 0
    """How many wrong edits the gate complained about after they were made."""
    right: int = 0
    stood: int = 0
    """How many right edits it let stand, after the tool and at the stop."""
    told: str = ""
    """What it said of the last wrong edit."""


def try_for_real(picked: Sequence[Picked], scratch: Path) -> Tried:
    """Make a wrong edit by a shell and the right ones after READY, for the first change of each small repository."""
    tried = Tried()
    for name in SMALL:
        mine = [one for one in picked if one.repository.name == name]
        if not mine:
            continue
        root = (scratch / name).resolve()
        shutil.copytree(mine[0].repository.root, root, symlinks=True)
        with patch.dict(os.environ, {"SHIRUBE_CACHE_DIR": str(scratch / "cache")}):
            server = Server(root)
            try:
                _try(server, change_of(mine[0], server.store), tried)
            finally:
                server.close()
                shutil.rmtree(root)
    return tried


def _try(server: Server, change: Change, tried: Tried) -> None:
    wrong = next(iter(wrong_files(server, change, change.request)))
    hasty = Conversation(server, "hasty, for real")
    _ask(hasty, "start")
    before = _append(server.root / wrong.target.path)
    allowed, tried.told = _ask(hasty, "after", tool_name="Bash", tool_input={"command": "sh change.sh"})
    (server.root / wrong.target.path).write_bytes(before)
    tried.wrong += 1
    tried.reported += not allowed
    agent = Follower("careful", server, change, change.targets)
    _ask(agent.talk, "start")
    written = [path for path, may in agent.play().written.items() if may]
    for path in written:
        _append(server.root / path)
    edit = {"file_path": str(server.root / change.paths[0])}
    stood = _ask(agent.talk, "after", tool_name="Edit", tool_input=edit)[0] and _ask(agent.talk, "stop")[0]
    tried.right += 1
    tried.stood += stood and len(written) == len(change.paths)


def _append(path: Path) -> bytes:
    """Change a file and return what it was."""
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    return before


def _ask(talk: Conversation, moment: str, **event: object) -> tuple[bool, str]:
    root = str(talk.server.root)
    told = json.dumps({"session_id": talk.client, "cwd": root, **event})
    command = [sys.executable, "-m", "shirube", "gate", "--hook", moment, "--mode", "block"]
    done = subprocess.run(command, input=told, capture_output=True, text=True, cwd=root, check=False)
    return done.returncode == 0 and done.stdout.startswith("ALLOW"), done.stderr.strip()
