"""Measure how well the words of a request tell its four slots.

    python -m benchmarks.requests [--out benchmarks/requests] [--show SLOT]

``requests.jsonl`` holds 360 requests by five authors who saw neither the program nor each other's work; each slot is
a quotation or empty. One author for each language is the development part, another one the test part; the fresh part
was written after them, before the table of ``training.slots`` was fitted. Nothing of them is in that table; its
authors and the one of the fresh part had read the development part for how slots are underlined. A suggestion is right
if both are empty or if they share at least half of their words: the F1 of words in English, of pairs of characters in
Japanese. ``--show`` lists what is wrong in the development half.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from shirube.features.plan.frame import SLOTS, Intent
from shirube.features.plan.reading import read_frame
from shirube.features.plan.slots import same, words_of

HERE = Path(__file__).parent
HALVES = ("development", "test", "fresh")
LANGUAGES = ("en", "ja")
RESULTS = """\
# Requests

Is a request taken apart into its four slots as a person would do it? {count} requests; a slot is right if it is rightly
empty, or shares half of its words with the person's quotation. Made by `python -m benchmarks.requests`.

| part | language | slots right | filled slots found | given slots right | whole frames right |
|---|---|---|---|---|---|
{rows}

Slots right, by slot:

| part | language | {slots} |
|---|---|---|---|---|---|
{by_slot}

What the program reads was looked at in the development part alone. Thirteen English requests of the test part with
their slots were seen while the features were chosen.
"""


def read_requests() -> list[dict[str, str]]:
    """Return the requests with what a person says of their slots."""
    return [json.loads(line) for line in (HERE / "requests.jsonl").read_text("utf-8").splitlines()]


def is_right(expected: str, given: str) -> bool:
    """Tell whether a suggestion says what a person underlined."""
    return expected == given if not expected or not given else same(words_of(expected), words_of(given))


def suggested(row: dict[str, str]) -> dict[str, str]:
    """Return what the program reads from a request, slot by slot."""
    frame = read_frame(row["request"], Intent(row["intent"]))
    return {slot: frame.value(slot) for slot in SLOTS}


def judged(rows: Iterable[dict[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield slot, what was expected, and what the program says."""
    for row in rows:
        given = suggested(row)
        yield from ((slot, row[slot], given[slot]) for slot in SLOTS)


def share(values: Iterable[bool]) -> str:
    """Return ``"0.87 (104 of 120)"``."""
    found = list(values)
    return f"{sum(found) / len(found):.2f} ({sum(found)} of {len(found)})" if found else "–"


def measures(rows: list[dict[str, str]]) -> list[str]:
    """Return the cells of a row of the first table."""
    cells = list(judged(rows))
    wholly = (all(is_right(row[slot], given) for slot, given in suggested(row).items()) for row in rows)
    return [
        share(is_right(expected, given) for _, expected, given in cells),
        share(is_right(expected, given) for _, expected, given in cells if expected),
        share(is_right(expected, given) for _, expected, given in cells if given),
        share(wholly),
    ]


def tables(rows: list[dict[str, str]]) -> tuple[list[str], list[str]]:
    """Return the rows of both tables."""
    first, second = [], []
    for half in HALVES:
        for language in (*LANGUAGES, "both"):
            part = [row for row in rows if row["half"] == half and language in (row["language"], "both")]
            first.append(f"| {half} | {language} | {' | '.join(measures(part))} |")
            cells = list(judged(part))
            by_slot = [share(is_right(e, g) for slot, e, g in cells if slot == name) for name in SLOTS]
            second.append(f"| {half} | {language} | {' | '.join(by_slot)} |")
    return first, second


def show(rows: list[dict[str, str]], wanted: str) -> None:
    """Print what is wrong in the development half."""
    for row in rows:
        if row["half"] != HALVES[0]:
            continue
        for slot, given in suggested(row).items():
            if slot == wanted and not is_right(row[slot], given):
                print(f"{row['id']} {row['intent']} {row['request']}\n    want {row[slot]!r}\n    have {given!r}")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", choices=SLOTS)
    options: Any = parser.parse_args()
    rows = read_requests()
    if options.show:
        show(rows, options.show)
        return
    first, second = tables(rows)
    text = RESULTS.format(count=len(rows), rows="\n".join(first), slots=" | ".join(SLOTS), by_slot="\n".join(second))
    print(text)
    if options.out:
        (options.out / "results.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
