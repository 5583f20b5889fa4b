"""The repositories that are indexed: installed packages, and slices in time of one history."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.teams import Team

LEAST_FILES = 3
IGNORED = ("*.pyc", "*.so*", "*.a", "*.dll", "*.exe", "*.onnx", ".git")


def from_packages(team: Team, places: Sequence[Path], count: int) -> None:
    """Make a repository of each of the largest directories."""
    found = [folder for place in places for folder in place.iterdir() if folder.is_dir() and folder.name.isidentifier()]
    sizes = {folder: len(_files(folder)) for folder in found if folder.name != "__pycache__"}
    largest = sorted((folder for folder in sizes if sizes[folder] >= LEAST_FILES), key=lambda one: (-sizes[one], one))
    for number, folder in enumerate(largest[:count]):
        root = _empty(team, f"{folder.name}-{number}")
        shutil.copytree(folder, root / "src" / folder.name, ignore=shutil.ignore_patterns(*IGNORED), symlinks=True)
        team.git(root, "add", "-A", "-f")
        team.git(root, "commit", "-qm", f"Add {folder.name}")


def from_history(team: Team, clone: Path, count: int) -> None:
    """Make repositories that end at commits of a history, evenly spread over it."""
    commits = team.git(clone, "rev-list", "--first-parent", "--reverse", "HEAD").split()
    for number in range(count):
        commit = commits[(number + 1) * len(commits) // count - 1]
        root = _empty(team, f"slice-{number}")
        team.git(root, "fetch", "-q", "--no-tags", str(clone), commit)
        team.git(root, "reset", "-q", "--hard", commit)


def _empty(team: Team, name: str) -> Path:
    root = team.base / "remotes" / name
    root.mkdir(parents=True)
    team.git(root, "init", "-q", "-b", "main")
    team.names.append(name)
    return root


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not any(map(path.match, IGNORED))]
