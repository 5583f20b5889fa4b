"""The results as a picture to look at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.quality.sets import GROUPS

COLOUR, OTHERS = "#2a6f97", "#e0a58f"


def draw(results: Mapping[str, Any], path: Path) -> None:
    """Draw the systems, what each part is worth, and the reliability of each kind."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    kinds = list(GROUPS)
    layout: Any = [["systems", "parts", *row] for row in (kinds[:2], kinds[2:4], [kinds[4], "all"])]
    figure, panels = pyplot.subplot_mosaic(layout, figsize=(26, 15), width_ratios=[1, 1.3, 1, 1], layout="constrained")
    _draw_systems(panels["systems"], results)
    _draw_parts(panels["parts"], results.get("without", {}))
    said = results["reliability"]
    for name in (*kinds, "all"):
        row = said["all, and elsewhere"] if name == "all" else said["kinds"].get(name)
        _draw_reliability(panels[name], "all, and elsewhere" if name == "all" else name, row)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _draw_systems(panel: Any, results: Mapping[str, Any]) -> None:
    rows = {f"questions: {name}": row["ndcg"] for name, row in results["questions"]["systems"].items()}
    for kind, measure in (("commits", "NDCG@10"), ("messages", "place@1"), ("places", "place@1")):
        systems = results.get("trees", {}).get(kind, {}).get("all", {}).get("systems", {})
        rows |= {f"{kind}: {name}": row[measure] for name, row in systems.items()}
    names = list(reversed(rows))
    colours = [COLOUR if ": shirube" in name else OTHERS for name in names]
    bars = panel.barh(names, [rows[name] for name in names], color=colours)
    panel.bar_label(bars, fmt="%.3f", padding=3)
    panel.set(title="NDCG@10 (questions, commits), place@1 (messages, places)", xlim=(0, 1.1))


def _draw_parts(panel: Any, without: Mapping[str, Any]) -> None:
    totals = {name: sum(gap[0] for gap in row.values()) for name, row in without.items()}
    names = sorted(totals, key=lambda name: -totals[name])
    height = 0.8 / len(GROUPS)
    for number, group in enumerate(GROUPS):
        at = [place - number * height for place, name in enumerate(names) if group in without[name]]
        values = [without[name][group][0] for name in names if group in without[name]]
        panel.barh(at, values, height=height, label=group)
    panel.set_yticks([place - 0.4 + height / 2 for place in range(len(names))], names)
    panel.axvline(0, color="black", linewidth=0.8)
    panel.set(title="What changes without it")
    if names:
        panel.legend()


def _draw_reliability(panel: Any, name: str, row: Mapping[str, Any] | None) -> None:
    panel.plot([0, 1], [0, 1], color="#bbbbbb", linestyle="--")
    title = name
    if row:
        said, true = [one["said"] for one in row["bins"]], [one["true"] for one in row["bins"]]
        panel.plot(said, true, color=COLOUR, marker="o")
        title += f" ({row['answers']}): ECE {row['ece']:.3f}, AUROC {row['auroc']:.3f}"
    panel.set(title=title, xlim=(0, 1), ylim=(0, 1), xlabel="said", ylabel="true")
