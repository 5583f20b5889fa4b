"""Finds what happened to the code an agreement is bound to: fresh, changed, moved or gone. Pure: callers pass the code.

Code is recognised by a digest and a sketch. Both are independent of its line numbers, its file and its own name.
"""

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from hashlib import blake2b, sha256
from typing import Protocol

from msgspec import Struct

from shirube.codec import replace
from shirube.features.map.agreement import Agreement
from shirube.features.map.page import evidence_of
from shirube.features.map.states import State
from shirube.messages import NOTHING, Message, say
from shirube.types import Symbol

DIGEST = 32
"""Hexadecimal characters of a digest; half a SHA-256 is enough to distinguish versions of one function."""
KEPT = 32
"""How many of the smallest shingle hashes form the sketch (bottom-k); for code with fewer shingles it has them all."""
WIDTH = 6
"""Hexadecimal characters of one hash."""
SHINGLE = 3
"""Tokens in one shingle."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SELF = "\0"
"""Replaces the symbol's own name, so that a renamed function has the same digest."""
SAME = 0.5
"""Code of the same name in another file was moved and edited if it is at least this similar."""
RENAMED = 0.55
"""Code under another name must be more similar, because similarity is the only evidence that it is the same code."""
ALONE = 0.2
"""The threshold for another name if it is the only new name in its file and scope."""
ENOUGH = 10
"""With fewer shingles similarity is meaningless, and only identical code counts."""


class Fingerprint(Struct, frozen=True):
    """The digest and sketch of code, independent of its own name, indentation and line breaks."""

    digest: str
    sketch: str


def fingerprint(text: str, name: str) -> Fingerprint:
    """Return the fingerprint by which the code of the symbol ``name`` is recognised."""
    tokens = _tokens(text, name)
    ends = range(max(1, len(tokens) - SHINGLE + 1))
    shingles = (" ".join(tokens[start : start + SHINGLE]).encode("utf-8", "replace") for start in ends)
    hashes = {blake2b(shingle, digest_size=WIDTH // 2).hexdigest() for shingle in shingles}
    return Fingerprint(digest_of(text, name), "".join(sorted(hashes)[:KEPT]))


def digest_of(text: str, name: str) -> str:
    """Return the digest alone, which is enough to see that code is unchanged."""
    return sha256(" ".join(_tokens(text, name)).encode("utf-8", "replace")).hexdigest()[:DIGEST]


def likeness(sketch: str, other: str) -> float:
    """Return the similarity of two sketches, from 0 to 1: the Jaccard index, estimated for long code."""
    first, second = _hashes(sketch), _hashes(other)
    if not first or not second:
        return 0.0
    union = sorted(first | second)
    # A full sketch has only the smallest hashes, so only the smallest hashes of the union can be compared.
    sample = set(union[:KEPT]) if max(len(first), len(second)) >= KEPT else set(union)
    return len(sample & first & second) / len(sample)


def size(sketch: str) -> int:
    """Return how many shingles a sketch holds."""
    return len(sketch) // WIDTH


def body_of(text: str, symbol: Symbol) -> str:
    """Return the lines of a symbol in the text of its file."""
    return "\n".join(text.split("\n")[symbol.start_line - 1 : symbol.end_line])


def is_named(symbol: Symbol, name: str) -> bool:
    """Tell whether a name, qualified or not, means a symbol: ``start`` means ``Session.start`` too."""
    return name in (symbol.name, symbol.qualified) or symbol.qualified.endswith(f".{name}")


def _tokens(text: str, name: str) -> list[str]:
    return [_SELF if token == name else token for token in _TOKEN.findall(text)]


def _hashes(sketch: str) -> set[str]:
    return {sketch[start : start + WIDTH] for start in range(0, len(sketch) - WIDTH + 1, WIDTH)}


class Code(Protocol):
    """The current code of the project, and what is known of it at earlier commits."""

    def named(self, name: str) -> Collection[tuple[str, Symbol]]:
        """Return every definition whose last name is this one, with its path."""

    def symbols(self, path: str) -> Collection[Symbol]:
        """Return the symbols of a file; none when there is no such file."""

    def text(self, path: str) -> str:
        """Return a file as indexed."""

    def before(self, path: str, commit: str) -> frozenset[str] | None:
        """Return the qualified names a file had at a commit; None when that is unknown."""

    def elsewhere(self, path: str) -> Iterator[str]:
        """Return a limited number of other files to which code of this one may have moved, likely ones first."""


class Finding(Struct, frozen=True):
    """What happened to the code, and where it is now."""

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
        """Tell whether the agreement is still a fact: the same code under the same name, in whatever file."""
        return self.exact and not self.renamed


class _Seen:
    """A symbol compared with the agreed code; the similarity is computed only on demand."""

    def __init__(self, agreement: Agreement, path: str, symbol: Symbol, code: Code) -> None:
        self.path, self.symbol, self._sketch = path, symbol, agreement.sketch
        self._body = body_of(code.text(path), symbol)
        self.same = digest_of(self._body, symbol.name) == agreement.digest

    @cached_property
    def like(self) -> float:
        """Its similarity to the agreed code, from 0 to 1."""
        return 1.0 if self.same else likeness(self._print.sketch, self._sketch)

    @property
    def share(self) -> str:
        """The similarity as a percentage, for messages; all of it is only what is the very same."""
        return f"{self.like if self.same else min(self.like, 0.99):.0%}"

    @property
    def words(self) -> int:
        """How many shingles there are to compare."""
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
        return _unbound(agreement, meant, code)
    home = [_Seen(agreement, path, symbol, code) for path, symbol in meant if path == agreement.path]
    if same := next((seen for seen in home if seen.same), None):
        return _finding(State.FRESH, same, say("map.as_agreed"), exact=True)
    others = [_Seen(agreement, path, symbol, code) for path, symbol in meant if path != agreement.path]
    away = [seen for seen in others if _is_new(seen, agreement, code)]
    if same := next((seen for seen in away if seen.same), None):
        return _finding(State.MOVED, same, say("map.moved", path=agreement.path), exact=True)
    if finding := _edited(agreement, home, away) or _under_another_name(agreement, code):
        return finding
    why = say("map.gone", path=agreement.path)
    if beside := sorted({seen.path for seen in others}):
        why = say("map.gone_beside", path=agreement.path, symbol=agreement.symbol, other=beside[0])
    return Finding(State.GONE, why=why)


def _edited(agreement: Agreement, home: list[_Seen], away: list[_Seen]) -> Finding | None:
    if home:
        nearest = max(home, key=lambda seen: seen.like)
        return _finding(State.CHANGED, nearest, say("map.part", share=nearest.share))
    best = max(away, key=lambda seen: seen.like, default=None)
    if best is None or best.like < SAME or best.words < ENOUGH:
        return None
    return _finding(State.MOVED, best, say("map.moved_changed", path=agreement.path, share=best.share))


def unproved(agreement: Agreement, code: Code) -> str:
    """Return a call that the evidence ascribes to the symbol, and whose name is nowhere in the code; empty without one.

    The name may be defined anywhere, for it may be inherited, or stand in a file that defines the symbol.
    """
    own = agreement.symbol.rpartition(".")[2]
    called = re.findall(rf"\b{re.escape(own)}(?:\.|::|->|#)(\w+)\(", evidence_of(agreement), re.ASCII)
    missing = [name for name in called if not code.named(name)]
    texts = [code.text(path) for path, _ in code.named(own)] if missing else []
    return next((f"{own}.{name}" for name in missing if texts and not any(name in text for text in texts)), "")


def _unbound(agreement: Agreement, meant: list[tuple[str, Symbol]], code: Code) -> Finding:
    if not meant:
        return Finding(State.GONE, why=say("map.no_name", symbol=agreement.symbol))
    likely = [(path, symbol) for path, symbol in meant if path == agreement.path] or meant
    several = len({path for path, _ in likely}) > 1
    why = say("map.several", count=len(likely)) if several else say("map.unbound")
    if name := unproved(agreement, code):
        why = say("map.unproved", name=name)
    return _found(State.UNBOUND, *likely[0], why)


def _under_another_name(agreement: Agreement, code: Code) -> Finding | None:
    """Look for the same code under another name: in its own file first, then in files it may have moved to."""
    best = _renamed_here(agreement, code)
    for path in code.elsewhere(agreement.path) if best is None else ():
        for symbol in code.symbols(path):
            seen = _Seen(agreement, path, symbol, code)
            better = best is None or seen.like > best.like
            if better and _is_renamed(seen) and _is_new(seen, agreement, code):
                best = seen
    if best is None:
        return None
    message = "map.now_called" if best.same else "map.now_called_changed"
    why = say(message, symbol=best.symbol.qualified, share=best.share)
    return _finding(State.MOVED, best, why, exact=best.same, renamed=True)


def _renamed_here(agreement: Agreement, code: Code) -> _Seen | None:
    """Return the renamed symbol in its own file: one that is similar enough, or else the only new name in its scope."""
    here = [_Seen(agreement, agreement.path, symbol, code) for symbol in code.symbols(agreement.path)]
    new = [seen for seen in here if _is_new(seen, agreement, code)]
    if alike := [seen for seen in new if _is_renamed(seen)]:
        return max(alike, key=lambda seen: seen.like)
    if not agreement.commit or code.before(agreement.path, agreement.commit) is None:
        return None
    scope = agreement.symbol.rpartition(".")[0]
    beside = [seen for seen in new if seen.symbol.scope.endswith(scope)]
    return beside[0] if len(beside) == 1 and beside[0].like >= ALONE else None


def _is_renamed(seen: _Seen) -> bool:
    return seen.same or (seen.like >= RENAMED and seen.words >= ENOUGH)


def _is_new(seen: _Seen, agreement: Agreement, code: Code) -> bool:
    """Tell whether a symbol is newer than the agreement; a symbol that existed then cannot be the renamed one."""
    known = code.before(seen.path, agreement.commit) if agreement.commit else None
    return known is None or seen.symbol.qualified not in known


def _finding(state: State, seen: _Seen, why: Message, *, exact: bool = False, renamed: bool = False) -> Finding:
    return replace(_found(state, seen.path, seen.symbol, why), exact=exact, renamed=renamed)


def _found(state: State, path: str, symbol: Symbol, why: Message) -> Finding:
    return Finding(state, path, symbol.qualified, symbol.kind, symbol.start_line, symbol.end_line, why)
