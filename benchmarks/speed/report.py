"""The table that people read."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.speed.rows import Row, rows_of, rows_of_install

QUIET_LOAD = 2.0

NOTES = """\
How it was measured: every index in a fresh process with a fresh cache directory, the programs in turn; times are the
best of the repeats unless the row says otherwise; CPU seconds hold all child processes. Both programs index exactly the
same files, and neither runs a trained encoder: semble gets one that returns a single number, shirube uses its hashed
one. shirube writes its index to disk while it is measured, semble keeps it in memory (writing it took {save:.1f} s more
on the largest repository, with vectors of one number). semble works in one process unless told otherwise, as its
library does. Its incremental path is the `previous` of its library; it trusts the modification time, so the edit that
keeps it is not asked of semble. semble answers with alpha = 0 (words only). ripgrep is asked for each word of each
question in a process of its own; its CPU time is not counted. The limits on the cold index and on questions are meant
for about 5,000 files and stand only there.
"""


def markdown(results: Mapping[str, Any]) -> str:
    """Return the whole report."""
    largest = max(results["repositories"].values(), key=lambda found: found["tree"]["files"])
    parts = [
        "# Speed\n",
        f"`{results['command']}`{_on(results['date'])}\n",
        _machine(results),
        NOTES.format(save=largest["disk"]["semble_save"]["wall"]),
    ]
    for found in results["repositories"].values():
        parts += [f"## {_title(found)}\n", table(rows_of(found))]
    if results["install"]:
        parts += ["## Installation\n", table(rows_of_install(results["install"]))]
    return "\n".join(parts)


def table(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table with a column for each peer that occurs."""
    peers = list(dict.fromkeys(name for row in rows for name in row.peers))
    head = ["measured", "shirube", *peers, "limit", ""]
    lines = [head, ["---", *["---:"] * (len(peers) + 2), "---"]]
    for row in rows:
        cells = [number(row.peers[name], row.unit) if name in row.peers else "" for name in peers]
        limit = "" if row.limit is None else f"≤ {number(row.limit, row.unit)}"
        lines.append([row.name, number(row.ours, row.unit), *cells, limit, row.verdict])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def number(value: float, unit: str) -> str:
    """Return a number with its unit, as exact as makes sense.

    >>> number(0.01234, "s"), number(512.3, "MB"), number(0, "files")
    ('0.012 s', '512 MB', '0 files')
    """
    if value == int(value) and unit in ("", "files"):
        text = str(int(value))
    elif value >= 100:
        text = f"{value:.0f}"
    else:
        text = f"{value:.3f}" if unit == "s" and value < 1 else f"{value:.2f}"
    return f"{text} {unit}".strip()


def _on(date: str) -> str:
    return f" on {date}" if date else ""


def _title(found: Mapping[str, Any]) -> str:
    tree = found["tree"]
    size = tree["source_bytes"] / 1e6
    commit = f" at {found['commit']}" if found["commit"] else ""
    chunks = ", ".join(f"{name} {cold['held']['chunks']}" for name, cold in found["cold"].items() if "," not in name)
    return f"{found['size']}: {found['name']}{commit} ({tree['files']} files, {size:.1f} MB; chunks: {chunks})"


def _machine(results: Mapping[str, Any]) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    load = " and ".join(str(value) for value in results["load"])
    return f"Machine: {facts}. Load average before and after: {load}.{_busy(results)}\n"


def _busy(results: Mapping[str, Any]) -> str:
    """Say so when the machine had other work: a run by itself keeps about one and a half processes busy."""
    if max(results["load"]) <= QUIET_LOAD:
        return ""
    return (
        " **The machine had other work meanwhile**: wall seconds are too long, most of all those of programs with"
        " several processes; go by the CPU seconds, and measure again when it is quiet."
    )
