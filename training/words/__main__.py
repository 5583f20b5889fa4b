"""Mine the table of Japanese words that ships, and write it.

    python -m training.words COLLECTED HISTORIES [--out TABLE] [--check] [--no-histories] [--no-proposals]

COLLECTED holds translated texts (``e``, ``j``, ``s``), HISTORIES ``ja_commits.jsonl.xz`` and ``ja_comments.jsonl.xz``
of ``training.histories``. Sources without a known free licence are left out, and so are texts that are nearly a
question of a benchmark. The same data and model give the same table; ``--check`` only compares.
"""

import argparse
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shirube.codec import replace
from shirube.engine.embed.static import ROWS, SCALES, TERMS
from shirube.engine.text.glossary import JapaneseWord, Table, forms_of, japanese_words, read_table
from shirube.engine.text.japanese import folded
from shirube.engine.text.tokens import split_identifier
from training import data, licences, overlap
from training.words import meanings, telling
from training.words.align import Links, Pair, align
from training.words.cut import (
    JAPANESE,
    LONGEST_TEXT,
    MOST_UNITS,
    Unit,
    compounds,
    english,
    is_telling,
    merged,
    stems,
    sudachi,
)

PACKAGE = Path(__file__).parents[2] / "src" / "shirube" / "engine"
TABLE, MODEL = PACKAGE / "text" / "japanese.tsv", PACKAGE / "embed" / "data"
ASKED = ("quality/japanese.json", "quality/terms.json", "japanese/unseen.json")
"""Of the benchmarks."""
HISTORY_WEIGHT = 0.5
"""What a message and the names it touches count beside a translated text."""
COMMIT_NAMES, COMMENT_NAMES = 14, 8
SILENT = 300
"""A word that occurs so often and has no meaning is grammar: it is in the table to be silent, and to be cut rightly."""


class Miner:
    """Collects pairs, how words are spelled, and in how many projects a word and a name meet."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.spellings: dict[str, Counter[str]] = {}

    def pair(self, words: Sequence[str], units: Sequence[Unit], weight: float = 1.0) -> Iterator[Pair]:
        """Yield the pair of an English and a Japanese text, unless either says nothing or is too long."""
        self.words += words
        telling = [unit for unit in units if unit.says]
        for unit in telling:
            self.spellings.setdefault(unit.form, Counter())[unit.written] += 1
        left, right = stems(words), list(dict.fromkeys(unit.form for unit in telling))
        if left and right and max(len(left), len(right)) <= MOST_UNITS:
            yield left, right, weight


def main() -> None:
    """Mine and write, or compare."""
    parser = argparse.ArgumentParser(prog="python -m training.words", description=__doc__)
    parser.add_argument("collected", type=Path)
    parser.add_argument("histories", type=Path)
    parser.add_argument("--out", type=Path, default=TABLE)
    parser.add_argument("--check", action="store_true", help="only tell whether the table is what the data gives")
    parser.add_argument("--no-histories", action="store_true", help="translated texts alone")
    parser.add_argument("--no-proposals", action="store_true", help="without the model's proposals")
    given = parser.parse_args()
    text = mine(given.collected, given.histories, not given.no_histories, not given.no_proposals)
    if given.check:
        sys.exit(0 if given.out.read_text("utf-8") == text else f"{given.out.name} differs from what the data gives")
    given.out.write_text(text, "utf-8")


def mine(collected: Path, histories: Path, with_histories: bool = True, with_proposals: bool = True) -> str:
    """Return the table as text."""
    strings = translated(collected)
    short, long = sudachi("A"), sudachi("C")
    miner = Miner()
    english_of = [english(row["e"]) for row in strings]
    plain = [pair for row, words in zip(strings, english_of, strict=True) for pair in miner.pair(words, long(row["j"]))]
    by_long = align(plain)
    by_short = align(
        pair for row, words in zip(strings, english_of, strict=True) for pair in miner.pair(words, short(row["j"]))
    )
    known, parts_of, whole = compounds([row["j"] for row in strings], short), {}, []
    for row, words in zip(strings, english_of, strict=True):
        cut = list(merged(short(row["j"]), known))
        parts_of.update({unit.form: parts for unit, parts in cut if len(parts) > 1})
        whole += miner.pair(words, [unit for unit, _ in cut])
    table = meanings.from_strings(by_long, by_short, align(whole), parts_of)
    commits = read_history(histories / "ja_commits.jsonl.xz")
    if with_histories:
        comments = read_history(histories / "ja_comments.jsonl.xz")
        _add_histories(table, miner, plain, by_long, (commits, comments))
    if with_proposals:
        terms = (MODEL / TERMS).read_text("utf-8").splitlines()
        rows = np.load(MODEL / ROWS)[: len(terms)].astype(np.float32) * np.load(MODEL / SCALES)[: len(terms), None]
        meanings.add_proposals(table, terms, rows, miner.spellings.keys() - parts_of.keys())
    return written(table, miner, by_long, commits)


def translated(folder: Path) -> list[dict[str, str]]:
    """Return the translated texts that may be used, each once."""
    rows = [row for row in data.read(folder) if "j" in row and licences.free(row["s"])]
    rows = list({(row["e"], row["j"]): row for row in rows if len(row["j"]) <= LONGEST_TEXT}.values())
    asked = data.questions([Path(__file__).parents[2] / "benchmarks" / name for name in ASKED])
    near = overlap.like_questions([row["j"] for row in rows], asked)
    return [row for row, flag in zip(rows, near, strict=True) if not flag]


def read_history(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a history whose licence is known."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if licences.free(row["s"])]


def _add_histories(
    table: meanings.Table, miner: Miner, plain: list[Pair], known: Links, histories: Sequence[list[dict[str, Any]]]
) -> None:
    cut, grown = sudachi("C"), []
    met: dict[tuple[str, str], set[str]] = {}
    for rows, most in zip(histories, (COMMIT_NAMES, COMMENT_NAMES), strict=True):
        pairs = []
        for row in rows:
            for left, right, weight in miner.pair(names(row), cut(row["q"]), HISTORY_WEIGHT):
                pairs.append((left[:most], right, weight))
                for word in right:
                    for one in left[:most]:
                        met.setdefault((word, one), set()).add(row["s"])
        grown.append(align([*plain, *pairs]))
    meanings.add_histories(table, known, grown, {pair: len(projects) for pair, projects in met.items()})


def names(row: dict[str, Any]) -> list[str]:
    """Return the words in the names of a row, and in its file's name and folder."""
    named = row["n"] if isinstance(row["n"], list) else [row["n"]]
    path = str(row.get("p", "")).replace(".", "/").split("/")[-3:-1]
    words = (word for name in (*named, *path) for word in split_identifier(name))
    return [word for word in words if len(word) > 2 and is_telling(word)]


def _in_table(words: Sequence[JapaneseWord], table: Table) -> list[JapaneseWord]:
    """Return the words that the table has, as they stand there: 直し is 直す."""
    return [replace(word, text=table[word.text].partition("\t")[0]) for word in words if word.text in table]


def written(table: meanings.Table, miner: Miner, seen: Links, commits: list[dict[str, Any]]) -> str:
    """Return the rows of the table: the word and its other spellings, how telling it is, what it means."""
    surfaces = meanings.surfaces(miner.words)
    spelled = {word: meanings.spelled(found, surfaces) for word, found in table.items()}
    for word, spellings in sorted(miner.spellings.items()):
        for other, count in spellings.items():
            if word in table and count > 1 and len(other) > 1 and JAPANESE.fullmatch(other):
                spelled.setdefault(other, spelled[word])
    inflected = {form: word for word in sorted(table) for form in forms_of(word) if form != word}
    for form, word in inflected.items():
        if seen.seen.get(form, 0.0) < seen.seen.get(word, 0.0):
            spelled.pop(form, None)  # 開き is 開く more often than a word of its own
    for word, times in seen.seen.items():
        if times >= SILENT and word not in inflected and len(word) > 1 and JAPANESE.fullmatch(word):
            spelled.setdefault(word, [])
    lines: dict[str, str] = {}
    for word, found in sorted(spelled.items(), key=lambda one: (folded(one[0]) != one[0], one[0])):
        lines.setdefault(folded(word), "".join(f"\t{english} {sure}" for english, sure in found))
    plain = read_table(f"{word}\t100{rest}" for word, rest in sorted(lines.items()))
    rows = [(row["s"], _in_table(japanese_words(row["q"], plain), plain), telling.name_stems(row)) for row in commits]
    worth = telling.weights(rows)
    return "".join(
        f"{word}\t{round(100 * worth.get(word, telling.UNSEEN))}{rest}\n" for word, rest in sorted(lines.items())
    )


if __name__ == "__main__":
    main()
