"""Finds the uses of a name, with the method that found each and a confidence.

The index lists the files that contain the name. Their text is parsed again to tell code from comments and strings.
Imports and what is before the dot then decide which definition each place refers to. Places that cannot be decided stay
in the answer as ``name_only``, because they may be real uses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

from shirube.engine.graph.definitions import Spelled, name_line
from shirube.engine.graph.found import How, Reference
from shirube.engine.graph.meaning import AT_ONCE, Meaning, SourceFile, enclosing
from shirube.engine.graph.reach import BY_INCLUDE
from shirube.engine.parse.languages import language_row
from shirube.engine.parse.mentions import (
    CODE,
    COMMENT,
    DEFINITION,
    IMPORT,
    LOCAL,
    STRING,
    TEXT,
    Mention,
    mentions_in,
    places,
)
from shirube.engine.store.lookups import FileSymbols, FileTexts, NameMentions
from shirube.engine.store.port import Definition
from shirube.engine.store.store import Store
from shirube.messages import Message
from shirube.types import Scope

CONFIDENCE = {How.SAME_FILE: 0.98, How.IMPORT_RESOLVED: 0.98, How.NAME_ONLY: 0.1}
"""The share a compiler or language server confirmed, rounded (benchmarks/symbols); 0.973 to 1 for resolved uses."""
ELSEWHERE = {COMMENT: 0.05, STRING: 0.05, TEXT: 0.05}
"""Confidence in comments, strings and prose: a guess, not measured; such a place may still matter for a rename."""


TURNS = 3
"""Passes over the files, see ``turn_of``."""


def turn_of(use: Reference) -> int:
    """Return the pass that lists a use: resolved uses are 0, other code is 1, comments, strings and prose are 2."""
    if use.where != CODE:
        return 2
    return 1 if use.how == How.NAME_ONLY else 0


class UsesMark(NamedTuple):
    """Where a page begins: in this pass, after this column of this line of a file."""

    turn: int
    file: str
    line: int
    column: int


@dataclass(slots=True)
class Uses:
    """A page of references, and counts of what was read and left out for it."""

    items: list[Reference] = field(default_factory=list)
    next: UsesMark | None = None
    """Where the next page begins, when there is more."""
    files: int = 0
    """How many files contain the name."""
    read: set[str] = field(default_factory=set)
    """The files that were read for this page."""
    definitions: int = 0
    locals: int = 0
    """Places left out because they are the definition itself, or a local variable of the same name."""
    others: int = 0
    """Places left out because they certainly refer to another definition of the name."""
    unparsed: dict[str, int] = field(default_factory=dict)
    """Language → how many files were searched without a grammar."""
    degraded: tuple[Message, ...] = ()


class UsesPage(Struct, frozen=True):
    """Which part of the answer is wanted."""

    limit: int
    after: UsesMark | None = None
    prose: bool = True
    """Whether to include comments, strings and plain text."""


MOST_CLASSES = 20
"""With more classes than this, and than a quarter of the files, files are read without looking up classes first."""
LINE_CHARACTERS = 240
ALIAS = re.compile(r"(?:\s+as\s+|\s*:\s*)([^\W\d][\w$]*)")
"""Another name in an import: ``a as b``, and ``{ a: b } = require("m")``."""


def find_uses(store: Store, spelled: Spelled, found: Sequence[Definition], scope: Scope, page: UsesPage) -> Uses:
    """Return a page of the uses of a name, most certain first; ``found`` are the definitions asked about."""
    mentioned = store.mentions(spelled.name, scope)
    uses = Uses(files=len(mentioned.paths), degraded=mentioned.degraded)
    look = Look(store, spelled.name, tuple(found), mentioned.languages)
    last_mark: UsesMark | None = None
    for mark, use in _in_order(look, uses, page):
        if len(uses.items) == page.limit:
            uses.next = last_mark
            return uses
        uses.items.append(use)
        last_mark = mark
    return uses


def _in_order(look: "Look", uses: Uses, page: UsesPage) -> "Iterator[tuple[UsesMark, Reference]]":
    """Go through the files once per pass; each file is read only once."""
    ordered = look.ordered()
    in_file: dict[str, list[Reference]] = {}
    after = page.after
    for turn in range(after.turn if after else 0, TURNS if page.prose else TURNS - 1):
        resumed = after if after and after.turn == turn else None
        begin = ordered.index(resumed.file) if resumed and resumed.file in ordered else 0
        for place, path in enumerate(ordered[begin:], begin):
            if turn == 0 and not look.may_resolve(path):
                continue
            if path not in in_file:
                look.expect(ordered[place : place + AT_ONCE])
                in_file[path] = sorted(look.at(path, uses), key=lambda use: (use.line, use.column))
            for use in in_file[path]:
                if turn_of(use) == turn and not (
                    resumed and path == resumed.file and (use.line, use.column) <= resumed[2:]
                ):
                    yield UsesMark(turn, path, use.line, use.column), use


class Look:
    """Searches files for one name."""

    def __init__(self, store: Store, name: str, found: tuple[Definition, ...], languages: Mapping[str, str]) -> None:
        self._store = store
        self._name = name
        self._languages, self._candidates = languages, frozenset(languages)
        self._meaning = Meaning(store, name, found, self._candidates)
        self._naming_files: dict[str, frozenset[str]] = {}
        self._expected: set[str] = set()

    def expect(self, paths: Sequence[str]) -> None:
        """Read what the next files say, unless that is known."""
        if paths[0] not in self._expected:
            self._expected.update(paths)
            self._store.expect(FileTexts(tuple(paths)), FileSymbols(tuple(paths)))

    def ordered(self) -> list[str]:
        """Return the files that contain the name; those most likely to refer to it come first."""
        return sorted(self._candidates, key=lambda path: (self.rank(path), path))

    def may_resolve(self, path: str) -> bool:
        """Tell whether a use in a file may be resolved: it sees a definition, or names a member's class."""
        if self.rank(path) < 2 or len(self._meaning.owners) > max(MOST_CLASSES, len(self._candidates) // 4):
            return True
        return any(path in self._naming(name) for name in self._meaning.owners)

    def _naming(self, name: str) -> frozenset[str]:
        """Return the files that contain the name of a class."""
        if name not in self._naming_files:
            self._store.expect(*(NameMentions(owner) for owner in self._meaning.owners))
            self._naming_files[name] = frozenset(self._store.mentions(name, Scope()).languages)
        return self._naming_files[name]

    def rank(self, path: str) -> int:
        """Return a file's rank: 0 defines the name, 1 sees a definition, 2 is other code, 3 is anything else."""
        if path in self._meaning.reach.definers:
            return 0
        if self._meaning.reach.sees(path):
            return 1
        return 2 if language_row(self._languages.get(path, "")).grammar else 3

    def at(self, path: str, uses: Uses) -> Iterator[Reference]:
        """Yield the uses in a file; those under an alias come last."""
        text, language = self._store.text(path), self._languages.get(path, "")
        uses.read.add(path)
        if self._name not in text:
            return  # the index matches by stems, so the exact name may be missing
        file = SourceFile(path, language, text, self._store.symbols(path))
        if only := self._only_defined(file):
            uses.definitions += only
            return
        names = [self._name]
        for name in names:
            mentions, parsed = mentions_in(text, language, name)
            names += self._aliases(file, mentions) if name == self._name else []
            if mentions and not parsed:
                uses.unparsed[language] = uses.unparsed.get(language, 0) + 1
            # Where a text without a grammar defines the name; a tag of Blade is a use.
            named = (one for one in file.symbols if one.name == self._name and one.kind != "component")
            headings = set() if parsed else {one.start_line for one in named}
            for mention in mentions:
                if mention.role == DEFINITION or mention.line in headings:
                    headings.discard(mention.line)
                    uses.definitions += name == self._name
                elif mention.role == LOCAL:
                    uses.locals += 1
                elif use := self._reference(file, mention, name):
                    yield use
                else:
                    uses.others += 1

    def _only_defined(self, file: SourceFile) -> int:
        """Return how often the name occurs if every occurrence is a definition, else 0; needs no parser."""
        own = [symbol for symbol in file.symbols if symbol.name == self._name]
        if not own or not language_row(file.language).grammar:
            return 0
        occurrences = places(file.text, file.language, self._name)
        if len(occurrences) != len(own):
            return 0
        lines = file.text.split("\n")
        defined = sorted(name_line(lines, symbol) for symbol in own)
        return len(own) if sorted(place.line for place in occurrences) == defined else 0

    def _aliases(self, file: SourceFile, mentions: Sequence[Mention]) -> list[str]:
        """Return the aliases under which a file imports the name; outside imports ``a as T`` is a cast."""
        if file.path not in self._meaning.reach.named or file.language in BY_INCLUDE:
            return []
        ends = (mention.start + len(self._name) for mention in mentions if mention.role == IMPORT)
        aliases = {match[1] for end in ends if (match := ALIAS.match(file.text, end))}
        return sorted(aliases - {self._name})

    def _reference(self, file: SourceFile, mention: Mention, name: str) -> Reference | None:
        """Return the use at a place, or None when it refers to another definition."""
        how, meant = self._meaning.resolve(file, mention) if mention.where == CODE else (How.NAME_ONLY, None)
        if meant is not None and not self._meaning.is_meant(meant):
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
