"""The index terms of paths, of the names that identify files, and of symbols."""

from functools import lru_cache

from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import index_terms, split_identifier

FACES = frozenset({"mod", "index", "init", "main", "lib", "package", "default"})
"""File names that represent their directory: ``auth/index.ts`` is what ``auth.ts`` would be."""


def name_of(path: str) -> str:
    """Return the name that identifies a file: ``src/user_repo.test.py`` → ``user_repo``, ``auth/mod.rs`` → ``auth``."""
    *above, last = path.split("/")
    name = last.split(".")[0] or last
    return above[-1] if above and name.strip("_").lower() in FACES else name


@lru_cache(maxsize=1 << 16)
def path_terms(path: str) -> tuple[str, ...]:
    """Return the index terms of a path."""
    return tuple(index_terms(path))


@lru_cache(maxsize=1 << 16)
def name_terms(path: str) -> tuple[str, ...]:
    """Return the index terms of the name that identifies a file."""
    return tuple(index_terms(name_of(path)))


@lru_cache(maxsize=1 << 16)
def symbol_terms(symbol: str) -> frozenset[str]:
    """Return the index terms of a symbol and what it is in."""
    return frozenset(index_terms(symbol))


@lru_cache(maxsize=1 << 16)
def own_words(symbol: str) -> tuple[str, ...]:
    """Return the stems of the words in a symbol's own name: ``Throttle.parse_rate`` → ``("pars", "rate")``."""
    return tuple(stem(word) for word in split_identifier(symbol.rpartition(".")[2]))
