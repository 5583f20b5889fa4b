"""How well the table finds files by itself: no word statistics, no ranking signals.

    python -m training.evaluate MODEL PROJECTS.jsonl.xz --terms benchmarks/quality/terms.json

``measure`` gives NDCG@10 by file on the development questions, English and Japanese, for each way to make one score of
a file's chunks: the best chunk, the chunk vectors' mean, or the sum of the squares of the fifty best cosines.
"""

import argparse
import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shirube.engine.embed.static import GLOSSARY_SHARE, PATH_SHARE, SYMBOL_SHARE, Vocabulary, question
from shirube.engine.text.tokens import split_identifier
from training.arrays import backend, host
from training.bags import Bags, encode
from training.export import load

TOP = 10
BEST = 50


def main() -> None:
    """Measure an exported model and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("projects", type=Path)
    parser.add_argument("--terms", type=Path, help="Japanese terms and their symbols; symbols.json lies beside it")
    parser.add_argument("--path-share", type=float, default=PATH_SHARE)
    parser.add_argument("--symbol-share", type=float, default=SYMBOL_SHARE)
    parser.add_argument("--glossary-share", type=float, default=GLOSSARY_SHARE)
    parser.add_argument("--width", type=int, default=0, help="use only so many dimensions")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    rows, terms, shared = load(arguments.model)
    rows = np.ascontiguousarray(rows[:, : arguments.width or None])
    vocabulary = Vocabulary(terms, shared)
    if arguments.terms:
        pools = json.loads(arguments.terms.with_name("symbols.json").read_text("utf-8"))
        pairs = json.loads(arguments.terms.read_text("utf-8"))
        print(find_terms(rows, vocabulary, pairs, pools, arguments.glossary_share))
    encoded = encode_projects(vocabulary, read_projects(arguments.projects), arguments.workers)
    mix = Mix(arguments.path_share, arguments.symbol_share, arguments.glossary_share)
    for key, value in sorted(measure(rows, encoded, mix).items()):
        print(f"{key:24} {value:.4f}")


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of what is mixed into a passage or a question."""

    path: float = PATH_SHARE
    symbol: float = SYMBOL_SHARE
    glossary: float = GLOSSARY_SHARE


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, its kind, and the files that answer each of its targets."""

    text: str
    kind: str
    targets: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Project:
    """One repository of the development split."""

    name: str
    paths: list[str]
    chunks: list[str]
    symbols: list[str]
    starts: np.ndarray
    """Where each file's chunks begin."""
    questions: list[Question]
    japanese: list[tuple[int, str]]
    """The number of an English question, and the same in Japanese."""


def read_projects(path: Path) -> list[Project]:
    """Read what ``training.projects`` wrote: a project a line."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [_project(json.loads(line)) for line in lines]


def _project(row: dict[str, Any]) -> Project:
    files = row["files"]
    counts = [len(file["chunks"]) for file in files]
    return Project(
        name=row["name"],
        paths=[file["path"] for file in files],
        chunks=[chunk for file in files for chunk in file["chunks"]],
        symbols=[symbol for file in files for symbol in file["symbols"]],
        starts=np.cumsum([0, *counts[:-1]]),
        questions=[Question(q["text"], q["kind"], tuple(map(tuple, q["targets"]))) for q in row["questions"]],
        japanese=[tuple(pair) for pair in row["japanese"]],
    )


@dataclass(frozen=True, slots=True)
class Encoded:
    """A project as bags of one vocabulary."""

    project: Project
    chunks: Bags
    paths: Bags
    symbols: Bags
    english: "Asked"
    japanese: "Asked"


def encode_projects(vocabulary: Vocabulary, projects: list[Project], workers: int = 1) -> list[Encoded]:
    """Cut all texts once; the tables of a sweep share them."""
    return [
        Encoded(
            project,
            encode(vocabulary, project.chunks, workers).on_device(),
            encode(vocabulary, project.paths).on_device(),
            encode(vocabulary, project.symbols).on_device(),
            Asked.of(vocabulary, [q.text for q in project.questions]),
            Asked.of(vocabulary, [text for _, text in project.japanese]),
        )
        for project in projects
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions, and the glossary's English for them."""

    texts: Bags
    english: Bags

    @staticmethod
    def of(vocabulary: Vocabulary, texts: list[str]) -> "Asked":
        """Cut questions as the package does."""
        cut = [question(text) for text in texts]
        bags = (encode(vocabulary, [pair[side] for pair in cut]).on_device() for side in (0, 1))
        return Asked(*bags)

    def units(self, rows: Any, glossary_share: float = GLOSSARY_SHARE) -> np.ndarray:
        """Return the unit rows."""
        return _unit(_unit(self.texts.sums(rows)) + glossary_share * _unit(self.english.sums(rows)))


def measure(rows: np.ndarray, encoded: list[Encoded], mix: Mix) -> dict:
    """Return NDCG@10 for every way to score a file, in both languages."""
    rows = backend().asarray(rows)
    per: dict[str, list[float]] = {}
    for one in encoded:
        for key, value in _measure_one(rows, one, mix).items():
            per.setdefault(key, []).append(value)
    return {key: round(float(np.mean(values)), 4) for key, values in per.items()}


def _measure_one(rows: np.ndarray, one: Encoded, mix: Mix) -> dict[str, float]:
    chunks = place(rows, one, mix)
    project = one.project
    numbers = [number for number, _ in project.japanese]
    english = _questions(one.english.units(rows, mix.glossary), chunks, project, range(len(project.questions)))
    found = {f"en {way}": float(np.mean(values)) for way, values in english.items()}
    japanese = _questions(one.japanese.units(rows, mix.glossary), chunks, project, numbers)
    for way, values in japanese.items():
        found[f"ja {way}"] = float(np.mean(values))
        found[f"en-of-ja {way}"] = float(np.mean([english[way][number] for number in numbers]))
    for kind in {q.kind for q in project.questions}:
        which = [i for i, q in enumerate(project.questions) if q.kind == kind]
        found[f"{kind} blend"] = float(np.mean([english["blend"][i] for i in which]))
    return found


def place(rows: np.ndarray, one: Encoded, mix: Mix) -> np.ndarray:
    """Return the unit rows of a project's chunks, with path and symbol mixed in."""
    project = one.project
    counts = np.diff([*project.starts, len(project.chunks)])
    made = _unit(_unit(one.chunks.sums(rows)) + mix.symbol * _unit(one.symbols.sums(rows)))
    return _unit(made + mix.path * np.repeat(_unit(one.paths.sums(rows)), counts, axis=0))


def _questions(asked: np.ndarray, chunks: np.ndarray, project: Project, numbers: Any) -> dict[str, list[float]]:
    scores = file_scores(asked @ chunks.T, asked, chunks, project.starts)
    return {
        way: [ndcg(score[i], project.questions[number].targets) for i, number in enumerate(numbers)]
        for way, score in scores.items()
    }


def file_scores(cosine: np.ndarray, asked: np.ndarray, chunks: np.ndarray, starts: np.ndarray) -> dict[str, np.ndarray]:
    """Return a score per question and file for every way to make one."""
    best = np.maximum.reduceat(cosine, starts, axis=1)
    mean = asked @ _unit(np.add.reduceat(chunks, starts, axis=0)).T
    least = -np.sort(-cosine, axis=1)[:, :BEST][:, -1:]
    square = np.add.reduceat(np.where(cosine >= least, np.maximum(cosine, 0), 0) ** 2, starts, axis=1)
    parts = [np.maximum(part, 0) for part in (best, mean, square)]
    blend = sum(part / np.maximum(part.max(axis=1, keepdims=True), 1e-9) for part in parts)
    return {"max": best, "mean": mean, "square": square, "blend": blend}


def ndcg(score: np.ndarray, targets: tuple[tuple[int, ...], ...]) -> float:
    """Return NDCG@10 of the files in order of their score."""
    order = np.lexsort((np.arange(len(score)), -score))[:TOP]
    rank = {int(file): place for place, file in enumerate(order) if score[file] > 0}
    gain = 1 / np.log2(np.arange(2, TOP + 2))
    hit = {min(rank[file] for file in target if file in rank) for target in targets if any(f in rank for f in target)}
    return float(sum(gain[place] for place in hit) / gain[: min(TOP, len(targets))].sum())


def _unit(rows: Any) -> np.ndarray:
    rows = host(rows)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length == 0, 1, length)


def find_terms(
    rows: np.ndarray,
    vocabulary: Vocabulary,
    pairs: list[dict],
    pools: dict[str, list[str]],
    glossary_share: float = GLOSSARY_SHARE,
) -> dict:
    """Return how often a Japanese term finds its symbol among a thousand of its repository.

    ``strict`` counts the symbol that the term was written for, the others also those that say the same.
    """
    strict, ranks = [], []
    for repo, pool in pools.items():
        asked = [pair for pair in pairs if pair["repo"] == repo]
        names = [" ".join(split_identifier(name)) for name in pool]
        symbols = _unit(encode(vocabulary, names).on_device().sums(backend().asarray(rows)))
        terms = Asked.of(vocabulary, [pair["japanese"] for pair in asked])
        terms = terms.units(backend().asarray(rows), glossary_share)
        for pair, score in zip(asked, terms @ symbols.T, strict=True):
            right = [int((score > score[pool.index(name)]).sum()) for name in (pair["symbol"], *pair.get("also", ()))]
            strict.append(right[0])
            ranks.append(min(right))
    shares = {f"top {n}": round(float((np.array(ranks) < n).mean()), 4) for n in (1, 10)}
    return {"pairs": len(ranks), **shares, "top 1 strict": round(float((np.array(strict) == 0).mean()), 4)}


if __name__ == "__main__":
    main()
