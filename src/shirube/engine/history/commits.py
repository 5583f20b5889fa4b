"""Asks git for the commits that led to the checked-out one: which there are, and what each of them changed.

What is read of a commit depends on that commit alone, so reading a few new ones gives the same as reading all again.
(One thing git does not let us switch off: ``.gitattributes`` of the work tree may hide the hunks of a file.)
Git runs in batches. A batch that fails, or whose diffs are too long, is halved, until the commit at fault is alone.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from shirube import deadline
from shirube.codec import replace
from shirube.config import upwards
from shirube.engine.history.hunks import SETTINGS, touched_symbols
from shirube.engine.repo.git import common_dir, find_top, own_dir, read_small, start_git
from shirube.engine.repo.process import Finished, Limits
from shirube.engine.repo.read import decode
from shirube.engine.store.port import PastChange, TouchedFile
from shirube.engine.text.redact import redacted
from shirube.errors import ToolFailed
from shirube.messages import NOTHING, Message, say

MOST_FILES = 30
"""A commit with more files tells nothing about any of them; only what it renamed is remembered."""
MOST_FAILURES = 200
"""How many commits may fail before the rest of a batch that fails counts as unreadable too."""
LONGEST_SUBJECT, LONGEST_BODY = 500, 2000
"""Characters kept of the first line of a message, and of the lines below it."""
LATEST = 2**32
"""The latest time of a commit, in 2106: some clocks are far off, and no calendar has such days."""
OUTSIDE = ":/"
"""The beginning of paths outside the project, when it is a part of its repository: a file may come from there."""
ROUTINE = 0.2
"""What a routine commit tells: a release, a new version of a dependency, a typing error."""
_YEAR = 31_557_600
_LIST_LIMITS = Limits(timeout_seconds=60.0, max_bytes=256 << 20)
_READ_LIMITS = Limits(timeout_seconds=60.0, max_bytes=48 << 20)
_NOT_BORN = b"does not have any commits yet"
_SETTINGS = {**SETTINGS, "diff.interHunkContext": "0", "log.showRoot": "true"}
_DIFF = (
    *("--no-color", "--encoding=UTF-8", "--no-relative", "--ignore-submodules=all", "--no-abbrev", "--full-index"),
    *("--find-renames=60%", "-l400", "--diff-algorithm=myers", "--indent-heuristic"),
    f"-O{os.devnull}",
)
_PLAIN_RENAMES = "--find-renames=100%"
"""Renames of files that did not change otherwise: those can be told without their contents."""
_FORMAT = "--format=%H%x00%an%x00%B%x00"
_COMMIT = re.compile(r"^commit ([0-9a-f]{40,64})\n", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
_ROUTINE = re.compile(
    r"(?i)\b(?:bump|upgrade|update)s?\b.*\b(?:version|dependenc|deps|from \d|to v?\d|lock)|^release\b|^v?\d+\.\d+"
    r"|\btypos?\b|^(?:re)?format|\b(?:pre-commit|dependabot|renovate|changelog|lint(?:ing|er)?|isort|prettier|black)\b"
    r"|^revert\b|リリース|バージョン(?:アップ|を上げ)|誤字|フォーマット"
)
_TRAILER = re.compile(r"(?i)(?:[A-Z][a-z]+(?:-[A-Za-z]+)+|git-svn-id|cc):[ \t]")


class HistoryOptions(Struct, frozen=True):
    """How far back to read."""

    commits: int
    """0: read nothing."""
    years: float
    """Counted from the newest commit, so that what is read does not depend on the day; 0: no limit."""


class Listed(Struct, frozen=True):
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

    def anew(self) -> "GitHistory":
        """Return one that has not asked git yet: some answers are kept for the length of a reading."""
        return GitHistory(self._root, self._options, self._env)

    @property
    def limits(self) -> str:
        """What limits the reading, as a text that changes with it."""
        return f"{self._options.commits} {self._options.years}"

    def stamp(self) -> str:
        """Return a text that changes whenever the checked-out commit may have changed; empty without git."""
        if (dirs := self._git_dirs()) is None:
            return "broken" if find_top(self._root) else ""
        own, shared = dirs
        head = _text(own / "HEAD")
        branch = _text(shared / head.removeprefix("ref: ")) if head.startswith("ref: refs/") else ""
        tables = _text(own / "reftable" / "tables.list") + _text(shared / "reftable" / "tables.list")
        return " ".join([self.limits, head, branch, _state(shared / "packed-refs"), _state(shared / "shallow"), tables])

    def head(self) -> Listed | None:
        """Return the commit that is checked out; None when there is none, or nothing is to be read.

        Raises ``ToolFailed`` when git cannot tell.
        """
        if not self._options.commits or find_top(self._root) is None:
            return None
        answer = self._git(["log", "--max-count=1", "--encoding=UTF-8", "--format=%ct %H"], _LIST_LIMITS)
        if not answer.ok and _NOT_BORN in answer.stderr:
            return None
        return next(_listed(_output(answer)))

    def every(self, head: Listed) -> list[Listed]:
        """Return the commits to read, newest first. Raises ``ToolFailed`` when git cannot list them."""
        wanted = ["rev-list", "--timestamp", "--no-merges", head.commit, "--"]
        return self.within(head, _listed(_output(self._git(wanted, _LIST_LIMITS))))

    def since(self, last: Listed, head: Listed) -> list[Listed] | None:
        """Return the commits that came after the last head; None when only a list of all tells what to read now."""
        if self._oldest(head) < self._oldest(last):
            return None
        wanted = ["rev-list", "--timestamp", "--left-right", "--no-merges", f"{last.commit}...{head.commit}", "--"]
        answer = self._git(wanted, _LIST_LIMITS)
        if not answer.ok or b"<" in answer.stdout:  # the last head is gone, or did not lead to this one
            return None
        return list(_listed(answer.stdout.replace(b">", b"")))

    def cut_off(self, known: Mapping[str, Listed], last: str, wanted: Iterable[Listed]) -> list[Listed]:
        """Return the known commits that led to the last head, and are not shown because the clone is shallow now.

        Those of another branch are shown not to lead here, if that branch and this one meet in what is left.
        """
        here, there = {one.commit for one in wanted}, self._shown(last) if last else set()
        elsewhere = there - here if there & here else set()
        return [one for commit, one in known.items() if commit not in here and commit not in elsewhere]

    def lacks(self, known: Set[str]) -> Message:
        """Return what this clone does not have of the history; NOTHING when it is whole."""
        partial = say("history.partial") if self._is_partial else NOTHING
        if not self.ends:
            return partial
        kept = len(known - self._shown("HEAD"))
        shallow = say("history.shallow_kept", count=kept) if kept else say("history.shallow")
        return say("index.both", one=shallow, other=partial) if partial else shallow

    def _shown(self, head: str) -> set[str]:
        answer = self._git(["rev-list", "--no-merges", head, "--"], _LIST_LIMITS)
        return set(answer.stdout.decode("ascii", "replace").split()) if answer.ok else set()

    def within(self, head: Listed, commits: Iterable[Listed]) -> list[Listed]:
        """Return those of some commits that are within the limits, newest first, in the order of ``past_changes``."""
        oldest = self._oldest(head)
        late = (one for one in commits if one.seconds >= oldest)
        return sorted(late, key=lambda one: (-one.seconds, one.commit))[: self._options.commits]

    def _oldest(self, head: Listed) -> int:
        years = self._options.years
        return max(0, head.seconds - int(years * _YEAR)) if years else 0

    @cached_property
    def prefix(self) -> str:
        """The path of the project below the top of its repository, with a slash at the end; empty at the top."""
        output = _output(self._git(["rev-parse", "--show-prefix"], _LIST_LIMITS))
        return output.decode("utf-8", "replace").rstrip("\n")

    @cached_property
    def ends(self) -> frozenset[str]:
        """The commits at which a shallow clone ends: without their parents they seem to add every file."""
        dirs = self._git_dirs()
        return frozenset(_text(dirs[1] / "shallow").split() if dirs else ())

    @cached_property
    def _is_partial(self) -> bool:
        """Tell whether this is a clone without the contents of files."""
        dirs = self._git_dirs()
        return dirs is not None and next((dirs[1] / "objects" / "pack").glob("*.promisor"), None) is not None

    def _git_dirs(self) -> tuple[Path, Path] | None:
        """Return git's own directory of the work tree, and the one that it shares with others; None without git."""
        for top in upwards(self._root):
            own, shared = own_dir(top), common_dir(top)
            if own is not None and shared is not None and os.path.lexists(own / "HEAD"):
                return own, shared
        return None

    def read(self, commits: Sequence[Listed]) -> list[PastChange]:
        """Return what these commits changed, without those that cannot be read."""
        times = {one.commit: one.seconds for one in commits}
        found = [replace(change, seconds=times[change.commit]) for change in self._read_files([*times])]
        found = [replace(change, files=(), weight=0.0) if change.commit in self.ends else change for change in found]
        touched = self._read_symbols([change.commit for change in found if change.weight])
        return [_with_symbols(change, touched.get(change.commit, ())) for change in found]

    def _read_files(self, commits: Sequence[str]) -> list[PastChange]:
        wanted = ("--raw", "-z", _FORMAT, *([_PLAIN_RENAMES] if self._is_partial else []))
        answer = self._log(commits, *wanted)
        if not answer.ok and self._is_partial:  # not even the lists of files are there
            answer = self._log(commits, "-z", _FORMAT, "--no-patch")
        if not answer.ok and len(commits) == 1:
            answer = self._log(commits, *wanted, "--no-patch" if answer.truncated else _PLAIN_RENAMES)
        if answer.ok:
            return list(_changes(answer.stdout.split(b"\0"), self.prefix))
        if len(commits) > 1 and self.unreadable < MOST_FAILURES:
            half = len(commits) // 2
            return [*self._read_files(commits[:half]), *self._read_files(commits[half:])]
        self.unreadable += len(commits)
        return []

    def _read_symbols(self, commits: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return by commit, for each file in the order of the diff, the symbols that its hunks touched."""
        if not commits or self._is_partial or self._without_symbols >= MOST_FAILURES:
            return {}
        answer = self._log(commits, "--patch", "--unified=0", "--format=commit %H")
        if answer.ok:
            records = _COMMIT.split(answer.stdout.decode("utf-8", "replace"))[1:]
            return {commit: [*touched_symbols(diff)] for commit, diff in zip(records[::2], records[1::2], strict=True)}
        if len(commits) > 1:
            half = len(commits) // 2
            return {**self._read_symbols(commits[:half]), **self._read_symbols(commits[half:])}
        self._without_symbols += not answer.truncated  # one long diff does not make the next one fail
        return {}

    def _log(self, commits: Sequence[str], *form: str) -> Finished:
        return self._git(["log", "--no-walk=unsorted", *_DIFF, *form, *commits, "--"], _READ_LIMITS)

    def _git(self, wanted: Sequence[str], limits: Limits) -> Finished:
        answer = start_git(self._root, wanted, limits, self._env, _SETTINGS).finish()
        deadline.current().check()  # a git that was killed because the reading was cancelled has not failed
        return answer


def _text(file: Path) -> str:
    return (read_small(file) or b"").decode("utf-8", "replace").strip()


def _state(file: Path) -> str:
    try:
        info = file.stat()
    except OSError:
        return "-"
    return f"{info.st_mtime_ns}.{info.st_size}.{info.st_ino}"


def _output(answer: Finished) -> bytes:
    """Return what git wrote; raise an error with the first line of what it said when it failed."""
    if answer.ok:
        return answer.stdout
    lines = answer.stderr.decode("utf-8", "replace").splitlines() or [f"git ended with {answer.code}"]
    raise ToolFailed("history.git_failed", error=lines[0])


def _listed(output: bytes) -> Iterator[Listed]:
    for line in output.decode("ascii", "replace").splitlines():
        seconds, _, commit = line.partition(" ")
        yield Listed(min(int(seconds), LATEST) if seconds.isdecimal() else 0, commit)


def _path(path: bytes, prefix: str) -> str:
    """Return a path below the project as seen from there; one outside begins with ``:/``, as in git."""
    text = path.decode("utf-8", "replace")
    return text.removeprefix(prefix) if text.startswith(prefix) else OUTSIDE + text


def _changes(fields: list[bytes], prefix: str) -> Iterator[PastChange]:
    """Yield the commits in git's output: each has three fields, then a state and a path, or two, for each file."""
    at = 0
    while at + 3 <= len(fields):
        commit, author, message = fields[at : at + 3]
        at, files = at + 3, {}
        while at < len(fields) and (not fields[at].strip(b"\n") or fields[at].lstrip(b"\n").startswith(b":")):
            state = fields[at].split(b" ")[-1]
            paths = 2 if state.startswith(b"R") else 1 if state.strip(b"\n") else 0
            named = [_path(path, prefix) for path in fields[at + 1 : at + 1 + paths]]
            if named:
                files[named[-1]] = TouchedFile(named[-1], before=named[0] if paths > 1 else "")
            at += 1 + paths
        subject, body = _read_message(message)
        name = _CONTROL.sub(" ", decode(author).text)
        weight = weight_of(subject, len(files))
        kept = tuple(file for file in files.values() if file.before or len(files) <= MOST_FILES)
        yield PastChange(commit.decode("ascii", "replace"), 0, name, subject, body, kept, weight)


def _read_message(message: bytes) -> tuple[str, str]:
    """Return subject and body, without trailers, control characters and what looks like a secret."""
    text = redacted(_CONTROL.sub(" ", decode(message).text.replace("\r\n", "\n")))
    subject, _, body = text.strip().partition("\n")
    kept = (line.rstrip() for line in body.split("\n") if not _TRAILER.match(line))
    return subject.strip()[:LONGEST_SUBJECT], "\n".join(kept).strip()[:LONGEST_BODY]


def weight_of(subject: str, files: int) -> float:
    """Return how much a commit tells of its files, from 0 to 1: a mass change tells nothing, a routine one little."""
    if not 0 < files <= MOST_FILES:
        return 0.0
    return ROUTINE if _ROUTINE.search(subject) else 1.0


def _with_symbols(change: PastChange, symbols: Sequence[tuple[str, ...]]) -> PastChange:
    """Add the symbols of each file; both come from git in the same order."""
    if len(symbols) != len(change.files):
        return change
    files = (replace(file, symbols=names) for file, names in zip(change.files, symbols, strict=True))
    return replace(change, files=tuple(files))
