"""Two steps of a text search: ``sieve`` finds the files that may match, ``scan`` finds the matching lines of a text.

``scan`` does not split a text into lines: the engine jumps from match to match. ``sieve`` runs ripgrep, which uses all
cores; ``scan`` then checks the files it lets through. Ripgrep only gets regular files that are reached without a link,
and cannot mistake a pattern or a name that begins with a dash for an option.
"""

import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from shirube.deadline import Deadline
from shirube.engine.repo.process import Limits, find_program, run, scrub
from shirube.engine.repo.regex import Pattern

WINDOW_WORK = 1 << 26
"""The work (bytes times program steps) between two checks of the deadline: well under a second at worst."""
MIN_WINDOW = 4_096
LINE_WORK = 1 << 31
"""A line that could cost more work (a megabyte of minified code, a pattern of many repetitions) is not searched."""

_MAX_OUTPUT_BYTES = 32 << 20
_MAX_ARGUMENT_BYTES = 500_000
_FLAGS = (
    *("--no-config", "--no-follow", "--no-messages", "--no-ignore", "--hidden", "--text"),
    *("--files-with-matches", "--null", "--color=never"),
)
_NO_MATCH = 1
MOST_SECONDS = 60.0
"""The time limit of one batch, when the call has no deadline."""


@dataclass(slots=True)
class MatchedLine:
    """A line that matches: its first byte, the first match in it, and which patterns match."""

    start: int
    at: int
    end: int
    patterns: tuple[int, ...]


class Scanned(Struct, frozen=True):
    """The lines that match, in order, and whether every line was searched."""

    lines: tuple[MatchedLine, ...]
    complete: bool = True


def scan(text: bytes, patterns: Sequence[Pattern], deadline: Deadline) -> Scanned:
    """Return the lines of a UTF-8 text that match any pattern."""
    by_line: dict[int, MatchedLine] = {}
    complete = True
    for number, pattern in enumerate(patterns):
        for start, at, end in _matches(text, pattern, deadline):
            if at < 0:
                complete = False
                continue
            line = by_line.get(start)
            if line is None:
                by_line[start] = MatchedLine(start, at, end, (number,))
                continue
            line.patterns += (number,)
            if at < line.at:
                line.at, line.end = at, end
    lines = by_line.values() if len(patterns) == 1 else (by_line[start] for start in sorted(by_line))
    return Scanned(tuple(lines), complete)


def _matches(text: bytes, pattern: Pattern, deadline: Deadline) -> Iterator[tuple[int, int, int]]:
    """Yield the start and the first match's span of each matching line; a span of -1 where lines were not searched."""
    window = max(MIN_WINDOW, WINDOW_WORK // pattern.size)
    position = 0
    while position < len(text):
        end = len(text)
        if end - position > window:  # up to the last line end in it; a single long line is a window by itself
            cut = text.rfind(b"\n", position, position + window)
            if cut < 0:
                cut = text.find(b"\n", position + window)
            end = cut + 1 if cut >= 0 else end
        if deadline.passed or (end - position > window and (end - position) * pattern.size > LINE_WORK):
            yield position, -1, -1
            if deadline.passed:
                return
        else:
            yield from _in_window(text, pattern, position, end)
        position = end


def _in_window(text: bytes, pattern: Pattern, position: int, stop: int) -> Iterator[tuple[int, int, int]]:
    while position < stop:
        match = pattern.search(text, position, stop)
        if match is None:
            return
        at, end = match.span(pattern.group)
        if at == stop and text[stop - 1] == 10:  # an empty match after the last line break is in no line
            return
        line = text.rfind(b"\n", position, at) + 1 or position
        yield line, at, end
        following = text.find(b"\n", at, stop)
        position = following + 1 if following >= 0 else stop


def sieve(
    root: Path,
    patterns: Sequence[Pattern],
    names: Collection[str],
    max_bytes: int,
    env: Mapping[str, str] | None,
    deadline: Deadline,
) -> set[str] | None:
    """Return the files that may match, or None when ripgrep is missing, fails or cannot decide.

    Special and too large files are included: the reader will report them.
    """
    program = find_program("rg", env)
    if program is None or deadline.passed or not all(pattern.sieve for pattern in patterns):
        return None
    case = "--ignore-case" if any(pattern.fold for pattern in patterns) else "--case-sensitive"
    wanted = (part for pattern in patterns for part in ("-e", pattern.sieve))
    command = [program, *_FLAGS, case, *wanted, "--"]
    safe = Reachable(root, max_bytes)
    plain = {name for name in names if safe.is_file(name)}
    candidates = set(names) - plain
    for batch in _batches(sorted(plain)):
        try:
            limits = Limits(deadline.left(most=MOST_SECONDS), _MAX_OUTPUT_BYTES)
            answer = run([*command, *batch], root, scrub(env), limits)
        except (OSError, ValueError):
            return None
        if answer.timed_out or answer.truncated or answer.code not in (0, _NO_MATCH):
            return None
        listed = answer.stdout.split(b"\0")
        candidates.update(name.decode("utf-8", "surrogateescape").removeprefix("./") for name in listed if name)
    return candidates


class Reachable:
    """Tells regular files that are reached without a link from everything else; checks each directory once."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        self._root = os.path.realpath(root)
        self._max_bytes = max_bytes
        self._folders: dict[str, bool] = {"": True}

    def is_file(self, path: str) -> bool:
        """Tell whether a root-relative path is a regular file of the project, and not too large."""
        folder, _, name = path.rpartition("/")
        if name in ("", ".", "..") or path.startswith("/") or "\0" in path or not self._is_folder(folder):
            return False
        status = self._status(path)
        return status is not None and stat.S_ISREG(status.st_mode) and status.st_size <= self._max_bytes

    def _is_folder(self, path: str) -> bool:
        is_folder = self._folders.get(path)
        if is_folder is None:
            parent, _, name = path.rpartition("/")
            plain = name not in ("", ".", "..") and self._is_folder(parent)
            status = self._status(path) if plain else None
            is_folder = self._folders[path] = status is not None and stat.S_ISDIR(status.st_mode)
        return is_folder

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None


def _batches(names: list[str]) -> Iterator[list[str]]:
    """Cut the names into argument lists the system accepts."""
    batch: list[str] = []
    size = 0
    for name in names:
        argument = f"./{name}"
        length = len(os.fsencode(argument)) + 9  # the terminating NUL and the pointer to it
        if size + length > _MAX_ARGUMENT_BYTES and batch:
            yield batch
            batch, size = [], 0
        batch.append(argument)
        size += length
    if batch:
        yield batch
