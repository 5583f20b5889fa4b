"""Computes the coordinates of charts; ``charts.html`` draws them, and the style sheet colours them."""

from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin

from msgspec import Struct

MOST_LABELS, DAY = 7, len("2026-01-31")
WIDTH, LEFT, TOP = 420, 30, 10
"""For charts with a scale, in pixels: their width, and the margins left of and above the plot."""
Point = tuple[float, float]


class Part(Struct, frozen=True):
    """One part of a bar: its name and value, its left edge and its width."""

    name: str
    value: float
    x: float
    width: float


def bar_width(value: float, most: float) -> float:
    """Return how much of a bar is filled, in percent; only the absolute value counts."""
    return round(100 * (min(1.0, abs(value) / most) if most else 0.0), 2)


def side_by_side(names: Iterable[str], values: Iterable[float], whole: float) -> list[Part]:
    """Return the parts of a bar 200 wide, each as wide as its share of the whole; negative values get no width."""
    placed, at = [], 0.0
    for name, value in zip(names, values, strict=True):
        width = 200 * max(0.0, value) / whole if whole else 0.0
        placed.append(Part(name, value, round(at, 2), round(width, 2)))
        at += width
    return placed


class Threads(Struct, frozen=True):
    """A line chart over turns: the x of each turn, and the points of one line per measure."""

    ticks: Sequence[int]
    points: Mapping[str, Sequence[Point]]


def threads_of(rows: Mapping[str, Sequence[float]]) -> Threads:
    """Return a line for each measure over the turns, with 0 at the bottom and 1 at the top."""
    longest = max((len(values) for values in rows.values()), default=0)
    step = (WIDTH - LEFT - 20) / max(1, longest - 1)
    across = [LEFT + 10 + turn * step for turn in range(longest)]
    points = {
        name: [
            (round(x, 1), round(TOP + 150 * (1 - min(1.0, max(0.0, value))), 1))
            for x, value in zip(across, values, strict=False)
        ]
        for name, values in rows.items()
    }
    return Threads([round(x) for x in across], points)


def radar_ring(values: Sequence[float]) -> str:
    """Return the corners of a polygon in a radar chart, one for each value from 0 to 1."""
    corners = (_corner(number, len(values), value) for number, value in enumerate(values))
    return " ".join(f"{x},{y}" for x, y in corners)


def radar_labels(names: Sequence[str]) -> list[tuple[str, float, float, str]]:
    """Return name, position and text anchor of the label at each corner of a radar chart."""
    labels = []
    for number, name in enumerate(names):
        x, y = _corner(number, len(names), 1.0)
        x, y = round(190 + (x - 190) * 1.17, 1), round(122 + (y - 122) * 1.17, 1)
        labels.append((name, x, y + 4, "mid" if abs(x - 190) < 20 else "end" if x < 190 else "start"))
    return labels


def _corner(number: int, count: int, value: float) -> Point:
    angle = 2 * pi * number / count - pi / 2
    radius = 84 * min(1.0, max(0.0, value))
    return round(190 + radius * cos(angle), 1), round(122 + radius * sin(angle), 1)


class Column(Struct, frozen=True):
    """One column: its boxes as (kind, count, x, y, width, height), and its label where there is room for one."""

    name: str
    middle: float
    boxes: Sequence[tuple[str, int, float, float, float, float]]
    label: str


def columns_of(rows: Mapping[str, Mapping[str, int]], most: int) -> list[Column]:
    """Return a stacked column for each row; a total of ``most`` is 120 high."""
    step = (WIDTH - LEFT) / max(1, len(rows))
    wide, every = min(26.0, step * 0.7), -(-len(rows) // MOST_LABELS)
    columns = []
    for number, (name, counts) in enumerate(rows.items()):
        middle, at, boxes = LEFT + (number + 0.5) * step, float(TOP + 120), []
        for kind, count in counts.items():
            tall = 120 * count / most
            at -= tall
            box = (round(middle - wide / 2, 1), round(at, 1), round(wide, 1), round(tall, 1))
            boxes += [(kind, count, *box)] if count else []
        short = name[5:] if len(name) == DAY and name[:4].isdigit() else name
        columns.append(Column(name, round(middle, 1), boxes, "" if number % every else short))
    return columns


def scale_top(rows: Mapping[str, Mapping[str, int]]) -> int:
    """Return the top of a scale for counts: an even number, so that its half is a whole number too."""
    most = max((sum(counts.values()) for counts in rows.values()), default=0)
    return max(2, most + most % 2)


def rank_place(rank: int) -> float:
    """Return the x of a rank from 1 to 20 on a line; rank 0 (not found) comes after the last."""
    return 8 + 124 * ((rank or 21) - 1) / 20


DRAWING = (bar_width, side_by_side, threads_of, radar_ring, radar_labels, columns_of, scale_top, rank_place)
"""The functions that templates call."""
