"""All measurements of one repository, ours and the peers' in turn so that noise falls on both."""

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.speed.door import first_lists
from benchmarks.speed.measure import Spent, summaries
from benchmarks.speed.spawn import Ended, run_command, run_task
from benchmarks.speed.tree import FIRST, SECOND, Tree, make_tree

Tell = Callable[[str], None]

INDEXERS: dict[str, tuple[str, Mapping[str, str]]] = {
    "shirube": ("shirube_cold", {}),
    "semble": ("semble_cold", {}),
    "semble, 2 workers": ("semble_cold", {"SEMBLE_INDEX_WORKERS": "2"}),
}


def measure_repository(original: Path, cold_repeats: int, repeats: int, tell: Tell) -> dict[str, Any]:
    """Return every measurement of one repository."""
    with tempfile.TemporaryDirectory(prefix="shirube-bench-") as name:
        place = Path(name)
        tell("copying the files both programs index")
        tree = make_tree(original, place / "tree", place / "listing")
        found: dict[str, Any] = {"tree": _described(tree)}
        found["cold"] = _cold(tree, place, cold_repeats, tell)
        found["memory"] = _memory(tree, place, tell)
        cache = place / "kept"
        found["disk"] = _disk(tree, cache, place / "saved", tell)
        tell("warm processes: questions, syncs, edits")
        arguments = {"root": str(tree.root), "edited": tree.edited, "repeats": repeats}
        found["warm"] = {
            "shirube": run_task("shirube_warm", arguments, cache).result,
            "semble": run_task("semble_warm", arguments, place / "semble").result,
            "ripgrep": run_task("ripgrep", {"root": str(tree.root)}, cache).result,
        }
        found["fresh_sync"] = _fresh_sync(tree, cache, repeats, tell)
        tell("first tools/list")
        found["door"] = first_lists(tree.root, cache, repeats)
        tell("switching branches")
        branches = {"root": str(tree.root), "first": FIRST, "second": SECOND}
        found["branches"] = run_task("shirube_branches", branches, cache).result
    return found


def _described(tree: Tree) -> dict[str, Any]:
    facts = asdict(tree)
    del facts["root"]
    return facts


def _cold(tree: Tree, place: Path, repeats: int, tell: Tell) -> dict[str, Any]:
    """Index the tree with each program in turn, each time in a fresh process with a fresh cache."""
    ended: dict[str, list[Ended]] = {name: [] for name in INDEXERS}
    for number in range(repeats):
        for name, (task, settings) in INDEXERS.items():
            tell(f"cold index {number + 1} of {repeats}: {name}")
            with tempfile.TemporaryDirectory(dir=place) as cache:
                ended[name].append(run_task(task, {"root": str(tree.root)}, Path(cache), settings=settings))
    return {name: _cold_summary(each) for name, each in ended.items()}


def _cold_summary(ended: list[Ended]) -> dict[str, Any]:
    inside = [Spent(one.result["wall"], one.result["cpu"]) for one in ended]
    return {
        **summaries(inside),
        "whole_process": summaries([one.spent for one in ended]),
        "held": ended[0].result["held"],
    }


def _memory(tree: Tree, place: Path, tell: Tell) -> dict[str, float]:
    peaks = {}
    for name, (task, settings) in INDEXERS.items():
        tell(f"peak memory: {name}")
        with tempfile.TemporaryDirectory(dir=place) as cache:
            ended = run_task(task, {"root": str(tree.root)}, Path(cache), memory=True, settings=settings)
        peaks[name] = ended.peak_bytes
    return peaks


def _disk(tree: Tree, cache: Path, saved: Path, tell: Tell) -> dict[str, Any]:
    """Keep an index of each program and return what it takes on disk."""
    tell("size on disk")
    run_task("shirube_cold", {"root": str(tree.root)}, cache)
    semble = run_task("semble_cold", {"root": str(tree.root), "save": str(saved)}, cache)
    own = cache / "shirube"
    return {
        "shirube": _size(own),
        "shirube_parts": {part.name: _size(part) for part in sorted(own.iterdir())},
        "semble": _size(saved),
        "semble_save": semble.result["save"],
    }


def _fresh_sync(tree: Tree, cache: Path, repeats: int, tell: Tell) -> dict[str, Any]:
    tell("sync without a change in fresh processes")
    command = [sys.executable, "-m", "shirube", "index", str(tree.root), "--quiet"]
    nothing = [sys.executable, "-m", "shirube", "--version"]
    run_command(command, cache)
    return {
        "index": summaries([run_command(command, cache) for _ in range(repeats)]),
        "version": summaries([run_command(nothing, cache) for _ in range(repeats)]),
    }


def _size(place: Path) -> int:
    if place.is_file():
        return place.stat().st_size
    return sum(one.stat().st_size for one in place.rglob("*") if one.is_file())
