"""Others on the same questions: grep as an agent uses it, plain BM25, semble without its model, seed 001 as written."""

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.quality.data import Repository
from benchmarks.quality.metric import ndcg
from benchmarks.quality.ours import Ours
from benchmarks.quality.seed import rank_as_written

Search = Callable[[str], list[str]]

_STOP = {"a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "has", "have", "how", "if"}
_STOP |= {"in", "is", "it", "not", "of", "on", "or", "the", "to", "was", "what", "when", "where", "which", "who"}
_STOP |= {"why", "with"}
_WORD = re.compile(r"[A-Za-z0-9_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def ripgrep(repository: Repository, ours: Ours) -> Search:
    """Rank by how many words of the question a file has, then by how often: a process for each word."""

    def search(text: str) -> list[str]:
        words = {word.lower() for word in _WORD.findall(text) if len(word) > 2} - _STOP or {text}
        distinct: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for word in sorted(words):
            command = ["rg", "--count", "--no-heading", "--ignore-case", "--fixed-strings", "--", word, "."]
            lines = subprocess.run(command, capture_output=True, text=True, cwd=repository.root, check=False).stdout
            for line in lines.splitlines():
                path, _, count = line.removeprefix("./").rpartition(":")
                distinct[path] += 1
                total[path] += int(count)
        return sorted(distinct, key=lambda path: (-distinct[path], -total[path], path))

    return search


def plain_bm25(repository: Repository, ours: Ours) -> Search:
    """BM25 over 40-line windows with the path in them, names split: the usual way."""
    from shirube.engine.text.bm25 import Bm25

    index: Bm25[tuple[str, int]] = Bm25()
    for path, text in ours.texts(repository.name).items():
        lines = text.splitlines()
        for start in range(0, max(1, len(lines) - 10), 30):
            index.add((path, start), _tokens("\n".join(lines[start : start + 40]) + " " + path))

    def search(text: str) -> list[str]:
        scores = index.scores(dict.fromkeys(_tokens(text), 1.0))
        return [path for path, _ in sorted(scores, key=lambda key: (-scores[key], key))]

    return search


def _tokens(text: str) -> list[str]:
    found = []
    for word in _WORD.findall(text):
        parts = _PART.findall(word)
        found += [word.lower(), *(part.lower() for part in parts if len(parts) > 1)]
    return found


def semble(repository: Repository, ours: Ours) -> Search:
    """Return semble 0.7 without its model (alpha = 0), with its ranking."""
    from semble.index.create import create_index_from_path
    from semble.index.index import SembleIndex

    root = repository.root.resolve()
    model = Ones()
    bm25, dense, chunks, *_ = create_index_from_path(root, model=model, display_root=root)
    index = SembleIndex(model, bm25, dense, chunks, "none", root=root)

    def search(text: str) -> list[str]:
        found = index.search(text, top_k=10, alpha=0.0, rerank=True)
        return [_relative(root, result.chunk.file_path) for result in found]

    return search


class Ones:
    """Stands in for a trained encoder: every text gets the same numbers at no cost."""

    dim = 8

    def encode(self, texts: list[str], **options: object) -> Any:
        """Return a row for each text."""
        import numpy as np

        return np.ones((len(texts), self.dim), dtype=np.float32)


def seed_001(repository: Repository, ours: Ours) -> Search:
    """Rank by the formula of seed 001, to the letter."""
    texts, imports = ours.texts(repository.name), defaultdict(set)
    for source, target in ours.edges(repository.name):
        imports[source].add(target)
    return lambda text: rank_as_written(text, texts, imports)


def _relative(root: Path, path: str) -> str:
    return path.removeprefix(f"{root}/")


PEERS: dict[str, Callable[[Repository, Ours], Search]] = {
    "ripgrep per keyword": ripgrep,
    "BM25 over 40-line windows": plain_bm25,
    "seed 001 as written": seed_001,
    "semble 0.7, words and ranking": semble,
}


def scores_of(name: str, repositories: list[Repository], ours: Ours) -> dict[tuple[str, int], float]:
    """Return a peer's score of each question."""
    found = {}
    for repository in repositories:
        search = PEERS[name](repository, ours)
        for one in repository.questions:
            found[repository.name, one.number] = ndcg(search(one.text), one)
    return found
