"""What the operations of group ``symbols`` return."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby

from shirube.codec import Record, Shown, ShownPlace, symbol_of
from shirube.engine.graph.closure import Direction, Link, Node
from shirube.engine.graph.found import Reference, Verify
from shirube.features.lookup.results import LookupResult
from shirube.types import Answer


class Together(Record):
    """A file that has changed together with the root: the share of commits to either that touch both."""

    path: str
    share: float
    recent: float
    """How lately it was changed: 1 just now, 0 two weeks ago or earlier."""
    linked: bool
    """Whether the graph shows it too; what changes together unlinked is a hidden dependency."""
    times: int = 0
    """How many commits changed both."""
    last: str = ""
    """The day of the last one."""


class DepsResult(LookupResult):
    """The graph, nearest first; ``nodes`` and ``edges`` as in seed 001."""

    root: str
    direction: Direction
    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]
    answer: Answer
    truncated: bool
    whole_to: int
    """Up to this depth nothing is missing."""
    drawing: str
    changes_with: tuple[Together, ...]

    def shown(self) -> Shown:
        """Name what changes together with it; nodes are names of the graph."""
        return Shown(listed=tuple(one.path for one in self.changes_with))


class Defined(Record):
    """Where something is defined; the names are seed 003's."""

    name: str
    file: str
    line: int
    """The line its name stands on."""
    kind: str
    scope: str
    signature: str
    qualified: str
    start_line: int
    end_line: int
    language: str
    doc: str = ""
    """The first line of what is said about it."""

    def place(self) -> ShownPlace:
        """Return where it stands; headings and keys are no symbols of the program."""
        return ShownPlace(self.file, self.start_line, self.end_line, symbol_of(self.kind, self.qualified))


class DefinitionsResult(LookupResult):
    """The definitions of a name."""

    symbol: str
    definitions: tuple[Defined, ...]
    total: int
    answer: Answer
    match: str
    """exact; similar when only names that look like it were found; none."""
    nearest: tuple[str, ...]
    """Names that exist, when this one does not."""
    truncated: bool
    next_cursor: str
    not_searched: dict[str, int]

    def shown(self) -> Shown:
        """Return where it is defined."""
        return Shown(tuple(one.place() for one in self.definitions))


class ReferencesResult(LookupResult):
    """The uses of a name, the surest first; definitions are not among them."""

    symbol: str
    references: tuple[Reference, ...]
    definitions: tuple[Defined, ...]
    total: int
    """References in this answer and before it; all there are unless it is truncated."""
    by_confidence: dict[str, int]
    """How many of this answer were found in which way."""
    answer: Answer
    truncated: bool
    next_cursor: str
    files: int
    """Files in which the name stands."""
    excluded: dict[str, int]
    """Places left out: definitions, local variables of the name, other symbols of the name."""
    not_searched: dict[str, int]
    """Files not looked into, for each reason."""
    without_grammar: dict[str, int]
    """Files searched as plain text, for each language: code, comments and strings cannot be told apart."""
    nearest: tuple[str, ...]

    def shown(self) -> Shown:
        """Return the lines of the uses, and the definitions."""
        uses = (ShownPlace(one.file, one.line, one.line, one.symbol) for one in self.references)
        return Shown((*uses, *(one.place() for one in self.definitions)))


class DefinedCode(Defined):
    """A definition with its code."""

    content: str = ""
    """Its lines; empty for all but the best."""
    truncated: bool = False
    """Whether only the beginning of a very long one is in ``content``."""
    members: "tuple[StructureElement, ...]" = ()
    """What is defined inside it."""


class LineUse(Record):
    """One use of a name."""

    line: int
    symbol: str
    """The symbol that encloses it."""
    text: str


class FileUses(Record):
    """The uses in one file that are equally sure."""

    file: str
    how: str
    """import_resolved, same_file or name_only; comment, string or text outside code."""
    uses: tuple[LineUse, ...]


def by_file(uses: Iterable[Reference]) -> Iterator[FileUses]:
    """Group uses that are equally sure by file, in their order."""
    for (file, how), group in groupby(uses, lambda use: (use.file, use.how if use.where == "code" else use.where)):
        yield FileUses(file, str(how), tuple(LineUse(one.line, one.symbol, one.content.strip()) for one in group))


class SymbolResult(LookupResult):
    """The definitions of a name, the best first, and its uses, the surest first."""

    symbol: str
    definitions: tuple[DefinedCode, ...]
    uses: tuple[FileUses, ...]
    total_definitions: int
    total_uses: int
    """Uses in this answer and before it; all there are unless it is truncated."""
    files: int
    """Files in which the name stands."""
    answer: Answer
    match: str
    """exact; similar when only names that look like it were found; none."""
    nearest: tuple[str, ...]
    """Names that exist, when this one does not."""
    truncated: bool
    next_cursor: str
    not_searched: dict[str, int]

    def shown(self) -> Shown:
        """Return the definitions, and the lines of the uses."""
        uses = (ShownPlace(one.file, use.line, use.line, use.symbol) for one in self.uses for use in one.uses)
        return Shown((*(one.place() for one in self.definitions), *uses))


class SymbolsResult(LookupResult):
    """What files define, file by file and in their order."""

    path: str
    symbols: tuple[Defined, ...]
    total: int
    answer: Answer
    truncated: bool
    next_cursor: str
    not_searched: dict[str, int]

    def shown(self) -> Shown:
        """Return the path that was asked about, and every symbol."""
        if not self.symbols:
            return Shown(listed=(self.path,))
        return Shown((ShownPlace(self.path), *(one.place() for one in self.symbols)))


class StructureElement(Record):
    """A symbol with what is in it; the names are seed 003's."""

    name: str
    type: str
    start_line: int
    end_line: int
    signature: str
    children: "tuple[StructureElement, ...]"

    def places(self, file: str) -> Iterator[ShownPlace]:
        """Return where it and everything in it stands."""
        yield ShownPlace(file, self.start_line, self.end_line, symbol_of(self.type, self.name))
        for one in self.children:
            yield from one.places(file)


class StructureFile(Record):
    """One file, outermost symbols first."""

    file: str
    language: str
    lines: int
    symbols: tuple[StructureElement, ...]
    tokens: int = 0
    """The size of its text, as budgets count it."""

    def places(self) -> Iterator[ShownPlace]:
        """Return the file, and where its symbols stand."""
        yield ShownPlace(self.file, 1, self.lines)
        for one in self.symbols:
            yield from one.places(self.file)


class StructureResult(LookupResult):
    """How files are built."""

    path: str
    files: tuple[StructureFile, ...]
    total: int
    """Files there are, shown or not."""
    answer: Answer
    truncated: bool
    next_cursor: str
    not_searched: dict[str, int]

    def shown(self) -> Shown:
        """Return the files with their symbols; an empty one, and the path that was asked about, are named."""
        full = [one for one in self.files if one.lines or one.symbols]
        empty = tuple(one.file for one in self.files if not (one.lines or one.symbols))
        return Shown(tuple(place for one in full for place in one.places()), (self.path, *empty))


class FunctionText(Record):
    """A function with its text; the names are seed 003's."""

    name: str
    start_line: int
    end_line: int
    content: str
    first_line: int
    """The line that the content begins with."""
    qualified: str
    kind: str
    signature: str
    doc: str
    truncated: bool
    """Whether of a very long one only what is around the line is shown."""


class LineResult(LookupResult):
    """The function around a line; none when the line is in no function."""

    file: str
    line: int
    function: FunctionText | None
    enclosing: tuple[str, ...]
    """Everything around the line by qualified name, the innermost first."""
    language: str
    lines: int
    answer: Answer

    def shown(self) -> Shown:
        """Return the line, and the function around it."""
        one, places = self.function, [ShownPlace(self.file, self.line, self.line)]
        if one is not None:
            symbol = symbol_of(one.kind, one.qualified)
            places.append(ShownPlace(self.file, one.start_line, one.end_line, symbol))
        return Shown(tuple(places))


class Cochanged(Record):
    """A file that was changed together with those about to change."""

    file: str
    share: float
    """How often, of all commits that changed either."""
    times: int = 0
    """How many commits changed both."""
    last: str = ""
    """The day of the last one."""
    symbols: tuple[str, ...] = ()
    """What those commits touched in it, most often first."""
    touching: tuple[str, ...] = ()
    """Of the symbols about to change, those that these commits touched; empty: only the file is known."""


class ImpactResult(LookupResult):
    """What to look at before and after the change."""

    files: tuple[str, ...]
    symbols: tuple[Defined, ...]
    """What was looked up: the named symbols, or what the files offer."""
    must_verify: tuple[Verify, ...]
    should_verify: tuple[Verify, ...]
    callers: tuple[Reference, ...]
    tests: tuple[str, ...]
    """Tests that use or import what changes."""
    documents: tuple[Verify, ...]
    cochanged: tuple[Cochanged, ...]
    totals: dict[str, int]
    """How many there are of each, shown or not."""
    truncated: bool
    answer: Answer
    not_searched: dict[str, int]

    def shown(self) -> Shown:
        """Name every file of the lists."""
        lists = (self.symbols, self.must_verify, self.should_verify, self.callers, self.documents, self.cochanged)
        return Shown(listed=tuple(one.file for part in lists for one in part))


class DrawingFormat(StrEnum):
    """How the graph is drawn beside its nodes and edges."""

    GRAPH = "graph"
    DOT = "dot"
    MERMAID = "mermaid"
