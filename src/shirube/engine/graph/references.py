"""Who uses a name, how that was found out, and how sure it is.

The index tells which files have the name at all; those are read again, and the grammar tells code from comments and
strings. What a name means there is then decided by imports and by what stands before its dot. What cannot be decided
stays in the answer as ``name_only``: an unknown caller is no absent caller.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from shirube.engine.graph.definitions import Spelled
from shirube.engine.graph.file import File, enclosing
from shirube.engine.graph.found import How, Reference
from shirube.engine.graph.meaning import Meaning
from shirube.engine.graph.outline import name_line
from shirube.engine.graph.reach import BY_INCLUDE
from shirube.engine.graph.uses import CONFIDENCE, ELSEWHERE, TURNS, Mark, Page, Uses, turn_of
from shirube.engine.parse.languages import language_row
from shirube.engine.parse.mentions import CODE, DEFINITION, IMPORT, LOCAL, Mention, mentions_in, places
from shirube.engine.store import Definition, Store
from shirube.types import Scope

MOST_CLASSES = 20
"""Classes that are looked up before files are read, unless the files are far more; else files are read as they come."""
LINE_CHARACTERS = 240
ALIAS = re.compile(r"(?:\s+as\s+|\s*:\s*)([^\W\d][\w$]*)")
"""Another name in an import: ``a as b``, and ``{ a: b } = require("m")``."""


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
                kept[path] = sorted(look.at(path, uses), key=lambda one: (one.line, one.column))
            for one in kept[path]:
                if turn_of(one) == turn and not (
                    resumed and path == resumed.file and (one.line, one.column) <= resumed[2:]
                ):
                    yield Mark(turn, path, one.line, one.column), one


class Look:
    """Looks at files for one name."""

    def __init__(self, store: Store, name: str, found: tuple[Definition, ...], languages: Mapping[str, str]) -> None:
        self._store = store
        self._name = name
        self._languages, self._candidates = languages, frozenset(languages)
        self._meaning = Meaning(store, name, found, self._candidates)
        self._told: dict[str, frozenset[str]] = {}

    def ordered(self) -> list[str]:
        """Return the files that have the name, those first that surely mean it."""
        return sorted(self._candidates, key=lambda path: (self.rank(path), path))

    def may_resolve(self, path: str) -> bool:
        """Tell whether a place in a file may turn out to be sure: it sees a definition, or names a member's class."""
        if self.rank(path) < 2 or len(self._meaning.owners) > max(MOST_CLASSES, len(self._candidates) // 4):
            return True
        return any(path in self._naming(name) for name in self._meaning.owners)

    def _naming(self, name: str) -> frozenset[str]:
        """Return the files that have the name of a class."""
        if name not in self._told:
            self._told[name] = frozenset(self._store.mentions(name, Scope()).languages)
        return self._told[name]

    def rank(self, path: str) -> int:
        """Return where a file comes: definitions, those that import them, code, the rest."""
        if path in self._meaning.reach.definers:
            return 0
        if self._meaning.reach.sees(path):
            return 1
        return 2 if language_row(self._languages.get(path, "")).grammar else 3

    def at(self, path: str, uses: Uses) -> Iterator[Reference]:
        """Return the uses in one file; those under another name come last."""
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

    def _only_defined(self, file: File) -> int:
        """Return how often the name stands in a file when every place is a definition, which needs no parser."""
        own = [one for one in file.symbols if one.name == self._name]
        if not own or not language_row(file.language).grammar:
            return 0
        found = places(file.text, file.language, self._name)
        if len(found) != len(own):
            return 0
        lines = file.text.split("\n")
        return len(own) if sorted(one.line for one in found) == sorted(name_line(lines, one) for one in own) else 0

    def _aliases(self, file: File, mentions: Sequence[Mention]) -> list[str]:
        """Return other names under which a file imports the name; ``a as T`` elsewhere is a cast."""
        if file.path not in self._meaning.reach.named or file.language in BY_INCLUDE:
            return []
        ends = (one.start + len(self._name) for one in mentions if one.role == IMPORT)
        found = {told[1] for end in ends if (told := ALIAS.match(file.text, end))}
        return sorted(found - {self._name})

    def _reference(self, file: File, mention: Mention, name: str) -> Reference | None:
        """Return the use at a place, or None when something else of that name is meant."""
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
