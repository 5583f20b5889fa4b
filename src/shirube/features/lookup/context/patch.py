"""A unified diff, read and held against the files: what it changes, and where that stands now.

It may be of work that is done (then the lines it adds stand in the file) or still to be done (then those it takes away
do). One that fits neither is refused: its line numbers would point at the wrong code.
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
    """One part of a file that changes; lines count from 1."""

    old_start: int
    new_start: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    marks: str
    """One sign for each line: space, - or +."""


@dataclass(slots=True)
class FilePatch:
    """What happens to one file; an empty name stands for a file that is not there before or after."""

    old: str = ""
    new: str = ""
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The file as it is called afterwards, or was called if it goes."""
        return self.new or self.old


class LineSpan(Struct, frozen=True):
    """Lines of a file as it is now that a diff is about."""

    start: int
    end: int


def looks_like_patch(text: str) -> bool:
    """Tell whether a text that may be anything has a diff in it: a file named twice, and a hunk below."""
    return _NAMED.search(text) is not None


def read_patch(text: str) -> list[FilePatch]:
    """Return the files a diff is about, or refuse what is no unified diff."""
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
    """Read on to the next hunk, beginning a file where one is named."""
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
    found = _HUNK.match(lines[at])
    if found is None or not patches:
        what = say("bundle.a_merge") if lines[at].startswith("@@@") else say("bundle.no_hunk", line=at + 1)
        raise BadDiff("bundle.bad_diff", error=what)
    left, right = (1 if count is None else int(count) for count in (found[2], found[4]))
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
    patches[-1].hunks.append(Hunk(int(found[1]), int(found[3]), tuple(before), tuple(after), marks))
    return at + 1


def _name(text: str) -> str:
    """Return the path behind ``---`` or ``+++``, without its prefix and time stamp."""
    name = _plain(text.split("\t", maxsplit=1)[0].rstrip())
    if name == NOWHERE:
        return ""
    return name[2:] if name[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else name


def _plain(text: str) -> str:
    return _unquoted(text[1:-1]) if len(text) > 1 and text[0] == text[-1] == '"' else text


def _unquoted(text: str) -> str:
    """Undo git's quotation of names: ``\\346\\227\\245`` → ``日``."""

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _OCTAL.sub(plain, text.encode()).decode("utf-8", "replace")


def changed_spans(patch: FilePatch, lines: Sequence[str]) -> list[LineSpan]:
    """Return the lines of the file as it is now that the diff is about; refuse a diff that does not fit it."""
    found = []
    for hunk in patch.hunks:
        for side, start in ((hunk.after, hunk.new_start), (hunk.before, hunk.old_start)):
            place = _find(side, start, lines)
            if place is not None:
                found.append(_changed(hunk, place, "+" if side is hunk.after else "-"))
                break
        else:
            raise BadDiff("bundle.unfit_diff", path=patch.path, line=hunk.old_start)
    return found


def _find(wanted: Sequence[str], start: int, lines: Sequence[str]) -> int | None:
    """Return where lines stand, at the place that is nearest to the one that was said; 0-based."""
    if not wanted:
        return max(0, min(start, len(lines)) - 1)
    plain = [line.rstrip() for line in wanted]
    places = (at for at in range(len(lines) - len(plain) + 1) if lines[at].rstrip() == plain[0])
    near = sorted(places, key=lambda at: abs(at - (start - 1)))
    return next((at for at in near if all(lines[at + n].rstrip() == line for n, line in enumerate(plain))), None)


def _changed(hunk: Hunk, place: int, own: str) -> LineSpan:
    """Leave the unchanged lines around out; where lines only go, the one before them stands for them."""
    touched, beside, line = [], place + 1, place + 1
    for mark in hunk.marks:
        if mark == own:
            touched.append(line)
        elif mark != " ":
            beside = max(place + 1, line - 1)
        line += mark in f" {own}"
    return LineSpan(min(touched, default=beside), max(touched, default=beside))
