"""Words that tell nothing, and words that are written short in code; the lists are in ``words.toml``."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from shirube.engine.text.stems import stem


@cache
def stop_words() -> frozenset[str]:
    """Return the words that questions are made of and code is not: ``how``, ``is``, ``the``, ``仕組み``."""
    return frozenset(f"{_lists()['stop_words']} {_lists()['japanese_stop_words']}".split())


def other_forms(term: str) -> tuple[str, ...]:
    """Return how else a stem is written in code: ``config`` → ``configur``, ``asynchron`` → ``async``."""
    return _forms().get(term, ())


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    pairs: dict[str, dict[str, None]] = {}
    for long, shorts in _lists()["short_forms"].items():
        for short in (word for word in shorts.split() if stem(word) != stem(long)):
            pairs.setdefault(stem(long), {})[stem(short)] = None
            pairs.setdefault(stem(short), {})[stem(long)] = None
    return {term: tuple(others) for term, others in pairs.items()}


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(resources.files("shirube.engine.text").joinpath("words.toml").read_text("utf-8"))
