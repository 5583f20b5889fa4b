"""Fit the table by which the slots of a request are read, and write it into the package.

    python -m training.slots [--check] [--folds] [--words]

``requests.jsonl`` holds requests by several authors, who saw neither the program nor the test parts of
``benchmarks/requests``; each slot is a quotation or empty. For every slot a softmax over all runs of units and the
empty slot is fitted by Adam with a quadratic penalty. ``--folds`` leaves out each author in turn and measures instead
of writing; ``--check`` fits again and compares with the table that ships; ``--words`` prints the words that begin
wishes and those that tell of trouble, for ``words.toml``.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.requests.__main__ import is_right

from shirube.features.plan import slots
from shirube.features.plan.frame import ASKED, SLOTS, Intent
from shirube.features.plan.slots import (
    LONGEST,
    ROWS,
    SCALE,
    cut_units,
    features_of,
    is_japanese,
    length_feature,
    row_of,
)

HERE = Path(__file__).parent
TABLE = HERE.parents[1] / "src" / "shirube" / "features" / "plan" / "slots.bin"
EPOCHS, BATCH, RATE, PENALTY, DROPPED = 12, 16, 0.02, 0.6, 0.2
"""How long, how fast and how freely it is fitted; chosen with each author left out in turn."""
MOMENTS = (0.9, 0.999)
Rows = list[np.ndarray]


def read_rows() -> list[dict[str, str]]:
    """Return the requests with their slots."""
    return [json.loads(line) for line in (HERE / "requests.jsonl").read_text("utf-8").splitlines()]


class Example:
    """A request as rows of the table, and where its slots are."""

    def __init__(self, row: dict[str, str]) -> None:
        text, intent = row["request"], Intent(row["intent"])
        units = cut_units(text)
        features = features_of(text, units, intent)
        self.count = len(units)
        self.first, self.last, self.inside = (
            [np.array([row_of(feature) for feature in group]) for group in groups] for groups in features[:3]
        )
        self.whole = np.array([row_of(feature) for feature in features.whole])
        lengths = range(1, LONGEST + 1)
        self.lengths = np.array([row_of(length_feature(length, is_japanese(units))) for length in lengths])
        distance = np.arange(self.count)[None, :] - np.arange(self.count)[:, None]
        self.starts, self.ends = np.nonzero((distance >= 0) & (distance < LONGEST))
        self.wanted = {SLOTS.index(slot): _places(text, units, row[slot]) for slot in ASKED[intent]}

    def gradient(self, table: np.ndarray, change: np.ndarray, dice: np.random.Generator) -> None:
        """Add what each row should lose to ``change``."""
        groups = [*self.first, *self.last, *self.inside, self.whole]
        kept = [(dice.random(len(group)) >= DROPPED) / (1 - DROPPED) for group in groups]
        sums = np.stack([weights @ table[group] for group, weights in zip(groups, kept, strict=True)])
        for slot, wanted in self.wanted.items():
            if wanted is None:
                continue
            by, of_length = self._pull(sums[:, slot], table[:, slot], wanted)
            for group, weights, one in zip(groups, kept, by, strict=True):
                np.add.at(change[:, slot], group, weights * one)
            np.add.at(change[:, slot], self.lengths, of_length)

    def _pull(
        self, sums: np.ndarray, table: np.ndarray, wanted: Sequence[tuple[int, int]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much each group of features and each length is too likely."""
        count, starts, ends = self.count, self.starts, self.ends
        inside = np.concatenate([[0.0], np.cumsum(sums[2 * count : -1])])
        worth = sums[:count][starts] + sums[count : 2 * count][ends] + inside[ends + 1] - inside[starts]
        worth = worth + table[self.lengths][ends - starts]
        most = max(worth.max(), sums[-1])
        runs, empty = np.exp(worth - most), np.exp(sums[-1] - most)
        total = runs.sum() + empty
        runs, empty = runs / total, empty / total
        if wanted:
            meant = np.isin(starts * count + ends, [start * count + end for start, end in wanted])
            runs = runs - (runs + 1e-12) * meant / ((runs + 1e-12) * meant).sum()
        else:
            empty -= 1.0
        first, last = np.bincount(starts, runs, minlength=count), np.bincount(ends, runs, minlength=count)
        cover = np.cumsum(first) - np.concatenate([[0.0], np.cumsum(last)[:-1]])
        by_length = np.bincount(ends - starts, runs, minlength=LONGEST)
        return np.concatenate([first, last, cover, [empty]]), by_length


def _places(text: str, units: Sequence[slots.Unit], value: str) -> list[tuple[int, int]] | None:
    """Return the runs of units that are nearest to a value wherever it stands; None if it is too long to be read."""
    found, place = [], text.find(value) if value else -1
    while place >= 0:
        start = min(range(len(units)), key=lambda number: abs(units[number].start - place))
        end = min(range(len(units)), key=lambda number: abs(units[number].end - place - len(value)))
        if start <= end < start + LONGEST:
            found.append((start, end))
        place = text.find(value, place + 1)
    return found if found or not value else None


def fit(rows: Sequence[dict[str, str]]) -> np.ndarray:
    """Return the table: whole numbers, a row for each hash, a column for each slot."""
    dice = np.random.default_rng(7)
    examples = [Example(row) for row in rows]
    table = np.zeros((ROWS, len(SLOTS)))
    mean, square, step = np.zeros_like(table), np.zeros_like(table), 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS) + 1e-4
        order = dice.permutation(len(examples))
        for begin in range(0, len(order), BATCH):
            change = 2 * PENALTY * table * BATCH / len(examples)
            batch = np.zeros_like(table)
            for number in order[begin : begin + BATCH]:
                examples[number].gradient(table, batch, dice)
            change += batch / BATCH
            step += 1
            mean = MOMENTS[0] * mean + (1 - MOMENTS[0]) * change
            square = MOMENTS[1] * square + (1 - MOMENTS[1]) * change**2
            moved = (mean / (1 - MOMENTS[0] ** step)) / (np.sqrt(square / (1 - MOMENTS[1] ** step)) + 1e-8)
            table -= rate * moved
    return np.clip(np.rint(table * SCALE), -127, 127).astype(np.int8)


def measure(table: np.ndarray, rows: Sequence[dict[str, str]]) -> float:
    """Return the share of slots that a table reads rightly."""
    from array import array
    from unittest.mock import patch

    with patch.object(slots, "_table", lambda: array("b", table.tobytes())):
        right = []
        for row in rows:
            found = slots.read_slots(row["request"], Intent(row["intent"]))
            right += [is_right(row[slot], found.get(slot, "")) for slot in SLOTS]
    return sum(right) / len(right)


def author(row: dict[str, str]) -> str:
    """Return who wrote a request: its id without the number."""
    return row["id"].partition("-")[0]


def folds(rows: Sequence[dict[str, str]]) -> None:
    """Print how well the requests of each author are read by a table fitted without them."""
    for name in sorted({author(row) for row in rows}):
        own = [row for row in rows if author(row) == name]
        table = fit([row for row in rows if author(row) != name])
        print(f"{name}: {measure(table, own):.3f} of the slots of {len(own)} requests", flush=True)


def words(rows: Sequence[dict[str, str]]) -> None:
    """Print the English words that begin wishes, and those that are mostly said of trouble."""
    english = [row for row in rows if row["request"].isascii()]
    begin = Counter(row["desired_action"].split()[0].lower() for row in english if row["desired_action"])
    everywhere = Counter(word for row in english for word in row["request"].lower().split())
    trouble = Counter(word for row in english for word in row["observed_issue"].lower().split())
    print("doing:", " ".join(sorted(word for word, count in begin.items() if count > 1 and word.isalpha())))
    told = (word for word, count in trouble.items() if count > 3 and count > 0.6 * everywhere[word] and word.isalpha())
    print("trouble:", " ".join(sorted(told)))


def main() -> None:
    """Fit and write, or measure, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folds", action="store_true")
    parser.add_argument("--words", action="store_true")
    options: Any = parser.parse_args()
    rows = read_rows()
    if options.words:
        return words(rows)
    if options.folds:
        return folds(rows)
    table = fit(rows)
    if not options.check:
        TABLE.write_bytes(table.tobytes())
    elif TABLE.read_bytes() != table.tobytes():
        raise SystemExit("the table that ships was fitted otherwise")
    return None


if __name__ == "__main__":
    main()
