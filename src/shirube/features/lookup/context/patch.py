"""Parses a unified diff and finds the lines of the current files that it changes.

The diff may be applied already (the file has the lines it adds) or not yet (the file has the lines it removes). A diff
that fits neither way is refused: its line numbers would point at the wrong code.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from shirube.errors import BadDiff
from shirube.messages import say

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
_GIT = re.compile(r'^diff --git (?:"a/(?:[^"\\]|\\.)*"|a/.*?) (?:"b/(?P<quoted>(?:[^"\\]|\\.)*)"|b/(?P<plain>.*))$')
_NAMED = re.compile(r"^--- \S.*\n\+\+\+ \S.*\n@@ -\d", re.M)
_OCTAL = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b'"': b'"', b"\\": b"\\"}
NOWHERE = "/dev/null"


class Hunk(Struct, frozen=True):
    """One changed part of a file; line numbers start at 1."""

    old_start: int
    new_start: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    marks: str
    """The marks of the lines in order, one character each: space, - or +."""


@dataclass(slots=True)
class FilePatch:
    """The changes to one file; ``old`` is empty for a new file, ``new`` for a deleted one."""

    old: str = ""
    new: str = ""
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The new name of the file, or the old name if it is deleted."""
        return self.new or self.old


class LineSpan(Struct, frozen=True):
    """Lines of the current file that a diff changes."""

    start: int
    end: int


def looks_like_patch(text: str) -> bool:
    """Tell whether a text contains a diff: the lines ``---`` and ``+++`` with a hunk below."""
    return _NAMED.search(text) is not None


def read_patch(text: str) -> list[FilePatch]:
    """Return the files that a diff changes; refuse a text that is not a unified diff."""
    lines = text.replace("\r\n", "\n").split("\n")
    patches: list[FilePatch] = []
    at = 0
    while at < len(lines):
        at = _header(lines, at, patches)
        if at < len(lines) and lines[at].startswith("@@"):
            at = _hunk(lines, at, patches)
    if not patches:
        raise BadDiff("bundle.no_diff")
    return patches


def _header(lines: Sequence[str], at: int, patches: list[FilePatch]) -> int:
    """Skip to the next hunk and return its line; add a patch for each file header on the way."""
    while at < len(lines) and not lines[at].startswith("@@"):
        line = lines[at]
        if (git := _GIT.match(line)) is not None:
            name = _unquoted(git["quoted"]) if git["quoted"] is not None else git["plain"]
            patches.append(FilePatch(name, name))
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            old, new = _name(line[4:]), _name(lines[at + 1][4:])
            if patches and not patches[-1].hunks and (new or old) == patches[-1].new:
                patches[-1].old, patches[-1].new = old, new
            else:
                patches.append(FilePatch(old, new))
            at += 1
        elif line.startswith("rename from ") and patches:
            patches[-1].old = _plain(line[12:])
        at += 1
    return at


def _hunk(lines: Sequence[str], at: int, patches: list[FilePatch]) -> int:
    header = _HUNK.match(lines[at])
    if header is None or not patches:
        what = say("bundle.a_merge") if lines[at].startswith("@@@") else say("bundle.no_hunk", line=at + 1)
        raise BadDiff("bundle.bad_diff", error=what)
    left, right = (1 if count is None else int(count) for count in (header[2], header[4]))
    before: list[str] = []
    after: list[str] = []
    marks = ""
    first = at
    while left or right:
        at += 1
        line = lines[at] if at < len(lines) else None
        mark = (line or " ")[0]
        if line is None or mark not in " +-\\" or (mark == " " and not (left and right)):
            raise BadDiff("bundle.short_hunk", line=first + 1)
        if mark == "\\":
            continue
        before += [line[1:]] if mark in " -" else []
        after += [line[1:]] if mark in " +" else []
        left, right, marks = left - (mark in " -"), right - (mark in " +"), marks + mark
        if left < 0 or right < 0:
            raise BadDiff("bundle.long_hunk", line=first + 1)
    patches[-1].hunks.append(Hunk(int(header[1]), int(header[3]), tuple(before), tuple(after), marks))
    return at + 1


def _name(text: str) -> str:
    """Return the path after ``---`` or ``+++``, without its prefix and time stamp."""
    name = _plain(text.split("\t", maxsplit=1)[0].rstrip())
    if name == NOWHERE:
        return ""
    return name[2:] if name[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else name


def _plain(text: str) -> str:
    return _unquoted(text[1:-1]) if len(text) > 1 and text[0] == text[-1] == '"' else text


def _unquoted(text: str) -> str:
    """Undo git's quoting of names: ``\\346\\227\\245`` → ``日``."""

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _OCTAL.sub(plain, text.encode()).decode("utf-8", "replace")


def changed_spans(patch: FilePatch, lines: Sequence[str]) -> list[LineSpan]:
    """Return the lines of the current file that a diff changes; refuse a diff that does not fit the file."""
    spans = []
    for hunk in patch.hunks:
        for side, start in ((hunk.after, hunk.new_start), (hunk.before, hunk.old_start)):
            place = _find(side, start, lines)
            if place is not None:
                spans.append(_changed(hunk, place, "+" if side is hunk.after else "-"))
                break
        else:
            raise BadDiff("bundle.unfit_diff", path=patch.path, line=hunk.old_start)
    return spans


def _find(wanted: Sequence[str], start: int, lines: Sequence[str]) -> int | None:
    """Return the 0-based position of some lines in the file, the one nearest to where the diff expects them."""
    if not wanted:
        return max(0, min(start, len(lines)) - 1)
    plain = [line.rstrip() for line in wanted]
    places = (at for at in range(len(lines) - len(plain) + 1) if lines[at].rstrip() == plain[0])
    near = sorted(places, key=lambda at: abs(at - (start - 1)))
    return next((at for at in near if all(lines[at + n].rstrip() == line for n, line in enumerate(plain))), None)


def _changed(hunk: Hunk, place: int, own: str) -> LineSpan:
    """Return the changed lines without context; where lines are only removed, the line before represents them."""
    touched, beside, line = [], place + 1, place + 1
    for mark in hunk.marks:
        if mark == own:
            touched.append(line)
        elif mark != " ":
            beside = max(place + 1, line - 1)
        line += mark in f" {own}"
    return LineSpan(min(touched, default=beside), max(touched, default=beside))
