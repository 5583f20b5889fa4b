"""The symbols that a goal names, or that its words tell from their neighbours.

A goal may name a symbol in any spelling: ``parseRate``, ``parse-rate``, ``Throttle.parse_rate()``. Mostly it has only
some words of the name: "throttle rates" means ``parse_rate`` in a file where few names have a rate.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import log1p

from shirube.engine.graph.definitions import FUNCTIONS
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import split_identifier
from shirube.types import Symbol

VERB = 0.25
"""What the first word of a name counts that the goal does not have."""
_NAMING = (TermKind.SYMBOL, TermKind.COMPOUND)


def names_in(text: str) -> tuple[str, ...]:
    """Return what can only be names in a text, scopes joined by dots: ``Celery.send_task()``, ``strict-port``."""
    terms = (term.text for term in read_query(text).terms if term.kind in _NAMING)
    return tuple(dict.fromkeys(name.replace("::", ".").replace("->", ".").replace("#", ".") for name in terms))


@lru_cache(maxsize=4096)
def words_of_name(name: str) -> tuple[str, ...]:
    """Return the stems of a name's words, each once: ``parseRates`` → ``("pars", "rate")``; one letter is no word."""
    return tuple(dict.fromkeys(stem(word) for word in split_identifier(name) if len(word) > 1))


def spellings(name: str) -> tuple[str, ...]:
    """Return a name in lower case as the conventions write it: ``parse-rate`` → ``parse_rate``, ``parserate``."""
    words = split_identifier(name)
    return tuple(dict.fromkeys((name.lower(), "_".join(words), "".join(words))))


def told_by_words(
    symbols: Mapping[str, Sequence[Symbol]], words: Mapping[str, float]
) -> Iterator[tuple[str, Symbol, float]]:
    """Yield the functions of some files whose names have some of the words, and how well, from 0 to 1.

    A word counts more the fewer names have it. A name with all the rarest words and no others fits fully; what else it
    begins with counts little, because that mostly says what is done: ``get``, ``parse``, ``check``.
    """
    names = {symbol.name for defined in symbols.values() for symbol in defined}
    counts = Counter(word for name in names for word in words_of_name(name))
    rare = {word: log1p(len(names) / count) for word, count in counts.items()}
    told = {name: sum(rare[word] * words.get(word, 0.0) for word in words_of_name(name)) for name in names}
    most = max(told.values(), default=0.0)
    for path, defined in symbols.items():
        for symbol in defined:
            if told[symbol.name] and symbol.kind in FUNCTIONS and symbol.kind != "test":
                verb, *rest = words_of_name(symbol.name)
                whole = sum(rare[word] for word in rest) + rare[verb] * (1.0 if verb in words or not rest else VERB)
                yield path, symbol, told[symbol.name] / whole * told[symbol.name] / most
