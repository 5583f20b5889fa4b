"""Text about symbols for a model: each path once, no columns, and every list in blocks that a budget can cut."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.doors.views.compose import code_that_fits, room_beside
from shirube.doors.views.outline import fitted, lines_of, outline, row
from shirube.doors.views.screen import Screen, View, cut_text, notes_of, printable, span
from shirube.engine.graph.closure import FILE, Direction
from shirube.engine.graph.definitions import nest
from shirube.engine.text.budget import tokens_of
from shirube.features.lookup.symbol_results import (
    Defined,
    DefinedCode,
    DefinitionsResult,
    DepsResult,
    FileUses,
    ImpactResult,
    LineUse,
    ReferencesResult,
    StructureElement,
    StructureFile,
    StructureResult,
    SymbolResult,
    SymbolsResult,
    by_file,
)
from shirube.messages import Message
from shirube.types import Answer, Symbol

if TYPE_CHECKING:
    from shirube.engine.graph.found import Verify

LONGEST = 100
"""The most characters shown of a signature, and of a line that uses a name."""
CODE_SHARE = 0.6
"""How much of a budget the code of the definitions may take; the rest is for the uses."""
CODE_TOKENS = 1500
"""The most tokens of the code where there is no budget."""
FURTHER = 5
"""How many further definitions are named."""
MOST_NAMED = (1000, 12, 6, 3, 1, 0)
"""How many outermost symbols of each of several files are named: as many of these as the budget has room for."""
VALUES = frozenset({"constant", "variable", "field", "property", "key"})
"""Kinds that tell less about a file than others."""
LINE_TOKENS = 2
"""Tokens of an outline for each line of the file, where the size of the file is not known: a fifth of the usual."""
_IMPORT = re.compile(r"(from\s.+\simport\b|import\b|use\s|using\s|#\s*include\b|export\s.+\sfrom\s|.*\brequire\()")
"""How a line begins that only makes a name known."""
SURE = frozenset({"import_resolved", "same_file"})
COMMA = ", "
SHORT_REASONS = {
    "impact.uses": "impact.uses_short",
    "impact.has_name": "impact.has_name_short",
    "impact.together": "impact.together_short",
    "impact.together_touching": "impact.together_touching_short",
}
"""Reasons for places to check, in fewer words."""
OF_NAMES = ("impact.uses", "impact.has_name")
NAMED = 8
"""How many symbols of a change are named."""
FIRST_USES = "impact.first_uses"


def _cut(text: str) -> str:
    return cut_text(printable(text.strip().replace("\n", " ")), LONGEST)


# --- definitions -------------------------------------------------------------------------------------------


def definitions(result: DefinitionsResult, screen: Screen) -> View:
    """Return a line for each definition: its place and its signature."""
    blocks = tuple(_places(result.definitions, screen))
    return View("", notes_of(result, len(blocks), screen), bool(blocks), blocks)


def _places(found: Iterable[Defined], screen: Screen) -> Iterator[str]:
    for file, group in groupby(found, lambda one: one.file):
        before = f"{printable(file)}:"
        for one in group:
            scope = f" {screen.words('view.in_scope', scope=one.scope)}" if one.scope else ""
            text = _cut(one.signature) if one.name in one.signature else printable(f"{one.kind} {one.name}")
            yield f"{before}{lines_of(one)} {text}{scope}"
            before = " "


# --- uses --------------------------------------------------------------------------------------------------


def references(result: ReferencesResult, screen: Screen) -> View:
    """Return the uses file by file, the surest first."""
    uses = tuple(by_file(result.references))
    head = _count(len(result.references), uses, bool(result.next_cursor), screen)
    notes = notes_of(result, len(uses), screen)
    return View(head if uses else "", notes, bool(uses), tuple(_with_text(uses, screen)))


def _count(uses: int, files: Sequence[FileUses], more: bool, screen: Screen) -> str:
    code = "symbols_view.first_uses" if more else "symbols_view.all_uses"
    return screen.words(code, uses=uses, files=len({one.file for one in files}))


def _grouped(uses: Iterable[FileUses], screen: Screen) -> Iterator[tuple[str, FileUses]]:
    """Return each file once for each sureness, with a line that says how sure where that changes."""
    merged: dict[tuple[str, str], dict[int, LineUse]] = {}
    seen: set[tuple[str, int]] = set()
    for one in uses:
        sureness = "sure" if one.how in SURE else "name_only" if one.how == "name_only" else "prose"
        lines = merged.setdefault((sureness, one.file), {})
        lines |= {use.line: use for use in one.uses if (one.file, use.line) not in seen and use.line not in lines}
        seen |= {(one.file, use.line) for use in one.uses}
    last = "sure"
    for (sureness, file), lines in merged.items():
        if lines:
            told = f"{screen.words(f'symbols_view.{sureness}')}\n" if sureness != last else ""
            yield told, FileUses(file, sureness, tuple(lines[line] for line in sorted(lines)))
            last = sureness


def _with_text(uses: Iterable[FileUses], screen: Screen) -> Iterator[str]:
    """Return each use with its enclosing symbol and its line; the first of a file brings the path and the imports."""
    for sureness, one in _grouped(uses, screen):
        imports, others = _apart(one)
        lines = [f" {use.line}{f' {printable(use.symbol)}' if use.symbol else ''}: {_cut(use.text)}" for use in others]
        head = f"{sureness}{printable(one.file)}{_imported(imports, ' (', ')', screen)}"
        yield "\n".join([head, *lines[:1]])
        yield from lines[1:]


def _in_rows(uses: Iterable[FileUses], screen: Screen) -> Iterator[str]:
    """Return a line for each file: the lines of its uses, each with the symbol around it."""
    for sureness, one in _grouped(uses, screen):
        imports, others = _apart(one)
        around = [
            ",".join(str(use.line) for use in group) + (f" {printable(name)}" if name else "")
            for name, group in groupby(others, lambda use: use.symbol.rpartition(".")[2])
        ]
        named = COMMA.join([*around, *([_imported(imports, "", "", screen)] if imports else [])])
        yield f"{sureness}{printable(one.file)}: {named}"


def _apart(uses: FileUses) -> tuple[list[LineUse], list[LineUse]]:
    """Return the lines that import the name, of which the number says enough, and the other uses."""
    imports = [use for use in uses.uses if _IMPORT.match(use.text)]
    return imports, [use for use in uses.uses if use not in imports]


def _imported(imports: Sequence[LineUse], before: str, after: str, screen: Screen) -> str:
    lines = ",".join(str(use.line) for use in imports)
    return f"{before}{screen.words('symbols_view.imported', lines=lines)}{after}" if imports else ""


# --- a symbol ----------------------------------------------------------------------------------------------


def symbol(result: SymbolResult, screen: Screen) -> View:
    """Return the code of the best definition, the others on a line each, then the uses as the budget allows."""
    if not (result.definitions or result.uses):
        return View("", notes_of(result, 0, screen), False)
    notes = notes_of(result, 1, screen)
    if result.next and not result.truncated and result.answer != Answer.PARTIAL:
        notes = (*notes, screen.say(result.next))
    room = int(screen.tokens * CODE_SHARE) or CODE_TOKENS
    blocks = list(_defined(result, room, screen)) if result.definitions else []
    if result.uses:
        count = sum(len(one.uses) for one in result.uses)
        blocks.append(_count(count, result.uses, result.truncated, screen))
        told = [*blocks, *_with_text(result.uses, screen)]
        fits = not screen.tokens or tokens_of("\n".join([*told, *notes])) <= screen.tokens
        blocks = told if fits else [*blocks, *_in_rows(result.uses, screen)]
    return View("", notes, True, tuple(blocks))


def _defined(result: SymbolResult, room: int, screen: Screen) -> Iterator[str]:
    """Return the best definition with its code, the next if there is room for all of it, and the others by line."""
    best, *others = result.definitions
    yield (text := _code(best, room, screen))
    others = [one for one in others if one.file != best.file or not best.start_line <= one.start_line <= best.end_line]
    if others and others[0].content and not others[0].truncated:
        left = room - tokens_of(text)
        if tokens_of(f"{_head(others[0], screen)}\n{others[0].content}") <= left:
            yield _code(others.pop(0), left, screen)
    yield from _places(others[:FURTHER], screen)
    if len(others) > FURTHER:
        yield screen.words("symbols_view.further", count=len(others) - FURTHER)


def _head(one: Defined, screen: Screen) -> str:
    return span(one.file, (one.start_line, one.end_line), (one.kind, one.qualified), screen.paint)


def _code(one: DefinedCode, room: int, screen: Screen) -> str:
    """Return a definition with its code; of one that is too long, what it has inside, or its beginning."""
    head = _head(one, screen)
    if not one.content:
        return head
    too_long = one.truncated or tokens_of(f"{head}\n{one.content}") > room
    if too_long and one.members:
        top = "\n".join([head, *([printable(one.doc)] if one.doc else [])])
        return f"{top}\n{fitted(one.members, one.language, room - tokens_of(top))}"
    return code_that_fits(head, (one.file, one.start_line, one.end_line), one.content, room, screen)


# --- outlines ----------------------------------------------------------------------------------------------


def structure(result: StructureResult, screen: Screen) -> View:
    """Return the outline of a file; of several, all of each, or the outermost symbols, or how many, as it fits."""
    notes = notes_of(result, len(result.files), screen)
    if len(result.files) == 1 and result.total == 1:
        one = result.files[0]
        text = outline(one, room_beside(notes, screen), alone=True) if one.symbols else ""
        return View(text or screen.words("symbols.no_symbols", count=1), notes, bool(text))
    return View("", notes, bool(result.files), _files(result.files, notes, screen))


def _files(files: Sequence[StructureFile], notes: Sequence[str], screen: Screen) -> tuple[str, ...]:
    """Return each file as an outline, or with its outermost symbols, or some of them, as the budget allows."""
    blocks = [outline(one) for one in files]
    for most in MOST_NAMED:
        if not screen.tokens or tokens_of("\n".join([*blocks, *notes])) <= screen.tokens:
            break
        blocks = [_top(one, most) for one in files]
    return tuple(blocks)


def _top(file: StructureFile, most: int) -> str:
    """Return a file with some outermost symbols, rather public than private and functions than constants; and how
    many more there are.
    """
    ordered = sorted(file.symbols, key=lambda one: (one.name.startswith("_"), one.type in VALUES))[:most]
    bare = [replace(one, children=()) for one in sorted(ordered, key=lambda one: one.start_line)]
    more = sum(map(_size, file.symbols)) - len(bare)
    names = [*([row(bare, COMMA)] if bare else []), *([f"+{more}"] if more else [])]
    return f"{printable(file.file)}{': ' if names else ''}{' '.join(names)}"


def _size(element: StructureElement) -> int:
    return 1 + sum(map(_size, element.children))


def symbols(result: SymbolsResult, screen: Screen) -> View:
    """Return the symbols of files as outlines have them."""
    from shirube.features.lookup.symbols import element_of

    files = []
    for file, group in groupby(result.symbols, lambda one: one.file):
        found = list(group)
        last = max(one.end_line for one in found)
        own = [
            Symbol(one.name, one.qualified, one.kind, one.start_line, one.end_line, one.signature, one.doc)
            for one in found
        ]
        nested = tuple(map(element_of, nest(own)))
        files.append(StructureFile(file, found[0].language, last, nested, last * LINE_TOKENS * 5))
    notes = notes_of(result, len(files), screen)
    if len(files) == 1:
        return View(outline(files[0], room_beside(notes, screen)), notes)
    return View("", notes, bool(files), _files(files, notes, screen))


# --- dependencies and impact -------------------------------------------------------------------------------


def dependencies(result: DepsResult, screen: Screen) -> View:
    """Return the files step by step, nearest first, then the packages."""
    blocks: list[str] = []
    for way, title in ((Direction.OUTBOUND, "symbols_view.uses"), (Direction.INBOUND, "symbols_view.used_by")):
        if result.direction in (way, Direction.BOTH) and (steps := list(_steps(result, way, screen))):
            blocks += [f"{printable(result.root)} {screen.words(title)}", *steps]
    for one in result.changes_with:
        together = screen.words("symbols_view.together", count=one.times, day=one.last, share=f"{one.share:.0%}")
        unlinked = "" if one.linked else screen.words("symbols_view.unlinked")
        blocks.append(f"{together} {printable(one.path)}{unlinked}")
    unsure = () if result.answer == Answer.FOUND else (screen.answer(result),)
    notes = (*(screen.say(note) for note in result.degraded), *unsure)
    return View("", notes, len(result.nodes) > 1, tuple(blocks))


def _steps(result: DepsResult, way: Direction, screen: Screen) -> Iterator[str]:
    """Return the next files on a line each, the farther ones behind the file they are reached through."""
    nodes = {node.target: node for node in result.nodes if node.direction in (way, Direction.BOTH) and node.depth}
    through: dict[str, tuple[str, int]] = {}
    for link in result.edges:
        near, far = (link.from_, link.to) if way is Direction.OUTBOUND else (link.to, link.from_)
        depth = nodes[near].depth if near in nodes else 0
        if far in nodes and nodes[far].depth == depth + 1:
            through.setdefault(far, (near, link.line))
    files = sorted((node for node in nodes.values() if node.kind == FILE), key=lambda node: (node.depth, node.target))
    reached: dict[str, list[str]] = {}
    for node in files:
        near, line = through.get(node.target, (result.root, 0))
        place = f"{node.target}:{line}" if way is Direction.INBOUND and line else node.target
        reached.setdefault(near, []).append(printable(place))
    yield from reached.pop(result.root, ())
    for near, places in reached.items():
        yield screen.words("symbols_view.through", path=near, names=places)
    others = sorted({node.target for node in nodes.values() if node.kind != FILE})
    if others:
        yield screen.words("symbols_view.packages", names=others)


def impact(result: ImpactResult, screen: Screen) -> View:
    """Return what must and what should be checked: each file once, its places with their reasons."""
    if not (result.must_verify or result.should_verify):
        return View("", notes_of(result, 0, screen), False)
    names = [one.qualified for one in result.symbols]
    blocks: list[str] = []
    for key, places in (("must_verify", result.must_verify), ("should_verify", result.should_verify)):
        if places:
            blocks += [f"{screen.words(f'view.{key}')} ({result.totals[key]}):", *_verify(places, screen)]
    tests, named = result.totals["tests"], ", ".join(result.tests[:NAMED])
    counts = screen.words("view.uses_and_tests", uses=result.totals["callers"], tests=tests)
    head = f"{screen.words('view.changing')} {printable(', '.join(result.files or names[:NAMED]))}"
    return View(
        f"{head}\n{counts} {printable(named) or screen.words('view.none')}",
        tuple(_notes(result.degraded, screen)),
        True,
        tuple(blocks),
    )


def _notes(degraded: Iterable[Message], screen: Screen) -> Iterator[str]:
    """Return notes; of all names of which only the first uses were looked at, one."""
    many = [note for note in degraded if note.code == FIRST_USES]
    yield from (screen.say(note) for note in degraded if note.code != FIRST_USES)
    if many:
        names = COMMA.join(str(note.values["name"]) for note in many)
        yield screen.words(FIRST_USES, name=names, count=many[0].values["count"])


def _verify(places: "Sequence[Verify]", screen: Screen) -> Iterator[str]:
    """Return a line for each file and reason: the places in it that have this reason."""
    by_reason: dict[str, dict[str, list[Verify]]] = {}
    for one in places:
        told = reasons_of(one.reasons, screen)
        by_reason.setdefault(one.file, {}).setdefault(told, []).append(one)
    for file, reasons in by_reason.items():
        for told, found in reasons.items():
            lines = [f"{one.line} {printable(one.symbol)}".strip() for one in found if one.line]
            yield f"{printable(file)}{f': {COMMA.join(lines)}' if lines else ''}: {told}"


def reasons_of(reasons: Sequence[Message], screen: Screen) -> str:
    """Return reasons; names with one reason share its words, and a model gets no words that the list says already."""
    told: list[str] = []
    for (code, _), group in groupby(reasons, lambda one: (one.code, "" if screen.model else one.values.get("how"))):
        short, found = SHORT_REASONS.get(code, code) if screen.model else code, list(group)
        if code in OF_NAMES:
            names = dict.fromkeys(str(reason.values["name"]) for reason in found)
            told.append(screen.words(short, **{**found[0].values, "name": COMMA.join(names)}))
        else:
            told += [screen.words(short, **one.values) if one.code else screen.say(one) for one in found]
    return "; ".join(told)
