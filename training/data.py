"""Pack the collected rows into the one file that training reads, without what a benchmark must not meet there.

    python -m training.data COLLECTED PACKED --names all-repositories.txt --trees REPOS --questions japanese.json

COLLECTED holds ``*.jsonl.xz`` in two shapes: ``q`` (doc), ``c`` (code), ``n`` (name), ``l`` (language), ``s`` (source),
or ``e`` (English), ``j`` (Japanese), ``s``. Rows of histories have the first shape and ``p`` (path); their file names
their kind, ``k``. What is dropped, and why, is printed and written beside the packed file.
"""

import argparse
import hashlib
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from shirube.engine.text.tokens import CJK_RUN
from training import licences, overlap

CODE_LIMIT = 560
"""Letters of code that are kept: a mean over more words says less about each."""
LANGUAGE_LIMIT = 160_000
"""Rows of one language; nearly half of what is collected is Python."""

Row = dict[str, str]


def main() -> None:
    """Read the arguments, pack, and print what was dropped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collected", type=Path)
    parser.add_argument("packed", type=Path)
    parser.add_argument("--names", type=Path, nargs="+", required=True, help="files of repositories, owner/name a line")
    parser.add_argument("--trees", type=Path, nargs="*", default=[], help="folders that hold their trees")
    parser.add_argument("--questions", type=Path, nargs="*", default=[], help="Japanese questions that must not appear")
    parser.add_argument("--limit", type=int, help="rows of each collected file, for a small run")
    arguments = parser.parse_args()
    rows = list(read(arguments.collected, arguments.limit))
    names = [name for path in arguments.names for name in path.read_text().split()]
    kept, report = clean(rows, names, arguments.trees, questions(arguments.questions))
    write(arguments.packed, kept)
    report["digest"] = hashlib.sha256(arguments.packed.read_bytes()).hexdigest()
    text = json.dumps(report, indent=1, ensure_ascii=False)
    arguments.packed.with_suffix(".report.json").write_text(text + "\n", encoding="utf-8")
    print(text)


def read(folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Yield every collected row, or the first ones of each file."""
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, limit):
                row = json.loads(line)
                name = path.name.split(".")[0]
                if "p" in row:
                    row |= {"k": name, "n": " ".join(row["n"]) if isinstance(row["n"], list) else row["n"]}
                yield {**row, "s": row.get("s", name)}


def questions(paths: Sequence[Path]) -> list[str]:
    """Return the Japanese of question files, whichever field it is in."""
    found: list[str] = []
    for path in paths:
        rows = json.loads(path.read_text(encoding="utf-8"))
        for row in [asked for one in rows for asked in one.get("questions", [one])]:
            found += [row[key] for key in ("query", "japanese", "ja") if key in row]
    return found


def clean(rows: list[Row], names: list[str], trees: Sequence[Path], asked: list[str]) -> tuple[list[Row], dict]:
    """Return the rows that may be trained on, and a report of the others."""
    dropped: Counter[str] = Counter()
    rows = _without(rows, [not licences.free(row["s"]) for row in rows], "licence", dropped)
    rows = _without(rows, [overlap.named(row["s"], names) for row in rows], "name", dropped)
    rows, sources = _without_copies(rows, trees, dropped)
    japanese = [text if CJK_RUN.search(text) else "" for text in (row.get("j") or row["q"] for row in rows)]
    rows = _without(rows, overlap.like_questions(japanese, asked), "question", dropped)
    rows = _without(rows, _over_limit(rows), "too many of the language", dropped)
    languages = Counter(row.get("l", "ja") for row in rows)
    report = {"rows": len(rows), "dropped": dict(dropped), "sources dropped": sources, "languages": dict(languages)}
    return rows, report


def _without_copies(rows: list[Row], trees: Sequence[Path], dropped: Counter[str]) -> tuple[list[Row], list[str]]:
    known = overlap.reference(overlap.tree_texts(trees))
    docs = overlap.copied([row.get("q", "") for row in rows], known)
    codes = overlap.copied([row.get("c", "") for row in rows], known)
    sources = overlap.sources_to_drop([row["s"] for row in rows], docs | codes)
    dropped["rows in copied sources"] = sum(row["s"] in sources for row in rows)
    flags = (docs | codes) | np.array([row["s"] in sources for row in rows])
    dropped["copied docs"], dropped["copied code"] = int(docs.sum()), int(codes.sum())
    return _without(rows, flags, "copied, all told", dropped), sorted(sources)


def _without(rows: list[Row], flags: Any, why: str, dropped: Counter[str]) -> list[Row]:
    kept = [row for row, flag in zip(rows, flags, strict=True) if not flag]
    dropped[why] += len(rows) - len(kept)
    return kept


def _over_limit(rows: list[Row]) -> list[bool]:
    """Mark what is above a language's limit, in docs and in each kind of history, spread evenly over its sources."""
    groups = [(row["l"], row.get("k", "")) if "l" in row else ("", "") for row in rows]
    totals = Counter(groups)
    seen: Counter[tuple[str, str]] = Counter()
    marks = []
    for group in groups:
        seen[group] += 1
        share = min(1.0, LANGUAGE_LIMIT / totals[group]) if group[0] else 1.0
        marks.append(int(seen[group] * share) == int((seen[group] - 1) * share))
    return marks


def write(path: Path, rows: list[Row]) -> None:
    """Write the rows, those of one source together, so that they compress and neighbours are hard negatives."""
    rows = sorted(rows, key=lambda row: ("j" in row, row["s"]))
    with lzma.open(path, "wt", encoding="utf-8", preset=6) as out:
        for row in rows:
            short = {**row, "c": row["c"][:CODE_LIMIT]} if "c" in row else row
            out.write(json.dumps(short, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
