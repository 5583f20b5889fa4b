"""How near places are to a goal in meaning: the same calibrated number that search gives its hits."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shirube.workspace import Workspace

Place = tuple[str, str, str]
"""Path, symbol and text."""


def similarity(workspace: "Workspace", goal: str) -> Callable[[Sequence[Place]], tuple[float | None, ...]]:
    """Return a function that says how likely places are about a goal; None where no trained model takes part.

    A step asks in other words than the goal, and is judged by the goal all the same.
    """
    seen: dict[Place, float] = {}

    def near(places: Sequence[Place]) -> tuple[float | None, ...]:
        if not workspace.embedder.trained:
            return tuple(None for _ in places)
        new = [place for place in dict.fromkeys(places) if place not in seen]
        seen.update(zip(new, map(workspace.meaning.passage, _cosines(workspace, goal, new)), strict=True))
        return tuple(seen[place] for place in places)

    return near


def _cosines(workspace: "Workspace", goal: str, places: Sequence[Place]) -> list[float]:
    embedder = workspace.embedder
    wanted = embedder.query(goal)[0]
    contents = embedder.contents([text for _, _, text in places], symbols=[symbol for _, symbol, _ in places])
    rows = (embedder.place(contents[row : row + 1], path)[0] for row, (path, _, _) in enumerate(places))
    return [float(row @ wanted) for row in rows]
