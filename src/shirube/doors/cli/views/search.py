"""Text for hits, matching lines and bundles."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from shirube.codec import Arg
from shirube.doors.cli.screen import Paint, Screen, View, columns, notes_of, numbered, printable, span
from shirube.doors.cli.views.map import agreement_line
from shirube.errors import BadArgument
from shirube.features.lookup.results import (
    BundleResult,
    ContextItem,
    EarlierChange,
    EarlierFile,
    PastChangesResult,
    SearchResult,
    SnippetResult,
    TextMatch,
    TextResult,
)
from shirube.features.map.results import MapResult
from shirube.messages import say
from shirube.types import Answer, Hit, MapHit

CUT, COMMA = "…", ", "
STDIN = "-"
NAMED = 3
"""How many files that show only a part of their lines are named."""
WIDTH = 80
DIFF_STYLES = {"+": "good", "-": "bad", "@": "line", "d": "bold"}
"""The colours of a diff's lines, by how they begin."""


def search(
    result: SearchResult,
    screen: Screen,
    why: Annotated[bool, Arg("Show what each score is made of.", usage="--why")] = False,
) -> View:
    """Return hits with path, lines, symbol and preview, then notes."""
    paint = screen.paint
    degraded = screen.warn(result.degraded)
    found = bool(result.forest_hits or result.map_hits)
    if result.short_circuit:
        return View("\n".join([*(_agreed(hit, screen, why) for hit in result.map_hits), *degraded]), (), found)
    blocks = [_hit(hit, screen, why) for hit in result.forest_hits]
    notes = [paint("dim", _nearby(hit, screen)) for hit in result.map_hits] + degraded
    if result.freshness.stale_files:
        notes += screen.warn([say("view.changed_since", files=result.freshness.stale_files)])
    if blocks and result.answer == Answer.PARTIAL:
        notes.insert(0, paint("dim", screen.words("view.unsure", share=f"{result.confidence:.0%}")))
    if not blocks:
        blocks = [screen.answer(result)]
    elif result.truncated:
        notes.append(paint("dim", screen.words("view.shown_of", shown=len(blocks), total=result.total)))
    return View("\n".join([*blocks, *notes]), (), found)


def _agreed(hit: MapHit, screen: Screen, why: bool) -> str:
    """Return a hit of the map below a line that says what was agreed and whether it holds."""
    paint = screen.paint
    once = screen.words("view.agreed_once", state=hit.state)
    held = paint("good", screen.words("view.agreed")) if hit.fresh else paint("bad", once)
    near = screen.words("view.near", share=f"{hit.similarity or 0:.0%}")
    return f"{held} {paint('bold', hit.nl_term)} {paint('dim', near)}\n{_hit(hit, screen, why)}"


def _nearby(hit: MapHit, screen: Screen) -> str:
    """Return an agreement that is not near enough to answer, or no longer a fact, on one line."""
    place = f"{hit.nl_term} → {hit.symbol}  {hit.path}:{hit.start_line}"
    code = "view.nearby" if hit.fresh else "view.nearby_guess"
    return screen.words(code, place=place, share=f"{hit.similarity or 0:.0%}", state=hit.state)


def _hit(hit: Hit, screen: Screen, why: bool) -> str:
    paint = screen.paint
    head = span(hit.path, (hit.start_line, hit.end_line), (hit.kind, hit.symbol), paint)
    lines = [head, *(f"    {printable(line)}" for line in hit.preview.split("\n") if hit.preview)]
    if why:
        points = "  ".join(f"{reason.name} {reason.points:+.4g}" for reason in hit.why)
        lines.insert(1, paint("dim", f"    {hit.score:.4g} = {points}"))
    if hit.also:
        places = [f"{one.start_line}-{one.end_line} {one.symbol}".strip() for one in hit.also]
        lines.append(paint("dim", f"    {screen.words('view.also', places=places)}"))
    return "\n".join(lines)


def declare_search_text(parser: argparse.ArgumentParser) -> None:
    """Add ``-e`` for more patterns, as grep has it."""
    parser.add_argument("-e", dest="more", action="append", default=[], metavar="PATTERN", help="one more pattern")


def typed_search_text(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the patterns of both kinds combined."""
    return {**arguments, "patterns": [*arguments.get("patterns", ()), *options.more]}


def search_text(result: TextResult, screen: Screen) -> View:
    """Return the lines: grouped by file for a terminal, each with path, line and column for a pipe."""
    lines: list[str] = []
    before: TextMatch | None = None
    for match in result.matches:
        same = before is not None and before.file == match.file
        if screen.tty and not same:
            lines += ([""] if before else []) + [screen.paint("path", match.file)]
        elif before is not None and _is_gap(before, match):
            lines.append(screen.paint("dim", "--"))
        lines += _block(match, screen.paint, screen.tty)
        before = match
    return View("\n".join(lines), _match_notes(result, screen), bool(result.matches))


def _match_notes(result: TextResult, screen: Screen) -> tuple[str, ...]:
    notes = [screen.say(note) for note in result.degraded]
    if not result.matches or result.answer == Answer.PARTIAL:
        notes.append(screen.answer(result))
    if result.matches and result.truncated:
        cut = [f"{file.file} {file.shown_lines}/{file.total}" for file in result.files if file.shown_lines < file.total]
        named = f" ({', '.join(cut[:NAMED])}{', …' * (len(cut) > NAMED)})" if cut else ""
        code = "view.lines_go_on" if result.next_cursor else "view.lines_shown"
        cursor = result.next_cursor
        notes.append(screen.words(code, shown=len(result.matches), total=result.total, named=named, cursor=cursor))
    return tuple(notes)


def _is_gap(before: TextMatch, match: TextMatch) -> bool:
    """Tell whether lines are left out between two matches that show context."""
    context = before.context_after or match.context_before
    follows = before.line + len(before.context_after) + 1 == match.line - len(match.context_before)
    return bool(context) and not (before.file == match.file and follows)


def _block(match: TextMatch, paint: Paint, headings: bool) -> Iterator[str]:
    before, after = (list(map(printable, texts)) for texts in (match.context_before, match.context_after))
    lines = [*before, _lit(match, paint), *after]
    for number, text in enumerate(lines, match.line - len(before)):
        is_match = number == match.line
        mark, place = ":" if is_match else "-", paint("good", str(number))
        column = f"{match.column}{mark}" if is_match else ""
        yield f"{place}{mark}{text}" if headings else f"{paint('path', match.file)}{mark}{place}{mark}{column}{text}"


def _lit(match: TextMatch, paint: Paint) -> str:
    """Return the line with its match highlighted, unless the line was cut: then the column no longer applies."""
    text, start, end = match.content, match.column - 1, match.end_column - 1
    if not paint.on or text.startswith(CUT) or not start < end <= len(text):
        return printable(text)
    return f"{printable(text[:start])}{paint('match', text[start:end])}{printable(text[end:])}"


def snippets_get(result: SnippetResult, screen: Screen, line: int = 0) -> View:
    """Return some lines of a file with their numbers, one of them marked."""
    head = span(result.path, (result.startLine, result.endLine), (result.symbolKind, result.symbolName), screen.paint)
    return View("\n".join([head, *numbered(result.content, result.startLine, line, screen.paint)]))


def past_changes(result: PastChangesResult, screen: Screen) -> View:
    """Return each commit with its subject, what it shares with the goal, and its files; then its diff."""
    blocks = ["\n".join(_past_change(change, screen)) for change in result.changes]
    if result.answer == Answer.FOUND:
        blocks.append(screen.paint("dim", screen.words("search_view.next", advice=result.next)))
    return View("\n\n".join(blocks), notes_of(result, len(blocks), screen), bool(blocks))


def _past_change(change: EarlierChange, screen: Screen) -> Iterator[str]:
    paint = screen.paint
    share = f"  {change.similarity:.0%}  {', '.join(change.why)}" if change.why else ""
    author = f"  {change.author}" if change.author else ""
    yield paint("bold", change.subject)
    yield f"    {paint('line', change.commit)}  {paint('dim', f'{change.date}{author}{share}')}"
    yield from (f"    {printable(line)}" for line in change.body.splitlines())
    yield from (_past_file(file, screen) for file in change.files)
    if change.more_files:
        yield f"    {paint('dim', screen.words('past.more_files', count=change.more_files))}"
    lines = change.diff.splitlines()
    yield from (paint(DIFF_STYLES[line[0]], line) if line[:1] in DIFF_STYLES else printable(line) for line in lines)
    yield from screen.warn(change.diff_notes)


def _past_file(file: EarlierFile, screen: Screen) -> str:
    """Return a file with as many of its symbols as fit the line."""
    paint = screen.paint
    told = [screen.words("past.gone_file")] if not file.exists else []
    told += [screen.words("past.then", path=file.then)] if file.then else []
    head = f"    {printable(file.path)}{f' ({COMMA.join(told)})' if told else ''}"
    symbols = list(file.symbols)
    while symbols and columns(f"{head}  {COMMA.join(symbols)}") > WIDTH:
        symbols.pop()
    names = f"  {paint('dim', COMMA.join(symbols))}" if symbols else ""
    return head.replace(printable(file.path), paint("path", file.path), 1) + names


def search_map(result: MapResult, screen: Screen) -> View:
    """Return agreements with their similarity and reasons."""
    lines = []
    for view in result.map_hits:
        lines.append(f"{view.similarity or 0:4.0%}  {agreement_line(view, screen)}")
        lines += [f"      {printable(line)}" for line in view.evidence.split("\n")[:3] if line.strip()]
    lines += screen.warn(result.problems)
    return View("\n".join([*lines, screen.paint("dim", screen.say(result.next))]), (), bool(result.map_hits))


def declare_context_bundle(parser: argparse.ArgumentParser) -> None:
    """Explain below the options how to pass long texts."""
    parser.epilog = say("search_view.reads_stdin")


def typed_context_bundle(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read values given as a file name, or as ``-`` for stdin, which can be read only once."""
    texts = {name: arguments.get(name, []) for name in ("failing_tests", "hints")}
    diff = arguments.get("last_diff", "")
    if [*texts["failing_tests"], *texts["hints"], diff].count(STDIN) > 1:
        raise BadArgument("search_view.stdin_once")
    read = {name: [_typed(text) for text in given] for name, given in texts.items() if given}
    return {**arguments, **read, "last_diff": _diff(diff)}


def _typed(text: str) -> str:
    return sys.stdin.read() if text == STDIN else text


def _diff(name: str) -> str:
    if not name or name == STDIN:
        return _typed(name)
    try:
        return Path(name).read_text("utf-8", "replace")
    except OSError as error:
        raise BadArgument("search_view.no_diff_file", name=name, error=error.strerror) from None


def context_bundle(result: BundleResult, screen: Screen) -> View:
    """Return the snippets with line numbers and reasons, then their size in tokens and what did not fit."""
    paint = screen.paint
    blocks = [_item(item, screen) for item in result.context]
    blocks += ["\n".join(_past_change(change, screen)) for change in result.past_changes]
    notes = screen.warn(result.warnings)
    if not blocks:
        return View("\n".join([screen.answer(result), *notes]), (), False)
    spent = screen.words(
        "search_view.spent", tokens=f"{result.tokens_estimate:,}", budget=f"{result.budget:,}", profile=result.profile
    )
    left = screen.words("search_view.did_not_fit", count=result.omitted_total) if result.omitted_total else ""
    if result.freshness.stale_files:
        notes += screen.warn([say("view.changed_since", files=result.freshness.stale_files)])
    then = screen.words("search_view.next", advice=result.next)
    return View("\n".join([*blocks, paint("dim", f"{spent}{left}"), paint("dim", then), *notes]))


def _item(item: ContextItem, screen: Screen) -> str:
    paint = screen.paint
    head = span(item.path, (item.range[0], item.range[-1]), (item.kind, item.symbol), paint)
    part = "" if item.whole else f" {screen.words('search_view.part')}"
    cost = screen.words("search_view.tokens", count=item.tokens)
    why = paint("dim", f"    {cost}  {'  '.join(item.why)}")
    width = len(str(item.range[-1]))
    lines = item.preview.split("\n") if item.preview else []
    shown = [f"    {paint('dim', f'{at:>{width}}')}  {printable(line)}" for at, line in enumerate(lines, item.range[0])]
    return "\n".join([head.rstrip() + part, why, *shown])
