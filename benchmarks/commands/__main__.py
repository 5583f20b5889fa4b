"""Measure recall and speed, and write results.md: ``python -m benchmarks.commands``."""

import argparse
import json
import os
import platform
import tempfile
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from benchmarks.commands.public import check
from shirube import Project, open_workspace
from shirube.features.commands.results import CommandSearchMode

HERE = Path(__file__).resolve().parent
MODES = ("strict", "wide", "auto")
SETS = {"requests": "written before any tuning", "heldout": "written after it, run once"}
LANGUAGES = {"en": "English", "ja": "Japanese"}


def main() -> None:
    """Run everything and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--public", type=Path, metavar="ROOT", help="a project with a public registry, to be checked")
    parser.add_argument("--misses", action="store_true", help="print the requests that were missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_registry(Path(folder))
        with open_workspace(folder, index__sync_on_start=False) as project:
            lines = [*recall_table(project, options.misses), "", *none_table(project), "", *speed_table(project)]
    if options.public:
        lines += ["", *check(options.public).lines()]
    text = "\n".join([*HEAD, *lines]) + "\n"
    (HERE / "results.md").write_text(text, "utf-8")
    print(text)


HEAD = [
    "# Finding commands",
    "",
    "200 commands with English descriptions (`registry.tsv`), asked for in the words of somebody who does not know",
    "them (`requests.tsv`, `heldout.tsv`). Made by `python -m benchmarks.commands`.",
    "",
]


def write_registry(root: Path) -> None:
    """Write the 200 commands as the registry of a project."""
    keys = ("c1", "c2", "c3", "description")
    commands = [dict(zip(keys, row, strict=True)) for row in rows("registry")]
    file = root / ".agent" / "climpt" / "registry.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"tools": {"commands": commands}}), "utf-8")


def rows(name: str) -> list[list[str]]:
    """Return the rows of a table beside this file."""
    return [line.split("\t") for line in (HERE / f"{name}.tsv").read_text("utf-8").splitlines()]


def recall(project: Project, name: str, language: str, mode: str) -> tuple[float, float, list[str]]:
    """Return the share of requests answered at the first place and among three, and those that were not."""
    asked = [(want, query) for spoken, want, query in rows(name) if spoken == language]
    first, among, missed = 0, 0, []
    for want, query in asked:
        found = [
            f"{one.c1} {one.c2} {one.c3}" for one in project.command_search(query, mode=CommandSearchMode(mode)).results
        ]
        first += found[:1] == [want]
        among += want in found
        missed += [] if want in found else [f"{query} → {want}, not {found}"]
    return first / len(asked), among / len(asked), missed


def recall_table(project: Project, tell: bool) -> list[str]:
    """Return recall by set, language and mode."""
    lines = ["| requests | language | number | " + " | ".join(f"{mode}: first, top 3" for mode in MODES) + " |"]
    lines.append("|---|---|---|" + "---|" * len(MODES))
    for name, what in SETS.items():
        for language, spelled in LANGUAGES.items():
            number = sum(row[0] == language for row in rows(name))
            cells = []
            for mode in MODES:
                first, among, missed = recall(project, name, language, mode)
                cells.append(f"{first:.2f}, **{among:.3f}**" if mode == "auto" else f"{first:.2f}, {among:.3f}")
                if tell and mode == "auto":
                    print(*missed, sep="\n")
            lines.append(f"| {name} ({what}) | {spelled} | {number} | {' | '.join(cells)} |")
    return lines


def none_table(project: Project) -> list[str]:
    """Return how many requests that no command answers got one all the same."""
    lines = [
        "Requests that no command answers (`none.tsv`, 10 in each language), and how many got one all the same:",
        "",
    ]
    lines += ["| language | strict | wide | auto |", "|---|---|---|---|"]
    for language, spelled in LANGUAGES.items():
        asked = [query for spoken, query in rows("none") if spoken == language]
        counts = [
            sum(bool(project.command_search(query, mode=CommandSearchMode(mode)).results) for query in asked)
            for mode in MODES
        ]
        lines.append(f"| {spelled} | {' | '.join(map(str, counts))} |")
    return lines


def speed_table(project: Project) -> list[str]:
    """Return how long a question takes through the library, reading and comparing the registry included."""
    lines = ["| mode | p50 ms | p95 ms |", "|---|---|---|"]
    queries = [row[2] for row in rows("requests")]
    for mode in MODES:
        took = sorted(timed(project, query, mode) for _ in range(5) for query in queries)
        lines.append(f"| {mode} | {quantiles(took, n=2)[0]:.2f} | {quantiles(took, n=20)[-1]:.2f} |")
    where = f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    return [*lines, "", f"Whole calls; the registry is read and compared by its digest each time. {where}."]


def timed(project: Project, query: str, mode: str) -> float:
    """Return the milliseconds of one call."""
    started = perf_counter()
    project.command_search(query, mode=CommandSearchMode(mode))
    return (perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
