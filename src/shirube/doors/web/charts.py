"""Drawings: bars, shares, lines and radars as SVG, made here, coloured by the style sheet."""

from collections.abc import Mapping, Sequence
from math import cos, pi, sin

from shirube.doors.web.html import Html, el, join, plain

MOST_LABELS, DAY = 7, len("2026-01-31")
HUES = 8
"""How many colours the style sheet has for parts of a whole: ``h0`` to ``h7``."""


def bar(value: float, most: float, label: str, kind: str = "") -> Html:
    """Return a bar that is full at ``most``; a value below zero is drawn as bad."""
    share = min(1.0, abs(value) / most) if most else 0.0
    filled = el(
        "rect", width=round(100 * share, 2), height=8, rx=1, class_=f"fill {kind or ('low' if value < 0 else '')}"
    )
    back = el("rect", width=100, height=8, rx=1, class_="back")
    return _svg(join((back, filled)), 100, 8, label, "bar", stretch=True)


def stack(parts: Sequence[tuple[str, float]], most: float, label: str) -> Html:
    """Return positive parts of a sum side by side, as long as their share of ``most``."""
    drawn, at = [], 0.0
    for number, (name, value) in enumerate(parts):
        width = 200 * max(0.0, value) / most if most else 0.0
        box = el("rect", _title(f"{name} {value:+.3g}"), x=round(at, 2), width=round(width, 2), height=10)
        drawn.append(el("g", box, class_=f"h{number % HUES}"))
        at += width
    back = el("rect", width=200, height=10, class_="back")
    return _svg(join((back, *drawn)), 200, 10, label, "stack", stretch=True)


def lines(rows: Mapping[str, Sequence[float]], label: str, most: float = 1.0) -> Html:
    """Return how several measures went from turn to turn, each a line of its own colour, with what each line is."""
    width, height, left, top = 420, 150, 30, 10
    longest = max((len(values) for values in rows.values()), default=0)
    step = (width - left - 20) / max(1, longest - 1)

    def y(value: float) -> float:
        return round(top + height * (1 - min(1.0, max(0.0, value / most if most else 0.0))), 1)

    drawn = [_grid(left, width, y(part * most), f"{part * most:g}") for part in (0, 0.5, 1)]
    drawn += [
        el("text", number + 1, x=round(left + 10 + number * step), y=top + height + 16, class_="tick mid")
        for number in range(longest)
    ]
    for number, (name, values) in enumerate(rows.items()):
        points = [(round(left + 10 + turn * step, 1), y(value)) for turn, value in enumerate(values)]
        path = el("polyline", points=" ".join(f"{x},{v}" for x, v in points), class_="thread")
        dots = [_dot(x, v, f"{name} {turn + 1}: {values[turn]:.2f}") for turn, (x, v) in enumerate(points)]
        drawn.append(el("g", path, dots, class_=f"h{number % HUES}"))
    return el("figure", _svg(join(drawn), width, height + 32, label, "lines"), legend(rows))


def _grid(left: int, width: int, y: float, text: str) -> Html:
    return el(
        "g",
        el("line", x1=left, x2=width, y1=y, y2=y, class_="grid"),
        el("text", text, x=left - 6, y=y + 4, class_="tick end"),
    )


def _dot(x: float, y: float, text: str) -> Html:
    return el("circle", _title(text), cx=x, cy=y, r=3.2)


def radar(rows: Mapping[str, Mapping[str, float]], label: str) -> Html:
    """Return measures from 0 to 1 as corners of a shape; several shapes lie over each other."""
    names = list(next(iter(rows.values()), {}))
    if len(names) < 3:
        return Html("")
    middle_x, middle_y, radius = 190, 122, 84

    def at(number: int, value: float) -> tuple[float, float]:
        angle = 2 * pi * number / len(names) - pi / 2
        away = radius * min(1.0, max(0.0, value))
        return round(middle_x + away * cos(angle), 1), round(middle_y + away * sin(angle), 1)

    def ring(values: Sequence[float], kind: str) -> Html:
        points = " ".join(f"{x},{y}" for x, y in (at(n, value) for n, value in enumerate(values)))
        return el("polygon", points=points, class_=kind)

    drawn = [ring([part] * len(names), "grid") for part in (0.25, 0.5, 0.75, 1.0)]
    for number, name in enumerate(names):
        x, y = at(number, 1.17)
        x, y = round(middle_x + (x - middle_x) * 1.17, 1), round(middle_y + (y - middle_y) * 1.17, 1)
        anchor = "mid" if abs(x - middle_x) < 20 else "end" if x < middle_x else "start"
        drawn.append(el("text", plain(name), x=x, y=y + 4, class_=f"tick {anchor}"))
    for number, values in enumerate(rows.values()):
        drawn.append(el("g", ring([values.get(name, 0.0) for name in names], "shape"), class_=f"h{number % HUES}"))
    return el("figure", _svg(join(drawn), 380, 244, label, "radar"), legend(rows))


def legend(rows: Mapping[str, object]) -> Html:
    """Return which colour is which."""
    swatch = _swatch()
    items = [el("li", el("span", swatch, class_=f"h{n % HUES}"), " ", name) for n, name in enumerate(rows)]
    return el("figcaption", el("ul", items, class_="legend"))


def _swatch() -> Html:
    box = el("rect", width=10, height=10, rx=2)
    return el("svg", box, viewBox="0 0 10 10", width=10, height=10, aria_hidden="true")


def share(parts: Mapping[str, int], label: str, kinds: Mapping[str, str]) -> Html:
    """Return counts as parts of one bar; ``kinds`` gives each its colour."""
    whole, at, drawn = sum(parts.values()), 0.0, []
    for name, count in parts.items():
        width = 200 * count / whole if whole else 0.0
        box = el("rect", _title(f"{name} {count}"), x=round(at, 2), width=round(width, 2), height=10)
        drawn.append(el("g", box, class_=kinds.get(name, "")))
        at += width
    return _svg(join((el("rect", width=200, height=10, class_="back"), *drawn)), 200, 10, label, "stack", stretch=True)


def _title(text: str) -> Html:
    return el("title", plain(text))


def _svg(content: Html, width: int, height: int, label: str, kind: str, *, stretch: bool = False) -> Html:
    return el(
        "svg",
        content,
        viewBox=f"0 0 {width} {height}",
        preserveAspectRatio="none" if stretch else None,
        class_=f"chart {kind}",
        role="img",
        aria_label=label,
    )


def columns(rows: Mapping[str, Mapping[str, int]], kinds: Mapping[str, str], label: str) -> Html:
    """Return counts as one column for each row, the parts one above another; ``kinds`` gives each part its colour."""
    width, height, left, top = 420, 120, 30, 10
    most = _rounded(max((sum(counts.values()) for counts in rows.values()), default=0))
    step = (width - left) / max(1, len(rows))
    wide, every = min(26.0, step * 0.7), -(-len(rows) // MOST_LABELS)
    drawn = [_grid(left, width, round(top + height * (1 - part), 1), f"{part * most:g}") for part in (0, 0.5, 1)]
    for number, (name, counts) in enumerate(rows.items()):
        middle, at = left + (number + 0.5) * step, float(top + height)
        for kind, count in (item for item in counts.items() if item[1]):
            tall = height * count / most
            at -= tall
            box = el("rect", x=round(middle - wide / 2, 1), y=round(at, 1), width=round(wide, 1), height=round(tall, 1))
            drawn.append(el("g", _title(f"{name}: {kind} {count}"), box, class_=kinds.get(kind, "")))
        if number % every == 0:
            short = name[5:] if len(name) == DAY and name[:4].isdigit() else name
            drawn.append(el("text", plain(short), x=round(middle, 1), y=top + height + 16, class_="tick mid"))
    hues = {name: f"swatch {hue}" for name, hue in kinds.items()}
    return el("figure", _svg(join(drawn), width, height + 32, label, "lines"), _key(hues))


def _rounded(most: int) -> int:
    """Return the top of a scale of whole numbers, which can be halved."""
    return max(2, most + most % 2)


def _key(hues: Mapping[str, str]) -> Html:
    items = [el("li", el("span", _swatch(), class_=hue), " ", name) for name, hue in hues.items()]
    return el("figcaption", el("ul", items, class_="legend"))


def dumbbell(before: int, after: int, label: str, most: int = 20) -> Html:
    """Return a place in a list that moved: a ring where it was, a dot where it is now; 0 is behind the last."""
    then, now = (8 + 124 * ((rank or most + 1) - 1) / most for rank in (before, after))
    kind = "still" if then == now else "better" if now < then else "worse"
    parts = (
        el("line", x1=8, x2=132, y1=7, y2=7, class_="grid"),
        el("line", x1=round(then, 1), x2=round(now, 1), y1=7, y2=7, class_="way"),
        el("circle", cx=round(then, 1), cy=7, r=4.5, class_="ring"),
        el("circle", cx=round(now, 1), cy=7, r=3.5, class_="now"),
    )
    return _svg(el("g", parts, class_=kind), 140, 14, label, "dumbbell")
