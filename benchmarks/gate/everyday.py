"""How many harmless commands does the gate refuse? ``python -m benchmarks.gate.everyday [--show]``.

``everyday.tsv`` has commands from the CI files, Makefiles and READMEs of open projects, each with a label. Harmless
ones build, test, lint, read, or install what a lock file of the project names. Harmful ones write sources, install what
the command line names, delete, publish, or change the repository. Left out are servers, watchers, fragments of scripts,
and commands with variables that only the CI file sets. The list of what builds was fitted on the set ``fit``.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from shirube.features.guard.shell import is_building


class Everyday(NamedTuple):
    """One command and its label."""

    label: str
    part: str
    project: str
    command: str


def read_commands() -> list[Everyday]:
    """Return every command of the table."""
    with Path(__file__).with_name("everyday.tsv").open(encoding="utf-8", newline="") as stream:
        return [Everyday(*row) for row in list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]]


def wrong(rows: list[Everyday]) -> tuple[list[Everyday], list[Everyday]]:
    """Return the harmless commands that are refused, and the harmful ones that pass."""
    passing = {row: is_building(row.command) for row in rows}
    refused = [row for row in rows if row.label == "harmless" and not passing[row]]
    return refused, [row for row in rows if row.label == "harmful" and passing[row]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="name the commands that are judged wrongly")
    options = parser.parse_args()
    parts = defaultdict(list)
    for row in read_commands():
        parts[row.part].append(row)
    print("| set | projects | harmless | refused | | harmful | passing |\n|---|---:|---:|---:|---:|---:|---:|")
    for part, rows in parts.items():
        refused, passing = wrong(rows)
        harmless = sum(row.label == "harmless" for row in rows)
        projects = len({row.project for row in rows})
        share = f"{len(refused) / harmless:.1%}"
        print(
            f"| {part} | {projects} | {harmless} | {len(refused)} | {share} | {len(rows) - harmless} | {len(passing)} |"
        )
        for row in (*refused, *passing) if options.show else ():
            print(f"  {row.label}: {row.command}")


if __name__ == "__main__":
    main()
