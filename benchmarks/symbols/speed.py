"""How long definitions and the first page of references take: ``python -m benchmarks.symbols.speed REPOSITORY``."""

import random
import sys
from pathlib import Path
from statistics import quantiles
from time import perf_counter, process_time

from benchmarks.symbols.compare import SEED
from shirube import open_workspace

ASKED = 60


def main() -> None:
    """Ask for names that the project defines, drawn by chance, and print the middle and the slow end."""
    with open_workspace(Path(sys.argv[1])) as project:
        project.sync_index()
        store = project.workspace.store
        names = sorted({one.name for path in store.files() for one in store.symbols(path) if one.name.isidentifier()})
        chosen = random.Random(SEED).sample(names, min(ASKED, len(names)))
        print(f"{len(store.files())} files, {len(names)} names")
        project.find_references(chosen[0])
        for what in ("find_definitions", "find_references"):
            cpu, wall = [], []
            for name in chosen:
                begun, began = process_time(), perf_counter()
                project.call(what, symbol=name, limit=50)
                cpu.append((process_time() - begun) * 1e3)
                wall.append((perf_counter() - began) * 1e3)
            for kind, times in (("CPU", cpu), ("wall", wall)):
                cuts = quantiles(times, n=20)
                print(f"{what} {kind}: p50 {cuts[9]:.1f} ms, p95 {cuts[18]:.1f} ms")


if __name__ == "__main__":
    main()
