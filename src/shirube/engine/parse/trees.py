"""Paths written as trees: ``a::{b, c::{d, e}}`` means three paths."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(r"[{},]|[^{},]+")
_RENAMED = re.compile(r"\s+as\s+.*", re.DOTALL | re.IGNORECASE)


def expand(written: str, joiner: str) -> "Iterator[str]":
    """Return every path of a tree in the order written, without renames.

    >>> list(expand("a::{self, b as c}, d", "::"))
    ['a::self', 'a::b', 'd']
    """
    prefixes = [""]
    current = ""
    for token in _TOKEN.findall(written):
        if token == "{":
            prefixes.append(prefixes[-1] + _path(current, joiner))
            current = ""
        elif token in {"}", ","}:
            yield from _leaf(prefixes[-1], current, joiner)
            current = ""
            if token == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            current += token
    yield from _leaf(prefixes[-1], current, joiner)


def _path(written: str, joiner: str) -> str:
    """Return the part before a brace, ending in the joiner."""
    bare = "".join(written.split())
    return bare if not bare or bare.endswith(joiner) else bare + joiner


def _leaf(prefix: str, written: str, joiner: str) -> "Iterator[str]":
    """Return one finished path, if anything was written."""
    bare = _RENAMED.sub("", written.strip()).strip()
    if bare:
        yield (prefix + bare).removeprefix(joiner)
