"""What an agreement rests on: how code is recognised when lines, names and places have changed."""

import re
from hashlib import blake2b, sha256

from msgspec import Struct

from shirube.types import Symbol

DIGEST = 32
"""Hexadecimal characters of a digest; half a SHA-256 is plenty to tell versions of one function apart."""
KEPT = 32
"""How many of the smallest shingle hashes make the sketch (bottom-k): code with no more shingles is kept whole."""
WIDTH = 6
"""Hexadecimal characters of one hash."""
SHINGLE = 3
"""Tokens that stand together."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SELF = "\0"
"""Stands for the symbol's own name, so that a renamed function is still the same function."""


class Fingerprint(Struct, frozen=True):
    """Code, apart from its own name, its indentation and its line breaks."""

    digest: str
    sketch: str


def fingerprint(text: str, name: str) -> Fingerprint:
    """Return what the code of the symbol called ``name`` is recognised by."""
    tokens = _tokens(text, name)
    ends = range(max(1, len(tokens) - SHINGLE + 1))
    hashes = {_hash(" ".join(tokens[start : start + SHINGLE])) for start in ends}
    return Fingerprint(digest_of(text, name), "".join(sorted(hashes)[:KEPT]))


def digest_of(text: str, name: str) -> str:
    """Return the digest alone: all that is needed to see that code still stands."""
    return sha256(" ".join(_tokens(text, name)).encode("utf-8", "replace")).hexdigest()[:DIGEST]


def likeness(one: str, other: str) -> float:
    """Return how much two sketches have in common, from 0 to 1: the Jaccard index, estimated where code is long."""
    first, second = _hashes(one), _hashes(other)
    if not first or not second:
        return 0.0
    union = sorted(first | second)
    # Beyond the smaller sketch's reach nothing is known of the other.
    sample = set(union[:KEPT]) if max(len(first), len(second)) >= KEPT else set(union)
    return len(sample & first & second) / len(sample)


def size(sketch: str) -> int:
    """Return how many shingles a sketch holds: a few say little."""
    return len(sketch) // WIDTH


def body_of(text: str, symbol: Symbol) -> str:
    """Return the lines of a symbol in the text of its file."""
    return "\n".join(text.split("\n")[symbol.start_line - 1 : symbol.end_line])


def is_named(symbol: Symbol, name: str) -> bool:
    """Tell whether a symbol is meant by a name, qualified or not: ``Session.start`` is ``start``, too."""
    return name in (symbol.name, symbol.qualified) or symbol.qualified.endswith(f".{name}")


def _tokens(text: str, name: str) -> list[str]:
    return [_SELF if token == name else token for token in _TOKEN.findall(text)]


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=WIDTH // 2).hexdigest()


def _hashes(sketch: str) -> set[str]:
    return {sketch[start : start + WIDTH] for start in range(0, len(sketch) - WIDTH + 1, WIDTH)}
