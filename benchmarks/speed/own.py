"""What is measured of shirube; each function runs in a fresh process."""

import subprocess
import time
from pathlib import Path
from typing import Any

from benchmarks.speed import edits
from benchmarks.speed.measure import Spent, spend, summaries
from benchmarks.speed.questions import questions, time_each
from shirube.types import Mode

REST_SECONDS = 2.5
"""Longer than the time in which a time stamp proves nothing, so that a file is not read twice for that reason."""


def list_files(root: str) -> list[str]:
    """Return the files shirube would index: those it lists and does not find to be binary."""
    from shirube.config import child_environment, load_config
    from shirube.engine.repo.read import is_binary
    from shirube.engine.repo.walk import WalkOptions, walk

    place = Path(root)
    options = WalkOptions(max_bytes=load_config(place).index.max_file_bytes, env=child_environment())
    return [one.path for one in walk(place, options).files if not is_binary((place / one.path).read_bytes())]


def index_cold(root: str) -> dict[str, Any]:
    """Index a tree for the first time."""
    from shirube import open_workspace

    def work() -> None:
        with open_workspace(root) as project:
            project.sync_index()

    spent = spend(work)
    with open_workspace(root) as project:
        status = project.index_status()
    held = {"files": status.files, "chunks": status.chunks, "symbols": status.symbols}
    return {"wall": spent.wall, "cpu": spent.cpu, "held": held}


def stay_warm(root: str, edited: str, repeats: int) -> dict[str, Any]:
    """Measure a process that holds an index: questions, syncs without a change, an edited file."""
    from shirube import open_workspace

    with open_workspace(root) as project:
        project.sync_index()
        asked = time_each(project.search, questions())
        hybrid = time_each(lambda text: project.search(text, mode=Mode.HYBRID), questions())
        unchanged = [spend(project.sync_index) for _ in range(repeats)]
        first, plain = _edit(project, Path(root) / edited, repeats, keep_time=False)
        _, kept = _edit(project, Path(root) / edited, repeats, keep_time=True)
    return {
        "query": asked,
        "query_hybrid": hybrid,
        "unchanged": summaries(unchanged),
        "first_edit": {"wall": first.wall, "cpu": first.cpu},
        "edit": summaries(plain),
        "edit_kept_time": summaries(kept),
    }


def rest(root: str, repeats: int = 2) -> dict[str, Any]:
    """Measure a process that holds an index of a tree nobody may edit: questions, syncs without a change."""
    from shirube import open_workspace

    with open_workspace(root) as project:
        project.sync_index()
        asked = time_each(project.search, questions())
        hybrid = time_each(lambda text: project.search(text, mode=Mode.HYBRID), questions())
        unchanged = [spend(project.sync_index) for _ in range(repeats)]
        source_bytes = project.index_status().source_bytes
    return {
        "query": asked,
        "query_hybrid": hybrid,
        "unchanged": summaries(unchanged),
        "source_bytes": source_bytes,
    }


def switch_branches(root: str, first: str, second: str) -> list[dict[str, Any]]:
    """Go from one branch to another, back, and there again; tell what each sync did."""
    from shirube import open_workspace

    steps = []
    with open_workspace(root) as project:
        project.sync_index()
        for branch in (second, first, second):
            subprocess.run(["git", "-C", root, "switch", "-q", branch], check=True)
            found: dict[str, Any] = {}
            spent = spend(lambda kept=found: kept.update(project.sync_index().totals))  # type: ignore[misc]
            steps.append({"branch": branch, "wall": spent.wall, "cpu": spent.cpu, **found})
            time.sleep(REST_SECONDS)
    return steps


def _edit(project: Any, path: Path, repeats: int, *, keep_time: bool) -> tuple[Spent, list[Spent]]:
    """Write a new word into a file again and again; return the very first time apart."""

    def show(word: str) -> None:
        project.sync_index()
        hits = project.search(word).forest_hits
        if not hits or not str(path).endswith(hits[0].path):
            raise AssertionError(f"the new word {word} in {path.name} was not found")

    spent = []
    with edits.restored(path):
        for word in edits.words(repeats + 1, keep_time=keep_time):
            edits.put(path, word, keep_time=keep_time)
            spent.append(spend(lambda new=word: show(new)))  # type: ignore[misc]
    project.sync_index()
    return spent[0], spent[1:]
