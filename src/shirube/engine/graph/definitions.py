"""Finds where a name is defined, in any common spelling: ``Session.start``, ``Foo::bar``, ``shop.payment.pay``."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from msgspec import Struct

from shirube.engine.parse.languages import CLASS_KINDS
from shirube.engine.store.lookups import NamesWith
from shirube.engine.store.port import Ask, Definition
from shirube.engine.store.store import Store
from shirube.errors import UnknownName
from shirube.messages import say
from shirube.types import Scope, Symbol

MOST = 10_000
"""The most definitions of one name that are returned."""
POOL = 400
"""How many existing names an unknown one is compared with."""
NEAREST = 5
"""How many existing names are suggested for an unknown one."""
_JOINTS = re.compile(r"::|->|[.#\\]|(?<=\w)/(?=\w)|:(?=[A-Za-z_])")
_ENDING = re.compile(r"\.\w+$")
DIRECTORY_NAMES = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Names of files that are imported by the name of their directory."""
_TYPES = CLASS_KINDS | {"type"}
_PROTOTYPED = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".pyi", ".d.ts")
_PUBLIC = re.compile(r"(?:export|pub|public|open)\b")
_PRIVATE = re.compile(r"(?:file)?private\b")

SELECTORS = ".#"
"""What the names of CSS rules for classes and ids begin with."""


class Spelled(Struct, frozen=True):
    """A name and the scopes written before it: ``a.b.C.run`` → ``run`` in ``("a", "b", "C")``."""

    name: str
    outer: tuple[str, ...] = ()


def read_name(text: str) -> Spelled:
    """Split a qualified name: ``"Session::start()"`` → ``start`` in ``("Session",)``; ``.button`` is a whole name."""
    bare = text.strip().removesuffix("()").strip("`'\" ")
    parts = [part for part in _JOINTS.split(bare) if part]
    if len(parts) == 1 and bare[0] in SELECTORS:
        return Spelled(bare[0] + parts[0])
    return Spelled(parts[-1], tuple(parts[:-1])) if parts else Spelled("")


def find_exact(store: Store, spelled: Spelled, scope: Scope) -> tuple[Definition, ...]:
    """Return the definitions of exactly this name, in the same case, inside the scopes written before it."""
    defined = _defined(store, exact_ask(spelled, scope))
    return _ordered(item for item in defined if item.symbol.name == spelled.name and _is_in(item, spelled.outer))


def find_alike(store: Store, spelled: Spelled, scope: Scope) -> tuple[Definition, ...]:
    """Return the definitions of this name in any case, or else of names that contain it."""
    defined = _defined(store, _ask([spelled.name], scope))
    if not defined and (names := store.names(spelled.name.lstrip(SELECTORS), POOL)):
        defined = _defined(store, _ask(names, scope))
    return _ordered(item for item in defined if _is_in(item, spelled.outer))


def exact_ask(spelled: Spelled, scope: Scope) -> Ask:
    """Return what ``find_exact`` asks a store."""
    return _ask([spelled.name], scope, ".".join(spelled.outer).lower())


def _ask(names: Iterable[str], scope: Scope, outer: str = "") -> Ask:
    return Ask(names=tuple(name.lower() for name in names), outer=outer, scope=scope, limit=MOST)


def _defined(store: Store, ask: Ask) -> tuple[Definition, ...]:
    found = store.candidates(ask).definitions
    return tuple(part for item in found for part in _defining(store, item))


def _defining(store: Store, item: Definition) -> tuple[Definition, ...]:
    """Return what a tag of Blade uses (``<x-alert>``): the view of the component; anything else is its own."""
    used = item.symbol
    if used.kind != "component" or not item.path.endswith(".blade.php"):
        return (item,)
    first = min(symbol.start_line for symbol in store.symbols(item.path) if symbol.name == used.name)
    views = {edge.target for edge in store.edges(item.path) if (edge.kind, edge.line) == ("path", first)}
    lines = {path: max(1, record.lines) for path, record in store.files(sorted(views)).items()}
    return tuple(Definition(0, path, Symbol(used.name, used.name, used.kind, 1, end)) for path, end in lines.items())


def nearest_names(store: Store, name: str) -> tuple[str, ...]:
    """Return existing names that are similar to one that does not exist."""
    words = [name, name[: max(3, len(name) // 2)], name[-max(3, len(name) // 2) :]]
    pool: dict[str, list[str]] = {}
    found = store.look(*(NamesWith(word, POOL) for word in dict.fromkeys(words) if word))
    for known in sorted({known for names in found for known in names}):
        pool.setdefault(known.lower(), []).append(known)
    near = get_close_matches(name.lower(), pool, n=NEAREST, cutoff=0.6)
    return tuple(known for lower in near for known in pool[lower])[:NEAREST]


def _is_in(definition: Definition, outer: tuple[str, ...]) -> bool:
    """Tell whether the scopes written before a name match a definition's own scopes, its file and its directories."""
    if not outer:
        return True
    own = [part for part in _JOINTS.split(definition.symbol.scope) if part]  # a test may be named "app.use()"
    parts = [*_ENDING.sub("", definition.path).split("/"), *own]
    names = [part for part in parts if part not in DIRECTORY_NAMES]
    wanted = [part for part in outer if part not in DIRECTORY_NAMES]
    return names[len(names) - len(wanted) :] == wanted or parts[-len(outer) :] == list(outer)


def _ordered(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """Remove duplicates and sort by how much each defines the name, then by path and line."""
    unique: dict[tuple[str, int, str, str], Definition] = {}
    for item in definitions:
        unique[item.path, item.symbol.start_line, item.symbol.qualified, item.symbol.kind] = item
    return tuple(sorted(unique.values(), key=lambda item: (*standing(item), item.path, item.symbol.start_line)))


def standing(definition: Definition) -> tuple[bool, int, int]:
    """Return what comes first: a body before a mere declaration, types, then other kinds, ``impl`` blocks; public."""
    symbol = definition.symbol
    short = symbol.start_line == symbol.end_line and symbol.kind in ("function", "method")
    kind = 2 if symbol.kind == "impl" else int(symbol.kind not in _TYPES)
    is_private = _PRIVATE.match(symbol.signature) or "._" in f".{symbol.qualified}"
    hidden = 2 if is_private else int(not _PUBLIC.match(symbol.signature))
    return short and definition.path.endswith(_PROTOTYPED), kind, hidden


def unknown_symbol(store: Store, name: str, what: str = "symbol") -> UnknownName:
    """Return the error for a name that does not exist, with similar names; ``what`` may say in which file."""
    near = nearest_names(store, read_name(name).name)
    otherwise = say("asking.names_like", names=near) if near else say("asking.no_name_like")
    return UnknownName(what, name, near, otherwise)


FUNCTIONS = frozenset({"function", "method", "constructor", "test", "macro"})
"""Kinds that count as a function when looking for the function around a line."""
_ABOVE = ("@", "#[", "[", "//", "/*", "*", "# ", "--")
"""How lines above a definition begin that may contain its name: decorators, attributes, comments."""


@dataclass(slots=True)
class Branch:
    """A symbol and the symbols inside it."""

    symbol: Symbol
    children: list["Branch"] = field(default_factory=list)


def nest(symbols: Sequence[Symbol]) -> list[Branch]:
    """Nest symbols by their line ranges; symbols with the same range become siblings."""
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
    """Return the symbols that contain a line, the innermost first."""
    holding = (symbol for symbol in symbols if spans(symbol, line))
    return sorted(holding, key=lambda symbol: (-symbol.start_line, symbol.end_line))


def name_line(lines: Sequence[str], symbol: Symbol) -> int:
    """Return the line that has a symbol's name, behind the word that its signature has before it.

    A definition may begin with decorators and attributes, whose arguments name many things.
    """
    word = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    before = symbol.signature.partition(symbol.name)[0]
    head = f"{before.rpartition(' ')[0].rpartition(' ')[2]} {before.rpartition(' ')[2]}{symbol.name}".lstrip()
    first = 0
    for number in range(symbol.start_line, min(symbol.end_line, len(lines)) + 1):
        text = lines[number - 1]
        is_above = text.lstrip().startswith(_ABOVE)
        if word.search(text) and head in text and (" " in head or not is_above):
            return number
        if not first and not is_above and word.search(text):
            first = number
    return first or symbol.start_line
