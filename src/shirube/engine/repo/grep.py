"""Finds text in the current files.

RE2 decides, in this process. For a large tree, ripgrep, if available, first excludes files that cannot match. The
result is the same with and without it.
"""

from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from shirube.deadline import Deadline
from shirube.engine.repo.grep_scan import MatchedLine, scan, sieve
from shirube.engine.repo.read import FileReader, decode, is_binary
from shirube.engine.repo.regex import Pattern
from shirube.errors import NotReadable, OutsideRoot

SIEVE_FILES = 1_000
"""For fewer files, starting ripgrep with their names costs more than it saves."""
MAX_CHARACTERS = 300
"""The most characters shown of a line; a longer one is cut around the match, with marks."""
LEAD = 60
"""How many characters of a cut line come before the match."""
COUNTED_LINES = 20_000
"""When the page is full, matches are counted only up to here: a larger count is not worth the time."""
MARK = "…"
LINE_CHARACTERS = 80
"""Characters that a line takes in a result besides its text: path, numbers, symbol."""


class Mark(NamedTuple):
    """The last line of a page; turn 0 has the first lines of every file, turn 1 the remaining ones."""

    turn: int
    path: str
    line: int


class GrepOptions(Struct, frozen=True):
    """How much to return, and what to read."""

    limit: int = 200
    """Lines to return; further ones are only counted."""
    per_file: int = 200
    """Lines of one file in turn 0; its remaining lines come after those of all other files."""
    max_characters: int = 1 << 20
    """The most characters of all lines shown."""
    context_lines: int = 0
    after: Mark | None = None
    """Return the lines after this one; only valid with the same ``per_file``."""
    max_file_bytes: int = 1 << 20
    unsieved: Collection[str] = ()
    """Files that ripgrep cannot judge, because they are not UTF-8."""
    sieve_files: int = SIEVE_FILES
    env: Mapping[str, str] | None = None
    """Where to look for ripgrep (PATH)."""
    texts: Callable[[Sequence[str]], Iterator[tuple[str, bytes]] | None] = lambda names: None
    """Returns the texts of files, in UTF-8, where they are not read from the disk."""


class Line(Struct, frozen=True):
    """A line that matches; columns count characters from 1, and ``end_column`` is the one after the match."""

    number: int
    column: int
    end_column: int
    text: str
    patterns: tuple[int, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class FileLines(Struct, frozen=True):
    """The lines shown of one file, and how many of its lines match."""

    path: str
    total: int
    lines: tuple[Line, ...]


@dataclass(slots=True)
class GrepResult:
    """The matching lines, and why there may be others."""

    files: tuple[FileLines, ...] = ()
    total: int = 0
    """All lines that match, on this page or any other."""
    total_files: int = 0
    hidden: int = 0
    """Matching lines after the start of the page that are not shown."""
    next: Mark | None = None
    """Where the next page begins, if there is one."""
    uncounted: bool = False
    """Whether counting stopped early, so that the totals are lower bounds."""
    late: bool = False
    """Whether time ran out before every file was read."""
    unread: dict[str, str] = field(default_factory=dict)
    """Files that could not be searched, or not every line of them, with the reason."""
    sieved: bool = False


_DEFAULTS = GrepOptions()


def grep(
    root: Path,
    patterns: Sequence[Pattern],
    names: Collection[str],
    options: GrepOptions = _DEFAULTS,
    deadline: Deadline | None = None,
) -> GrepResult:
    """Return the lines of the given files (root-relative) that match any of the patterns, in the order of paths."""
    deadline = deadline or Deadline()
    result = GrepResult()
    page = _Page(options)
    as_written = any(pattern.names_return for pattern in patterns)
    texts = options.texts(sorted(set(names)))
    for name, original in texts or _from_disk(root, patterns, names, options, deadline, result):
        if deadline.passed:
            break
        text = original if as_written or b"\r" not in original else original.replace(b"\r\n", b"\n")
        scanned = scan(text, patterns, deadline)
        if not scanned.complete and not deadline.passed:
            result.unread[name] = "long_line"
        if scanned.lines:
            result.total += len(scanned.lines)
            result.total_files += 1
            page.take(name, text, scanned.lines)
        if page.full and result.total >= COUNTED_LINES:
            result.uncounted = True
            break
    result.late = result.late or deadline.passed
    page.finish(result)
    return result


def _from_disk(
    root: Path,
    patterns: Sequence[Pattern],
    names: Collection[str],
    options: GrepOptions,
    deadline: Deadline,
    result: GrepResult,
) -> Iterator[tuple[str, bytes]]:
    """Yield the files that may match, with their texts, in the order of paths, so that a directory is opened once."""
    if len(names) >= options.sieve_files:
        judged = set(names).difference(options.unsieved)
        candidates = sieve(root, patterns, judged, options.max_file_bytes, options.env, deadline)
        if candidates is not None:
            result.sieved = True
            names = candidates.union(options.unsieved).intersection(names)
    with FileReader(root) as reader:
        for name in sorted(set(names)):
            if deadline.passed:
                return
            yield name, _text(reader, name, options.max_file_bytes, result)


def _text(reader: FileReader, name: str, max_bytes: int, result: GrepResult) -> bytes:
    """Return a file as UTF-8; empty for one that is gone or not a text."""
    try:
        data = reader.read(name, max_bytes)
    except NotReadable as error:
        if not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            result.unread[name] = error.reason
        return b""
    except OutsideRoot:
        result.unread[name] = "outside_link"
        return b""
    if is_binary(data):
        result.unread[name] = "binary"
        return b""
    if data.isascii() and b"\x1b$" not in data:  # ISO-2022-JP is ASCII with escapes
        return data
    decoded = decode(data)
    as_is = decoded.encoding == "utf-8" and not decoded.note and not data.startswith(BOM_UTF8)
    return data if as_is else decoded.text.encode("utf-8")


class _Page:
    """Collects the lines to show, and counts every line.

    In turn 0 each file shows at most its share, and turn 1 shows the rest. A page is a section of this order, grouped
    by file, so that all pages together hold every line once.
    """

    def __init__(self, options: GrepOptions) -> None:
        self._options = options
        self._after = options.after or Mark(0, "", 0)
        self._candidate_lines: tuple[list[_CandidateLine], list[_CandidateLine]] = ([], [])
        self._counted = 0

    def take(self, path: str, text: bytes, matched: tuple[MatchedLine, ...]) -> None:
        """Collect the lines of a file that may be shown; call it in the order of paths."""
        share, limit = self._options.per_file, self._options.limit
        first, rest = self._left(0, path, text, matched[:share]), self._left(1, path, text, matched[share:])
        self._counted += len(first) + len(rest)
        if self.full or not (first or rest):
            return
        first, rest = first[: limit - len(self._candidate_lines[0])], rest[: limit - len(self._candidate_lines[1])]
        for index, line in enumerate(_described(text, first + rest, self._options.context_lines)):
            turn = int(index >= len(first))
            self._candidate_lines[turn].append(_CandidateLine(Mark(turn, path, line.number), len(matched), line))

    def _left(self, turn: int, path: str, text: bytes, matched: tuple[MatchedLine, ...]) -> tuple[MatchedLine, ...]:
        """Return those lines of a turn that no earlier page has shown."""
        if (turn, path) != self._after[:2]:
            return matched if (turn, path) > self._after[:2] else ()
        numbers = _numbers(text, matched)
        return tuple(line for line, number in zip(matched, numbers, strict=True) if number > self._after.line)

    @property
    def full(self) -> bool:
        """Tell whether no further file can be shown."""
        return len(self._candidate_lines[self._after.turn]) >= self._options.limit

    def finish(self, result: GrepResult) -> None:
        """Put the lines of the page into the result, and where the next page begins."""
        dealt = (self._candidate_lines[0] + self._candidate_lines[1])[: self._options.limit]
        texts = ((kept.line.text, *kept.line.before, *kept.line.after) for kept in dealt)
        sizes = accumulate(sum(map(len, lines)) + LINE_CHARACTERS for lines in texts)
        shown = dealt[: max(1, sum(size <= self._options.max_characters for size in sizes))]
        by_file: dict[str, list[_CandidateLine]] = {}
        for kept in sorted(shown, key=lambda kept: kept.mark[1:]):
            by_file.setdefault(kept.mark.path, []).append(kept)
        result.files = tuple(
            FileLines(path, lines[0].total, tuple(kept.line for kept in lines)) for path, lines in by_file.items()
        )
        result.hidden = self._counted - len(shown)
        result.next = shown[-1].mark if shown and (result.hidden or result.uncounted) else None


class _CandidateLine(NamedTuple):
    """A line that may be shown, its position in the order, and how many lines of its file match."""

    mark: Mark
    total: int
    line: Line


def _numbers(text: bytes, matched: Sequence[MatchedLine]) -> list[int]:
    numbers, number, position = [], 1, 0
    for item in matched:
        number += text.count(b"\n", position, item.start)
        position = item.start
        numbers.append(number)
    return numbers


# --- showing -----------------------------------------------------------------------------------------------


def _described(text: bytes, matched: tuple[MatchedLine, ...], context: int) -> tuple[Line, ...]:
    """Return lines with their context; a line that was shown already is not repeated as context of the next."""
    lines: list[Line] = []
    numbers = _numbers(text, matched)
    shown = 0
    for index, (item, number) in enumerate(zip(matched, numbers, strict=True)):
        end = _line_end(text, item.start)
        line, at = text[item.start : end], item.at - item.start
        column = len(line[:at].decode("utf-8", "replace")) + 1
        end_column = column + len(line[at : item.end - item.start].decode("utf-8", "replace"))
        following = numbers[index + 1] if index + 1 < len(numbers) else number + context + 1
        before = _lines_before(text, item.start, min(context, number - shown - 1))
        after = _lines_after(text, end, min(context, following - number - 1))
        shown = number + len(after)
        lines.append(Line(number, column, end_column, _cut(line, column), item.patterns, before, after))
    return tuple(lines)


def _line_end(text: bytes, start: int) -> int:
    end = text.find(b"\n", start)
    return end if end >= 0 else len(text)


def _lines_before(text: bytes, start: int, count: int) -> tuple[str, ...]:
    lines: list[str] = []
    while len(lines) < count and start > 0:
        end = start - 1
        start = text.rfind(b"\n", 0, end) + 1
        lines.append(_cut(text[start:end]))
    return tuple(reversed(lines))


def _lines_after(text: bytes, end: int, count: int) -> tuple[str, ...]:
    lines: list[str] = []
    while len(lines) < count and end + 1 < len(text):
        start = end + 1
        end = _line_end(text, start)
        lines.append(_cut(text[start:end]))
    return tuple(lines)


def _cut(line: bytes, column: int = 1) -> str:
    """Return a line as it is shown: whole, or cut around the match with marks where it was cut."""
    text = line.decode("utf-8", "replace").rstrip("\r")
    if len(text) <= MAX_CHARACTERS:
        return text
    start = 0 if column <= MAX_CHARACTERS - LEAD else column - 1 - LEAD
    start = min(start, len(text) - MAX_CHARACTERS)
    end = start + MAX_CHARACTERS
    return f"{MARK if start else ''}{text[start:end]}{MARK if end < len(text) else ''}"
