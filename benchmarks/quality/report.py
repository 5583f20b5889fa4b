"""The results as a page to read."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.quality.goals import goals
from benchmarks.quality.measurements import OURS, WORDS
from benchmarks.quality.reliability import FIGURES
from benchmarks.quality.sets import GROUPS

TOGETHER = ("mean of the kinds", "all", "all, and elsewhere")


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    parts = [_head(results), _goals(results), _questions(results["questions"])]
    if trees := results.get("trees"):
        parts += [_commits(trees["commits"]), _messages(trees["messages"]), _places(trees["places"])]
    parts += [_reliability(results["reliability"])]
    parts += [_history(results["history"])] if "history" in results else []
    parts += [_without(results["without"])] if "without" in results else []
    parts += [_left_out(results["left out"])] if "left out" in results else []
    return "\n".join([*parts, _speed(results)])


def _head(results: Mapping[str, Any]) -> str:
    return (
        "# Quality of answers\n\n"
        f"{results['date']}, {results['machine']}, by\n\n```\n{results['command']}\n```\n\n"
        "All questions are development sets: weights were fitted on them. shirube is asked as it is set up, words and "
        "sense together; `by words alone` is `--mode lexical`. Differences are means over repositories with their "
        "paired bootstrap intervals (95 %); what they do not exclude is noise. How to read and repeat it: "
        "`benchmarks/README.md`.\n"
    )


def _goals(results: Mapping[str, Any]) -> str:
    rows = []
    for name, value, goal, at_least in goals(results):
        met = value >= goal if at_least else value <= goal
        rows.append((name, f"{value:.3f}", f"{'≥' if at_least else '≤'} {goal}", "yes" if met else "**no**"))
    return "\n".join(["## Goals", "", *_table(("", "measured", "goal", "met"), rows), ""])


def _questions(row: Mapping[str, Any]) -> str:
    systems, gaps = row["systems"], row["ours minus this"]
    categories = list(systems[OURS]["categories"])
    lines = [
        "## Questions",
        "",
        f"NDCG@10 over files, mean over {row['repositories']} repositories ({row['questions']} questions, the "
        "development half of a public set).",
        "",
    ]
    lines += _table(
        ("system", "NDCG@10", *categories, "shirube minus this"),
        [
            (name, f"{one['ndcg']:.4f}", *(f"{one['categories'][kind]:.3f}" for kind in categories), _gap(gaps, name))
            for name, one in systems.items()
        ],
    )
    variants = ", ".join(f"{name} {value:.4f}" for name, value in row["variants"].items())
    lines += ["", f"shirube in other ways: {variants}.", ""]
    lines += _table(
        ("language", *systems),
        [
            (language, *(f"{one['languages'][language]:.3f}" for one in systems.values()))
            for language in systems[OURS]["languages"]
        ],
    )
    if japanese := row["japanese"]:
        lines += [
            "",
            f"{japanese['questions']} of them asked again in Japanese: **{japanese[OURS]:.4f}** (by words alone "
            f"{japanese[WORDS]:.4f}; more than that {_interval(japanese['more than by words'])}), the same in English "
            f"{japanese['the same in English']:.4f}; gap {_interval(japanese['gap'])}.",
        ]
    return "\n".join([*lines, ""])


def _commits(rows: Mapping[str, Any]) -> str:
    lines = ["## Commits", "", "The subject of a later commit is the question, the files it changed are the answer."]
    return "\n".join([*lines, "NDCG@10 over all files, mean over repositories.", "", *_compared(rows), ""])


def _messages(rows: Mapping[str, Any]) -> str:
    lines = [
        "## Error messages",
        "",
        "An error message is pasted; the answer is the line that it comes from. place@k is the share of messages where",
        "one of the first k places holds the line; the difference is that of place@1.",
        "",
    ]
    return "\n".join([*lines, *_compared(rows), ""])


def _places(rows: Mapping[str, Any]) -> str:
    lines = ["## Places", "", "Questions with the line that answers, see `places.md`.", ""]
    return "\n".join([*lines, *_compared(rows), ""])


def _compared(rows: Mapping[str, Any]) -> list[str]:
    """Return a table with a line for each part and system."""
    measures = list(next(iter(rows.values()))["systems"][OURS]) if rows else []
    lines = []
    for part, row in rows.items():
        for system, one in row["systems"].items():
            values = (f"{one[measure]:.3f}" for measure in measures)
            lines.append((part, str(row["questions"]), system, *values, _gap(row["ours minus this"], system)))
    return _table(("", "questions", "system", *measures, "shirube minus this"), lines)


def _reliability(row: Mapping[str, Any]) -> str:
    lines = [
        "## What the confidence means",
        "",
        f"`found` is said from {row['found from']} on. An answer is right when its first place is: when it holds the",
        "line, or, where no line is known, when its file is right. ECE is the mean gap between said and true over ten",
        "bins of equally many answers; AUROC is how likely a right answer was said to be surer than a wrong one. One",
        "question in four is also asked of the next repository, where nothing answers it.",
        "",
    ]
    table = []
    for name, one in {**row["kinds"], **{name: row[name] for name in TOGETHER}}.items():
        strange = row["strangers"].get(name)
        elsewhere = f"{strange['found']:.3f} of {strange['answers']}" if strange else ""
        figures = (f"{one[key]:.3f}" for key in FIGURES)
        table.append((name, str(one.get("answers", "")), *figures, elsewhere))
    head = ("", "answers", "right", "ECE", "AUROC", "`found`", "right when `found`", "`found` when right")
    return "\n".join([*lines, *_table((*head, "elsewhere `found`"), table), ""])


def _without(rows: Mapping[str, Any]) -> str:
    groups = [name for name in GROUPS if any(name in row for row in rows.values())]
    lines = [
        "## What each part is worth",
        "",
        "The score without it, less the score with it, the rest as fitted: NDCG@10 for questions and commits (one in",
        "four), place@1 for messages and places. Signals of places do not change the order of files.",
        "",
    ]
    ordered = sorted(rows.items(), key=lambda item: sum(gap[0] for gap in item[1].values()))
    table = [(name, *(_gap(row, group) for group in groups)) for name, row in ordered]
    return "\n".join([*lines, *_table(("without", *groups), table), ""])


def _history(rows: Mapping[str, Any]) -> str:
    lines = [
        "## What past commits bring",
        "",
        "The same build and table, with what was read of git's history and without it: NDCG@10 for questions and",
        "commits, place@1 for messages and places. The history of each tree ends at the commit that is checked out.",
        "",
    ]
    table = [
        (kind, f"{row['without']:.4f}", f"{row['with']:.4f}", _interval(row["with minus without"]))
        for kind, row in rows.items()
    ]
    return "\n".join([*lines, *_table(("kind", "without", "with", "difference"), table), ""])


def _left_out(row: Mapping[str, Any]) -> str:
    how = f"{row['folds']} groups of repositories" if row["folds"] else "one repository at a time"
    same = "is" if row["shipped table is the fit on all"] else "is not"
    lines = [
        "## Does the fit carry over?",
        "",
        f"The ranking is fitted without {how}, which are then asked with that table. The shipped table {same} what the",
        "fit on all of these questions gives.",
        "",
    ]
    table = [
        (name, f"{one['fitted on all']:.4f}", f"{one['left out']:.4f}", _interval(one["left out minus fitted on all"]))
        for name, one in row["groups"].items()
    ]
    return "\n".join([*lines, *_table(("", "fitted on all", "left out", "difference"), table), ""])


def _speed(results: Mapping[str, Any]) -> str:
    table = []
    names = ("the repositories of the questions", "those of the commits")
    for name, own in zip(names, results["question cpu ms"], strict=False):
        table.append((name, f"{own['p50']} / {own['p95']}", "", ""))
    for size in ("middle", "large"):
        if row := results.get(f"speed {size}"):
            peer = f"{row['semble']['p50']} / {row['semble']['p95']}" if "semble" in row else ""
            own = row["shirube"]
            table.append(
                (f"{row['files']:,} files", f"{own['p50']} / {own['p95']}", peer, str(row.get("ratio p50", "")))
            )
    head = ("tree", "shirube p50 / p95", "semble p50 / p95", "ratio")
    return "\n".join(["## What a question costs (CPU milliseconds)", "", *_table(head, table), ""])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _gap(gaps: Mapping[str, Any], name: str) -> str:
    return _interval(gaps[name]) if name in gaps else ""


def _interval(found: tuple[float, float, float]) -> str:
    value, low, high = found
    return f"{value:+.4f} [{low:+.4f}, {high:+.4f}]"
