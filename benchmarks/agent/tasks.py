"""The tasks: questions about places, and commits whose changed lines are still there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from training.ranking import cases

T = TypeVar("T")
Line = tuple[str, int]
"""A path and a line in it."""
PLACES, COMMITS = "places", "commits"
KINDS = {"place": PLACES, "place ja": PLACES, "commit": COMMITS, "commit ja": COMMITS}
"""What kind of question belongs to which group."""


@dataclass(frozen=True)
class Task:
    """A question and the lines of which one has to come into view."""

    kind: str
    repository: str
    number: int
    text: str
    lines: tuple[Line, ...]

    @property
    def group(self) -> str:
        """What it is reported with."""
        return KINDS[self.kind]


def read_tasks(data: Path, names: Sequence[str], commits_each: int) -> list[Task]:
    """Return all questions about places and so many commits of each repository, evenly spread over its list."""
    places = [one for one in cases.places() if one.repository in names]
    asked = [one for one in cases.commits(data) if one.lines and one.repository in names]
    chosen = [one for name in names for one in spread([a for a in asked if a.repository == name], commits_each)]
    return [
        Task(one.kind, one.repository, number, one.text, one.lines) for number, one in enumerate([*places, *chosen])
    ]


def spread(items: Sequence[T], count: int) -> list[T]:
    """Return so many items, evenly spread; all of them when there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[at * len(items) // count] for at in range(count)]
