"""Others on the same questions: grep as an agent uses it, plain BM25, semble without its model, seed 001 as written."""

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.quality.answers import Answer, Span
from benchmarks.quality.data import Labelled, Repository
from benchmarks.quality.ours import Ours
from benchmarks.quality.seed import rank_as_written

Search = Callable[[str], list[Span]]

STOP = {"a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "has", "have", "how", "if"}
STOP |= {"in", "is", "it", "not", "of", "on", "or", "the", "to", "was", "what", "when", "where", "which", "who"}
STOP |= {"why", "with"}
_WORD = re.compile(r"[A-Za-z0-9_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_EXCEPTION = re.compile(r"^\w+: ")
_LINE = re.compile(r"^\./(.+?):(\d+):", re.MULTILINE)


def _files(paths: Iterable[str]) -> list[Span]:
    return [(path, 0, 0) for path in paths]


def ripgrep(repository: Repository, ours: Ours) -> Search:
    """Rank by how many words of the question a file has, then by how often: a process for each word."""

    def search(text: str) -> list[Span]:
        words = {word.lower() for word in _WORD.findall(text) if len(word) > 2} - STOP or {text}
        distinct: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for word in sorted(words):
            command = ["rg", "--count", "--no-heading", "--ignore-case", "--fixed-strings", "--", word, "."]
            lines = subprocess.run(command, capture_output=True, text=True, cwd=repository.root, check=False).stdout
            for line in lines.splitlines():
                path, _, count = line.removeprefix("./").rpartition(":")
                distinct[path] += 1
                total[path] += int(count)
        return _files(sorted(distinct, key=lambda path: (-distinct[path], -total[path], path)))

    return search


def literal(repository: Repository, ours: Ours) -> Search:
    """Look for the whole text as it is, without the exception's name: what one does with an error message first."""

    def search(text: str) -> list[Span]:
        command = ["rg", "--line-number", "--no-heading", "--sort=path", "--fixed-strings", "--"]
        command += [_EXCEPTION.sub("", text), "."]
        lines = subprocess.run(command, capture_output=True, text=True, cwd=repository.root, check=False).stdout
        return [(path, int(number), int(number)) for path, number in _LINE.findall(lines)]

    return search


def plain_bm25(repository: Repository, ours: Ours) -> Search:
    """BM25 over 40-line windows with the path in them, names split: the usual way."""
    from shirube.engine.text.bm25 import Bm25

    index: Bm25[tuple[str, int]] = Bm25()
    for path, text in ours.texts(repository.name).items():
        lines = text.splitlines()
        for start in range(0, max(1, len(lines) - 10), 30):
            index.add((path, start), _tokens("\n".join(lines[start : start + 40]) + " " + path))

    def search(text: str) -> list[Span]:
        scores = index.scores(dict.fromkeys(_tokens(text), 1.0))
        return _files(path for path, _ in sorted(scores, key=lambda key: (-scores[key], key)))

    return search


def _tokens(text: str) -> list[str]:
    found = []
    for word in _WORD.findall(text):
        parts = _PART.findall(word)
        found += [word.lower(), *(part.lower() for part in parts if len(parts) > 1)]
    return found


def semble(repository: Repository, ours: Ours) -> Search:
    """Return semble 0.7 without its model (alpha = 0), with its ranking."""
    root = repository.root.resolve()
    index = semble_index(root)

    def search(text: str) -> list[Span]:
        chunks = [result.chunk for result in index.search(text, top_k=10, alpha=0.0, rerank=True)]
        return [(chunk.file_path.removeprefix(f"{root}/"), chunk.start_line, chunk.end_line) for chunk in chunks]

    return search


def semble_index(root: Path) -> Any:
    """Return semble's index of a tree, made without its model."""
    from semble.index.create import create_index_from_path
    from semble.index.index import SembleIndex

    model: Any = Ones()
    bm25, dense, chunks, *_ = create_index_from_path(root, model=model, display_root=root)
    return SembleIndex(model, bm25, dense, chunks, "none", root=root)


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
    return lambda text: _files(rank_as_written(text, texts, imports))


SEMBLE = "semble 0.7, words and ranking"
LITERAL = "ripgrep for the literal"
PEERS: dict[str, Callable[[Repository, Ours], Search]] = {
    "ripgrep per keyword": ripgrep,
    "BM25 over 40-line windows": plain_bm25,
    "seed 001 as written": seed_001,
    SEMBLE: semble,
    LITERAL: literal,
}


def peer_answers(name: str, ours: Ours, asked: Sequence[Labelled]) -> list[Answer]:
    """Ask a peer, which indexes each repository once."""
    found: dict[Labelled, Answer] = {}
    for repository in ours.repositories:
        own = [one for one in asked if one.repository == repository.name]
        search = PEERS[name](repository, ours) if own else None
        found |= {one: Answer(one, tuple(search(one.text))) for one in own if search}
    return [found[one] for one in asked]
