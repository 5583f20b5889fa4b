"""What a question costs, in CPU seconds of the process that answers."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.quality.peers import semble_index

ROUNDS = 3


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return p50 and p95 in milliseconds."""
    ordered = sorted(seconds)
    at = {name: ordered[int(share * (len(ordered) - 1))] for name, share in (("p50", 0.5), ("p95", 0.95))}
    return {name: round(1000 * value, 2) for name, value in at.items()}


def beside_semble(root: Path, asked: list[str], peer: bool) -> dict[str, Any]:
    """Ask the same questions of both, warm, in this process; the best round of each question counts."""
    from shirube import open_workspace

    with open_workspace(root) as project:
        project.sync_index()
        own = _timed(project.search, asked)
        found: dict[str, Any] = {"files": project.index_status().files, "shirube": percentiles(own)}
    if peer:
        index = semble_index(root)
        theirs = _timed(lambda text: index.search(text, top_k=10, alpha=0.0, rerank=True), asked)
        found["semble"] = percentiles(theirs)
        found["ratio p50"] = round(found["shirube"]["p50"] / found["semble"]["p50"], 2)
    return found


def _timed(ask: Callable[[str], object], asked: list[str]) -> list[float]:
    best = [float("inf")] * len(asked)
    for _ in range(ROUNDS):
        for place, text in enumerate(asked):
            begun = time.process_time()
            ask(text)
            best[place] = min(best[place], time.process_time() - begun)
    return best
