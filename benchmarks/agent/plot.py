"""The results as a picture to look at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.agent.measurements import BUDGETS, GREP, IN_ORDER, OURS, PICKS, SEMBLE

COLOURS = {OURS: "#2a6f97", SEMBLE: "#e0a58f", GREP: "#999999"}


def draw(parts: Mapping[str, Any], path: Path) -> None:
    """Draw recall against tokens, and tokens and calls of a task."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names = [name for name in ("all", "places", "commits") if name in parts]
    figure, panels = pyplot.subplots(3, len(names), figsize=(6 * len(names), 12), squeeze=False, layout="constrained")
    for column, name in enumerate(names):
        part = parts[name]
        _draw_curve(panels[0][column], part["curve"], f"{name} ({part['tasks']} tasks)")
        for row, what in ((1, "tokens"), (2, "calls")):
            _draw_bars(panels[row][column], part["agents"], what)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _draw_curve(panel: Any, curve: Mapping[str, Mapping[str, float]], title: str) -> None:
    for name, colour in COLOURS.items():
        panel.plot(BUDGETS, [curve[name][str(most)] for most in BUDGETS], color=colour, marker="o", label=name)
    panel.set(title=title, xscale="log", xlabel="tokens", ylabel="the line is in view", ylim=(0, 1))
    panel.set_xticks(BUDGETS, map(str, BUDGETS))
    panel.minorticks_off()
    panel.legend()


def _draw_bars(panel: Any, agents: Mapping[str, Any], what: str) -> None:
    for at, (name, colour) in enumerate(COLOURS.items()):
        values = [agents[name][reading][what] for reading in (IN_ORDER, PICKS)]
        bars = panel.bar([place + at * 0.27 for place in range(2)], values, width=0.25, color=colour, label=name)
        panel.bar_label(bars, fmt="{:,.0f}" if what == "tokens" else "{:.1f}")
    panel.set_xticks([place + 0.27 for place in range(2)], (IN_ORDER, PICKS))
    panel.set(title=f"{what} a task")
