"""The tree that is indexed: exactly the files that both programs would index, in a repository of its own."""

import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.own import REST_SECONDS
from benchmarks.speed.spawn import run_task

FIRST, SECOND = "first", "second"
DIFFERING_FILES = 500
IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
SETTINGS = ("-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class Tree:
    """A repository made for measuring, with two branches that differ in many files."""

    root: Path
    files: int
    source_bytes: int
    edited: str
    """A source file of middling size, to be edited."""
    differing: int
    listed: dict[str, int]
    """How many files of the original each program would index."""


def make_tree(original: Path, root: Path, cache: Path) -> Tree:
    """Copy what both programs would index from ``original`` to ``root`` and commit it on two branches."""
    ours: list[str] = run_task("shirube_list", {"root": str(original)}, cache).result
    theirs: list[str] = run_task("semble_list", {"root": str(original)}, cache).result
    paths = sorted(set(ours) & set(theirs))
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(original / path, root / path)
    differing = _commit_branches(root, paths)
    time.sleep(REST_SECONDS)
    size = sum((root / path).stat().st_size for path in paths)
    listed = {"shirube": len(ours), "semble": len(theirs)}
    return Tree(root, len(paths), size, _middling(root, paths), differing, listed)


def _commit_branches(root: Path, paths: Sequence[str]) -> int:
    """Commit the files on one branch and, with a blank line more in some of them, on another."""
    _git(root, "init", "-q", "-b", FIRST)
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "-m", "the files")
    count = min(DIFFERING_FILES, max(1, len(paths) // 2))
    _git(root, "switch", "-q", "-c", SECOND)
    for number in range(count):
        with (root / paths[number * len(paths) // count]).open("ab") as stream:
            stream.write(b"\n\n")
    _git(root, "commit", "-q", "-a", "-m", "some of them otherwise")
    _git(root, "switch", "-q", FIRST)
    return count


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *IDENTITY, *SETTINGS, *arguments], check=True)


def _middling(root: Path, paths: Sequence[str]) -> str:
    """Return the file of median size among those of the commonest kind."""
    kinds = [Path(path).suffix for path in paths]
    commonest = max(sorted(set(kinds)), key=kinds.count)
    same = sorted((path for path in paths if path.endswith(commonest)), key=lambda path: (root / path).stat().st_size)
    return same[len(same) // 2]
