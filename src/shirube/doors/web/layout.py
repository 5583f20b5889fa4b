"""Where the boxes of a dependency graph stand: users to the left, what is used to the right, lines untangled."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

WIDE, TALL = 190, 24
ACROSS, DOWN = 250, 32
MOST_DOWN = 32
"""Boxes in one column; a layer with more of them takes several columns."""


class Layout(Struct, frozen=True):
    """The left upper corner of each box, and how large the drawing is."""

    spots: Mapping[str, tuple[int, int]]
    width: int
    height: int


def lay_out(layers: Mapping[str, int], edges: Sequence[tuple[str, str]]) -> Layout:
    """Return a place for each node; ``layers`` gives each its distance from the root, users below zero."""
    rows: dict[int, list[str]] = {}
    for name, layer in layers.items():
        rows.setdefault(layer, []).append(name)
    _untangle(rows, edges)
    columns = [
        names[at : at + MOST_DOWN] for layer, names in sorted(rows.items()) for at in range(0, len(names), MOST_DOWN)
    ]
    tallest = max((len(names) for names in columns), default=1)
    spots = {
        name: (column * ACROSS + 10, 10 + row * DOWN + (tallest - len(names)) * DOWN // 2)
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
    return Layout(spots, (len(columns) - 1) * ACROSS + WIDE + 20, tallest * DOWN + 12)


def _untangle(rows: dict[int, list[str]], edges: Sequence[tuple[str, str]]) -> None:
    """Order each layer by where its neighbours nearer to the root stand: fewer lines cross then."""
    beside: dict[str, list[str]] = {}
    for first, second in edges:
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    height: dict[str, float] = {}
    for layer in sorted(rows, key=abs):
        names = rows[layer]
        names.sort(key=lambda name: (_middle(beside.get(name, ()), height), name))
        height |= {name: at / len(names) for at, name in enumerate(names)}


def _middle(names: Sequence[str], height: Mapping[str, float]) -> float:
    known = [height[name] for name in names if name in height]
    return sum(known) / len(known) if known else 0.5
