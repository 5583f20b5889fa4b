"""Where a name is defined, as an agent or a person spells it: ``Session.start``, ``Foo::bar``, ``shop.payment.pay``."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from msgspec import Struct

from shirube.engine.store import Ask, Definition, Store
from shirube.errors import UnknownName
from shirube.messages import say
from shirube.types import Scope

MOST = 10_000
"""Definitions of one name; more than that is no name to ask for."""
POOL = 400
"""Names compared with one that nobody knows."""
NEAREST = 5
_JOINTS = re.compile(r"::|->|[.#\\]|(?<=\w)/(?=\w)|:(?=[A-Za-z_])")
_ENDING = re.compile(r"\.\w+$")
_SILENT = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that are called by the name of their directory."""


class Spelled(Struct, frozen=True):
    """A name, and what it is said to be in: ``a.b.C.run`` → ``run`` in ``("a", "b", "C")``."""

    name: str
    outer: tuple[str, ...] = ()


def read_name(text: str) -> Spelled:
    """Take a spelled name apart: ``"Session::start()"`` → ``start`` in ``("Session",)``."""
    bare = text.strip().removesuffix("()").strip("`'\" ")
    parts = [part for part in _JOINTS.split(bare) if part]
    return Spelled(parts[-1], tuple(parts[:-1])) if parts else Spelled("")


def find_exact(store: Store, spelled: Spelled, scope: Scope) -> tuple[Definition, ...]:
    """Return the definitions of exactly this name, with these capitals, in what it is said to be in."""
    ask = Ask(names=(spelled.name.lower(),), outer=".".join(spelled.outer).lower(), scope=scope, limit=MOST)
    found = (one for one in store.candidates(ask).definitions if one.symbol.name == spelled.name)
    return _ordered(one for one in found if _is_in(one, spelled.outer))


def find_alike(store: Store, spelled: Spelled, scope: Scope) -> tuple[Definition, ...]:
    """Return the definitions of this name in other capitals, or else of names that have it as a part."""
    ask = Ask(names=(spelled.name.lower(),), scope=scope, limit=MOST)
    found = store.candidates(ask).definitions
    if not found and (names := store.names(spelled.name, POOL)):
        found = store.candidates(Ask(names=tuple(name.lower() for name in names), scope=scope, limit=MOST)).definitions
    return _ordered(one for one in found if _is_in(one, spelled.outer))


def nearest_names(store: Store, name: str) -> tuple[str, ...]:
    """Return names that exist and look like one that does not."""
    words = [name, name[: max(3, len(name) // 2)], name[-max(3, len(name) // 2) :]]
    pool: dict[str, list[str]] = {}
    for known in sorted({known for word in words if word for known in store.names(word, POOL)}):
        pool.setdefault(known.lower(), []).append(known)
    near = get_close_matches(name.lower(), pool, n=NEAREST, cutoff=0.6)
    return tuple(known for one in near for known in pool[one])[:NEAREST]


def _is_in(found: Definition, outer: tuple[str, ...]) -> bool:
    """Tell whether a definition is in what it is said to be in: its scopes, then its file and directories."""
    if not outer:
        return True
    own = [part for part in _JOINTS.split(found.symbol.scope) if part]  # a test is called anything: "app.use()"
    parts = [*_ENDING.sub("", found.path).split("/"), *own]
    told = [part for part in parts if part not in _SILENT]
    wanted = [part for part in outer if part not in _SILENT]
    return told[len(told) - len(wanted) :] == wanted or parts[-len(outer) :] == list(outer)


def _ordered(found: Iterable[Definition]) -> tuple[Definition, ...]:
    """Sort by what a reader wants first: what has a body before mere declarations, then by place."""
    unique = {(one.path, one.symbol.start_line, one.symbol.qualified, one.symbol.kind): one for one in found}
    return tuple(
        sorted(unique.values(), key=lambda one: (_is_declared(one), one.path, one.symbol.start_line)),
    )


def _is_declared(found: Definition) -> bool:
    """Tell a one-line declaration of something that is made elsewhere: a prototype, a stub."""
    symbol = found.symbol
    in_header = found.path.endswith((".h", ".hh", ".hpp", ".pyi", ".d.ts"))
    return in_header and symbol.kind in ("function", "method") and symbol.start_line == symbol.end_line


def unknown_symbol(store: Store, name: str, what: str = "symbol") -> UnknownName:
    """Return the refusal of a name that nothing has, with names like it; ``what`` may say in which file."""
    near = nearest_names(store, read_name(name).name)
    otherwise = say("asking.names_like", names=near) if near else say("asking.no_name_like")
    return UnknownName(what, name, near, otherwise)
