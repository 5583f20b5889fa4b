"""Asks git for the commits that led to the checked-out one: which there are, and what each of them changed.

What is read of a commit depends on that commit alone, so reading a few new ones gives the same as reading all again.
Git runs in batches. A batch that fails, or whose diffs are too long, is halved, until the commit at fault is alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from shirube import deadline
from shirube.codec import replace
from shirube.engine.repo.git import common_dir, find_top, git_output, own_dir, read_small, run_git
from shirube.engine.repo.process import Finished, Limits
from shirube.engine.store.port import PastChange, TouchedFile
from shirube.errors import ToolFailed

MOST_FILES = 30
"""The hunks of a commit with more files are not read: it tells little about any of them."""
MOST_SYMBOLS = 20
"""Symbols remembered of one file in one commit."""
MOST_FAILURES = 200
"""How many commits may fail before the rest counts as unreadable too, as in a clone without file contents."""
FEW = 16
"""A failing batch is halved down to so many commits before anything is given up for all of them."""
LONGEST_BODY = 2000
"""Characters kept of a message below its subject."""
OUTSIDE = ":/"
"""The beginning of paths outside the project, when it is a part of its repository: a file may come from there."""
ROUTINE = 0.2
"""What a routine commit tells: a release, a new version of a dependency, a typing error."""
_YEAR = 31_557_600
_LIST_LIMITS = Limits(timeout_seconds=60.0, max_bytes=256 << 20)
_READ_LIMITS = Limits(timeout_seconds=60.0, max_bytes=48 << 20)
_ATTRIBUTES = Path(__file__).with_name("diff.attributes")
_FUNCTION = (
    r"^[ \t]*((export[ \t]+|default[ \t]+|declare[ \t]+|async[ \t]+|public[ \t]+|private[ \t]+|protected[ \t]+"
    r"|internal[ \t]+|static[ \t]+|final[ \t]+|override[ \t]+|abstract[ \t]+|open[ \t]+|pub[ \t]+|local[ \t]+)*"
    r"(function|class|interface|enum|struct|trait|object|protocol|extension|namespace|type|func|fun|fn|def)"
    r"[ \t*]+[A-Za-z_$].*|(export[ \t]+)?(const|let|var)[ \t]+[A-Za-z_$][A-Za-z0-9_$]*[ \t]*=[ \t]*(async[ \t]*)?"
    r"(\(|function|[A-Za-z_$]+[ \t]*=>).*)$"
)
_SETTINGS = {
    "core.attributesFile": str(_ATTRIBUTES),
    "diff.shirube.xfuncname": _FUNCTION,
    "diff.interHunkContext": "0",
    "log.showRoot": "true",
}
_SUBMODULE = b":160000"
_DIFF = ("--no-color", "--encoding=UTF-8", "--find-renames=60%", "-l400", "--diff-algorithm=myers")
_FORMAT = "--format=%H%x00%ct%x00%aN%x00%B%x00"
_MODIFIERS = (
    r"(?:(?:export|default|declare|async|public|private|protected|internal|static|final|abstract|override|open|sealed"
    r"|virtual|inline|unsafe|extern|const|data|suspend|partial|readonly|local|pub(?:\([^)\n]*\))?)\s+)*"
)
_KEYWORD = (
    r"(?:def|class|function\*?|func|fun|fn|interface|struct|enum|trait|type|module|namespace|object|protocol|extension"
    r"|defp|defmodule|defmacro|defprotocol|sub|record|macro)"
)
_DEFINED = (
    rf"{_MODIFIERS}(?:{_KEYWORD}\s+(?:\([^)\n]*\)\s*)?(?P<keyword>[\w$.:]+)"
    r"|(?:const|let|var|val)\s+(?P<assigned>[\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:\(|function\b|[\w$]+\s*=>))"
)
_HEADING = re.compile(_DEFINED)
_CALLED = re.compile(r"([A-Za-z_$~][\w$]*)\s*\(")
_FILE = re.compile(r"^diff --git .*\n", re.MULTILINE)
_HUNK = re.compile(r"^@@ [-+,\d ]+@@ ?(.*)\n", re.MULTILINE)
_DEFINITION = re.compile(r"^[+-][ \t]*" + _DEFINED, re.MULTILINE)
_BEGINS = re.compile(r"(?:[+-][ \t]*(?:[@#*].*|//.*|/\*.*|)\n)*[+-][ \t]*" + _DEFINED)
"""A hunk that begins with a definition; blank lines, comments and decorators before it belong to it."""
_COMMIT = re.compile(r"^commit ([0-9a-f]{40,64})\n", re.MULTILINE)
_ROUTINE = re.compile(
    r"(?i)\b(?:bump|upgrade|update)s?\b.*\b(?:version|dependenc|deps|from \d|to v?\d|lock)|^release\b|^v?\d+\.\d+"
    r"|\btypos?\b|^(?:re)?format|\b(?:pre-commit|dependabot|renovate|changelog|lint(?:ing|er)?|isort|prettier|black)\b"
    r"|^revert\b|リリース|バージョン(?:アップ|を上げ)|誤字|フォーマット"
)
_TRAILER = re.compile(r"(?im)^(?:[A-Z][a-z]+(?:-[A-Za-z]+)+|git-svn-id|cc):[ \t].*$")


class HistoryOptions(Struct, frozen=True):
    """How far back to read."""

    commits: int
    years: float
    """Counted from the newest commit, so that what is read does not depend on the day; 0: no limit."""


class Listed(Struct, frozen=True, order=True):
    """A commit and its time."""

    seconds: int
    commit: str


class GitHistory:
    """The history of the checked-out commit of one directory."""

    def __init__(self, root: Path, options: HistoryOptions, env: Mapping[str, str] | None = None) -> None:
        self._root, self._options, self._env = root, options, env
        self.unreadable = 0
        """How many commits could not be read."""
        self._without_symbols = 0

    @property
    def limits(self) -> str:
        """What limits the reading, as a text that changes with it."""
        return f"{self._options.commits} {self._options.years}"

    def stamp(self) -> str:
        """Return a text that changes whenever the checked-out commit may have changed; empty without git."""
        top = find_top(self._root)
        own, shared = (own_dir(top), common_dir(top)) if top else (None, None)
        if own is None or shared is None:
            return ""
        head = (read_small(own / "HEAD") or b"").decode("utf-8", "replace").strip()
        files = [own / "logs" / "HEAD", shared / "packed-refs", shared / "shallow", shared / "reftable" / "tables.list"]
        files += [shared / head.removeprefix("ref: ")] if head.startswith("ref: refs/") else []
        return " ".join([self.limits, head, *map(_state, files)])

    def head(self) -> Listed | None:
        """Return the commit that is checked out; None without git or commits. Raises ``ToolFailed`` when git fails."""
        if find_top(self._root) is None:
            return None
        named = run_git(self._root, ["rev-parse", "--verify", "--quiet", "HEAD"], _LIST_LIMITS, self._env)
        if named.code == 1 and not named.stderr:  # a branch without a commit
            return None
        wanted = ["log", "--max-count=1", "--format=%ct %H", "HEAD"]
        told = named if named.code else run_git(self._root, wanted, _LIST_LIMITS, self._env)
        if not told.ok:
            raise ToolFailed("history.git_failed", error=_first_line(told))
        return next(_listed(told.stdout))

    def every(self, head: Listed) -> list[Listed]:
        """Return the commits to read, newest first. Raises ``ToolFailed`` when git cannot list them."""
        since = [f"--since={head.seconds - int(self._options.years * _YEAR)}"] if self._options.years else []
        wanted = ["rev-list", "--no-merges", *since, "--no-commit-header", "--format=%ct %H", head.commit]
        told = run_git(self._root, wanted, _LIST_LIMITS, self._env)
        if not told.ok:
            raise ToolFailed("history.git_failed", error=_first_line(told))
        return self.within(head, _listed(told.stdout))

    def since(self, last: str, head: Listed) -> list[Listed] | None:
        """Return the commits that came after the last one; None when it is no ancestor, or gone."""
        wanted = ["rev-list", "--left-right", "--no-merges", "--format=%m%ct %H", f"{last}...{head.commit}"]
        output = self._git(wanted, _LIST_LIMITS)
        if output is None:
            return None
        rows = [line for line in output.split(b"\n") if line[:1] in b"<>" and line]
        return None if any(row.startswith(b"<") for row in rows) else list(_listed(b"\n".join(r[1:] for r in rows)))

    def within(self, head: Listed, commits: Iterable[Listed]) -> list[Listed]:
        """Return those of some commits that are within the limits, newest first."""
        years = self._options.years
        oldest = head.seconds - int(years * _YEAR) if years else 0
        return sorted((one for one in commits if one.seconds >= oldest), reverse=True)[: self._options.commits]

    @cached_property
    def prefix(self) -> str:
        """The path of the project below the top of its repository, with a slash at the end; empty at the top."""
        output = self._git(["rev-parse", "--show-prefix"], _LIST_LIMITS) or b""
        return output.decode("utf-8", "replace").rstrip("\n")

    @cached_property
    def ends(self) -> frozenset[str]:
        """The commits at which a shallow clone ends: without their parents they seem to add every file."""
        top = find_top(self._root)
        place = common_dir(top) if top else None
        return frozenset((read_small(place / "shallow") or b"").decode("ascii", "replace").split() if place else ())

    def read(self, commits: Sequence[str]) -> list[PastChange]:
        """Return what these commits changed; one that cannot be read has no files."""
        found = self._read_files(commits)
        found = [replace(change, files=(), weight=0.0) if change.commit in self.ends else change for change in found]
        few = [change.commit for change in found if 0 < len(change.files) <= MOST_FILES]
        touched = self._read_symbols(few)
        return [_with_symbols(change, touched.get(change.commit, ())) for change in found]

    def _read_files(self, commits: Sequence[str]) -> list[PastChange]:
        wanted = ("--raw", "-z", _FORMAT)
        output = self._log(commits, *wanted)
        if output is None and len(commits) <= FEW:  # without the contents of files, only plain renames can be told
            output = self._log(commits, *wanted, "--find-renames=100%")
        if output is not None:
            return list(_changes(output.split(b"\0"), self.prefix))
        if len(commits) > 1 and self.unreadable < MOST_FAILURES:
            half = len(commits) // 2
            return [*self._read_files(commits[:half]), *self._read_files(commits[half:])]
        self.unreadable += len(commits)
        return [PastChange(commit, 0, "", "", weight=0.0) for commit in commits]

    def _read_symbols(self, commits: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return by commit, for each file in the order of the diff, the symbols that its hunks touched."""
        if not commits or self._without_symbols >= MOST_FAILURES:
            return {}
        output = self._log(commits, "--patch", "--unified=0", "--format=commit %H")
        if output is not None:
            records = _COMMIT.split(output.decode("utf-8", "replace"))[1:]
            return {commit: list(_symbols(diff)) for commit, diff in zip(records[::2], records[1::2], strict=True)}
        if len(commits) > 1:
            half = len(commits) // 2
            return {**self._read_symbols(commits[:half]), **self._read_symbols(commits[half:])}
        self._without_symbols += 1
        return {}

    def _log(self, commits: Sequence[str], *form: str) -> bytes | None:
        return self._git(["log", "--no-walk=unsorted", *_DIFF, *form, *commits, "--"], _READ_LIMITS)

    def _git(self, wanted: Sequence[str], limits: Limits) -> bytes | None:
        output = git_output(self._root, wanted, limits, self._env, _SETTINGS)
        deadline.current().check()  # a git that was killed because the reading was cancelled has not failed
        return output


def _state(file: Path) -> str:
    try:
        info = file.stat()
    except OSError:
        return "-"
    return f"{info.st_mtime_ns}.{info.st_size}.{info.st_ino}"


def _first_line(told: Finished) -> str:
    """Return the first line of what git said when it failed."""
    lines = told.stderr.decode("utf-8", "replace").splitlines()
    return lines[0] if lines else f"git ended with {told.code}"


def _listed(output: bytes) -> Iterator[Listed]:
    for line in output.decode("ascii", "replace").split("\n"):
        seconds, _, commit = line.partition(" ")
        if seconds.isdecimal():
            yield Listed(int(seconds), commit)


def _path(path: bytes, prefix: str) -> str:
    """Return a path below the project as seen from there; one outside begins with ``:/``, as in git."""
    text = path.decode("utf-8", "replace")
    return text.removeprefix(prefix) if text.startswith(prefix) else OUTSIDE + text


def _changes(fields: list[bytes], prefix: str) -> Iterator[PastChange]:
    """Yield the commits in git's output: each has four fields, then a state and a path, or two, for each file."""
    at = 0
    while at + 4 <= len(fields):
        commit, seconds, author, message = fields[at : at + 4]
        at, files = at + 4, []
        while at < len(fields) and (not fields[at].strip(b"\n") or fields[at].lstrip(b"\n").startswith(b":")):
            *modes, state = fields[at].strip(b"\n").split(b" ")
            paths = 2 if state.startswith(b"R") else 1 if state else 0
            named = [_path(path, prefix) for path in fields[at + 1 : at + 1 + paths]]
            if named and _SUBMODULE not in modes:
                files.append(TouchedFile(named[-1], before=named[0] if paths > 1 else ""))
            at += 1 + paths
        subject, body = _read_message(message)
        name, when = author.decode("utf-8", "replace"), int(seconds) if seconds.isdigit() else 0
        weight = weight_of(subject, len(files))
        yield PastChange(commit.decode("ascii", "replace"), when, name, subject, body, tuple(files), weight)


def _read_message(message: bytes) -> tuple[str, str]:
    """Return subject and body; nothing of a message whose encoding is unknown. Trailers are left out."""
    try:
        text = message.decode("utf-8")
    except UnicodeDecodeError:
        return "", ""
    subject, _, body = text.strip().partition("\n")
    kept = (line.rstrip() for line in body.split("\n") if not _TRAILER.match(line))
    return subject.strip(), "\n".join(kept).strip()[:LONGEST_BODY]


def weight_of(subject: str, files: int) -> float:
    """Return how much a commit tells of its files, from 0 to 1: a mass change tells nothing, a routine one little."""
    if not 0 < files <= MOST_FILES:
        return 0.0
    return ROUTINE if _ROUTINE.search(subject) else 1.0


def _symbols(diff: str) -> Iterator[tuple[str, ...]]:
    """Yield for each file of a diff the names of the symbols that its hunks touch.

    Those are the symbols defined on changed lines, and the one in a hunk's heading, unless the hunk begins with a
    definition: then the heading names what stands before it.
    """
    for file in _FILE.split(diff)[1:]:
        _, *parts = _HUNK.split(file)
        names: dict[str, None] = {}
        for heading, hunk in zip(parts[::2], parts[1::2], strict=True):
            if not _BEGINS.match(hunk):
                names[_name_in(heading)] = None
            names.update((_last(found["keyword"] or found["assigned"]), None) for found in _DEFINITION.finditer(hunk))
        names.pop("", None)
        yield tuple(names)[:MOST_SYMBOLS]


def _with_symbols(change: PastChange, symbols: Sequence[tuple[str, ...]]) -> PastChange:
    """Add the symbols of each file; both come from git in the same order."""
    if len(symbols) != len(change.files):
        return change
    files = (replace(file, symbols=names) for file, names in zip(change.files, symbols, strict=True))
    return replace(change, files=tuple(files))


def _name_in(heading: str) -> str:
    """Return the name that a heading defines: ``static int parse(char *text)`` → ``parse``."""
    found = _HEADING.search(heading)
    name = (found["keyword"] or found["assigned"]) if found else ""
    if not name:
        called = _CALLED.search(heading)
        name = called[1] if called else ""
    return _last(name)


def _last(name: str) -> str:
    """Return the last part of a qualified name: ``Session::start`` → ``start``."""
    return re.split(r"[.:]+", name.strip(".:"))[-1]
