"""Who uses a name, how that was found out, and how sure it is.

The index tells which files have the name at all; those are read again, and the grammar tells code from comments and
strings. What a name means there is then decided by imports and by what stands before its dot. What cannot be decided
stays in the answer as ``name_only``: an unknown caller is no absent caller.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from shirube.graph.definitions import Spelled, find_exact
from shirube.graph.reach import BY_INCLUDE, Reach, reach_of
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
)
from shirube.store import Definition, Store
from shirube.types import Scope, Symbol

CALLED = frozenset({"function", "method", "constructor"})
SELVES = frozenset({"self", "this", "cls", "super", "static", "parent", "Self", "@", "__class__", "$this"})
IMPLICIT = frozenset({"java", "csharp", "cpp", "kotlin", "swift", "scala", "ruby", "php"})
"""Languages in which a member of one's own class needs no ``this``."""
LINE_CHARACTERS = 240
ALIAS = re.compile(r"\s+as\s+([^\W\d][\w$]*)")


class How(StrEnum):
    """How a reference was found."""

    IMPORT_RESOLVED = "import_resolved"
    SAME_FILE = "same_file"
    NAME_ONLY = "name_only"


CONFIDENCE = {How.SAME_FILE: 0.97, How.IMPORT_RESOLVED: 0.97, How.NAME_ONLY: 0.3}
"""Shares that a compiler or language server agrees with; benchmarks/symbols measures them."""
ELSEWHERE = {COMMENT: 0.1, STRING: 0.1, TEXT: 0.1}
"""The same for a name in a comment, a string or prose, which may still break when it is renamed."""


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


PASSES = (
    lambda one: one.how != How.NAME_ONLY,
    lambda one: one.how == How.NAME_ONLY and one.where == CODE,
    lambda one: one.where != CODE,
)
"""The order of an answer: what is sure, what else is code, then comments, strings and prose."""


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
    look = Look(store, spelled.name, tuple(found), mentioned.paths)
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
    for turn, wanted in enumerate(PASSES if page.prose else PASSES[:2]):
        if after and turn < after.turn:
            continue
        resumed = after if after and after.turn == turn else None
        begin = ordered.index(resumed.file) if resumed and resumed.file in ordered else 0
        for path in ordered[begin:] if turn else look.seen(ordered[begin:]):
            if path not in kept:
                kept[path] = list(look.at(path, uses))
            for one in filter(wanted, kept[path]):
                if not (resumed and path == resumed.file and (one.line, one.column) <= resumed[2:]):
                    yield Mark(turn, path, one.line, one.column), one


class Look:
    """Looks at files for one name."""

    def __init__(self, store: Store, name: str, found: tuple[Definition, ...], candidates: Sequence[str]) -> None:
        self._store = store
        self._name = name
        self._meant = {_key(one) for one in found}
        self._found = find_exact(store, Spelled(name), Scope())
        self._candidates = candidates
        self._reach = reach_of(store, name, found, candidates)
        self._rivals = [one for one in self._found if _key(one) not in self._meant]
        self._rival_reach = reach_of(store, name, self._rivals, candidates) if self._rivals else Reach(frozenset())
        self._languages = {path: record.language for path, record in store.files(sorted(candidates)).items()}
        self._kinds: dict[str, dict[str, Symbol]] = {}
        """Symbols of the files that define the name, by qualified name."""
        for path in {one.path for one in self._found}:
            self._kinds[path] = {symbol.qualified: symbol for symbol in reversed(store.symbols(path))}
        self._outer = {_key(one): self._kinds[one.path].get(one.symbol.scope) for one in self._found}
        self._classes: dict[str, Reach] = {}

    def ordered(self) -> list[str]:
        """Return the files that have the name, those first that surely mean it."""
        return sorted(self._candidates, key=lambda path: (self.rank(path), path))

    def seen(self, paths: Sequence[str]) -> list[str]:
        """Return those of the files that can see a definition."""
        return [path for path in paths if self.rank(path) < 2]

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
        symbols = self._store.symbols(path)
        file = File(path, language, text, symbols)
        uses.read.add(path)
        for name in (self._name, *self._aliases(file)):
            mentions, parsed = mentions_in(text, language, name)
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

    def _aliases(self, file: "File") -> list[str]:
        """Return other names under which a file imports the name: ``import a as b``."""
        if file.path not in self._reach.named or file.language in BY_INCLUDE:
            return []
        found = {one[1] for one in re.finditer(rf"\b{re.escape(self._name)}\b{ALIAS.pattern}", file.text)}
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
        """Decide what a place in code means; the nearest definition wins."""
        for one in sorted(self._found, key=lambda one: (one.path != file.path, _key(one) not in self._meant)):
            how = self._how(file, mention, one)
            if how is not None:
                return how, one
        return How.NAME_ONLY, None

    def _how(self, file: "File", mention: Mention, one: Definition) -> How | None:
        here = one.path == file.path
        outer = self._outer[_key(one)]
        if outer is None or outer.kind in ("module", "namespace"):
            seen = self._sees_free(file, mention, one)
        elif outer.kind in CALLED:
            seen = here and mention.role == BARE and outer.start_line <= mention.line <= outer.end_line
        else:
            seen = self._sees_member(file, mention, one, outer)
        return (How.SAME_FILE if here else How.IMPORT_RESOLVED) if seen else None

    def _sees_free(self, file: "File", mention: Mention, one: Definition) -> bool:
        """Tell whether a name that stands free in its file is meant."""
        reach = self._reach if _key(one) in self._meant else self._rival_reach
        if mention.role in (BARE, IMPORT):
            if self._hidden(file, mention):
                return False
            return file.path == one.path or file.path in reach.named or file.path in reach.package
        if mention.role != MEMBER or file.path == one.path:
            return False
        return reach.sees(file.path) and file.imports(mention.receiver)

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
        own = file.path == one.path and outer.start_line <= mention.line <= outer.end_line
        if mention.role == BARE:
            return own and (file.language in IMPLICIT or enclosing(file.symbols, mention.line) == outer.qualified)
        if mention.role != MEMBER:
            return False
        if mention.receiver in SELVES:
            return own or self._inherits(file, mention, outer.name)
        if not self._sees_class(file, one, outer):
            return False
        return mention.receiver == outer.name or file.holds(mention.receiver, outer.name)

    def _sees_class(self, file: "File", one: Definition, outer: Symbol) -> bool:
        if file.path == one.path:
            return True
        if outer.qualified not in self._classes:
            owner = Definition(one.key, one.path, outer)
            self._classes[outer.qualified] = reach_of(self._store, outer.name, [owner], self._candidates)
        return self._classes[outer.qualified].sees(file.path)

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

    def imports(self, receiver: str) -> bool:
        """Tell whether a name before a dot is one that an import brought here."""
        if not receiver.isidentifier():
            return False
        name = re.escape(receiver)
        forms = (
            rf"^[ \t]*(?:from\s+\S+\s+)?import\s[^\n;]*(?<![\w]){name}(?!\w)",
            rf"^[ \t]*from\s[^\n]*\([^)]*\b{name}\b[^)]*\)",
            rf"\bas\s+{name}\b",
            rf"\b{name}\s+\"[^\"\n]+\"",
            rf"[/\"]{name}\"",
            rf"\b(?:use|using|require|import)\b[^\n;]*\b{name}\b",
            rf"\b(?:const|let|var)\s+{name}\s*=\s*require\(",
        )
        return self._ask(receiver, "\n", "|".join(forms))

    def holds(self, receiver: str, kind: str) -> bool:
        """Tell whether a variable is said here to be of a class: ``x = C(``, ``x: C``, ``C x``, ``new C``."""
        if not receiver.isidentifier():
            return False
        name, of = re.escape(receiver), re.escape(kind)
        forms = (
            rf"\b{name}\s*(?::=|=)\s*(?:await\s+)?(?:new\s+|&\s*)?(?:\w+(?:\.|::))*{of}\s*[({{<]",
            rf"\b{name}\s*[?!]?\s*:\s*(?:readonly\s+|&\s*|mut\s+|\"|'|Optional\[)*(?:\w+(?:\.|::))*{of}\b",
            rf"\b{of}(?:<[^<>\n]*>)?\s*[*&]*\s+[*&]*{name}\b",
            rf"\b{name}\s+[*&]*(?:\w+\.)?{of}\b",
        )
        return self._ask(receiver, kind, "|".join(forms))

    def _ask(self, receiver: str, about: str, pattern: str) -> bool:
        key = (receiver, about)
        if key not in self._asked:
            self._asked[key] = re.search(pattern, self.text, re.MULTILINE) is not None
        return self._asked[key]


def _key(one: Definition) -> tuple[str, str, int]:
    return one.path, one.symbol.qualified, one.symbol.start_line


def enclosing(symbols: Sequence[Symbol], line: int) -> str:
    """Return the innermost symbol around a line, by its qualified name."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line)).qualified if around else ""
