"""Which project is meant."""

import os
from collections.abc import Iterator
from pathlib import Path

from shirube.config import ceilings, default_root
from shirube.errors import NotADirectory

MARKS = (".git", ".hg", ".shirube", ".jj")


def is_directory(path: Path) -> bool:
    """Tell whether there is a directory; a path that no system can have names none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def find_root(given: Path | None, start: Path) -> Path:
    """Return the given root, the client's, or the nearest directory above that looks like a project's."""
    named = given if given is not None else default_root()
    if named is not None:
        if not is_directory(named):
            raise NotADirectory("repo.no_directory", path=str(named))
        return named
    for directory in upwards(start):
        if any((directory / mark).exists() for mark in MARKS):
            return directory
    if start in (Path.home(), Path(start.anchor)):
        raise NotADirectory("repo.no_project", path=str(start))
    return start


def upwards(start: Path) -> Iterator[Path]:
    """Yield a directory and those above it, as far as git would look for a repository."""
    yield start
    stops = {os.path.realpath(one) for one in ceilings().split(os.pathsep) if Path(one).is_absolute()}
    for directory in start.parents:
        if stops and os.path.realpath(directory) in stops:
            return
        yield directory
