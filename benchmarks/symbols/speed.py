"""How long definitions and the first page of references take: ``python -m benchmarks.symbols.speed PATH [NAMES]``."""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from time import perf_counter, process_time, thread_time

from benchmarks.symbols.compare import SEED
from shirube import Project, open_workspace

ASKED = 200


def main() -> None:
    """Ask for names that the project defines, drawn by chance, and print the middle and the slow end."""
    with open_workspace(Path(sys.argv[1])) as project:
        project.sync_index()
        store = project.workspace.store
        files = store.files()
        names = sorted({one.name for path in files for one in store.symbols(path) if one.name.isidentifier()})
        asked = int(sys.argv[2]) if len(sys.argv) > 2 else ASKED
        chosen = random.Random(SEED).sample(names, min(asked, len(names)))
        print(f"{len(files)} files, {len(names)} names, {len(chosen)} asked for")
        project.find_references(chosen[0])
        measure(project, "find_definitions", chosen)
        measure(project, "find_references", chosen)


def measure(project: Project, what: str, chosen: Sequence[str]) -> None:
    """Time one operation; an empty answer looks at the whole tree once more, so it is told apart."""
    times: dict[str, list[tuple[float, float, float]]] = {"with an answer": [], "without": []}
    for name in chosen:
        own, all_threads, wall = thread_time(), process_time(), perf_counter()
        answer = project.call(what, symbol=name, limit=50)
        row = thread_time() - own, process_time() - all_threads, perf_counter() - wall
        times["with an answer" if answer.total else "without"].append(row)
    for kind, rows in times.items():
        if len(rows) > 1:
            told = (f"{label} {_cuts([row[at] for row in rows])}" for at, label in enumerate(LABELS))
            print(f"{what}, {len(rows)} {kind}: {'; '.join(told)}")


LABELS = ("CPU of the question", "of the process", "wall")


def _cuts(seconds: list[float]) -> str:
    cuts = quantiles(seconds, n=20)
    return f"p50 {cuts[9] * 1e3:.1f} p95 {cuts[18] * 1e3:.1f} ms"


if __name__ == "__main__":
    main()
