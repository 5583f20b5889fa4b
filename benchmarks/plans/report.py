"""The results as a page and as a picture."""

from pathlib import Path
from typing import Any


def markdown(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Plans",
        "",
        f"{results['goals']} goals, which are the labelled questions of `benchmarks/quality`. {results['date']}, "
        f"{results['machine']}. Intervals are paired bootstraps (95 %). How to repeat it: `benchmarks/README.md`.",
    ]
    for name, title in (("without expectations", "Without expectations"), ("japanese", "The same in Japanese")):
        lines += ["", f"## {title}", "", *_compared(results[name])]
    lines += ["", "## With expectations", "", *_given(results["with expectations"])]
    memory, late = results["memory"], results["deadline"]
    lines += [
        "",
        "## Memory and deadline",
        "",
        f"On {memory['project']}, {memory['goals']} goals: the first plan takes {memory['first cpu seconds']} CPU "
        f"seconds, the second {memory['second cpu seconds']} ({memory['second as a share of the first']:.1%}); the "
        f"answer was the same {memory['same answer']} times. After an edit of the file that was found, "
        f"{memory['new after an edit']} plans "
        "saw the edit.",
        "",
        f"A store that hangs, {late['allowed seconds']} s allowed: back after {late['seconds']} s, `{late['status']}`, "
        f"{late['turns with results']} of {late['turns']} turns with results.",
        "",
        "![How sure plans are, and how often they are right](results.png)",
        "",
    ]
    return "\n".join(lines)


def _compared(part: dict[str, Any]) -> list[str]:
    lines = [
        "| | NDCG@10 | the half where plain search does worst | that half, every goal alike |",
        "|---|--:|--:|--:|",
    ]
    for name, row in part["rows"].items():
        numbers = (row["ndcg"], row["worst half"], row["worst half, every goal alike"])
        lines.append(f"| {name} | " + " | ".join(f"{number:.4f}" for number in numbers) + " |")
    return [
        *lines,
        "",
        f"Plans minus plain search {_span(part['plans minus plain'])}; minus fixed suffixes in the same loop "
        f"{_span(part['plans minus fixed'])}, on the worst half {_span(part['plans minus fixed, worst half'])}.",
        "",
        f"Turns: {part['iterations']['plans']:.2f} a goal (fixed suffixes {part['iterations']['fixed']:.2f}); seconds: "
        f"{part['seconds']['plans']:.3f} ({part['seconds']['fixed']:.3f}). Stopped by: "
        + ", ".join(f"{name} {count}" for name, count in sorted(part["stopped"].items()))
        + f". Mean gap between said and true: {part['reliability']['mean gap']:.3f}.",
    ]


def _given(part: dict[str, Any]) -> list[str]:
    return [
        f"{part['goals']} goals with four names of the labelled file each: {part['reached']:.1%} reach 0.7, "
        f"**{part['reached in three']:.1%} in at most three turns**; {part['right when reached']:.1%} of those are "
        f"right, {part['right at all']:.1%} of all. {part['iterations']:.2f} turns and {part['seconds']:.3f} s a goal.",
        "",
        f"{part['strangers']} of the goals were also asked in a project where nothing answers them: "
        f"{part['strangers that were sure']:.1%} of these were sure all the same. Mean gap between said and true, "
        f"strangers included: {part['reliability']['mean gap']:.3f}.",
        "",
        "| said | true | plans |",
        "|--:|--:|--:|",
        *(f"| {row['said']:.2f} | {row['true']:.2f} | {row['plans']} |" for row in part["reliability"]["bins"]),
    ]


def _span(difference: list[float]) -> str:
    return f"{difference[0]:+.4f} [{difference[1]:+.4f}, {difference[2]:+.4f}]"


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw the two reliability diagrams."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4.2), sharey=True)
    for axis, name in zip(axes, ("without expectations", "with expectations"), strict=True):
        rows = results[name]["reliability"]["bins"]
        axis.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle="--")
        axis.plot([row["said"] for row in rows], [row["true"] for row in rows], color="#2a6f97")
        sizes = [10 + row["plans"] for row in rows]
        axis.scatter([row["said"] for row in rows], [row["true"] for row in rows], s=sizes, color="#2a6f97", alpha=0.7)
        axis.set_title(f"{name} (mean gap {results[name]['reliability']['mean gap']:.3f})", fontsize=10)
        axis.set_xlabel("how sure the plan was")
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1.02)
    axes[0].set_ylabel("share that was right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
