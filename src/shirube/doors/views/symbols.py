"""Text for definitions, references, outlines, dependencies and the impact of a change."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shirube.doors.views import brief
from shirube.doors.views.compose import code_that_fits, room_beside
from shirube.doors.views.outline import lines_of
from shirube.doors.views.screen import (
    Paint,
    Screen,
    View,
    columns,
    cut_text,
    lit,
    notes_of,
    numbered,
    place,
    printable,
    span,
    widest,
)
from shirube.engine.graph.closure import Direction
from shirube.features.lookup.symbol_results import (
    DefinitionsResult,
    DepsResult,
    ImpactResult,
    LineResult,
    ReferencesResult,
    StructureElement,
    StructureResult,
)

if TYPE_CHECKING:
    from shirube.engine.graph.found import Reference, Verify

LONGEST = 100
"""The most characters shown of a signature."""
STYLES = {"import_resolved": "good", "same_file": "good", "name_only": "dim"}
MARKS = {"import_resolved": "import", "same_file": "file", "name_only": "name"}
KIND_WIDTH = 11
WIDTH = 80
BELOW = "\n      "
NAMED = 8
"""How many symbols of a change are named at most."""
TITLES = {Direction.OUTBOUND: "symbols_view.uses", Direction.INBOUND: "symbols_view.used_by"}


def find_definitions(result: DefinitionsResult, screen: Screen) -> View:
    """Return a line for each definition: place, kind, name in its signature."""
    if screen.model:
        return brief.definitions(result, screen)
    paint, found = screen.paint, result.definitions
    width = widest([f"{definition.file}:{definition.line}" for definition in found])
    kinds = max((len(definition.kind) for definition in found), default=0)
    lines = []
    for definition in found:
        short = cut_text(definition.signature or definition.qualified, LONGEST)
        scope = paint("dim", f"  {screen.words('view.in_scope', scope=definition.scope)}") if definition.scope else ""
        head = f"{place(definition.file, definition.line, width, paint)}  {paint('kind', definition.kind.ljust(kinds))}"
        lines.append(f"{head}  {lit(short, definition.name, paint)}{scope}")
    return View("\n".join(lines), notes_of(result, len(found), screen), bool(found))


def find_references(result: ReferencesResult, screen: Screen) -> View:
    """Return a line for each use: place, how it was found, the line with the name in bold; prose is labelled."""
    if screen.model:
        return brief.references(result, screen)
    paint = screen.paint
    width = widest([f"{reference.file}:{reference.line}" for reference in result.references])
    lines = []
    for reference in result.references:
        how = reference.how.value if reference.where == "code" else "name_only"
        word = MARKS[how] if reference.where == "code" else reference.where
        head = f"{place(reference.file, reference.line, width, paint)}  {paint(STYLES[how], word.ljust(7))}"
        room = WIDTH - max(width, len(f"{reference.file}:{reference.line}")) - 10 if screen.tty else 0
        lines.append(f"{head} {_used(reference, room, paint)}")
    return View("\n".join(lines), notes_of(result, len(lines), screen), bool(lines))


def _used(reference: "Reference", room: int, paint: Paint) -> str:
    """Return the line of a use with the name lit, cut around it to so many columns (0: not at all)."""
    start, end = reference.column - 1, reference.end_column - 1
    before, name, after = reference.content[:start].lstrip(), reference.content[start:end], reference.content[end:]
    after = after.rstrip()
    if room and columns(before + name + after) > room:
        before = before if columns(before + name) < room else "…"
        left = max(0, room - columns(before + name) - 1)
        after = f"{after[:left]}…"
    return f"{printable(before)}{paint('match', name)}{printable(after)}"


symbol, get_symbols = brief.symbol, brief.symbols


def analyze_structure(result: StructureResult, screen: Screen) -> View:
    """Return each file with its symbols, indented by depth, lines first so that they align."""
    if screen.model:
        return brief.structure(result, screen)
    blocks = []
    for file in result.files:
        width = len(str(file.lines)) * 2 + 1
        size = screen.words("view.file_size", language=file.language, lines=file.lines)
        head = f"{screen.paint('path', file.file)}  {screen.paint('dim', size)}"
        blocks.append("\n".join([head, *_elements(file.symbols, 0, width, screen.paint)]))
    return View("\n\n".join(blocks), notes_of(result, len(blocks), screen), bool(blocks))


def _elements(elements: Sequence[StructureElement], depth: int, width: int, paint: Paint) -> Iterator[str]:
    for element in elements:
        text = element.signature if element.name in element.signature else element.name
        kind = paint("kind", f"{element.type} ".ljust(KIND_WIDTH))
        lines = paint("line", lines_of(element).rjust(width))
        yield f"  {lines}  {'  ' * depth}{kind}{lit(text, element.name, paint)}"
        yield from _elements(element.children, depth + 1, width, paint)


def get_function_at_line(result: LineResult, screen: Screen) -> View:
    """Return the function with line numbers, the line in question marked."""
    one = result.function
    if one is None:
        return View("", notes_of(result, 0, screen), False)
    head = span(result.file, (one.start_line, one.end_line), (one.kind, one.qualified), screen.paint)
    above = [f"… {one.start_line}-{one.first_line - 1}"] if one.first_line > one.start_line else []
    if screen.model:
        notes = tuple(map(screen.say, result.degraded))
        place = (result.file, one.first_line, one.end_line)
        whole = "\n".join([head, *above])
        return View(code_that_fits(whole, place, one.content, room_beside(notes, screen), screen), notes)
    last = one.first_line + one.content.count("\n")
    below = [f"… {last + 1}-{one.end_line}"] if last < one.end_line else []
    gaps = [[screen.paint("dim", f"  {mark}") for mark in marks] for marks in (above, below)]
    lines = [head, *gaps[0], *numbered(one.content, one.first_line, result.line, screen.paint), *gaps[1]]
    return View("\n".join(lines), tuple(map(screen.say, result.degraded)))


def analyze_impact(result: ImpactResult, screen: Screen) -> View:
    """Return what must and what should be checked, each place with its reasons."""
    if screen.model:
        return brief.impact(result, screen)
    if not (result.must_verify or result.should_verify):
        return View("", notes_of(result, 0, screen), False)
    paint, totals = screen.paint, result.totals
    names = ", ".join(one.qualified for one in result.symbols[:NAMED])
    more = screen.words("view.and_more", count=len(result.symbols) - NAMED) if len(result.symbols) > NAMED else ""
    lines = [f"{paint('dim', screen.words('view.changing'))}  {paint('bold', ', '.join(result.files) or names)}"]
    if result.files and names:
        lines.append(f"{paint('dim', screen.words('view.offering'))}  {printable(names)}{more}")
    for key, style, places in (
        ("must_verify", "bad", result.must_verify),
        ("should_verify", "line", result.should_verify),
    ):
        lines += ["", paint(style, f"{screen.words(f'view.{key}')} ({totals[key]})")]
        lines += [_verify(one, screen) for one in places]
    counts = screen.words("view.uses_and_tests", uses=totals["callers"], tests=totals["tests"])
    lines += ["", f"{paint('dim', counts)} {printable(', '.join(result.tests[:5])) or screen.words('view.none')}"]
    return View("\n".join(lines), tuple(screen.say(note) for note in result.degraded))


def _verify(one: "Verify", screen: Screen) -> str:
    paint, reasons = screen.paint, brief.reasons_of(one.reasons, screen)
    role = f" {one.role}" if one.role != "implementation" else ""
    symbol = f"  {one.symbol}" if one.symbol else ""
    line = f":{one.line}" if one.line else ""
    between = "  " if columns(f"  {one.file}{line}{symbol}{role}  {reasons}") <= WIDTH else BELOW
    head = f"  {paint('path', one.file)}{paint('line', line)}{paint('bold', symbol)}{paint('kind', role)}"
    return f"{head}{between}{paint('dim', reasons)}"


def deps_closure(result: DepsResult, screen: Screen) -> View:
    """Return the graph as a tree for each direction: every file once, below the first that leads there."""
    paint, found = screen.paint, len(result.nodes) > 1
    if result.drawing:
        return View(result.drawing, (), found)
    if screen.model:
        return brief.dependencies(result, screen)
    lines = [paint("path", result.root)]
    for way in (way for way in TITLES if result.direction in (way, Direction.BOTH)):
        drawn = list(_tree(result, way, screen))
        nothing = paint("dim", screen.words("symbols_view.nothing"))
        lines += [paint("bold", screen.words(TITLES[way])), *(drawn or [nothing])]
    for one in result.changes_with:
        mark = "" if one.linked else screen.words("symbols_view.unlinked")
        together = screen.words("symbols_view.together", count=one.times, day=one.last, share=f"{one.share:.0%}")
        lines.append(f"{paint('dim', together)}  {paint('path', one.path)}{mark}")
    if result.answer.value in ("partial", "unknown", "none"):
        lines.append(paint("dim", f"({screen.answer(result)})"))
    return View("\n".join([*lines, *screen.warn(result.degraded)]), (), found)


def _tree(result: DepsResult, way: Direction, screen: Screen) -> Iterator[str]:
    children: dict[str, list[tuple[str, int]]] = {}
    kinds = {node.target: node.kind for node in result.nodes if node.direction in (way, Direction.BOTH)}
    met = {result.root}
    front = {result.root}
    while front:
        reached: set[str] = set()
        for link in result.edges:
            own, other = (link.from_, link.to) if way is Direction.OUTBOUND else (link.to, link.from_)
            if own in front and other in kinds and other not in met:
                met.add(other)
                reached.add(other)
                children.setdefault(own, []).append((other, link.line))
        front = reached
    return _branches(result.root, children, kinds, screen)


def _branches(
    name: str, children: dict[str, list[tuple[str, int]]], kinds: dict[str, str], screen: Screen, before: str = ""
) -> Iterator[str]:
    paint = screen.paint
    below = sorted(children.get(name, ()), key=lambda one: (kinds[one[0]] != "path", one[0]))
    for number, (other, line) in enumerate(below):
        last = number == len(below) - 1
        kind = kinds[other]
        shown = paint("path", other) if kind == "path" else f"{paint('kind', other)} {paint('dim', kind)}"
        at = paint("dim", screen.words("symbols_view.line", line=line)) if line else ""
        yield f"{before}{'└─ ' if last else '├─ '}{shown}{at}"
        yield from _branches(other, children, kinds, screen, before + ("   " if last else "│  "))
