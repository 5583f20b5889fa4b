"""Where what is recorded of a work tree lies, and what it is called; apart from the database, which not all need."""

import os
from hashlib import sha256
from pathlib import Path

JOURNAL, PROJECTS = "journal.sqlite", "projects"
SESSION, GATE = "session", "gate"
"""Kinds that more than one room reads: sessions, and what the gate decided."""


def own_name(root: Path) -> str:
    """Return the name under which a work tree is kept: readable, and one for each real path."""
    name = "".join(char if char.isalnum() or char in "-_." else "-" for char in root.name)[:40]
    return f"{name}-{sha256(os.fsencode(root)).hexdigest()[:16]}"


def project_directory(state: Path, root: Path) -> Path:
    """Return where everything recorded of a work tree is kept."""
    return state / PROJECTS / own_name(root)


def stream_of(handle: str) -> str:
    """Return the name of a session's stream of events."""
    return f"{SESSION}:{handle}"
