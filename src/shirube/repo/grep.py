"""Find text in files as they are now: by ripgrep, or by ourselves for plain words when it is missing.

Only regular files that are reached without a link are handed over; a pattern or a name that begins with a
dash stays a pattern or a name.
"""

import base64
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shirube.errors import BadArgument, NotReadable, OutsideRoot, ToolFailed
from shirube.repo.decode import decode, is_binary
from shirube.repo.process import Finished, Limits, find_program, run, scrub
from shirube.repo.read import read_bytes

_MAX_OUTPUT_BYTES = 32 << 20
_MAX_ARGUMENT_BYTES = 500_000
_MAX_LINE_CHARACTERS = 400
_FLAGS = ("--no-config", "--no-follow", "--json", "--no-messages", "--no-ignore", "--hidden", "--line-number")


@dataclass(frozen=True, slots=True)
class GrepOptions:
    """How to search."""

    literal: bool = True
    ignore_case: bool = False
    limit: int = 200
    """Lines to return; the rest is cut off and said to be."""
    max_file_bytes: int = 2 << 20
    timeout_seconds: float = 5.0
    env: Mapping[str, str] | None = None
    """Where to look for ripgrep (PATH)."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line that matches; ``column`` counts characters from 1."""

    path: str
    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class GrepResult:
    """What was found, whether there was more, and who looked."""

    matches: tuple[Match, ...]
    truncated: bool
    engine: str


_DEFAULTS = GrepOptions()


def grep(root: Path, patterns: Sequence[str], files: Sequence[str], options: GrepOptions = _DEFAULTS) -> GrepResult:
    """Return the lines of the given files (root-relative) that match any of the patterns, in path order."""
    _check(patterns)
    safe = _Reachable(root, options.max_file_bytes)
    names = sorted({path for path in files if safe.is_file(path)})
    program = find_program("rg", options.env)
    if program is not None and options.timeout_seconds <= 0:
        return GrepResult((), True, "ripgrep")  # a quick search might be done before anybody looks at the clock
    if program is not None:
        return _by_ripgrep([program, *_arguments(patterns, options)], root, names, options)
    if not options.literal:
        raise ToolFailed(
            "a regular expression needs ripgrep, which was not found",
            "install ripgrep (rg), or search for plain text",
        )
    return _by_ourselves(root, patterns, names, options)


def _check(patterns: Sequence[str]) -> None:
    if not patterns or not all(patterns):
        raise BadArgument("an empty pattern would match every line", "give at least one character")
    if any(mark in pattern for pattern in patterns for mark in "\n\r\0"):
        raise BadArgument("a pattern holds a line break or a NUL", "search for one line at a time")


class _Reachable:
    """Tells regular files, reached without a link, from everything else; each directory is looked at once.

    It also holds the cap on size, which ripgrep applies only to files that it finds by itself.
    """

    def __init__(self, root: Path, max_bytes: int) -> None:
        self._root = os.path.realpath(root)
        self._max_bytes = max_bytes
        self._folders: dict[str, bool] = {"": True}

    def is_file(self, path: str) -> bool:
        """Say whether a root-relative path is a plain file of the project, and not too large."""
        folder, _, name = path.rpartition("/")
        if name in ("", ".", "..") or path.startswith("/") or "\0" in path or not self._is_folder(folder):
            return False
        status = self._status(path)
        return status is not None and stat.S_ISREG(status.st_mode) and status.st_size <= self._max_bytes

    def _is_folder(self, path: str) -> bool:
        known = self._folders.get(path)
        if known is None:
            parent, _, name = path.rpartition("/")
            plain = name not in ("", ".", "..") and self._is_folder(parent)
            status = self._status(path) if plain else None
            known = self._folders[path] = status is not None and stat.S_ISDIR(status.st_mode)
        return known

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None


# --- ripgrep -----------------------------------------------------------------------------------------------


def _arguments(patterns: Sequence[str], options: GrepOptions) -> list[str]:
    case = "--ignore-case" if options.ignore_case else "--case-sensitive"
    limits = [f"--max-filesize={options.max_file_bytes}", f"--max-count={options.limit + 1}"]
    kind = ["--fixed-strings"] if options.literal else []
    return [*_FLAGS, case, *limits, *kind, *(part for text in patterns for part in ("-e", text)), "--"]


def _by_ripgrep(argv: list[str], root: Path, names: list[str], options: GrepOptions) -> GrepResult:
    deadline = time.monotonic() + options.timeout_seconds
    matches: list[Match] = []
    truncated = False
    for batch in _batches(names):
        limits = Limits(max(0.0, deadline - time.monotonic()), _MAX_OUTPUT_BYTES)
        try:
            answer = run([*argv, *batch], root, scrub(options.env), limits)
        except (OSError, ValueError) as error:
            raise ToolFailed(f"ripgrep could not be started: {error}") from error
        _raise_for_pattern(answer)
        matches += _read_json(answer.stdout)
        truncated = truncated or answer.truncated or answer.timed_out
        if truncated or len(matches) > options.limit:
            break
    matches.sort(key=lambda match: (match.path, match.line))
    truncated = truncated or len(matches) > options.limit
    return GrepResult(tuple(matches[: options.limit]), truncated, "ripgrep")


def _batches(names: list[str]) -> Iterator[list[str]]:
    """Cut the names into argument lists the system accepts."""
    batch: list[str] = []
    size = 0
    for name in names:
        argument = f"./{name}"
        size += len(os.fsencode(argument)) + 9
        if size > _MAX_ARGUMENT_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(argument)
    if batch:
        yield batch


def _raise_for_pattern(answer: Finished) -> None:
    """Exit code 2 with a message means the pattern; without one, a file that could not be read."""
    if answer.code == 2 and answer.stderr:
        cause = answer.stderr.decode("utf-8", "replace").strip()
        raise BadArgument(f"ripgrep refused the pattern: {cause[:500]}", "check the syntax, or search literally")


def _read_json(output: bytes) -> list[Match]:
    """Read the stream of events; files that turn out to be binary are dropped."""
    matches: list[Match] = []
    of_file = 0
    for line in output.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:  # the last line of a killed process
            continue
        if event["type"] == "begin":
            of_file = len(matches)
        elif event["type"] == "match":
            matches.append(_read_match(event["data"]))
        elif event["type"] == "end" and event["data"]["binary_offset"] is not None:
            del matches[of_file:]
    return matches


def _read_match(data: dict[str, Any]) -> Match:
    path = _bytes(data["path"]).decode("utf-8", "replace").removeprefix("./")
    line = _bytes(data["lines"])
    start = data["submatches"][0]["start"] if data["submatches"] else 0
    column = len(line[:start].decode("utf-8", "replace")) + 1
    return _match(path, data["line_number"], column, line.decode("utf-8", "replace"))


def _bytes(field: dict[str, str]) -> bytes:
    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])


# --- without ripgrep ---------------------------------------------------------------------------------------


def _by_ourselves(root: Path, patterns: Sequence[str], names: list[str], options: GrepOptions) -> GrepResult:
    deadline = time.monotonic() + options.timeout_seconds
    words = [text.lower() if options.ignore_case else text for text in patterns]
    matches: list[Match] = []
    late = False
    for name in names:
        late = time.monotonic() > deadline
        if late or len(matches) > options.limit:
            break
        text = _text_of(root, name, options.max_file_bytes)
        matches += _in_text(name, text, words, options.ignore_case)
    return GrepResult(tuple(matches[: options.limit]), late or len(matches) > options.limit, "python")


def _text_of(root: Path, name: str, max_bytes: int) -> str:
    try:
        data = read_bytes(root, name, max_bytes)
    except (NotReadable, OutsideRoot):
        return ""
    return "" if is_binary(data) else decode(data).text


def _in_text(path: str, text: str, words: list[str], ignore_case: bool) -> Iterator[Match]:
    where = text.lower() if ignore_case else text
    if not any(word in where for word in words):
        return
    for number, (line, seen) in enumerate(zip(text.split("\n"), where.split("\n"), strict=True), 1):
        starts = [at for word in words if (at := seen.find(word)) >= 0]
        if starts:
            yield _match(path, number, min(starts) + 1, line)


def _match(path: str, line: int, column: int, text: str) -> Match:
    return Match(path, line, column, text.rstrip("\r\n")[:_MAX_LINE_CHARACTERS])
