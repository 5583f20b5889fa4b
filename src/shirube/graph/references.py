"""Who uses a name, how that was found out, and how sure it is.

The index tells which files have the name at all; those are read again, and the grammar tells code from comments and
strings. What a name means there is then decided by imports and by what stands before its dot. What cannot be decided
stays in the answer as ``name_only``: an unknown caller is no absent caller.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from shirube.graph.definitions import Spelled, find_exact
from shirube.graph.outline import name_line
from shirube.graph.reach import BY_INCLUDE, Reach, callings, reach_of
from shirube.parse.languages import CLASS_KINDS, language_row
from shirube.parse.mentions import (
    BARE,
    CODE,
    COMMENT,
    DEFINITION,
    IMPORT,
    LOCAL,
    MEMBER,
    STRING,
    TEXT,
    Mention,
    mentions_in,
    places,
)
from shirube.store import Definition, Store
from shirube.types import Scope, Symbol

CALLED = frozenset({"function", "method", "constructor", "test"})
"""What has names of its own inside."""
MEMBERS = frozenset({"method", "constructor", "field", "property"})
SELVES = frozenset({"self", "this", "cls", "super", "static", "parent", "Self", "@", "__class__", "$this"})
IMPLICIT = frozenset({"java", "csharp", "cpp", "kotlin", "swift", "scala", "ruby", "php"})
"""Languages in which a member of one's own class needs no ``this``."""
C_ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
MOST_CLASSES = 20
"""Classes that are looked up before files are read, unless the files are far more; else files are read as they come."""
LINE_CHARACTERS = 240
ALIAS = re.compile(r"\s+as\s+([^\W\d][\w$]*)")


class How(StrEnum):
    """How a reference was found."""

    IMPORT_RESOLVED = "import_resolved"
    SAME_FILE = "same_file"
    NAME_ONLY = "name_only"


CONFIDENCE = {How.SAME_FILE: 0.98, How.IMPORT_RESOLVED: 0.98, How.NAME_ONLY: 0.1}
"""Shares that a compiler or language server agreed with, rounded (benchmarks/symbols); in C the sure ones were 0.88."""
ELSEWHERE = {COMMENT: 0.05, STRING: 0.05, TEXT: 0.05}
"""A guess, not measured, for a name in a comment, a string or prose, which may still break when it is renamed."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a name."""

    file: str
    line: int
    column: int
    end_column: int
    content: str
    """The line, cut when it is very long."""
    where: str
    """code, comment, string or text (a file without a grammar)."""
    how: How
    confidence: float
    symbol: str
    """What encloses it."""
    definition: str
    """``path:line`` of what it means, when that is known."""


TURNS = 3


def _turn(one: Reference) -> int:
    """Return when a use is told: what is sure first, then what else is code, then comments, strings and prose."""
    if one.where != CODE:
        return 2
    return 1 if one.how == How.NAME_ONLY else 0


class Mark(NamedTuple):
    """Where a page begins: after this column of a line of a file, in one of the passes."""

    turn: int
    file: str
    line: int
    column: int


@dataclass(slots=True)
class Uses:
    """A page of references, and what was done for it."""

    items: list[Reference] = field(default_factory=list)
    next: Mark | None = None
    """Where the next page begins, when there is more."""
    files: int = 0
    """Files that have the name, …"""
    read: set[str] = field(default_factory=set)
    """… and those that were read for this page."""
    definitions: int = 0
    locals: int = 0
    """Places left out because they are the definition itself, or a local variable of the same name."""
    others: int = 0
    """Places left out because they surely mean another definition of the name."""
    unparsed: dict[str, int] = field(default_factory=dict)
    """Files looked at without a grammar, for each language."""
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What part of an answer is wanted."""

    limit: int
    after: Mark | None = None
    prose: bool = True
    """Whether comments, strings and plain text belong to it."""


def find_uses(store: Store, spelled: Spelled, found: Sequence[Definition], scope: Scope, page: Page) -> Uses:
    """Return one page of the uses of a name, the surest first; ``found`` are the definitions that are meant."""
    mentioned = store.mentions(spelled.name, scope)
    uses = Uses(files=len(mentioned.paths), degraded=mentioned.degraded)
    look = Look(store, spelled.name, tuple(found), mentioned.languages)
    last_mark: Mark | None = None
    for mark, one in _in_order(look, uses, page):
        if len(uses.items) == page.limit:
            uses.next = last_mark
            return uses
        uses.items.append(one)
        last_mark = mark
    return uses


def _in_order(look: "Look", uses: Uses, page: Page) -> "Iterator[tuple[Mark, Reference]]":
    """Walk through the files as often as there are passes; each is read once."""
    ordered = look.ordered()
    kept: dict[str, list[Reference]] = {}
    after = page.after
    for turn in range(after.turn if after else 0, TURNS if page.prose else TURNS - 1):
        resumed = after if after and after.turn == turn else None
        begin = ordered.index(resumed.file) if resumed and resumed.file in ordered else 0
        for path in ordered[begin:]:
            if turn == 0 and not look.may_resolve(path):
                continue
            if path not in kept:
                kept[path] = list(look.at(path, uses))
            for one in kept[path]:
                if _turn(one) == turn and not (
                    resumed and path == resumed.file and (one.line, one.column) <= resumed[2:]
                ):
                    yield Mark(turn, path, one.line, one.column), one


class Look:
    """Looks at files for one name."""

    def __init__(self, store: Store, name: str, found: tuple[Definition, ...], languages: Mapping[str, str]) -> None:
        self._store = store
        self._name = name
        # A test that is called like what it tests (``describe("pay")``) is nothing that code can mean.
        self._found = tuple(one for one in find_exact(store, Spelled(name), Scope()) if one.symbol.kind != "test")
        same = {_sameness(one) for one in found}
        meant = [one for one in self._found if _sameness(one) in same]
        rivals = [one for one in self._found if _sameness(one) not in same]
        self._meant = {_key(one) for one in meant}
        self._languages, candidates = languages, frozenset(languages)
        self._candidates = candidates
        own = [{one.path for one in group if not one.symbol.scope} for group in (rivals, meant)]
        self._reach = reach_of(store, name, meant, candidates, own[0])
        self._rival_reach = reach_of(store, name, rivals, candidates, own[1]) if rivals else Reach(frozenset())
        self._kinds: dict[str, dict[str, Symbol]] = {}
        """Symbols of the files that define the name, by qualified name."""
        for path in {one.path for one in self._found}:
            self._kinds[path] = {symbol.qualified: symbol for symbol in reversed(store.symbols(path))}
        self._outer = {_key(one): self._owner(one) for one in self._found}
        owned = ((one, self._outer[_key(one)]) for one in meant)
        self._owners = sorted({outer.name for _, outer in owned if outer is not None and outer.kind not in CALLED})
        self._classes: dict[str, Reach] = {}
        self._told: dict[str, frozenset[str]] = {}
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
        return Symbol(name, symbol.scope, "class", symbol.start_line, symbol.end_line) if far else None

    def ordered(self) -> list[str]:
        """Return the files that have the name, those first that surely mean it."""
        return sorted(self._candidates, key=lambda path: (self.rank(path), path))

    def may_resolve(self, path: str) -> bool:
        """Tell whether a place in a file may turn out to be sure: it sees a definition, or names a member's class."""
        if self.rank(path) < 2 or len(self._owners) > max(MOST_CLASSES, len(self._candidates) // 4):
            return True
        return any(path in self._naming(name) for name in self._owners)

    def _naming(self, name: str) -> frozenset[str]:
        """Return the files that have the name of a class."""
        if name not in self._told:
            self._told[name] = frozenset(self._store.mentions(name, Scope()).languages)
        return self._told[name]

    def rank(self, path: str) -> int:
        """Return where a file comes: definitions, those that import them, code, the rest."""
        if path in self._reach.definers:
            return 0
        if self._reach.sees(path):
            return 1
        return 2 if language_row(self._languages.get(path, "")).grammar else 3

    def at(self, path: str, uses: Uses) -> Iterator[Reference]:
        """Return the uses in one file, in order."""
        text, language = self._store.text(path), self._languages.get(path, "")
        uses.read.add(path)
        if self._name not in text:
            return  # the index knows words by their stems
        file = File(path, language, text, self._store.symbols(path))
        if only := self._only_defined(file):
            uses.definitions += only
            return
        names = [self._name]
        for name in names:
            mentions, parsed = mentions_in(text, language, name)
            names += self._aliases(file, mentions) if name == self._name else []
            if mentions and not parsed:
                uses.unparsed[language] = uses.unparsed.get(language, 0) + 1
            for mention in mentions:
                if mention.role == DEFINITION:
                    uses.definitions += name == self._name
                elif mention.role == LOCAL:
                    uses.locals += 1
                elif one := self._reference(file, mention, name):
                    yield one
                else:
                    uses.others += 1

    def _only_defined(self, file: "File") -> int:
        """Return how often the name stands in a file when every place is a definition, which needs no parser."""
        own = [one for one in file.symbols if one.name == self._name]
        if not own or not language_row(file.language).grammar:
            return 0
        found = places(file.text, file.language, self._name)
        if len(found) != len(own):
            return 0
        lines = file.text.split("\n")
        return len(own) if sorted(one.line for one in found) == sorted(name_line(lines, one) for one in own) else 0

    def _aliases(self, file: "File", mentions: Sequence[Mention]) -> list[str]:
        """Return other names under which a file imports the name: ``import a as b``; ``a as T`` elsewhere is a cast."""
        if file.path not in self._reach.named or file.language in BY_INCLUDE:
            return []
        ends = (one.start + len(self._name) for one in mentions if one.role == IMPORT)
        found = {told[1] for end in ends if (told := ALIAS.match(file.text, end))}
        return sorted(found - {self._name})

    def _reference(self, file: "File", mention: Mention, name: str) -> Reference | None:
        """Return the use at a place, or None when something else of that name is meant."""
        how, meant = self._resolve(file, mention) if mention.where == CODE else (How.NAME_ONLY, None)
        if meant is not None and _key(meant) not in self._meant:
            return None
        start = mention.start - mention.column + 1
        end = file.text.find("\n", mention.start)
        line = file.text[start : end if end >= 0 else len(file.text)].rstrip("\r")
        return Reference(
            file.path,
            mention.line,
            mention.column,
            mention.column + len(name),
            line[:LINE_CHARACTERS],
            mention.where,
            how,
            ELSEWHERE.get(mention.where, CONFIDENCE[how]),
            enclosing(file.symbols, mention.line),
            f"{meant.path}:{meant.symbol.start_line}" if meant else "",
        )

    # --- what is meant ---------------------------------------------------------------------------------------

    def _resolve(self, file: "File", mention: Mention) -> tuple[How, Definition | None]:
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

    def _nearest(self, file: "File") -> tuple[Definition, ...]:
        """Return the definitions as they come into question in a file: its own first, of those the innermost."""
        if self._sorted[0] != file.path:

            def far(one: Definition) -> tuple[bool, int, bool]:
                outer = self._outer[_key(one)]
                inside = outer.start_line if outer is not None and outer.kind in CALLED else 0
                return one.path != file.path, -inside, _key(one) not in self._meant

            self._sorted = file.path, tuple(sorted(self._found, key=far))
        return self._sorted[1]

    def _is_own(self, file: "File", mention: Mention, one: Definition) -> bool:
        outer = self._outer[_key(one)]
        return one.path == file.path and outer is not None and outer.start_line <= mention.line <= outer.end_line

    def _sees(self, file: "File", mention: Mention, one: Definition) -> bool:
        outer = self._outer[_key(one)]
        if outer is None or outer.kind in ("module", "namespace"):
            return self._sees_free(file, mention, one)
        if outer.kind in CALLED:
            here = one.path == file.path and outer.start_line <= mention.line <= outer.end_line
            return here and mention.role == BARE
        return self._sees_member(file, mention, one, outer)

    def _says(self, file: "File", mention: Mention, one: Definition) -> bool:
        """Tell whether the file says that what stands before the dot is of the class."""
        outer = self._outer[_key(one)]
        if outer is None or outer.kind in CALLED or outer.kind in ("module", "namespace") or mention.role != MEMBER:
            return False
        if outer.name not in file.text or not self._sees_class(file.path, one, outer):
            return False
        return file.holds(mention, outer.name)

    def _sees_free(self, file: "File", mention: Mention, one: Definition) -> bool:
        """Tell whether a name that stands free in its file is meant."""
        reach = self._reach if _key(one) in self._meant else self._rival_reach
        if mention.role in (BARE, IMPORT):
            if self._hidden(file, mention):
                return False
            if file.path == one.path:
                return mention.role == BARE
            return file.path in reach.named or file.path in reach.package
        if mention.role != MEMBER or file.path == one.path:
            return False
        return reach.sees(file.path) and file.imports(mention.receiver, self._called(reach))

    def _called(self, reach: Reach) -> frozenset[str]:
        """Return what may stand before the dot: modules by their names, packages of Go by what they call themselves."""
        if id(reach) not in self._names:
            told = (_PACKAGE.search(self._store.text(path)) for path in reach.definers if path.endswith(".go"))
            self._names[id(reach)] = callings(reach.sources) | {found[1] for found in told if found}
        return self._names[id(reach)]

    def _hidden(self, file: "File", mention: Mention) -> bool:
        """Tell whether a nearer function defines the same name for itself."""
        inner = (
            self._outer[_key(one)]
            for one in self._found
            if one.path == file.path and (outer := self._outer[_key(one)]) is not None and outer.kind in CALLED
        )
        return any(outer.start_line <= mention.line <= outer.end_line for outer in inner if outer)

    def _sees_member(self, file: "File", mention: Mention, one: Definition, outer: Symbol) -> bool:
        """Tell whether a member of a class is meant: by ``self``, by the class, or by a variable of its type."""
        own = self._is_own(file, mention, one)
        if mention.role == BARE:
            return own and (file.language in IMPLICIT or enclosing(file.symbols, mention.line) == outer.qualified)
        if mention.role != MEMBER:
            return False
        if mention.receiver in SELVES:
            return own or self._inherits(file, mention, outer.name)
        return mention.receiver == outer.name and self._sees_class(file.path, one, outer)

    def _sees_class(self, path: str, one: Definition, outer: Symbol) -> bool:
        if path == one.path:
            return True
        if outer.qualified not in self._classes:
            owner = Definition(one.key, one.path, outer)
            self._classes[outer.qualified] = reach_of(self._store, outer.name, [owner], self._candidates)
        return self._classes[outer.qualified].sees(path)

    def _inherits(self, file: "File", mention: Mention, name: str) -> bool:
        """Tell whether the class around a place says in its head that it comes from another."""
        around = [
            symbol
            for symbol in file.symbols
            if symbol.kind in CLASS_KINDS and symbol.start_line <= mention.line <= symbol.end_line
        ]
        return any(re.search(rf"\b{re.escape(name)}\b", one.signature) and one.name != name for one in around)


class File:
    """One file while it is looked at."""

    def __init__(self, path: str, language: str, text: str, symbols: tuple[Symbol, ...]) -> None:
        self.path, self.language, self.text, self.symbols = path, language, text, symbols
        self._asked: dict[tuple[str, str], bool] = {}

    def imports(self, receiver: str, modules: frozenset[str]) -> bool:
        """Tell whether a name before a dot is one of the modules, or what an import here calls one of them."""
        if not receiver.isidentifier():
            return False
        name = re.escape(receiver)
        if receiver in modules:
            return self._ask(receiver, "", rf"(?:\b(?:import|use|using|require|from)\b|[\"'(/]){_REST}\b{name}\b")
        found = re.search(rf"([\w-]+)\s+as\s+{name}\b(?:\s+from\s+[\"']([^\"'\n]+))?", self.text)
        found = found or re.search(rf"(\b){name}\s*(?:=\s*require\(|)\s*[\"']([^\"'\n]+)[\"']", self.text)
        called = {found[1], _module_name(found[2] or "")} if found else set()
        return bool(called & modules)

    def holds(self, mention: Mention, kind: str) -> bool:
        """Tell whether a variable is said to be of a class: ``x = C(``, ``x: C``, ``C x``, ``new C``.

        The last line before the place that binds the variable in its function decides, else the file.
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
        around = [one for one in self.symbols if one.kind in CALLED and one.start_line <= mention.line <= one.end_line]
        if around:
            before = self.text[: mention.start].split("\n")[min(one.start_line for one in around) - 1 :]
            bound = re.compile(rf"(?<![\w.]){name}\s*(?::=|=(?!=)|:|\s[*&]*[\w.]+\s*[,)])")
            if last := next((line for line in reversed(before) if bound.search(line)), ""):
                return re.search(pattern, last) is not None
            if any(re.search(rf"[(,]\s*{name}\s*[,)]", one.signature) for one in around):
                return False  # a parameter of which nothing is said
        return self._ask(mention.receiver, kind, pattern)

    def _ask(self, receiver: str, about: str, pattern: str) -> bool:
        key = (receiver, about)
        if key not in self._asked:
            self._asked[key] = re.search(pattern, self.text, re.MULTILINE) is not None
        return self._asked[key]


def _found_in(file: File, one: Definition) -> How:
    return How.SAME_FILE if one.path == file.path else How.IMPORT_RESOLVED


def _sameness(one: Definition) -> tuple[str, str]:
    """Return what definitions of one thing share: overloads and branches a file, prototypes in C a program."""
    is_global = one.path.endswith(C_ENDINGS) and not one.symbol.scope
    return "" if is_global else one.path, one.symbol.qualified


def _key(one: Definition) -> tuple[str, str, int]:
    return one.path, one.symbol.qualified, one.symbol.start_line


_REST = r"[^;\n]*?"


def _module_name(written: str) -> str:
    """Return what a module written as a path is called: ``./lib/core.js`` → ``core``, ``./lib/`` → ``lib``."""
    parts = [part for part in written.split("/") if part.strip(".")]
    return parts[-1].partition(".")[0] if parts else ""


def enclosing(symbols: Sequence[Symbol], line: int) -> str:
    """Return the innermost symbol around a line, by its qualified name."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line)).qualified if around else ""
