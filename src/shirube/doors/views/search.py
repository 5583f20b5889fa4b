"""Text for hits, matching lines and bundles."""

from collections.abc import Iterator, Sequence

from shirube.doors.views.compose import check_room, code_that_fits, left_out, most_that_fit, room_beside
from shirube.doors.views.map import agreement_line
from shirube.doors.views.screen import Paint, Screen, View, columns, cut_text, notes_of, numbered, printable, span
from shirube.engine.text.budget import tokens_of
from shirube.features.lookup.operations import SEARCH_TOKENS
from shirube.features.lookup.results import (
    BundleResult,
    ContextItem,
    EarlierChange,
    EarlierFile,
    FilesResult,
    PastChangesResult,
    SearchResult,
    SnippetResult,
    SnippetView,
    TextMatch,
    TextResult,
)
from shirube.features.map.results import MapResult
from shirube.messages import say
from shirube.types import KINDS, Answer, Hit, MapHit

CUT, COMMA = "…", ", "
NAMED = 3
"""How many files that show only a part of their lines are named."""
WIDTH = 80
LONGEST = 80
"""The most characters shown of a signature."""
LINES = (120, 90, 60, 48, 38, 30, 24, 19, 15, 12, 9, 7)
"""How many lines of a place are shown that does not fit whole: the first of these for which there is room."""
GO_ON_TOKENS = 12
"""What it takes to say how to go on."""
MOST_SURE = 0.99
"""No answer is said to be certain."""
LISTED_SHARE, SURE_SHARE = 0.45, 0.1
"""The share of the budget for places without their code: where nothing is sure, and where everything is."""
COMMENTS = ("#", "//", "/*", "*", "--", ";", '"')
"""How comment lines begin, which may name a symbol without being its signature."""
SIGNED = frozenset(KINDS) - {"module", "section", "key", "rule", "at_rule"}
"""Kinds whose name stands in a line that tells what they take."""
SIGNATURE_LINES = 4
OMITTED = 8
"""How many snippets that did not fit are named."""
BODY_LINES = 3
"""How many lines a model sees of a commit's message below its subject."""
DIFF_STYLES = {"+": "good", "-": "bad", "@": "line", "d": "bold"}
"""The colours of a diff's lines, by how they begin."""


def search(result: SearchResult, screen: Screen) -> View:
    """Return how sure the answer is, the code of the best places, a line for each of the others, then notes."""
    found = bool(result.forest_hits or result.map_hits)
    notes = screen.warn(result.degraded)
    if result.freshness.stale_files:
        notes += screen.warn([say("view.changed_since", files=result.freshness.stale_files)])
    if judged := result.evaluation:
        notes.append(screen.words("view.judged", score=f"{judged.score:.2f}", feedback=judged.feedback))
    if not (result.forest_hits or result.short_circuit):
        notes = [*(_nearby(hit, screen) for hit in result.map_hits), *notes]
        return View("\n".join([screen.answer(result), *notes]), (), found)
    hits: Sequence[Hit] = result.map_hits if result.short_circuit else result.forest_hits
    if result.short_circuit:
        notes = [*notes, screen.paint("dim", screen.say(result.next))]
    else:
        notes = [*(screen.paint("dim", _nearby(hit, screen)) for hit in result.map_hits), *notes]
    share = LISTED_SHARE + (SURE_SHARE - LISTED_SHARE) * result.confidence
    sure = "view.sure" if result.answer == Answer.FOUND else "view.unsure"
    words = screen.words(sure, share=f"{min(result.confidence, MOST_SURE):.0%}")
    head = screen.paint("dim", screen.words("view.further") if screen.given.get("skip") else words)
    return View(pack_places(head, hits, notes, screen, share), (), found)


search_forest = semantic_search = gistdex_query = search


def pack_places(head: str, hits: Sequence[Hit], notes: Sequence[str], screen: Screen, share: float) -> str:
    """Return the hits within the screen's budget: the code of the best, and others on a line for each file.

    Those get their share of the budget, the code what is left, and they what the code did not need.
    """
    tokens = screen.tokens or SEARCH_TOKENS
    briefs, names = [_brief(hit, screen) for hit in hits], [_named_line(hit, screen) for hit in hits]
    ranks = {path: rank for rank, path in enumerate(dict.fromkeys(hit.path for hit in hits))}
    by_file = sorted(range(len(hits)), key=lambda at: ranks[hits[at].path])
    code: list[str] = []

    def text_of(kept: int) -> str:
        files: dict[str, list[str]] = {}
        for at in [at for at in by_file if at >= len(code)][:kept]:
            places = files.setdefault(hits[at].path, [])
            places.append(names[at] if places else briefs[at])
        lines = [f"{screen.paint('path', path)}:{COMMA.join(places)}" for path, places in files.items()]
        skip = len(code) + int(screen.given.get("skip") or 0)
        left = len(hits) - len(code) - kept
        more = [screen.further("skip", skip)] if code and len(code) < len(hits) else []
        if left > 0 and not code:
            more = [left_out(left, screen)]
        return "\n".join([head, *code, *lines, *notes, *more])

    check_room(text_of(1), tokens)
    bare, listed = tokens_of(text_of(0)), 0
    while listed < len(hits) and tokens_of(text_of(listed + 1)) - bare <= tokens * share:
        listed += 1
    free = tokens - tokens_of(text_of(listed)) - GO_ON_TOKENS
    for hit in hits:
        block = _code_that_fits(hit, free, screen)
        if not block:
            break
        code.append(block if screen.model or not code else f"\n{block}")  # people like to see where a place ends
        free -= tokens_of(f"{code[-1]}\n")
    while code and tokens_of(text_of(0)) > tokens:
        code.pop()
    return text_of(most_that_fit(len(hits) - len(code), tokens, text_of))


def _code_that_fits(hit: Hit, tokens: int, screen: Screen) -> str:
    """Return a hit with as many of its lines as fit; nothing when hardly any would."""
    length = hit.preview.count("\n") + 1
    for most in (length, *(lines for lines in LINES if lines < length)):
        block = _hit_with_code(hit, most, screen)
        if tokens_of(f"{block}\n") <= tokens:
            return block
    return ""


def _statement(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first line, and those that it opens brackets for."""
    for at, line in enumerate(lines[:SIGNATURE_LINES]):
        if at and not lines[at - 1].rstrip().endswith(("(", "[", ",")):
            return
        yield line


def _named_line(hit: Hit, screen: Screen) -> str:
    """Return the first line and the name of a hit, since ``read`` of the line shows all of it; else its lines."""
    name = printable(hit.symbol.rpartition(".")[2])
    lines = str(hit.start_line) if name else f"{hit.start_line}-{hit.end_line}"
    return f"{screen.paint('line', lines)} {name}".rstrip()


def _brief(hit: Hit, screen: Screen) -> str:
    """Return the lines of a hit, and its signature or its name."""
    name = hit.symbol.rpartition(".")[2]
    lines = hit.preview.split("\n") if name and hit.kind in SIGNED else []
    named = (at for at, line in enumerate(lines) if name in line and not line.lstrip().startswith(COMMENTS))
    at = next(named, None)
    signature = " ".join(_named(hit)) if at is None else " ".join(" ".join(_statement(lines[at:])).split())
    agreed = f"{_agreed(hit, screen)} " if isinstance(hit, MapHit) else ""
    lines_of = screen.paint("line", f"{hit.start_line}-{hit.end_line}")
    return f"{lines_of} {agreed}{printable(cut_text(signature, LONGEST))}".rstrip()


def _hit_with_code(hit: Hit, most: int, screen: Screen) -> str:
    """Return a hit with its lines; of more lines than ``most`` those around the one that matched, and the first."""
    text, first = hit.preview.split("\n"), hit.preview_line or hit.start_line
    kept = kept_lines(len(text), hit.match_line - first, most)
    sent = [screen.sent(hit.path, first + begin, first + end - 1, "\n".join(text[begin:end])) for begin, end in kept]
    if all(sent):
        place = f"{screen.paint('path', hit.path)}:{_brief(hit, screen)}"
        return "\n".join([f"{place} {screen.words('view.sent_before')}", *gaps(len(text), first, kept).values()])
    head = span(hit.path, (hit.start_line, hit.end_line), _named(hit), screen.paint)
    agreed = [_agreed(hit, screen)] if isinstance(hit, MapHit) else []
    lines = [*agreed, head]
    if screen.given.get("explain"):
        points = "  ".join(f"{reason.name} {reason.points:+.4g}" for reason in hit.why)
        lines.append(screen.paint("dim", f"{hit.score:.4g} = {points}"))
    return "\n".join([*lines, *cut_code(text, first, kept)])


def kept_lines(count: int, focus: int, most: int) -> list[tuple[int, int]]:
    """Return which of so many lines to show, as ranges without their ends: all, or the first and those around one."""
    if count <= most:
        return [(0, count)]
    begin = min(max(focus, 0) - (most - 1) // 2, count - most + 1)
    return [(0, 1), (begin, begin + most - 1)] if begin > 2 else [(0, most)]


def cut_code(lines: Sequence[str], first: int, kept: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield lines of a file, control characters made visible; gaps are marked with their line numbers: ``… 12-40``."""
    marks = gaps(len(lines), first, kept)
    for begin, end in (*kept, (len(lines), len(lines))):
        if begin in marks:
            yield marks[begin]
        yield from map(printable, lines[begin:end])


def gaps(count: int, first: int, kept: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return a mark with the numbers of the lines left out before each range that is kept, and before the end."""
    ends, begins = (0, *(end for _, end in kept)), (*(begin for begin, _ in kept), count)
    pairs = zip(ends, begins, strict=True)
    return {begin: f"{CUT} {first + end}-{first + begin - 1}" for end, begin in pairs if begin > end}


def _named(hit: Hit) -> tuple[str, str]:
    """Return kind and name of a hit; text between symbols has neither."""
    return (hit.kind, hit.symbol) if hit.symbol else ("", "")


def _agreed(hit: MapHit, screen: Screen) -> str:
    """Return what was agreed, and whether it holds."""
    paint = screen.paint
    once = screen.words("view.agreed_once", state=_why_doubted(hit))
    held = paint("good", screen.words("view.agreed")) if hit.fresh else paint("bad", once)
    near = screen.words("view.near", share=f"{hit.similarity or 0:.0%}")
    return f"{held} {paint('bold', hit.nl_term)} {paint('dim', near)}"


def _nearby(hit: MapHit, screen: Screen) -> str:
    """Return an agreement about a similar term, or one that is no longer a fact, on one line."""
    label = f"{hit.nl_term} → {hit.symbol}" if hit.symbol else hit.nl_term
    place = f"{label}  {hit.path}:{hit.start_line}-{hit.end_line}" if hit.symbol else f"{label}  {hit.path}"
    code = "view.nearby_same" if hit.alone else "view.nearby" if hit.fresh else "view.nearby_guess"
    return screen.words(code, place=place, share=f"{hit.similarity or 0:.0%}", state=_why_doubted(hit))


def _why_doubted(hit: MapHit) -> str:
    """Return what happened to the code of an agreement; if nothing did, why it is only a guess all the same."""
    told = [reason.detail for reason in hit.why if reason.name == "map:hypothesis"]
    return next(iter(told), hit.state) if hit.state == "fresh" else hit.state


def search_text(result: TextResult, screen: Screen) -> View:
    """Return the lines: grouped by file for a terminal or a model, each with path, line and column for a pipe."""
    grouped = screen.tty or screen.model
    blocks: list[str] = []
    before: TextMatch | None = None
    for match in result.matches:
        same = before is not None and before.file == match.file
        lines: list[str] = []
        if grouped and not same:
            lines = ([""] if before and screen.tty else []) + [screen.paint("path", match.file)]
        elif before is not None and _is_gap(before, match):
            lines = [screen.paint("dim", "--")]
        blocks.append("\n".join([*lines, *_block(match, screen.paint, grouped)]))
        before = match
    notes = _match_notes(result, screen)
    head = (
        screen.words("view.lines_in", lines=result.total, files=result.total_files) if screen.model and blocks else ""
    )
    return View(head, notes, bool(result.matches), tuple(blocks))


def _match_notes(result: TextResult, screen: Screen) -> tuple[str, ...]:
    notes = [screen.say(note) for note in result.degraded]
    if not result.matches or result.answer == Answer.PARTIAL:
        notes.append(screen.answer(result))
    if screen.model and result.matches and result.next_cursor:
        notes.append(screen.further("cursor", result.next_cursor))
    elif result.matches and result.truncated and not screen.model:
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
    """Return some lines of a file, for people with their numbers and one of them marked."""
    head = span(result.path, (result.startLine, result.endLine), (result.symbolKind, result.symbolName), screen.paint)
    head += f" {screen.words('search_view.part')}" if result.truncated and result.view is SnippetView.SYMBOL else ""
    if screen.model and result.view is SnippetView.OUTLINE:
        return View(head, blocks=tuple(cut_text(printable(line), LONGEST) for line in result.content.split("\n")))
    rest = (screen.say(result.next),) if result.next else ()
    if screen.model:
        place = (result.path, result.startLine, result.endLine)
        return View(code_that_fits(head, place, result.content, room_beside(rest, screen), screen), rest)
    dimmed = (screen.paint("dim", one) for one in rest)
    return View("\n".join([head, *numbered(result.content, result.startLine, line, screen.paint), *dimmed]))


def files_search(result: FilesResult, screen: Screen) -> View:
    """Return a line for each file: the line to begin at, and how it reads."""
    blocks = []
    for one in result.results:
        first = next((line.strip() for line in one.preview.split("\n") if line.strip()), "")
        blocks.append(f"{printable(one.path)}:{one.matchLine} {printable(cut_text(first, LONGEST))}".rstrip())
    return View("", notes_of(result, len(blocks), screen), bool(blocks), tuple(blocks))


def past_changes(result: PastChangesResult, screen: Screen) -> View:
    """Return each commit with its subject, what it shares with the goal, and its files; then its diff."""
    blocks = ["\n".join(_past_change(change, screen)) for change in result.changes]
    if screen.model:
        then = (screen.words("search_view.next", advice=result.next),) if result.answer == Answer.FOUND else ()
        return View("", (*notes_of(result, len(blocks), screen), *then), bool(blocks), tuple(blocks))
    if result.answer == Answer.FOUND:
        blocks.append(screen.paint("dim", screen.words("search_view.next", advice=result.next)))
    return View("\n\n".join(blocks), notes_of(result, len(blocks), screen), bool(blocks))


def _past_change(change: EarlierChange, screen: Screen) -> Iterator[str]:
    paint, indent = screen.paint, _indent(screen)
    share = f"  {change.similarity:.0%}  {', '.join(change.why)}" if change.why else ""
    author = f"  {change.author}" if change.author else ""
    if screen.model:
        yield f"{change.commit} {change.date} {printable(change.subject)}"
        yield from (f" {printable(line)}" for line in change.body.splitlines()[:BODY_LINES])
    else:
        yield paint("bold", change.subject)
        yield f"{indent}{paint('line', change.commit)}  {paint('dim', f'{change.date}{author}{share}')}"
        yield from (f"{indent}{printable(line)}" for line in change.body.splitlines())
    yield from (_past_file(file, screen) for file in change.files)
    if change.more_files:
        yield f"{indent}{paint('dim', screen.words('past.more_files', count=change.more_files))}"
    lines = change.diff.splitlines()
    yield from (paint(DIFF_STYLES[line[0]], line) if line[:1] in DIFF_STYLES else printable(line) for line in lines)
    yield from screen.warn(change.diff_notes)


def _indent(screen: Screen) -> str:
    return " " if screen.model else "    "


def _past_file(file: EarlierFile, screen: Screen) -> str:
    """Return a file with as many of its symbols as fit the line."""
    paint = screen.paint
    told = [screen.words("past.gone_file")] if not file.exists else []
    told += [screen.words("past.then", path=file.then)] if file.then and not screen.model else []
    head = f"{_indent(screen)}{printable(file.path)}{f' ({COMMA.join(told)})' if told else ''}"
    symbols = list(file.symbols)
    while symbols and columns(f"{head}  {COMMA.join(symbols)}") > WIDTH:
        symbols.pop()
    names = f"  {paint('dim', COMMA.join(symbols))}" if symbols else ""
    return head.replace(printable(file.path), paint("path", file.path), 1) + names


def search_map(result: MapResult, screen: Screen) -> View:
    """Return agreements with their similarity and reasons."""
    lines = []
    for view in result.map_hits:
        mark = screen.paint("dim", f"  ({screen.words('view.similar_term')})") if view.fresh and not view.alone else ""
        lines.append(f"{view.similarity or 0:4.0%}  {agreement_line(view, screen)}{mark}")
        lines += [f"{_indent(screen)}{printable(line)}" for line in view.evidence.split("\n")[:3] if line.strip()]
    lines += screen.warn(result.problems)
    return View("\n".join([*lines, screen.paint("dim", screen.say(result.next))]), (), bool(result.map_hits))


def context_bundle(result: BundleResult, screen: Screen) -> View:
    """Return the snippets with line numbers and reasons, then their size in tokens and what did not fit."""
    paint = screen.paint
    blocks = [_item(item, screen) for item in result.context]
    blocks += ["\n".join(_past_change(change, screen)) for change in result.past_changes]
    notes = screen.warn(result.warnings)
    if not blocks:
        return View("\n".join([screen.answer(result), *notes]), (), False)
    if result.freshness.stale_files:
        notes += screen.warn([say("view.changed_since", files=result.freshness.stale_files)])
    size = {"tokens": f"{result.tokens_estimate:,}", "budget": f"{result.budget:,}"}
    if screen.model:
        left = [f"{one.path}:{one.range[0]}-{one.range[-1]} {one.symbol}".rstrip() for one in result.omitted[:OMITTED]]
        left = [screen.words("search_view.left_out"), *left] if left else []
        return View(screen.words("search_view.size", **size), tuple(notes), True, (*blocks, *left))
    spent = screen.words("search_view.spent", **size, profile=result.profile)
    more = screen.words("search_view.did_not_fit", count=result.omitted_total) if result.omitted_total else ""
    then = screen.words("search_view.next", advice=result.next)
    return View("\n".join([*blocks, paint("dim", f"{spent}{more}"), paint("dim", then), *notes]))


def _item(item: ContextItem, screen: Screen) -> str:
    """Return a snippet; for people with its cost, its reasons and the numbers of its lines."""
    paint = screen.paint
    start, end = item.range[0], item.range[-1]
    head = span(item.path, (start, end), (item.kind, item.symbol) if item.symbol else ("", ""), paint)
    if screen.model and item.preview and screen.sent(item.path, start, end, item.preview):
        return f"{head} {screen.words('view.sent_before')}"
    part = "" if item.whole else f" {screen.words('search_view.part')}"
    lines = item.preview.split("\n") if item.preview else []
    cost = screen.words("search_view.tokens", count=item.tokens)
    why = [paint("dim", f"    {cost}  {'  '.join(item.why)}")]
    if screen.model:
        return "\n".join([head + part, *(why if screen.given.get("explain") else []), *map(printable, lines)])
    width = len(str(end))
    shown = [f"    {paint('dim', f'{at:>{width}}')}  {printable(line)}" for at, line in enumerate(lines, start)]
    return "\n".join([head + part, *why, *shown])
