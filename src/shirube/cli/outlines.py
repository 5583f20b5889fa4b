"""Outlines, functions and the reach of a change as a person reads them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shirube.cli.places import lit
from shirube.cli.show import Paint, printable
from shirube.errors import counted
from shirube.operations.impact import ImpactResult
from shirube.operations.snippets import SnippetResult
from shirube.operations.structure import Element, LineResult, StructureResult

if TYPE_CHECKING:
    from shirube.graph.impact import Verify

KIND_WIDTH = 11


def outline_text(result: StructureResult, paint: Paint) -> str:
    """Return each file with its symbols, indented by depth, lines first so that they align."""
    blocks = []
    for file in result.files:
        width = len(str(file.lines)) * 2 + 1
        size = f"{file.language}, {counted(file.lines, 'line')}"
        head = f"{paint('path', file.file)}  {paint('dim', size)}"
        blocks.append("\n".join([head, *_elements(file.symbols, 0, width, paint)]))
    return "\n\n".join(blocks)


def _elements(elements: Sequence[Element], depth: int, width: int, paint: Paint) -> Iterator[str]:
    for one in elements:
        span = f"{one.start_line}-{one.end_line}" if one.end_line > one.start_line else str(one.start_line)
        told = one.signature if one.name in one.signature else one.name
        yield (
            f"  {paint('line', span.rjust(width))}  {'  ' * depth}{paint('kind', one.type.ljust(KIND_WIDTH))}"
            f"{lit(told, one.name, paint)}"
        )
        yield from _elements(one.children, depth + 1, width, paint)


def at_text(result: LineResult, paint: Paint) -> str:
    """Return the function with line numbers, the line in question marked."""
    one = result.function
    assert one is not None
    lines = [_head(result.file, (one.start_line, one.end_line), (one.kind, one.qualified), paint)]
    lines += _numbered(one.content, one.start_line, result.line, paint)
    if one.truncated:
        lines.append(paint("dim", f"  … up to line {one.end_line}"))
    return "\n".join(lines)


def around_text(result: SnippetResult, line: int, paint: Paint) -> str:
    """Return what else is around a line in the same form."""
    head = _head(result.path, (result.startLine, result.endLine), (result.symbolKind, result.symbolName), paint)
    return "\n".join([head, *_numbered(result.content, result.startLine, line, paint)])


def _head(file: str, span: tuple[int, int], named: tuple[str, str], paint: Paint) -> str:
    place = f"{paint('path', file)}:{paint('line', f'{span[0]}-{span[1]}')}"
    return f"{place}  {paint('kind', named[0])} {paint('bold', named[1])}"


def _numbered(content: str, start: int, line: int, paint: Paint) -> Iterator[str]:
    lines = content.split("\n")
    width = len(str(start + len(lines) - 1))
    for number, text in enumerate(lines, start):
        here = number == line
        mark = paint("match", ">") if here else " "
        yield f"{mark} {paint('line' if here else 'dim', str(number).rjust(width))}  {printable(text)}"


def impact_text(result: ImpactResult, paint: Paint) -> str:
    """Return what must and what should be looked at, each place with its reasons."""
    names = ", ".join(one.qualified for one in result.symbols[:8])
    more = f" and {len(result.symbols) - 8} more" if len(result.symbols) > 8 else ""
    lines = [f"{paint('dim', 'changing')}  {paint('bold', ', '.join(result.files) or names)}"]
    if result.files and names:
        lines.append(f"{paint('dim', 'offering')}  {printable(names)}{more}")
    for title, style, places in (
        ("must verify", "bad", result.must_verify),
        ("should verify", "line", result.should_verify),
    ):
        key = title.replace(" ", "_")
        lines += ["", paint(style, f"{title} ({result.totals[key]})")]
        lines += [_verify(one, paint) for one in places]
    lines += [
        "",
        paint(
            "dim", f"{counted(result.totals['callers'], 'sure use')}, {counted(result.totals['tests'], 'test file')}: "
        ),
    ]
    lines[-1] += printable(", ".join(result.tests[:5])) or "none"
    return "\n".join(lines)


def _verify(one: "Verify", paint: Paint) -> str:
    place = f"{paint('path', one.file)}:{paint('line', str(one.line))}" if one.line else paint("path", one.file)
    role = f" {paint('kind', one.role)}" if one.role != "implementation" else ""
    symbol = f"  {paint('bold', one.symbol)}" if one.symbol else ""
    return f"  {place}{symbol}{role}  {paint('dim', '; '.join(one.reasons))}"
