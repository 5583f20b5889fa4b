"""What a question, a first index and one changed file cost here, on the server, and behind a slow network."""

import time
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.quality.data import load
from benchmarks.server.places import Places, bring_up_to_date
from benchmarks.speed.measure import percentile, spend
from benchmarks.speed.questions import questions
from shirube.deadline import Deadline
from shirube.engine.store.port import Ask
from shirube.operation import Call
from shirube.operations import run
from shirube.types import SyncReport
from shirube.workspace import Workspace

ROUNDS = 5
EDITS = 12
LARGE = 5_000
"""Bytes of the file that is edited, at least."""
SETTINGS = {"index.sync_share": 1e-9, "index.workers": 2}
"""A question does not look for changes by itself."""


def measure(places: Places, root: Path, commits: Path | None) -> dict[str, Any]:
    """Return what was measured on one tree."""
    with ExitStack() as open_ones:
        found: dict[str, Any] = {}
        opened: dict[str, Workspace] = {}
        for place in ("here", "there", "elsewhere", "far"):
            opened[place] = open_ones.enter_context(closing(places.open(root, place, **SETTINGS)))
            index = _index(opened[place])
            found |= {f"first index, {place}": index} if place in ("here", "there") else {}
        state = opened["here"].store.totals()
        found |= {"files": state.files, "chunks": state.chunks}
        found["bytes"] = {"here": _bytes_here(opened["here"]), "there": places.bytes()}
        asked = {place: opened[place] for place in ("here", "there", "far")}
        found["asked again"] = _asked(places, asked, questions(), ROUNDS)
        if first := subjects(commits, root.name):
            found["asked first"] = _asked(places, asked, first, 1)
        found["one changed file"] = _edited(opened, root)
        found["round trip"] = {place: places.round_trip(place) for place in ("there", "far")}
    return found


def _index(workspace: Workspace) -> dict[str, float]:
    spent = spend(lambda: bring_up_to_date(workspace))
    return {"seconds": spent.wall, "cpu": spent.cpu, "files a second": len(_report(workspace).added) / spent.wall}


def _report(workspace: Workspace) -> SyncReport:
    job = workspace.keeper.job
    assert job is not None
    assert job.report is not None
    return job.report


def subjects(commits: Path | None, name: str) -> list[str]:
    """Return questions that nobody has asked before: the subjects of commits."""
    repositories = load(commits) if commits else []
    return [one.text for repository in repositories if repository.name == name for one in repository.questions]


def _bytes_here(workspace: Workspace) -> int:
    """Return how large the index is on this machine; with what was parsed, which the server keeps as well."""
    cache = workspace.config.cache_dir / "parsed.sqlite"
    kept = [*workspace.directory.rglob("*"), *cache.parent.glob("parsed.sqlite*")]
    return sum(file.stat().st_size for file in kept if file.is_file())


def _asked(places: Places, opened: dict[str, Workspace], asked: list[str], rounds: int) -> dict[str, Any]:
    """Ask the places in turn; of several rounds each question's best counts."""
    for workspace in opened.values():
        search(workspace, "warm up")
        if rounds > 1:
            for one in asked:
                search(workspace, one)
    measured: dict[str, dict[str, dict[str, list[float]]]] = {
        place: {name: {one: [] for one in asked} for name in ("wall", "cpu", "server cpu", "trips")} for place in opened
    }
    for _ in range(rounds):
        for one in asked:
            for place, workspace in opened.items():
                own, theirs, trips = time.process_time(), places.cpu(), _trips(workspace)
                began = time.perf_counter()
                search(workspace, one)
                wall, own = time.perf_counter() - began, time.process_time() - own
                row = {"wall": wall * 1000, "cpu": own * 1000, "server cpu": (places.cpu() - theirs) * 1000}
                for name, value in {**row, "trips": _trips(workspace) - trips}.items():
                    measured[place][name][one].append(value)
    for rows in measured.values():
        rows["both cpu"] = {
            one: [sum(pair) for pair in zip(rows["cpu"][one], rows["server cpu"][one], strict=True)] for one in asked
        }
    return {
        "questions": len(asked),
        **{
            place: {name: _told([min(some) for some in by.values()]) for name, by in rows.items()}
            for place, rows in measured.items()
        },
        "more, both cpu": _told(_more(measured, "there", "both cpu")),
        "more, far wall": _told(_more(measured, "far", "wall")),
    }


def _more(measured: dict[str, Any], place: str, name: str) -> list[float]:
    """Return how much more each question takes than here."""
    return [min(some) - min(measured["here"][name][one]) for one, some in measured[place][name].items()]


def _told(values: list[float]) -> dict[str, float]:
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95), "mean": fmean(values)}


def _trips(workspace: Workspace) -> int:
    backend: Any = workspace.store.backend
    return int(backend.server.trips) if backend.remote else 0


def search(workspace: Workspace, question: str) -> Any:
    """Ask as a user does."""
    return run(workspace, "search", {"query": question}, Call())


def _finds(workspace: Workspace, word: str) -> bool:
    workspace.store.forget()
    with Deadline().governing():
        return bool(workspace.store.candidates(Ask({"content": {word: 1.0}})).items)


def _edited(opened: dict[str, Workspace], root: Path) -> dict[str, Any]:
    """Change one file at a time: from the start of its sync until a store finds the new word, here and elsewhere.

    Looking which files of the tree have changed takes the most of that, and is the same for every store; told is also
    the time without it. The other machine's store is asked, not its project, which would look at its own tree first.
    """
    file = min(path for path in root.rglob("*.py") if path.stat().st_size > LARGE)
    before = file.read_bytes()
    seen: dict[str, list[float]] = {}
    readers = {"here": ("here", "here"), "elsewhere": ("there", "elsewhere"), "elsewhere, far": ("there", "far")}
    try:
        for number in range(EDITS):
            for name, (writer, reader) in readers.items():
                word = f"zyx{number}{writer}{reader}"
                file.write_bytes(before + f"\n\ndef {word}(): ...\n".encode())
                began = time.perf_counter()
                bring_up_to_date(opened[writer])
                assert _finds(opened[reader], word), "it is visible"
                wall = time.perf_counter() - began
                seen.setdefault(name, []).append(wall * 1000)
                seen.setdefault(f"{name}, once noticed", []).append(
                    (wall - _report(opened[writer]).look_seconds) * 1000
                )
    finally:
        file.write_bytes(before)
        for workspace in opened.values():
            bring_up_to_date(workspace)
    return {name: _told(values) for name, values in seen.items()}
