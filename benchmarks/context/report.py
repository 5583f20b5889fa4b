"""The results as a page and as a picture."""

from pathlib import Path
from typing import Any

NOTE = (
    "Through the operations, warm, everything included; closures of 200 files that import others. Where other work "
    "runs on the machine, the CPU time is the one to look at."
)


def markdown(results: dict[str, Any]) -> str:
    """Return the page."""
    parts = ["# Context bundles", f"Measured {results['date']}.".replace(" .", ".")]
    if "curve" in results:
        parts.append(_curve(results))
    if "speed" in results:
        parts.append(_speed(results["speed"]))
    if "tokens" in results:
        parts.append(_tokens(results["tokens"]))
    return "\n\n".join(parts) + "\n"


def _curve(results: dict[str, Any]) -> str:
    curve = results["curve"]
    budgets = list(next(iter(curve.values())))
    head = [
        f"## Files needed that are read, by tokens ({results['repositories']} repositories, {results['questions']} "
        "questions, the development half)",
        "",
        "The goal is the question, nothing else is given. A file counts as read when something of it is; of others, "
        "what begins inside the budget counts. semble runs with its words and its ranking, without its model. Tokens "
        "are counted by the same estimate for all, headings included. Beside the recall: the share of the tokens that "
        "are of needed files, and how many files are touched.",
        "",
        f"| | {' | '.join(f'{int(budget):,} tokens' for budget in budgets)} |",
        f"|---|{'---|' * len(budgets)}",
    ]
    rows = [
        f"| {name} | " + " | ".join(_cell(points[budget]) for budget in budgets) + " |"
        for name, points in curve.items()
    ]
    for name, gaps in results["ahead"].items():
        cells = " | ".join("{:+.3f} [{:+.3f}, {:+.3f}]".format(*gaps[budget]) for budget in budgets)
        rows.append(f"| ours minus {name} | {cells} |")
    return "\n".join([*head, *rows, "", "![Recall by tokens](results.png)"])


def _cell(point: dict[str, float]) -> str:
    return f"{point['recall']:.3f} ({point['aimed']:.0%}, {point['files']:.1f})"


def _speed(speed: dict[str, Any]) -> str:
    rows = [
        f"| {name} | {speed[key]['wall p50']} | {speed[key]['wall p90']} | {speed[key]['cpu p50']} | {limit} |"
        for name, key, limit in (
            ("closure, both ways, depth 3", "closure ms", "p50 ≤ 10"),
            ("bundle, 4,000 tokens", "bundle ms", "≤ 150"),
        )
    ]
    head = f"## Time on {speed['tree']} ({speed['files']:,} files), milliseconds"
    table = ["| | wall p50 | wall p90 | CPU p50 | limit |", "|---|---|---|---|---|", *rows]
    return "\n".join([head, "", NOTE, "", *table])


def _tokens(tokens: dict[str, dict[str, float]]) -> str:
    head = [
        "## The token estimate beside o200k",
        "",
        "| texts | files | tokens | total error | 90 % of files within |",
        "|---|---|---|---|---|",
    ]
    rows = [
        f"| {kind} | {row['files']} | {row['tokens']:,} | {row['total error']:+.1%} | {row['p90 per file']:.1%} |"
        for kind, row in tokens.items()
    ]
    return "\n".join([*head, *rows])


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw recall over tokens."""
    if "curve" not in results:
        return
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.2))
    for name, points in results["curve"].items():
        budgets = [int(budget) for budget in points]
        axes.plot(budgets, [row["recall"] for row in points.values()], marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks([int(budget) for budget in next(iter(results["curve"].values()))])
    axes.get_xaxis().set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{int(value):,}"))
    axes.set_xlabel("tokens read")
    axes.set_ylabel("share of the needed files")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
