"""Whether a question about one repository minds the others on the same server, and what a question about all costs."""

import os
import shutil
import time
from collections.abc import Iterable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from benchmarks.server.places import Places, bring_up_to_date
from benchmarks.server.speed import SETTINGS, search
from benchmarks.speed.measure import percentile
from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.store.port import Ask, Lookup
from shirube.workspace import Workspace

SIZES = (1, 4, 18)
"""How many repositories there are when the questions are asked."""
HALF = 40
"""How many of the questions are used for one thing; the rest, which nobody has asked yet, for another."""
FEW = 20
"""Who asks about many repositories at once needs fewer candidates of each: a page has ten places."""


def measure(places: Places, root: Path, questions: list[str]) -> list[dict[str, Any]]:
    """Return a row for each size; every repository is a copy of the same tree, so each has every word."""
    trees, rows = places.folder / "trees", []
    asks: list[Ask] = []
    for size in SIZES:
        seconds = []
        for number in range(len(list(trees.glob("*"))), size):
            tree = _copy(root, trees / f"r{number}")
            with closing(places.open(tree, "there", **SETTINGS)) as workspace:
                began = time.perf_counter()
                bring_up_to_date(workspace)
                seconds.append(time.perf_counter() - began)
                if number == 0:
                    asks = [_ask(workspace, question) for question in questions]
        print(f"  {size} repositories", flush=True)
        row: dict[str, Any] = {"repositories": size, "bytes": places.bytes()}
        with ExitStack() as open_ones:
            names = [f"r{number}" for number in range(size)]
            opened = [open_ones.enter_context(closing(places.open(trees / names[0], "there", **SETTINGS)))]
            row |= _asked_one(opened[0], asks, questions)
            opened += [
                open_ones.enter_context(closing(places.open(trees / name, "there", **SETTINGS))) for name in names[1:]
            ]
            rows.append(row | _asked_all(opened, asks) | {"resident": _resident_bytes()})
    return rows


def _copy(root: Path, tree: Path) -> Path:
    """Return a copy of a tree without its history: the files are the same ones."""
    shutil.copytree(root, tree, copy_function=os.link, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    return tree


def _asked_one(workspace: Workspace, asks: list[Ask], questions: list[str]) -> dict[str, Any]:
    """Ask one repository, each question for the first time, after another has warmed up what all need."""
    _candidates(workspace, asks[0])
    one = [_milliseconds([workspace], ask) for ask in asks[1:HALF]]
    for question in questions[HALF : HALF + 2]:
        search(workspace, question)
    whole = []
    for question in questions[HALF + 2 :]:
        began = time.perf_counter()
        search(workspace, question)
        whole.append((time.perf_counter() - began) * 1000)
    return {"one": _told(one), "whole search of one": _told(whole)}


def _asked_all(opened: list[Workspace], asks: list[Ask]) -> dict[str, Any]:
    """Ask all of them one after the other, for as much of each as if it was alone, and for a part of that.

    Who asks again finds the postings in this process, as for the words of earlier questions.
    """
    for workspace in opened:
        _candidates(workspace, asks[0])
    few = [replace(ask, limit=FEW) for ask in asks]
    words = [replace(ask, vector=b"") for ask in asks]
    return {
        "chunks": sum(workspace.store.size() for workspace in opened),
        "few of all": _told([_milliseconds(opened, ask) for ask in few[HALF:]]),
        "few of all again": _told([_milliseconds(opened, ask) for ask in few[HALF:]]),
        "all": _told([_milliseconds(opened, ask) for ask in asks[1:HALF]]),
        "all again": _told([_milliseconds(opened, ask) for ask in asks[1:HALF]]),
        "words of all": _told([_milliseconds(opened, ask) for ask in words[1:HALF]]),
    }


def _resident_bytes() -> int:
    """Return how much memory this process has, with everything that it keeps of the repositories it asked."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def _milliseconds(workspaces: Iterable[Workspace], ask: Ask) -> float:
    began = time.perf_counter()
    for workspace in workspaces:
        _candidates(workspace, ask)
    return (time.perf_counter() - began) * 1000


def _candidates(workspace: Workspace, ask: Ask) -> None:
    with Deadline().governing():
        workspace.store.candidates(ask)


def _ask(workspace: Workspace, question: str) -> Ask:
    """Return what the store is asked in a search."""
    backend, seen = workspace.store.backend, list[Ask]()

    class Listening:
        def __getattr__(self, name: str) -> Any:
            return getattr(backend, name)

        def look(self, *asked: Lookup[Any], **options: Any) -> list[Any]:
            seen.extend(one for one in asked if isinstance(one, Ask) and one.fields)
            return backend.look(*asked, **options)

    workspace.store.backend = Listening()
    try:
        search(workspace, question)
    finally:
        workspace.store.backend = backend
    return seen[0]


def _told(values: list[float]) -> dict[str, float]:
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}
