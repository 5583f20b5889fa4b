"""The picture: shirube beside its peers, every measure as a bar relative to shirube."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed.report import number
from benchmarks.speed.rows import Row, rows_of

SHOWN = (
    "cold index, wall",
    "cold index, cpu",
    "cold index, peak memory (PSS of all processes)",
    "sync without a change, warm process",
    "edited file visible, median",
    "question p50, wall",
    "question p95, wall",
    "index on disk",
    "first tools/list, cpu",
)
COLOURS = {
    "shirube": "#2a6f97",
    "semble": "#e07a5f",
    "semble, 2 workers": "#f2b8a0",
    "ripgrep": "#81b29a",
    "bare server": "#9a8c98",
}


def draw(results: Mapping[str, Any], path: Path) -> None:
    """Write one panel for each repository."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    repositories = list(results["repositories"].values())
    figure, panels = pyplot.subplots(
        1, len(repositories), figsize=(8 * len(repositories), 8), squeeze=False, layout="constrained"
    )
    for panel, found in zip(panels[0], repositories, strict=True):
        _draw_panel(panel, [row for row in rows_of(found) if row.name in SHOWN])
        panel.set_title(f"{found['name']} ({found['tree']['files']} files)", fontsize=12)
    handles = [Patch(color=colour) for colour in COLOURS.values()]
    figure.legend(handles, COLOURS, loc="outside lower center", ncols=len(COLOURS), frameon=False)
    figure.suptitle("Relative to shirube (= 1); shorter is better", fontsize=14)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_panel(panel: Any, rows: Sequence[Row]) -> None:
    place, ticks = 0.0, []
    for row in rows:
        bars = {"shirube": row.ours, **row.peers}
        ticks.append((place + (len(bars) - 1) / 2, row.name.split(" (")[0]))
        for name, value in bars.items():
            ratio = value / row.ours if row.ours else 0.0
            panel.barh(place, ratio, color=COLOURS[name], height=0.85)
            panel.text(ratio * 1.05, place, number(value, row.unit), va="center", fontsize=8)
            place += 1
        place += 0.8
    panel.set_yticks([at for at, _ in ticks], [name for _, name in ticks])
    panel.invert_yaxis()
    panel.set_xscale("log")
    panel.margins(x=0.18)
    panel.axvline(1.0, color="#555555", linewidth=0.8, zorder=0)
    panel.set_xlabel("times shirube, logarithmic")
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
