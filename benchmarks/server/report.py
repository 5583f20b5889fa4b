"""The results as a page and as a picture."""

from pathlib import Path
from typing import Any

COLOUR, OTHERS, GOAL = "#2a6f97", "#e0a58f", "grey"
ONE_GOAL, ALL_GOAL = 1.5, 60
"""One repository among many may take so many times what it takes alone, all of them together so many milliseconds."""


def markdown(results: dict[str, Any]) -> str:
    """Return the page; a part that was not measured is left out."""
    lines = ["# An index on a server", "", f"{results['date']}, {results['machine']}. All processes on one machine."]
    for name, title, tell in (
        ("speed", "Speed", _speed),
        ("overlay", "What differs from a shared index", _overlay),
        ("answers", "Answers", _answers),
        ("growth", "Growth", _growth),
    ):
        if name in results:
            lines += ["", f"## {title}", "", f"`{results['commands'][name]}`", "", *tell(results[name])]
    return "\n".join([*lines, ""])


def _speed(found: dict[str, Any]) -> list[str]:
    here, there = found["first index, here"], found["first index, there"]
    sizes = found["bytes"]
    lines = [
        f"{found['files']:,} files, {found['chunks']:,} chunks. One round trip: {found['round trip']['there']:.1f} ms "
        f"to the server, {found['round trip']['far']:.1f} ms through the slow network.",
        "",
        "| | here | on the server | goal |",
        "|---|--:|--:|---|",
        f"| first index, files a second | {here['files a second']:.0f} | {there['files a second']:.0f} | ≥ 250 |",
        f"| size, MB | {sizes['here'] / 1e6:.1f} | {sizes['there'] / 1e6:.1f} | ≤ 2 × here |",
        "",
        "| whole search, ms | p50 | p95 | mean | goal |",
        "|---|--:|--:|--:|---|",
    ]
    for name, title in (("asked again", "asked again"), ("asked first", "nobody asked before")):
        if part := found.get(name):
            lines += [
                f"| {part['questions']} questions, {title}: here, wall | {_numbers(part['here']['wall'])} | |",
                f"| on the server, wall | {_numbers(part['there']['wall'])} | |",
                f"| far, wall | {_numbers(part['far']['wall'])} | |",
                f"| more CPU on the server, both sides together | {_numbers(part['more, both cpu'])} | ≤ 6 |",
                f"| more wall far away | {_numbers(part['more, far wall'])} | ≤ 25 |",
                f"| round trips | {_numbers(part['far']['trips'])} | ≤ 3 |",
            ]
    lines += ["", "| one changed file until it is found, ms | p50 | p95 | mean | goal |", "|---|--:|--:|--:|---|"]
    goals = {"elsewhere": "≤ 200", "elsewhere, once noticed": "≤ 200"}
    lines += [
        f"| {name} | {_numbers(told)} | {goals.get(name, '')} |" for name, told in found["one changed file"].items()
    ]
    return [
        *lines,
        "",
        "*Once noticed* leaves out the look at every file of the tree, which is the same for every store. It is the "
        "other machine's store that is asked; its project would look at its own tree first.",
    ]


def _overlay(found: dict[str, Any]) -> list[str]:
    lines = ["| | seconds | files parsed | of the cache |", "|---|--:|--:|--:|"]
    lines += [
        f"| {name} | {told['seconds']:.2f} | {told['parsed']} | {told['reused']} |"
        for name, told in found["steps"].items()
    ]
    alike = found["alike"]
    return [
        *lines,
        "",
        f"With {alike['changed']} changed files, {alike['first ten equal']} of {alike['questions']} questions have the "
        f"same first ten places in the same order as an index made anew (asked for: 95 %). A search takes "
        f"{alike['cpu']['overlay']:.1f} ms of CPU, {alike['cpu']['here']:.1f} with that index (p50, asked first).",
    ]


def _answers(found: dict[str, Any]) -> list[str]:
    lines = [
        "The same questions of the same trees, with the same labels, asked of both. Equal: path and lines of every "
        "hit, in order; a tie has the same scores place by place.",
        "",
        "| | questions | here | on the server | first hit equal | first ten equal | else ties | else |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, row in found.items():
        count = row["questions"]
        lines.append(
            f"| {name} | {count} | {row['here']:.4f} | {row['there']:.4f} | {row['first hit equal'] / count:.1%} "
            f"| {row['first ten equal'] / count:.1%} | {row['differ by ties']} | {row['differ otherwise']} |"
        )
    return lines


def _growth(rows: list[dict[str, Any]]) -> list[str]:
    alone = rows[0]["one"]["p50"]
    columns = {
        "one": "one, candidates",
        "whole search of one": "one, whole search",
        "all": "all, first",
        "all again": f"all, again (≤ {ALL_GOAL})",
        "few of all": "all, few, first",
        "few of all again": "all, few, again",
        "words of all": "all, words, again",
    }
    lines = [
        "Copies of one tree, so that each repository has every word. Candidates are what the store is asked for in a "
        "search; *words* is that without vectors, *few* asks each repository for a fifth. What is asked *again* has "
        "its postings in this process. Milliseconds, p50 / p95. Memory is that of the asking process.",
        "",
        f"| repositories | chunks | GB | memory, GB | one × alone (≤ {ONE_GOAL}) | {' | '.join(columns.values())} |",
        f"|{'--:|' * (5 + len(columns))}",
    ]
    for row in rows:
        pairs = (f"{row[name]['p50']:.1f} / {row[name]['p95']:.1f}" for name in columns)
        size = f"{row['repositories']} | {row['chunks']:,} | {row['bytes'] / 1e9:.2f} | {row['resident'] / 1e9:.2f}"
        lines.append(f"| {size} | {row['one']['p50'] / alone:.2f} | {' | '.join(pairs)} |")
    return [*lines, "", "![Milliseconds by chunks](results.png)"]


def _numbers(told: dict[str, float]) -> str:
    return f"{told['p50']:.1f} | {told['p95']:.1f} | {told['mean']:.1f}"


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw how long one repository and all of them take, by how many chunks there are."""
    if "growth" not in results:
        return
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    rows = results["growth"]
    chunks = [row["chunks"] for row in rows]
    figure, axis = pyplot.subplots(figsize=(7, 4.4), layout="constrained")
    for name, title, colour, style in (
        ("one", "one of them, candidates", COLOUR, "-"),
        ("whole search of one", "one of them, whole search", COLOUR, "--"),
        ("all", "all of them, asked first", OTHERS, "-"),
        ("all again", "all of them, asked again", OTHERS, "--"),
        ("words of all", "all, words alone", OTHERS, ":"),
    ):
        axis.plot(chunks, [row[name]["p50"] for row in rows], color=colour, linestyle=style, marker="o", label=title)
    axis.axhline(ALL_GOAL, color=GOAL, linewidth=0.8, linestyle=":")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(chunks, [f"{count / 1000:,.0f}k" for count in chunks])
    axis.minorticks_off()
    axis.set_xlabel("chunks on the server")
    axis.set_ylabel("milliseconds, p50")
    axis.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)
