"""Whose program a command is: on the package index, ``shirube`` is another project, with a command of that name."""

import os
import sys
from pathlib import Path

from shirube.config import child_environment
from shirube.doors.agents.table import COMMAND, SERVER
from shirube.engine.repo.process import find_program
from shirube.messages import NOTHING, Message, say


def on_path(name: str) -> str | None:
    """Return the full path of the program that a name leads to."""
    return find_program(name, child_environment())


def own_path() -> str:
    """Return the full path of the command that agents start, or its name where it is nowhere to be found."""
    beside = Path(sys.executable).parent / COMMAND
    return str(beside) if beside.is_file() else on_path(COMMAND) or COMMAND


def foreign(name: str) -> Message:
    """Say whose program a name leads to, if it leads to one that is not ours.

    The scripts of both projects read the same, and a foreign one must not be run: what is installed beside it decides.
    Where both distributions are, the later one has overwritten files of the earlier.
    """
    if (path := on_path(name)) is None:
        return NOTHING
    real = Path(os.path.realpath(path))
    infos = real.parent.parent.glob("lib*/python*/*-packages/*shirube-*-info")
    owners = sorted({info.stem for info in infos if info.name.split("-")[0] in (COMMAND, SERVER)})  # lib64 is a link
    if owners and all(owner.startswith(COMMAND) for owner in owners):
        return NOTHING
    return say("install.foreign", name=name, path=path, names=owners or [str(real)], own=own_path())
