"""Lets the index of a new work tree begin as a copy of another one's, so that only what differs is read and parsed."""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import mkdtemp

from shirube.engine.store.connection import translated
from shirube.engine.store.disk import locked
from shirube.engine.store.embedded import DATABASE, make_private
from shirube.engine.store.projection import DIRECTORY, LOCK
from shirube.errors import IndexFault, NoPermission

WAIT_SECONDS = 30.0
"""How long to wait for another process that copies the same: gigabytes may take that long."""


def copy_index(source: Path, target: Path) -> bool:
    """Copy the index of another directory, unless somebody is publishing into it; tell whether it was copied.

    The copy appears as a whole or not at all. Stamps and locks are not copied: they belong to one work tree.
    """
    if not (source / DATABASE).is_file():
        return False
    with suppress(OSError, IndexFault, NoPermission):
        make_private(target)
        # Whoever opens the same work tree meanwhile waits, and finds the copy.
        with locked(target / LOCK, WAIT_SECONDS) as ours, locked(source / LOCK) as theirs:
            return ours and theirs and not (target / DATABASE).exists() and _copied(source, target)
    return False


def _copied(source: Path, target: Path) -> bool:
    for left in target.glob("copy-*"):  # by one that was killed
        shutil.rmtree(left, ignore_errors=True)
    draft = Path(mkdtemp(prefix="copy-", dir=target))
    try:
        with (
            translated(source / DATABASE),
            closing(sqlite3.connect(source / DATABASE)) as old,
            closing(sqlite3.connect(draft / DATABASE)) as new,
        ):
            old.backup(new)
        if (source / DIRECTORY).is_dir():
            shutil.copytree(source / DIRECTORY, draft / DIRECTORY)
        os.link(draft / DATABASE, target / DATABASE)  # refuses to replace one that is open
        if (draft / DIRECTORY).is_dir():  # without it the words are indexed again
            (draft / DIRECTORY).rename(target / DIRECTORY)
        return True
    finally:
        shutil.rmtree(draft, ignore_errors=True)
