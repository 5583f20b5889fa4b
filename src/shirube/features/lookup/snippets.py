"""Some lines of a file: a span, the symbol around a line, or the outline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.lookup.coverage import file_as_it_is
from shirube.features.lookup.results import SnippetResult, SnippetView
from shirube.messages import NOTHING, say
from shirube.operation import Call
from shirube.types import Symbol

if TYPE_CHECKING:
    from shirube.features.lookup.context.cut import Pages
    from shirube.features.lookup.operations import SnippetRequest
    from shirube.workspace import Workspace

WINDOW = 150
"""Lines shown when nothing says how many, as the program of seed 001 had it; a file up to this size is shown whole."""
MOST = 600
"""Lines in one answer: more is no snippet."""


def snippets_get(workspace: "Workspace", request: "SnippetRequest", call: Call) -> SnippetResult:
    """Answer the operation of this name."""
    from shirube.engine.text.budget import estimate_tokens
    from shirube.features.lookup.context.cut import Pages, innermost

    path = file_as_it_is(workspace, request.path, call)
    pages, symbols = Pages(workspace.store), workspace.store.symbols(path)
    total = len(_lines(pages, path))
    view = _view(request, total)
    start, end = _span(request, view, pages, symbols, path)
    shown_end = min(end, start + MOST - 1)
    around = innermost(symbols, start) if view in (SnippetView.SYMBOL, SnippetView.LINES) else None
    content = _outline(symbols) if view is SnippetView.OUTLINE else _text(pages, path, (start, shown_end), request)
    return SnippetResult(
        path=path,
        view=view,
        startLine=start,
        endLine=shown_end,
        totalLines=total,
        symbolName=around.qualified if around else "",
        symbolKind=around.kind if around else "",
        content="" if request.compact else content,
        tokens=estimate_tokens(content),
        truncated=shown_end < end,
        freshness=workspace.freshness((path,)),
        next=say("asking.the_rest", start=shown_end + 1, end=end) if shown_end < end else NOTHING,
    )


def _lines(pages: "Pages", path: str) -> Sequence[str]:
    """Return the lines; the break at the end of the last one begins no further line."""
    lines = pages.lines(path)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _view(request: "SnippetRequest", total: int) -> SnippetView:
    if request.view is not SnippetView.AUTO:
        return request.view
    if request.start_line is None and request.end_line is None:
        return SnippetView.FULL if total <= WINDOW else SnippetView.OUTLINE
    return SnippetView.SYMBOL if request.end_line is None else SnippetView.LINES


def _span(
    request: "SnippetRequest", view: SnippetView, pages: "Pages", symbols: Sequence[Symbol], path: str
) -> tuple[int, int]:
    """Return the lines that are meant, or refuse those that are not there."""
    from shirube.features.lookup.context.cut import innermost

    total = len(_lines(pages, path))
    start = request.start_line or 1
    end = request.end_line or min(total, start + WINDOW - 1)
    if start > total:
        raise BadArgument("asking.past_end", line=start, path=path, count=total)
    if request.end_line is not None and end < start:
        raise BadArgument("asking.backwards", start=start, end=end)
    if view in (SnippetView.FULL, SnippetView.OUTLINE):
        return 1, total
    if view is SnippetView.LINES:
        return start, min(end, total)
    if (symbol := innermost(symbols, start)) is not None:
        return symbol.start_line, symbol.end_line
    piece = pages.piece_at(path, start)
    inside = piece is not None and piece.start_line <= start
    return (piece.start_line, piece.end_line) if piece is not None and inside else (start, min(end, total))


def _text(pages: "Pages", path: str, span: tuple[int, int], request: "SnippetRequest") -> str:
    lines = pages.lines(path)[span[0] - 1 : span[1]]
    if not request.include_line_numbers:
        return "\n".join(lines)
    width = len(str(span[1]))
    return "\n".join(f"{number:>{width}}→{line}" for number, line in enumerate(lines, span[0]))


def _outline(symbols: Sequence[Symbol]) -> str:
    """Return what a file defines, a line each, indented by what it is in."""
    lines = []
    for symbol in symbols:
        depth = symbol.qualified.count(".") - symbol.name.count(".")
        what = symbol.signature or f"{symbol.kind} {symbol.name}"
        lines.append(f"{symbol.start_line}-{symbol.end_line}  {'  ' * depth}{what}")
    return "\n".join(lines)
