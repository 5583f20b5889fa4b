"""Decides which definition a name refers to at a place, by imports and by what is before its dot, if it can."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from shirube.engine.graph.definitions import Spelled, around, find_exact, spans
from shirube.engine.graph.found import How
from shirube.engine.graph.reach import Reach, is_linked, module_names, reach_of
from shirube.engine.parse.languages import CLASS_KINDS
from shirube.engine.parse.mentions import BARE, IMPORT, MEMBER, TAG, Mention
from shirube.engine.store.lookups import EveryLink, FileRecords, FileSymbols, FileTexts
from shirube.engine.store.port import Definition
from shirube.engine.store.store import Store
from shirube.types import Scope, Symbol

CALLED = frozenset({"function", "method", "constructor", "test"})
"""Kinds whose inner definitions are local: code outside cannot refer to them."""
_IMPORTING = re.compile(r"\b(?:import|use|using|require|from)\b|[\"'(/]")
"""What precedes a module's name in the statement that imports it."""
_WORD = re.compile(r"\w+")


class SourceFile:
    """One file while its uses of a name are examined."""

    def __init__(self, path: str, language: str, text: str, symbols: tuple[Symbol, ...]) -> None:
        self.path, self.language, self.text, self.symbols = path, language, text, symbols
        self._asked: dict[tuple[str, str], bool] = {}
        self._bound: dict[str, frozenset[str]] = {}

    def names(self, name: str) -> bool:
        """Tell whether a name stands somewhere in the text; as a word, if it is one."""
        return name in self._words if name.isidentifier() else name in self.text

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))

    def imports(self, receiver: str, modules: frozenset[str]) -> bool:
        """Tell whether a name before a dot is an imported module of these, or this file's alias for one."""
        if not receiver.isidentifier():
            return False
        name = re.escape(receiver)
        if receiver in modules:
            key = (receiver, "")
            if key not in self._asked:
                self._asked[key] = any(map(_IMPORTING.search, self._before(name)))
            return self._asked[key]
        if receiver not in self._bound:
            match = re.search(rf"(?<![\w-])(\*|[\w-]+)\s+as\s+{name}\b(?:\s+from\s+[\"']([^\"'\n]+))?", self.text)
            match = match or re.search(rf"(\b){name}\s*(?:=\s*require\(|)\s*[\"']([^\"'\n]+)[\"']", self.text)
            self._bound[receiver] = frozenset({match[1], _module_name(match[2] or "")}) if match else frozenset()
        return not self._bound[receiver].isdisjoint(modules)

    def _before(self, name: str) -> Iterator[str]:
        """Yield the text before each occurrence of a name, from the start of its line or statement."""
        for match in re.finditer(rf"\b{name}\b", self.text):
            line = self.text[self.text.rfind("\n", 0, match.start()) + 1 : match.start()]
            yield line.rpartition(";")[2]

    def holds(self, mention: Mention, kind: str) -> bool:
        """Tell whether the code declares a variable to be of a class: ``x = C(``, ``x: C``, ``C x``, ``new C``.

        The last line before the place that binds the variable in its function decides, else the whole file.
        """
        if not mention.receiver.isidentifier():
            return False
        name, of = re.escape(mention.receiver), re.escape(kind)
        forms = (
            rf"\b{name}\s*(?::=|=)\s*(?:await\s+)?(?:new\s+|&\s*)?(?:\w+(?:\.|::))*{of}\s*[({{<]",
            rf"\b{name}\s*[?!]?\s*:\s*(?:readonly\s+|&\s*|mut\s+|\"|'|Optional\[)*(?:\w+(?:\.|::))*{of}\b",
            rf"\b{of}(?:<[^<>\n]*>)?\s*[*&]*\s+[*&]*{name}\b",
            rf"\b{name}\s+[*&]*(?:\w+\.)?{of}\b",
        )
        pattern = "|".join(forms)
        functions = [symbol for symbol in around(self.symbols, mention.line) if symbol.kind in CALLED]
        if functions:
            before = self.text[: mention.start].split("\n")[min(symbol.start_line for symbol in functions) - 1 :]
            bound = re.compile(rf"(?<![\w.]){name}\s*(?::=|=(?!=)|:|\s[*&]*[\w.]+\s*[,)])")
            if last := next((line for line in reversed(before) if bound.search(line)), ""):
                return re.search(pattern, last) is not None
            if any(re.search(rf"[(,]\s*{name}\s*[,)]", symbol.signature) for symbol in functions):
                return False  # a parameter without a type
        key = (mention.receiver, kind)
        if key not in self._asked:
            self._asked[key] = re.search(pattern, self.text, re.MULTILINE) is not None
        return self._asked[key]


def _module_name(written: str) -> str:
    """Return the name of a module that is written as a path: ``./lib/core.js`` → ``core``, ``./lib/`` → ``lib``."""
    parts = [part for part in written.split("/") if part.strip(".")]
    return parts[-1].partition(".")[0] if parts else ""


def enclosing(symbols: Sequence[Symbol], line: int) -> str:
    """Return the innermost symbol around a line, by its qualified name."""
    return next((symbol.qualified for symbol in around(symbols, line)), "")


MEMBERS = frozenset({"method", "constructor", "field", "property"})
SELVES = frozenset({"self", "this", "cls", "super", "static", "parent", "Self", "@", "__class__", "$this"})
IMPLICIT = frozenset({"java", "csharp", "cpp", "kotlin", "swift", "scala", "ruby", "php"})
"""Languages in which code refers to a member of its own class without ``this``."""
C_ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
SCRIPT_ENDINGS = (".js", ".jsx", ".cjs", ".mjs", ".ts", ".tsx", ".mts", ".cts")
OBJECTS = frozenset({"object", "variable", "constant"})
"""Kinds of single objects that have members."""
NO_TYPES = OBJECTS | {"module", "namespace"}
"""Kinds with members that are not types, so no variable can be declared with them."""
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)

AT_ONCE = 200
"""How many files that contain the name are read at a time over a network."""


class Meaning:
    """Knows all definitions of a name, and which of them are the ones asked about (meant)."""

    def __init__(self, store: Store, name: str, found: tuple[Definition, ...], candidates: frozenset[str]) -> None:
        self._store = store
        # Leave out tests named after what they test (``describe("pay")``): code cannot refer to a test.
        everything = find_exact(store, Spelled(name), Scope())
        few = tuple(sorted(candidates)) if len(candidates) <= AT_ONCE else ()
        paths = tuple(dict.fromkeys((*(definition.path for definition in everything), *few)))
        store.expect(EveryLink(), FileRecords(paths), FileSymbols(paths), FileTexts(few))
        self._found = tuple(definition for definition in everything if definition.symbol.kind != "test")
        same = {_identity(definition) for definition in found}
        meant = [definition for definition in self._found if _identity(definition) in same]
        rivals = [definition for definition in self._found if _identity(definition) not in same]
        self._meant = {_key(definition) for definition in meant}
        self._candidates = candidates
        own = [{definition.path for definition in group if not definition.symbol.scope} for group in (rivals, meant)]
        self.reach = reach_of(store, name, meant, candidates, own[0])
        """Which files can see the definitions asked about."""
        self._rival_reach = reach_of(store, name, rivals, candidates, own[1]) if rivals else Reach(frozenset())
        self._kinds = {
            path: {symbol.qualified: symbol for symbol in reversed(symbols)}
            for path, symbols in store.symbols_in({definition.path for definition in self._found}).items()
        }
        """Symbols of the files that define the name, by qualified name."""
        self._outer = {_key(definition): self._owner(definition) for definition in self._found}
        outers = (self._outer[_key(definition)] for definition in meant)
        self.owners = sorted({outer.name for outer in outers if outer is not None and outer.kind not in CALLED})
        """Names of the classes that have the name as a member."""
        self._classes: dict[str, Reach] = {}
        self._sorted: tuple[str, tuple[Definition, ...]] = ("", ())
        self._names: dict[int, frozenset[str]] = {}

    def _owner(self, definition: Definition) -> Symbol | None:
        """Return what encloses a definition; a stand-in for the class of a method outside it (Go, C++)."""
        symbol = definition.symbol
        if not symbol.scope:
            return None
        if (outer := self._kinds.get(definition.path, {}).get(symbol.scope)) is not None:
            return outer
        name = symbol.scope.rpartition(".")[2]
        far = symbol.kind in MEMBERS
        kind = "object" if definition.path.endswith(SCRIPT_ENDINGS) else "class"
        return Symbol(name, symbol.scope, kind, symbol.start_line, symbol.end_line) if far else None

    def is_meant(self, definition: Definition) -> bool:
        """Tell whether a definition is one of those asked about."""
        return _key(definition) in self._meant

    def resolve(self, file: SourceFile, mention: Mention) -> tuple[How, Definition | None]:
        """Decide which definition a place in code refers to; the nearest one wins.

        A declared type alone is no proof: unless all definitions it fits are asked about, the answer is NAME_ONLY.
        """
        declared: list[Definition] = []
        found = self._nearest(file)
        if mention.receiver in SELVES:  # a class's own member comes before an inherited one
            found = tuple(sorted(found, key=lambda definition: not self._is_own(file, mention, definition)))
        for definition in found:
            if self._sees(file, mention, definition):
                return _found_in(file, definition), definition
            declared += [definition] if self._is_declared_type(file, mention, definition) else []
        if declared and all(_key(definition) in self._meant for definition in declared):
            return _found_in(file, declared[0]), declared[0]
        return How.NAME_ONLY, None

    def _nearest(self, file: SourceFile) -> tuple[Definition, ...]:
        """Return the definitions in the order to try for a file: its own first, and of those the innermost."""
        if self._sorted[0] != file.path:

            def far(definition: Definition) -> tuple[bool, int, bool]:
                outer = self._outer[_key(definition)]
                inside = outer.start_line if outer is not None and outer.kind in CALLED else 0
                return definition.path != file.path, -inside, _key(definition) not in self._meant

            self._sorted = file.path, tuple(sorted(self._found, key=far))
        return self._sorted[1]

    def _is_own(self, file: SourceFile, mention: Mention, definition: Definition) -> bool:
        outer = self._outer[_key(definition)]
        return definition.path == file.path and outer is not None and spans(outer, mention.line)

    def _sees(self, file: SourceFile, mention: Mention, definition: Definition) -> bool:
        outer = self._outer[_key(definition)]
        if outer is None or outer.kind in ("module", "namespace"):
            return self._sees_free(file, mention, definition)
        if outer.kind in CALLED:
            return mention.role == BARE and definition.path == file.path and spans(outer, mention.line)
        return self._sees_member(file, mention, definition, outer)

    def _is_declared_type(self, file: SourceFile, mention: Mention, definition: Definition) -> bool:
        """Tell whether the file declares the receiver before the dot to be of the class."""
        outer = self._outer[_key(definition)]
        if outer is None or outer.kind in CALLED or outer.kind in NO_TYPES or mention.role != MEMBER:
            return False
        if not file.names(outer.name) or not self._sees_class(file.path, definition, outer):
            return False
        return file.holds(mention, outer.name)

    def _sees_free(self, file: SourceFile, mention: Mention, definition: Definition) -> bool:
        """Tell whether a place refers to a definition at the top level of its file."""
        reach = self.reach if _key(definition) in self._meant else self._rival_reach
        if mention.role in (BARE, IMPORT):
            here = (self._outer[_key(known)] for known in self._found if known.path == file.path)
            if any(outer is not None and outer.kind in CALLED and spans(outer, mention.line) for outer in here):
                return False  # a function around the place defines the same name locally
            if self._is_other_space(file, mention, definition.symbol):
                return False
            if file.path == definition.path:
                return mention.role == BARE
            return file.path in reach.named or file.path in reach.package
        if mention.role != MEMBER or file.path == definition.path:
            return False
        return reach.sees(file.path) and file.imports(mention.receiver, self._called(reach))

    def _is_other_space(self, file: SourceFile, mention: Mention, symbol: Symbol) -> bool:
        """Tell whether only one of the two is a struct: C keeps ``struct a`` and ``a`` apart."""
        is_type = symbol.kind in CLASS_KINDS
        if mention.receiver == TAG:
            return not is_type
        if not is_type or file.language != "c" or symbol.signature.startswith("typedef"):
            return False
        return any(definition.symbol.kind not in CLASS_KINDS for definition in self._found)

    def _called(self, reach: Reach) -> frozenset[str]:
        """Return the receivers that refer to these modules; a Go package is named by its ``package`` clause."""
        if id(reach) not in self._names:
            clauses = (_PACKAGE.search(self._store.text(path)) for path in reach.definers if path.endswith(".go"))
            self._names[id(reach)] = module_names(reach.sources) | {clause[1] for clause in clauses if clause}
        return self._names[id(reach)]

    def _sees_member(self, file: SourceFile, mention: Mention, definition: Definition, outer: Symbol) -> bool:
        """Tell whether a place refers to a member of a class: through ``self``, or through the name of the class."""
        own = self._is_own(file, mention, definition)
        if mention.role == BARE:
            return own and (file.language in IMPLICIT or enclosing(file.symbols, mention.line) == outer.qualified)
        if mention.role != MEMBER:
            return False
        if mention.receiver in SELVES:
            # The class around the place may name the other one in its signature, as its base.
            word = re.compile(rf"\b{re.escape(outer.name)}\b")
            classes = (symbol for symbol in around(file.symbols, mention.line) if symbol.kind in CLASS_KINDS)
            return own or any(one.name != outer.name and word.search(one.signature) for one in classes)
        if mention.receiver != outer.name or not self._sees_class(file.path, definition, outer):
            return False
        # After ``till.ring = function``, another file may have a different variable called till
        alike = outer.kind in OBJECTS and file.path != definition.path and file.path.endswith(SCRIPT_ENDINGS)
        return not alike or file.imports(mention.receiver, self._called(self._classes[outer.qualified]))

    def _sees_class(self, path: str, definition: Definition, outer: Symbol) -> bool:
        if path == definition.path:
            return True
        if outer.qualified not in self._classes:
            owner = Definition(definition.key, definition.path, outer)
            self._classes[outer.qualified] = reach_of(self._store, outer.name, [owner], self._candidates)
        return self._classes[outer.qualified].sees(path)


def _found_in(file: SourceFile, definition: Definition) -> How:
    return How.SAME_FILE if definition.path == file.path else How.IMPORT_RESOLVED


def _identity(definition: Definition) -> tuple[str, str]:
    """Return a key that definitions of the same thing share: per file, or for C's linked names per program."""
    symbol = definition.symbol
    is_shared = definition.path.endswith(C_ENDINGS) and is_linked(symbol)
    return "" if is_shared else definition.path, symbol.qualified


def _key(definition: Definition) -> tuple[str, str, int]:
    return definition.path, definition.symbol.qualified, definition.symbol.start_line
