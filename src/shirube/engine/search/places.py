"""How well the words of a question fit a path and the name of the file: BM25 over the candidates' own paths.

The store finds paths by their words but scores them among chunks, of which there are many more than files; here
each path is a document, a term is as rare as the paths that have it, and long paths count for less.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from shirube.engine.text import index_terms
from shirube.engine.text.bm25 import idf, saturation

FACES = frozenset({"mod", "index", "init", "main", "lib", "package", "default"})
"""File names that stand for their directory: ``auth/index.ts`` is what ``auth.ts`` would be."""


def name_of(path: str) -> str:
    """Return what a file is called: ``src/user_repo.test.py`` → ``user_repo``, ``auth/mod.rs`` → ``auth``."""
    *above, last = path.split("/")
    name = last.split(".")[0] or last
    return above[-1] if above and name.strip("_").lower() in FACES else name


def fits(paths: Iterable[str], terms: Mapping[str, float], files: int, known: Mapping[str, int]) -> dict[str, float]:
    """Return how well each whole path fits the terms; ``known`` tells in how many of ``files`` paths a term is."""
    return _bm25({path: _path_terms(path) for path in paths}, terms, files, known)


def names_fit(
    paths: Iterable[str], terms: Mapping[str, float], files: int, known: Mapping[str, int]
) -> dict[str, float]:
    """Return how well each file's name fits the terms."""
    return _bm25({path: _name_terms(path) for path in paths}, terms, files, known)


@lru_cache(maxsize=1 << 16)
def _path_terms(path: str) -> tuple[str, ...]:
    return tuple(index_terms(path))


@lru_cache(maxsize=1 << 16)
def _name_terms(path: str) -> tuple[str, ...]:
    return tuple(index_terms(name_of(path)))


def _bm25(
    documents: Mapping[str, tuple[str, ...]], terms: Mapping[str, float], files: int, known: Mapping[str, int]
) -> dict[str, float]:
    average = sum(map(len, documents.values())) / max(1, len(documents))
    weights = {term: worth * idf(max(files, known.get(term, 0)), known.get(term, 0)) for term, worth in terms.items()}
    found = {}
    for path, words in documents.items():
        if there := weights.keys() & words:
            length = len(words)
            found[path] = sum(weights[term] * saturation(words.count(term), length, average) for term in sorted(there))
    return found
