"""How near a place is to a goal in meaning, from 0 to 1: the cosine, compared with what is usual in this project.

Cosines of one model crowd together, and where they crowd differs between projects. So the cosine is measured in
spreads above the mean of a sample of the project's own chunks: what stands two spreads out is as likely near as not,
and of chunks taken blindly one in fifty stands out so far.
"""

from collections.abc import Callable, Sequence
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shirube.workspace import Workspace

SAMPLE_FILES = 40
LEAST_ROWS = 10
"""With fewer chunks nothing is usual."""
MIDDLE, SLOPE = 2.0, 1.2
"""Of the first hits of labelled questions half stand out by 2.2 spreads, and the right ones by 3.3."""

Places = Sequence[tuple[str, str, str]]
"""Path, symbol and text of each."""


def similarity(workspace: "Workspace", goal: str) -> Callable[[Places], tuple[float | None, ...]]:
    """Return a function that says how near places are to a goal; None where no trained model takes part."""
    spread: list[tuple[float, float]] = []
    seen: dict[tuple[str, str, str], float | None] = {}

    def near(places: Places) -> tuple[float | None, ...]:
        if not workspace.embedder.trained:
            return tuple(None for _ in places)
        if not spread:
            spread.append(usual(workspace, goal))
        new = [place for place in dict.fromkeys(places) if place not in seen]
        for place, cosine in zip(new, cosines(workspace, goal, new), strict=True):
            seen[place] = calibrated(cosine, *spread[0])
        return tuple(seen[place] for place in places)

    return near


def calibrated(cosine: float, mean: float, deviation: float) -> float | None:
    """Return how surely a place is no chance: 0.5 where its cosine stands out by two spreads."""
    if deviation <= 0:
        return None
    return round(1 / (1 + exp(-SLOPE * ((cosine - mean) / deviation - MIDDLE))), 4)


def usual(workspace: "Workspace", goal: str) -> tuple[float, float]:
    """Return the mean cosine of the project's chunks to a goal, and how far they spread, by a sample of its files."""
    import numpy as np

    paths = [path for path, record in sorted(workspace.store.files().items()) if record.language]
    chosen = paths[:: max(1, len(paths) // SAMPLE_FILES)][:SAMPLE_FILES]
    width = workspace.embedder.dimensions
    rows = [np.frombuffer(workspace.store.vectors(path), dtype=np.int8).reshape(-1, width) for path in chosen]
    all_rows = np.concatenate(rows) if rows else np.zeros((0, width), dtype=np.int8)
    if len(all_rows) < LEAST_ROWS:
        return 0.0, 0.0
    found = _cosines(all_rows.astype(np.float32), workspace.embedder.query(goal)[0])
    return float(found.mean()), float(found.std())


def cosines(workspace: "Workspace", goal: str, places: Places) -> list[float]:
    """Return the cosine of each place to a goal."""
    embedder = workspace.embedder
    wanted = embedder.query(goal)[0]
    contents = embedder.contents([text for _, _, text in places], symbols=[symbol for _, symbol, _ in places])
    return [
        float(_cosines(embedder.place(contents[row : row + 1], path), wanted)[0])
        for row, (path, _, _) in enumerate(places)
    ]


def _cosines(rows: "NDArray[np.float32]", wanted: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np

    return np.asarray(rows @ wanted / np.maximum(np.linalg.norm(rows, axis=1) * np.linalg.norm(wanted), 1e-9))
