"""What a change would affect: its users, the tests and documents that mention it, files that changed with it before."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from shirube.engine.graph.definitions import Spelled, spans
from shirube.engine.graph.found import How, Reference, Verify
from shirube.engine.graph.meaning import CALLED
from shirube.engine.graph.references import UsesPage, find_uses
from shirube.engine.parse.mentions import CODE
from shirube.engine.store.port import Definition
from shirube.engine.store.store import Store
from shirube.messages import Message, say
from shirube.types import Scope

MOST_SYMBOLS = 40
"""Symbols of changed files that are looked up; the outermost first."""
MOST_USES = 200
"""Uses of one symbol that are examined; a symbol with more uses affects most of the project anyway."""
TELLING = 5
"""Letters a name needs to be distinctive."""
LEAST_SHARE = 0.2
"""Files whose share of common changes is below this are left out."""
TEST, DOC = "test", "doc"
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|_")


class Changed(Struct, frozen=True):
    """What is about to change, with the roles of files and their history of common changes."""

    files: tuple[str, ...]
    symbols: tuple[Definition, ...]
    role_of: Callable[[str], str]
    cochanged: Mapping[str, tuple[float, Message]] = {}
    """Path → the share of common changes, and what to say of them."""


@dataclass(slots=True)
class Impact:
    """What a change affects."""

    looked_up: tuple[Definition, ...] = ()
    callers: list[Reference] = field(default_factory=list)
    must: list[Verify] = field(default_factory=list)
    should: list[Verify] = field(default_factory=list)
    unlisted: dict[str, int] = field(default_factory=dict)
    """Name → how many places have it and are not listed: a common word of a changed file, or no code."""
    notes: list[Message] = field(default_factory=list)


@dataclass(slots=True)
class _Why:
    """Places with their reasons, in the order they were found: (file, symbol) → (line, reasons)."""

    places: dict[tuple[str, str], tuple[int, dict[Message, None]]] = field(default_factory=dict)

    def add(self, file: str, symbol: str, line: int, reason: Message) -> None:
        first, reasons = self.places.setdefault((file, symbol), (line, {}))
        self.places[file, symbol] = (min(first, line) if line else first, {**reasons, reason: None})

    def files(self) -> set[str]:
        return {file for file, _ in self.places}


def weigh(store: Store, changed: Changed) -> Impact:
    """Return which places must be checked after a change, and which should be."""
    impact = Impact()
    named = changed.symbols or tuple(_offered(store, changed.files))
    impact.looked_up = named[:MOST_SYMBOLS]
    if len(named) > MOST_SYMBOLS:
        impact.notes.append(say("impact.looked_up", count=MOST_SYMBOLS, total=len(named)))
    must, should = _Why(), _Why()
    touched = {*changed.files, *(definition.path for definition in changed.symbols)}
    by_name: dict[str, list[Definition]] = {}
    for definition in impact.looked_up:
        by_name.setdefault(definition.symbol.name, []).append(definition)
    for name, group in by_name.items():
        _users(store, (name, group), changed, impact, (must, should))
    _importers(store, changed, touched, must, should)
    for path, (share, reason) in sorted(changed.cochanged.items(), key=lambda item: (-item[1][0], item[0])):
        if share >= LEAST_SHARE and path not in touched:
            should.add(path, "", 0, reason)
    known = set(must.places)
    impact.must = _listed(must, changed.role_of, set())
    impact.should = _listed(should, changed.role_of, known)
    return impact


def _offered(store: Store, files: Iterable[str]) -> list[Definition]:
    """Return the definitions other files can use: top-level names and members, not those inside functions."""
    offered: list[Definition] = []
    for path in files:
        symbols = store.symbols(path)
        inner = {symbol.qualified for symbol in symbols if symbol.kind in CALLED}
        offered += [Definition(0, path, s) for s in symbols if s.scope not in inner and s.name.isidentifier()]
    return sorted(offered, key=lambda definition: definition.symbol.qualified.count("."))


def _users(
    store: Store, wanted: tuple[str, list[Definition]], changed: Changed, impact: Impact, lists: tuple[_Why, _Why]
) -> None:
    """Record the uses of a name: certain ones, possible ones, and mentions.

    Whoever names a symbol sees every place that has its name. Whole files offer many names: of those only the
    distinctive ones are listed by name alone, and the other places are counted.
    """
    name, group = wanted
    must, should = lists
    uses = find_uses(store, Spelled(name), group, Scope(), UsesPage(MOST_USES))
    impact.notes += uses.degraded
    if uses.next:
        impact.notes.append(say("impact.first_uses", name=name, count=MOST_USES))
    asked = bool(changed.symbols)
    for use in uses.items:
        how = say(f"impact.{use.how.value}")
        own = any(use.file == at.path and spans(at.symbol, use.line) for at in group)
        if own or (use.file in changed.files and use.how != How.NAME_ONLY):
            continue
        if use.how != How.NAME_ONLY:
            impact.callers.append(use)
            must.add(use.file, use.symbol, use.line, say("impact.uses", name=name, how=how))
        elif not asked and not (is_telling(name) and (use.where == CODE or changed.role_of(use.file) == DOC)):
            impact.unlisted[name] = impact.unlisted.get(name, 0) + 1
        elif use.where == CODE:
            should.add(use.file, use.symbol, use.line, say("impact.has_name", name=name, how=how))
        else:
            should.add(use.file, use.symbol, use.line, say("impact.mentions", name=name))


def is_telling(name: str) -> bool:
    """Tell whether a name is distinctive (``getUser``, ``with_retries``), not one that anybody uses (``get``)."""
    own = not name.startswith("__")
    return own and len(name) >= TELLING and (_COMPOUND.search(name) is not None or not name.islower())


def _importers(store: Store, changed: Changed, touched: set[str], must: _Why, should: _Why) -> None:
    """Record who imports a changed file, and tests that import one of those importers."""
    if not changed.files:
        return
    first = [edge for edge in store.edges_to(*changed.files) if edge.source not in touched]
    for edge in first:
        if edge.source in must.files():
            continue
        is_test = changed.role_of(edge.source) == TEST
        (must if is_test else should).add(edge.source, "", edge.line, say("impact.imports", path=edge.target))
    near = sorted({edge.source for edge in first})
    for edge in store.edges_to(*near) if near else ():
        if edge.source not in touched and edge.source not in near and changed.role_of(edge.source) == TEST:
            should.add(edge.source, "", edge.line, say("impact.tests", path=edge.target))


def _listed(why: _Why, role_of: Callable[[str], str], known: set[tuple[str, str]]) -> list[Verify]:
    return [
        Verify(file, line, symbol, role_of(file), tuple(reasons))
        for (file, symbol), (line, reasons) in why.places.items()
        if (file, symbol) not in known
    ]


def exercising(places: Sequence[Verify]) -> tuple[str, ...]:
    """Return the test files among these places."""
    return tuple(dict.fromkeys(place.file for place in places if place.role == TEST))
