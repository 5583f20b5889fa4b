"""What a name means at a place: decided by imports and by what stands before its dot, or not at all."""

import re

from shirube.engine.graph.definitions import Spelled, find_exact
from shirube.engine.graph.file import CALLED, File, enclosing
from shirube.engine.graph.found import How
from shirube.engine.graph.reach import Reach, callings, is_linked, reach_of
from shirube.engine.parse.languages import CLASS_KINDS
from shirube.engine.parse.mentions import BARE, IMPORT, MEMBER, TAG, Mention
from shirube.engine.store import Definition, Store
from shirube.types import Scope, Symbol

MEMBERS = frozenset({"method", "constructor", "field", "property"})
SELVES = frozenset({"self", "this", "cls", "super", "static", "parent", "Self", "@", "__class__", "$this"})
IMPLICIT = frozenset({"java", "csharp", "cpp", "kotlin", "swift", "scala", "ruby", "php"})
"""Languages in which a member of one's own class needs no ``this``."""
C_ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
SCRIPT_ENDINGS = (".js", ".jsx", ".cjs", ".mjs", ".ts", ".tsx", ".mts", ".cts")
OBJECTS = frozenset({"object", "variable", "constant"})
"""Single things that have members, …"""
NO_TYPES = OBJECTS | {"module", "namespace"}
"""… so that no variable can be of them."""
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)


class Meaning:
    """Knows every definition of a name, and which of them are meant."""

    def __init__(self, store: Store, name: str, found: tuple[Definition, ...], candidates: frozenset[str]) -> None:
        self._store = store
        # A test that is called like what it tests (``describe("pay")``) is nothing that code can mean.
        self._found = tuple(one for one in find_exact(store, Spelled(name), Scope()) if one.symbol.kind != "test")
        same = {_sameness(one) for one in found}
        meant = [one for one in self._found if _sameness(one) in same]
        rivals = [one for one in self._found if _sameness(one) not in same]
        self._meant = {_key(one) for one in meant}
        self._candidates = candidates
        own = [{one.path for one in group if not one.symbol.scope} for group in (rivals, meant)]
        self.reach = reach_of(store, name, meant, candidates, own[0])
        """Who can see what is meant."""
        self._rival_reach = reach_of(store, name, rivals, candidates, own[1]) if rivals else Reach(frozenset())
        self._kinds: dict[str, dict[str, Symbol]] = {}
        """Symbols of the files that define the name, by qualified name."""
        for path in {one.path for one in self._found}:
            self._kinds[path] = {symbol.qualified: symbol for symbol in reversed(store.symbols(path))}
        self._outer = {_key(one): self._owner(one) for one in self._found}
        owned = ((one, self._outer[_key(one)]) for one in meant)
        self.owners = sorted({outer.name for _, outer in owned if outer is not None and outer.kind not in CALLED})
        """Names of the classes of which it is a member."""
        self._classes: dict[str, Reach] = {}
        self._sorted: tuple[str, tuple[Definition, ...]] = ("", ())
        self._names: dict[int, frozenset[str]] = {}

    def _owner(self, one: Definition) -> Symbol | None:
        """Return what a definition is in; a method may be far from its class (Go, C++), which is then known by name."""
        symbol = one.symbol
        if not symbol.scope:
            return None
        if (outer := self._kinds[one.path].get(symbol.scope)) is not None:
            return outer
        name = symbol.scope.rpartition(".")[2]
        far = symbol.kind in MEMBERS
        kind = "object" if one.path.endswith(SCRIPT_ENDINGS) else "class"
        return Symbol(name, symbol.scope, kind, symbol.start_line, symbol.end_line) if far else None

    def is_meant(self, one: Definition) -> bool:
        """Tell whether a definition is one of those that are asked about."""
        return _key(one) in self._meant

    def resolve(self, file: File, mention: Mention) -> tuple[How, Definition | None]:
        """Decide what a place in code means; the nearest definition wins.

        What a variable is said to be is no proof: when several definitions fit, or another one does, nothing is sure.
        """
        said: list[Definition] = []
        found = self._nearest(file)
        if mention.receiver in SELVES:  # a class that has the member itself does not mean what it inherits
            found = tuple(sorted(found, key=lambda one: not self._is_own(file, mention, one)))
        for one in found:
            if self._sees(file, mention, one):
                return _found_in(file, one), one
            said += [one] if self._says(file, mention, one) else []
        if said and all(_key(one) in self._meant for one in said):
            return _found_in(file, said[0]), said[0]
        return How.NAME_ONLY, None

    def _nearest(self, file: File) -> tuple[Definition, ...]:
        """Return the definitions as they come into question in a file: its own first, of those the innermost."""
        if self._sorted[0] != file.path:

            def far(one: Definition) -> tuple[bool, int, bool]:
                outer = self._outer[_key(one)]
                inside = outer.start_line if outer is not None and outer.kind in CALLED else 0
                return one.path != file.path, -inside, _key(one) not in self._meant

            self._sorted = file.path, tuple(sorted(self._found, key=far))
        return self._sorted[1]

    def _is_own(self, file: File, mention: Mention, one: Definition) -> bool:
        outer = self._outer[_key(one)]
        return one.path == file.path and outer is not None and outer.start_line <= mention.line <= outer.end_line

    def _sees(self, file: File, mention: Mention, one: Definition) -> bool:
        outer = self._outer[_key(one)]
        if outer is None or outer.kind in ("module", "namespace"):
            return self._sees_free(file, mention, one)
        if outer.kind in CALLED:
            here = one.path == file.path and outer.start_line <= mention.line <= outer.end_line
            return here and mention.role == BARE
        return self._sees_member(file, mention, one, outer)

    def _says(self, file: File, mention: Mention, one: Definition) -> bool:
        """Tell whether the file says that what stands before the dot is of the class."""
        outer = self._outer[_key(one)]
        if outer is None or outer.kind in CALLED or outer.kind in NO_TYPES or mention.role != MEMBER:
            return False
        if outer.name not in file.text or not self._sees_class(file.path, one, outer):
            return False
        return file.holds(mention, outer.name)

    def _sees_free(self, file: File, mention: Mention, one: Definition) -> bool:
        """Tell whether a name that stands free in its file is meant."""
        reach = self.reach if _key(one) in self._meant else self._rival_reach
        if mention.role in (BARE, IMPORT):
            if self._hidden(file, mention) or self._is_other_space(file, mention, one.symbol):
                return False
            if file.path == one.path:
                return mention.role == BARE
            return file.path in reach.named or file.path in reach.package
        if mention.role != MEMBER or file.path == one.path:
            return False
        return reach.sees(file.path) and file.imports(mention.receiver, self._called(reach))

    def _is_other_space(self, file: File, mention: Mention, symbol: Symbol) -> bool:
        """Tell ``struct a`` from ``a``, which C keeps apart: where both are defined, only the tag means the struct."""
        is_type = symbol.kind in CLASS_KINDS
        if mention.receiver == TAG:
            return not is_type
        if not is_type or file.language != "c" or symbol.signature.startswith("typedef"):
            return False
        return any(one.symbol.kind not in CLASS_KINDS for one in self._found)

    def _called(self, reach: Reach) -> frozenset[str]:
        """Return what may stand before the dot: modules by their names, packages of Go by what they call themselves."""
        if id(reach) not in self._names:
            told = (_PACKAGE.search(self._store.text(path)) for path in reach.definers if path.endswith(".go"))
            self._names[id(reach)] = callings(reach.sources) | {found[1] for found in told if found}
        return self._names[id(reach)]

    def _hidden(self, file: File, mention: Mention) -> bool:
        """Tell whether a nearer function defines the same name for itself."""
        inner = (
            self._outer[_key(one)]
            for one in self._found
            if one.path == file.path and (outer := self._outer[_key(one)]) is not None and outer.kind in CALLED
        )
        return any(outer.start_line <= mention.line <= outer.end_line for outer in inner if outer)

    def _sees_member(self, file: File, mention: Mention, one: Definition, outer: Symbol) -> bool:
        """Tell whether a member of a class is meant: by ``self``, by the class, or by a variable of its type."""
        own = self._is_own(file, mention, one)
        if mention.role == BARE:
            return own and (file.language in IMPLICIT or enclosing(file.symbols, mention.line) == outer.qualified)
        if mention.role != MEMBER:
            return False
        if mention.receiver in SELVES:
            return own or self._inherits(file, mention, outer.name)
        if mention.receiver != outer.name or not self._sees_class(file.path, one, outer):
            return False
        # ``till.ring = function``: elsewhere another variable may be called till
        alike = outer.kind in OBJECTS and file.path != one.path and file.path.endswith(SCRIPT_ENDINGS)
        return not alike or file.imports(mention.receiver, self._called(self._classes[outer.qualified]))

    def _sees_class(self, path: str, one: Definition, outer: Symbol) -> bool:
        if path == one.path:
            return True
        if outer.qualified not in self._classes:
            owner = Definition(one.key, one.path, outer)
            self._classes[outer.qualified] = reach_of(self._store, outer.name, [owner], self._candidates)
        return self._classes[outer.qualified].sees(path)

    def _inherits(self, file: File, mention: Mention, name: str) -> bool:
        """Tell whether the class around a place says in its head that it comes from another."""
        around = [
            symbol
            for symbol in file.symbols
            if symbol.kind in CLASS_KINDS and symbol.start_line <= mention.line <= symbol.end_line
        ]
        return any(re.search(rf"\b{re.escape(name)}\b", one.signature) and one.name != name for one in around)


def _found_in(file: File, one: Definition) -> How:
    return How.SAME_FILE if one.path == file.path else How.IMPORT_RESOLVED


def _sameness(one: Definition) -> tuple[str, str]:
    """Return what definitions of one thing share: overloads and branches a file, prototypes in C a program."""
    symbol = one.symbol
    is_shared = one.path.endswith(C_ENDINGS) and is_linked(symbol)
    return "" if is_shared else one.path, symbol.qualified


def _key(one: Definition) -> tuple[str, str, int]:
    return one.path, one.symbol.qualified, one.symbol.start_line
