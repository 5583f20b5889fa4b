"""Whether the code an agreement rests on still stands: fresh, changed, moved or gone. Pure: the code is handed in."""

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from hashlib import blake2b, sha256
from typing import Protocol

from msgspec import Struct

from shirube.codec import replace
from shirube.features.map.agreement import Agreement
from shirube.features.map.states import State
from shirube.messages import NOTHING, Message, say
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
    shingles = (" ".join(tokens[start : start + SHINGLE]).encode("utf-8", "replace") for start in ends)
    hashes = {blake2b(shingle, digest_size=WIDTH // 2).hexdigest() for shingle in shingles}
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


def _hashes(sketch: str) -> set[str]:
    return {sketch[start : start + WIDTH] for start in range(0, len(sketch) - WIDTH + 1, WIDTH)}


SAME = 0.5
"""Code under the same name in another file that has this much in common was moved there and edited; …"""
RENAMED = 0.55
"""… under another name more is asked for, because nothing but the likeness speaks for it."""
ALONE = 0.2
"""… unless it is the only name that is new there."""
ENOUGH = 10
"""Shingles without which likeness says nothing, and only the very same code counts."""


class Code(Protocol):
    """The project as it is now, and what is known of it as it was."""

    def named(self, name: str) -> Collection[tuple[str, Symbol]]:
        """Return every definition whose last name is this one, with its path."""

    def symbols(self, path: str) -> Collection[Symbol]:
        """Return what a file defines; nothing when there is no such file."""

    def text(self, path: str) -> str:
        """Return a file as indexed."""

    def before(self, path: str, commit: str) -> frozenset[str] | None:
        """Return the qualified names a file had at a commit; None when nobody knows."""

    def elsewhere(self, path: str) -> Iterator[str]:
        """Return further files in which code from this one may have gone, likely ones first, not endlessly."""


class Finding(Struct, frozen=True):
    """What became of the code, and where it is now."""

    state: State
    path: str = ""
    symbol: str = ""
    """The qualified name it has now."""
    kind: str = ""
    start_line: int = 0
    end_line: int = 0
    why: Message = NOTHING
    exact: bool = False
    """Whether it is the very same code."""
    renamed: bool = False

    @property
    def holds(self) -> bool:
        """Tell whether the agreement is still a fact: the same code, under the same name, wherever it stands."""
        return self.exact and not self.renamed


class _Seen:
    """A symbol beside what was agreed; what is not asked for is not worked out."""

    def __init__(self, agreement: Agreement, path: str, symbol: Symbol, code: Code) -> None:
        self.path, self.symbol, self._sketch = path, symbol, agreement.sketch
        self._body = body_of(code.text(path), symbol)
        self.same = digest_of(self._body, symbol.name) == agreement.digest

    @cached_property
    def like(self) -> float:
        """How much of it is as agreed."""
        return 1.0 if self.same else likeness(self._print.sketch, self._sketch)

    @property
    def share(self) -> str:
        """The same for people."""
        return f"{self.like:.0%}"

    @property
    def words(self) -> int:
        """How much there is to compare."""
        return min(size(self._sketch), size(self._print.sketch))

    @cached_property
    def _print(self) -> Fingerprint:
        return fingerprint(self._body, self.symbol.name)


def check(agreement: Agreement, code: Code) -> Finding:
    """Compare what was agreed with the code as it is now."""
    if agreement.is_convention:
        return Finding(State.FRESH, why=say("map.convention"), exact=True)
    named = code.named(agreement.symbol.rpartition(".")[2])
    meant = [(path, symbol) for path, symbol in named if is_named(symbol, agreement.symbol)]
    if not agreement.digest or not agreement.path:
        return _unbound(agreement, meant)
    home = [_Seen(agreement, path, symbol, code) for path, symbol in meant if path == agreement.path]
    if same := next((one for one in home if one.same), None):
        return _finding(State.FRESH, same, say("map.as_agreed"), exact=True)
    others = [_Seen(agreement, path, symbol, code) for path, symbol in meant if path != agreement.path]
    away = [one for one in others if _is_new(one, agreement, code)]
    if same := next((one for one in away if one.same), None):
        return _finding(State.MOVED, same, say("map.moved", path=agreement.path), exact=True)
    return _edited(agreement, home, away) or _under_another_name(agreement, code) or _gone(agreement, others)


def _edited(agreement: Agreement, home: list[_Seen], away: list[_Seen]) -> Finding | None:
    if home:
        nearest = max(home, key=lambda one: one.like)
        return _finding(State.CHANGED, nearest, say("map.part", share=nearest.share))
    best = max(away, key=lambda one: one.like, default=None)
    if best is None or best.like < SAME or best.words < ENOUGH:
        return None
    return _finding(State.MOVED, best, say("map.moved_changed", path=agreement.path, share=best.share))


def _unbound(agreement: Agreement, meant: list[tuple[str, Symbol]]) -> Finding:
    if not meant:
        return Finding(State.GONE, why=say("map.no_name", symbol=agreement.symbol))
    likely = [(path, symbol) for path, symbol in meant if path == agreement.path] or meant
    several = len({path for path, _ in likely}) > 1
    why = say("map.several", count=len(likely)) if several else say("map.unbound")
    return _found(State.UNBOUND, *likely[0], why)


def _under_another_name(agreement: Agreement, code: Code) -> Finding | None:
    """Look for the same code under another name: in its own file first, then where it may have gone."""
    best = _renamed_here(agreement, code)
    for path in code.elsewhere(agreement.path) if best is None else ():
        for symbol in code.symbols(path):
            seen = _Seen(agreement, path, symbol, code)
            better = best is None or seen.like > best.like
            if better and _is_renamed(seen) and _is_new(seen, agreement, code):
                best = seen
    if best is None:
        return None
    said = "map.now_called" if best.same else "map.now_called_changed"
    why = say(said, symbol=best.symbol.qualified, share=best.share)
    return _finding(State.MOVED, best, why, exact=best.same, renamed=True)


def _renamed_here(agreement: Agreement, code: Code) -> _Seen | None:
    """Return what it is called now in its own file; of few words the only name that is new says more than likeness."""
    here = [_Seen(agreement, agreement.path, symbol, code) for symbol in code.symbols(agreement.path)]
    new = [seen for seen in here if _is_new(seen, agreement, code)]
    if alike := [seen for seen in new if _is_renamed(seen)]:
        return max(alike, key=lambda seen: seen.like)
    if not agreement.commit or code.before(agreement.path, agreement.commit) is None:
        return None
    scope = agreement.symbol.rpartition(".")[0]
    beside = [seen for seen in new if seen.symbol.scope.endswith(scope)]
    return beside[0] if len(beside) == 1 and beside[0].like >= ALONE else None


def _gone(agreement: Agreement, found: list[_Seen]) -> Finding:
    others = sorted({one.path for one in found})
    if not others:
        return Finding(State.GONE, why=say("map.gone", path=agreement.path))
    beside = say("map.gone_beside", path=agreement.path, symbol=agreement.symbol, other=others[0])
    return Finding(State.GONE, why=beside)


def _is_renamed(seen: _Seen) -> bool:
    return seen.same or (seen.like >= RENAMED and seen.words >= ENOUGH)


def _is_new(seen: _Seen, agreement: Agreement, code: Code) -> bool:
    """Tell whether a symbol came after the agreement; one that stood beside it then is no new name of it."""
    known = code.before(seen.path, agreement.commit) if agreement.commit else None
    return known is None or seen.symbol.qualified not in known


def _finding(state: State, seen: _Seen, why: Message, *, exact: bool = False, renamed: bool = False) -> Finding:
    return replace(_found(state, seen.path, seen.symbol, why), exact=exact, renamed=renamed)


def _found(state: State, path: str, symbol: Symbol, why: Message) -> Finding:
    return Finding(state, path, symbol.qualified, symbol.kind, symbol.start_line, symbol.end_line, why)
