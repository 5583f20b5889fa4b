"""Where a name is defined, as an agent or a person spells it: ``Session.start``, ``Foo::bar``, ``shop.payment.pay``."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from msgspec import Struct

from shirube.engine.store.port import Ask, Definition, Store
from shirube.errors import UnknownName
from shirube.messages import say
from shirube.types import Scope, Symbol

MOST = 10_000
"""Definitions of one name; more than that is no name to ask for."""
POOL = 400
"""How many existing names an unknown one is compared with."""
NEAREST = 5
_JOINTS = re.compile(r"::|->|[.#\\]|(?<=\w)/(?=\w)|:(?=[A-Za-z_])")
_ENDING = re.compile(r"\.\w+$")
DIRECTORY_NAMES = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that are called by the name of their directory."""


class Spelled(Struct, frozen=True):
    """A name and the scopes written before it: ``a.b.C.run`` → ``run`` in ``("a", "b", "C")``."""

    name: str
    outer: tuple[str, ...] = ()


def read_name(text: str) -> Spelled:
    """Take a spelled name apart: ``"Session::start()"`` → ``start`` in ``("Session",)``."""
    bare = text.strip().removesuffix("()").strip("`'\" ")
    parts = [part for part in _JOINTS.split(bare) if part]
    return Spelled(parts[-1], tuple(parts[:-1])) if parts else Spelled("")


def find_exact(store: Store, spelled: Spelled, scope: Scope) -> tuple[Definition, ...]:
    """Return the definitions of exactly this name, in the same case, inside the scopes written before it."""
    outer = ".".join(spelled.outer).lower()
    defined = _defined(store, [spelled.name], scope, outer)
    return _ordered(found for found in defined if found.symbol.name == spelled.name and _is_in(found, spelled.outer))


def find_alike(store: Store, spelled: Spelled, scope: Scope) -> tuple[Definition, ...]:
    """Return the definitions of this name in other capitals, or else of names that have it as a part."""
    defined = _defined(store, [spelled.name], scope)
    if not defined and (names := store.names(spelled.name, POOL)):
        defined = _defined(store, names, scope)
    return _ordered(found for found in defined if _is_in(found, spelled.outer))


def _defined(store: Store, names: Iterable[str], scope: Scope, outer: str = "") -> tuple[Definition, ...]:
    ask = Ask(names=tuple(name.lower() for name in names), outer=outer, scope=scope, limit=MOST)
    return store.candidates(ask).definitions


def nearest_names(store: Store, name: str) -> tuple[str, ...]:
    """Return names that exist and look like close that does not."""
    words = [name, name[: max(3, len(name) // 2)], name[-max(3, len(name) // 2) :]]
    pool: dict[str, list[str]] = {}
    for known in sorted({known for word in words if word for known in store.names(word, POOL)}):
        pool.setdefault(known.lower(), []).append(known)
    near = get_close_matches(name.lower(), pool, n=NEAREST, cutoff=0.6)
    return tuple(known for close in near for known in pool[close])[:NEAREST]


def _is_in(definition: Definition, outer: tuple[str, ...]) -> bool:
    """Tell whether the scopes written before a name fit a definition: its own scopes, then its file and directories."""
    if not outer:
        return True
    own = [part for part in _JOINTS.split(definition.symbol.scope) if part]  # a test is called anything: "app.use()"
    parts = [*_ENDING.sub("", definition.path).split("/"), *own]
    names = [part for part in parts if part not in DIRECTORY_NAMES]
    wanted = [part for part in outer if part not in DIRECTORY_NAMES]
    return names[len(names) - len(wanted) :] == wanted or parts[-len(outer) :] == list(outer)


def _ordered(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """Sort by what a reader wants first: what has a body before mere declarations, then by place."""
    unique: dict[tuple[str, int, str, str], Definition] = {}
    for found in definitions:
        unique[found.path, found.symbol.start_line, found.symbol.qualified, found.symbol.kind] = found
    return tuple(sorted(unique.values(), key=lambda found: (_is_declared(found), found.path, found.symbol.start_line)))


def _is_declared(definition: Definition) -> bool:
    """Tell a one-line declaration of something that is made elsewhere: a prototype, a stub."""
    symbol = definition.symbol
    in_header = definition.path.endswith((".h", ".hh", ".hpp", ".pyi", ".d.ts"))
    return in_header and symbol.kind in ("function", "method") and symbol.start_line == symbol.end_line


def unknown_symbol(store: Store, name: str, what: str = "symbol") -> UnknownName:
    """Return the refusal of a name that nothing has, with names like it; ``what`` may say in which file."""
    near = nearest_names(store, read_name(name).name)
    otherwise = say("asking.names_like", names=near) if near else say("asking.no_name_like")
    return UnknownName(what, name, near, otherwise)


FUNCTIONS = frozenset({"function", "method", "constructor", "test", "macro"})
"""Kinds that count when the function around a line is wanted."""
_ABOVE = ("@", "#[", "[", "//", "/*", "*", "# ", "--")
"""Beginnings of lines above a definition (decorators, comments) that may contain its name."""


@dataclass(slots=True)
class Branch:
    """A symbol and what is in it."""

    symbol: Symbol
    children: list["Branch"] = field(default_factory=list)


def nest(symbols: Sequence[Symbol]) -> list[Branch]:
    """Put symbols into one another by their lines; two of the same lines are neighbours."""
    tops: list[Branch] = []
    stack: list[Branch] = []
    for symbol in sorted(symbols, key=lambda symbol: (symbol.start_line, -symbol.end_line)):
        branch = Branch(symbol)
        while stack and not _holds(stack[-1].symbol, symbol):
            stack.pop()
        (stack[-1].children if stack else tops).append(branch)
        stack.append(branch)
    return tops


def _holds(outer: Symbol, inner: Symbol) -> bool:
    if inner.scope and inner.scope == outer.qualified:
        return outer.end_line >= inner.start_line
    inside = outer.start_line <= inner.start_line and inner.end_line <= outer.end_line
    return inside and inner.scope.startswith(outer.qualified) and inner.qualified != outer.qualified


def spans(symbol: Symbol, line: int) -> bool:
    """Tell whether a line belongs to a symbol."""
    return symbol.start_line <= line <= symbol.end_line


def around(symbols: Sequence[Symbol], line: int) -> list[Symbol]:
    """Return the symbols around a line, the innermost first."""
    holding = (symbol for symbol in symbols if spans(symbol, line))
    return sorted(holding, key=lambda symbol: (-symbol.start_line, symbol.end_line))


def name_line(lines: Sequence[str], symbol: Symbol) -> int:
    """Return the line a name stands on: a definition may begin with decorators and attributes."""
    word = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    for number in range(symbol.start_line, min(symbol.end_line, len(lines)) + 1):
        text = lines[number - 1]
        if word.search(text) and not text.lstrip().startswith(_ABOVE):
            return number
    return symbol.start_line
