"""Parses diffs out of any text and finds the lines of the current files that they change.

The diff may be applied already (the file has the lines it adds) or not yet (the file has the lines it removes), and its
line numbers may be old. It may stand in prose or markdown, be cut short, count its lines wrongly, be a merge, or have
no line numbers at all. Nothing is refused: what cannot be read or placed is told.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from shirube.messages import Message, say

MOST_FILES = 300
MOST_PATHS = 200
MOST_TRIED = 1_000
"""How many places in a file that repeats one line are tried for a hunk, the nearest first."""
MOST_COMPARED = 200
"""How many lines of a hunk are looked for in the file; more do not make its place more certain."""
TELLING = 4
"""A line needs this many characters to help to place a hunk that does not fit: brackets stand everywhere."""
LEAST_FIT = 1 / 3
"""A hunk that does not fit is placed if the file still has this share of its telling lines."""
_HUNK = re.compile(r"^@@+ ((?:-\d{1,9}(?:,\d{1,9})? ){1,9})\+(\d{1,9})(?:,(\d{1,9}))? @@+ ?(.*)$")
_RANGE = re.compile(r"-(\d+)(?:,(\d+))?")
_GIT = re.compile(r'^diff --git (?:"a/(?:[^"\\]|\\.)*"|a/.*?) (?:"b/(?P<quoted>(?:[^"\\]|\\.)*)"|b/(?P<plain>.*))$')
_MERGE = re.compile(r"^diff --(?:cc|combined) (?P<plain>.+)$")
_EDIT = re.compile(r"^\*\*\* (?P<what>Update|Add|Delete) File: (?P<name>.+)$")
_RENAME = re.compile(r"^(?:(?:rename|copy) (?P<side>from|to)|\*\*\* (?P<move>Move to):) (?P<name>.+)$")
_ASIDE = re.compile(
    r"^(?:index [0-9a-f]+[.,]|(?:dis)?similarity index |(?:old|new|deleted file|new file) mode |mode [0-7]"
    r"|Binary files |GIT binary patch|(?:literal|delta) \d|={9}|\\ No newline|```|~~~|\*\*\* (?:Begin|End) |-- $)"
)
_STAT = re.compile(r"^ ?(?P<path>\S.{0,300}?) {1,99}\| {1,9}(?:\d{1,9}(?: [+-]*)?|Bin\b.*)$")
_MOVED = re.compile(r"\{?(?P<old>[^{}]*) => (?P<new>[^{}]*)\}?")
_WORD = re.compile(
    r'"(?:[^"\\]|\\.){1,300}"|(?<![\w.@+~/-])(?:[\w.@+~-]*/)+[\w.@+~-]+|(?<![\w.@+~/-])[\w.@+~-]*[\w@+~-]\.[A-Za-z]\w*'
)
_NAME = re.compile(r"[!-~].*\.[A-Za-z][A-Za-z0-9]{0,9}|[!-~].*")
_LEAD = re.compile(r"[ \t>|]+")
_OCTAL = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b'"': b'"', b"\\": b"\\"}
NOWHERE = "/dev/null"


class Hunk(Struct, frozen=True):
    """One changed part of a file; line numbers start at 1, and are 0 where the diff gives none."""

    old_start: int
    new_start: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    marks: str
    """The marks of the lines in order, one character each: space, - or +."""
    heading: str = ""
    """What the diff says the lines are in, usually the first line of a function."""


@dataclass(slots=True)
class FilePatch:
    """The changes to one file; ``old`` is empty for a new file, ``new`` for a deleted one, both for an unnamed one."""

    old: str = ""
    new: str = ""
    hunks: list[Hunk] = field(default_factory=list)
    files: tuple[str, ...] = ()
    """The project files that it may mean."""

    @property
    def path(self) -> str:
        """The new name of the file, or the old name if it is deleted."""
        return self.new or self.old


class DiffReading(Struct, frozen=True):
    """What was read of a text."""

    patches: tuple[FilePatch, ...] = ()
    rest: str = ""
    """The lines that belong to no diff."""
    faults: tuple[Message, ...] = ()
    """What is wrong with the diffs; the lines that could be read are used all the same."""


class LineSpan(Struct, frozen=True):
    """Lines of the current file that a diff changes."""

    start: int
    end: int


def read_diff(text: str) -> DiffReading:
    """Read all diffs in a text."""
    reader = _Reader(_lines(text))
    while reader.at < len(reader.lines):
        reader.step()
    patches = [patch for patch in reader.patches if patch.path or patch.hunks]
    if len(patches) > MOST_FILES:
        reader.faults.append(say("bundle.diff_files", count=len(patches), most=MOST_FILES))
    return DiffReading(tuple(patches[:MOST_FILES]), "\n".join(reader.rest).strip("\n"), tuple(reader.faults))


def _lines(text: str) -> list[str]:
    """Return the lines; where the diff is indented or quoted (in a list, in a mail), without what is before it."""
    lines = text.replace("\r\n", "\n").split("\n")
    if any(_starts_file(lines, at) for at in range(len(lines))):
        return lines
    for at, line in enumerate(lines):
        lead = _LEAD.match(line)
        if lead is not None and _starts_file([part.removeprefix(lead[0]) for part in lines[at : at + 2]], 0):
            return ["" if part == lead[0].rstrip() else part.removeprefix(lead[0]) for part in lines]
    return lines


def _starts_file(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if line.startswith("--- "):
        return at + 1 < len(lines) and lines[at + 1].startswith("+++ ")
    return line.startswith(("diff --git ", "diff --cc ", "diff --combined ")) or _EDIT.match(line) is not None


@dataclass(slots=True)
class _Reader:
    """Reads the lines once, from header to header and from hunk to hunk."""

    lines: list[str]
    at: int = 0
    patches: list[FilePatch] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    faults: list[Message] = field(default_factory=list)
    loose: bool = False
    """Whether the lines of a hunk may follow without a hunk's header, as after ``*** Add File:``."""

    def step(self) -> None:
        """Read a header, a hunk, or a line that is neither."""
        line = self.lines[self.at]
        if line.startswith("@@") and (self.patches or _HUNK.match(line)):
            self._hunk()
            return
        if _starts_file(self.lines, self.at):
            self._header(line)
        elif self.loose and line[:1] in ("+", "-", " "):
            self._keep(self._body([], 1), (0, 0), "")
            return
        elif self.patches and (renamed := _RENAME.match(line)) is not None:
            setattr(self.patches[-1], "old" if renamed["side"] == "from" else "new", _plain(renamed["name"]))
        elif self.patches and line.startswith("deleted file mode "):
            self.patches[-1].new = ""
        elif not _ASIDE.match(line):
            self.loose = False
            self.rest.append(line)
        self.at += 1

    def _header(self, line: str) -> None:
        """Add the file that a header names; the lines ``---`` and ``+++`` may repeat the file of git's header."""
        self.loose = False
        if line.startswith("--- "):
            self.at += 1
            old, new = _name(line[4:]), _name(self.lines[self.at][4:])
            last = self.patches[-1] if self.patches else None
            if last is not None and not last.hunks and (not last.path or (new or old) in (last.old, last.new)):
                last.old, last.new = old, new
            else:
                self.patches.append(FilePatch(old, new))
        elif (edit := _EDIT.match(line)) is not None:
            self.loose = True
            name, what = edit["name"].strip(), edit["what"]
            self.patches.append(FilePatch("" if what == "Add" else name, "" if what == "Delete" else name))
        else:
            found = _GIT.match(line) or _MERGE.match(line)
            names = found.groupdict() if found is not None else {}
            quoted = names.get("quoted")
            name = _unquoted(quoted) if quoted is not None else _plain(names.get("plain") or "")
            self.patches.append(FilePatch(name, name))

    def _hunk(self) -> None:
        first, header = self.at + 1, _HUNK.match(self.lines[self.at])
        if not self.patches:
            self.patches.append(FilePatch())
            self.faults.append(say("bundle.diff_no_name", line=first))
        if header is None:  # as models write it: "@@ def total(self):", or "@@ … @@"
            heading = self.lines[self.at].strip("@ .")
            self.at += 1
            self._keep(self._body([], 1), (0, 0), heading)
            return
        self.at += 1
        parents = [(int(start), int(count or 1)) for start, count in _RANGE.findall(header[1])]
        counts = [*(count for _, count in parents), int(header[3] or 1)]
        body = self._body(counts, len(parents))
        if any(counts):
            self.faults.append(say("bundle.long_hunk" if min(counts) < 0 else "bundle.short_hunk", line=first))
        self._keep(body, (parents[0][0], int(header[2])), header[4])

    def _body(self, counts: list[int], parents: int) -> list[tuple[str, str]]:
        """Read the marks and lines of a hunk; ``counts`` ends as the lines missing of each side, below 0 for too many.

        A side may have fewer or more lines than it says: models count badly. What cannot be a hunk's line ends it.
        """
        body = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            marks = line[:parents].ljust(parents)
            if not line.startswith("\\") and (marks.strip(" +-") or self._ends(counts, marks, line)):
                break
            self.at += 1
            if line.startswith("\\"):
                continue
            gone = "-" in marks
            for parent, mark in enumerate(marks if counts else ""):
                counts[parent] -= mark == ("-" if gone else " ")
            if counts:
                counts[-1] -= not gone
            body.append(("-" if gone else marks.strip()[:1] or " ", line[parents:]))
        while body and body[-1] == (" ", "") and (not counts or any(counts)):
            body.pop()
        return body

    def _ends(self, counts: list[int], marks: str, line: str) -> bool:
        """Tell whether a hunk is over before this line, which might be one of its own."""
        if counts and max(counts) <= 0 and (not marks.strip() or line.rstrip() == "--"):  # a mail ends with "-- "
            return True
        if counts and min(counts) <= 0 and not line:  # counted wrongly, or other text follows half a hunk
            return "".join(self.lines[self.at + 1 : self.at + 2])[:1] not in ("+", "-", " ")
        hunk = "".join(self.lines[self.at + 2 : self.at + 3])
        return hunk.startswith("@@") and _starts_file(self.lines, self.at)

    def _keep(self, body: list[tuple[str, str]], starts: tuple[int, int], heading: str) -> None:
        before = tuple(line for mark, line in body if mark != "+")
        after = tuple(line for mark, line in body if mark != "-")
        if body:
            self.patches[-1].hunks.append(Hunk(*starts, before, after, "".join(mark for mark, _ in body), heading))


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

    return _OCTAL.sub(plain, text.encode("utf-8", "replace")).decode("utf-8", "replace")


def paths_in(text: str) -> list[str]:
    """Return what may be paths in prose, lists of files and ``git diff --stat``, each once."""
    found: dict[str, None] = {}
    for line in text.split("\n"):
        stat = _STAT.match(line)
        if stat is not None:
            moved = _MOVED.sub(lambda arrow: arrow["new"], _plain(stat["path"])).replace("//", "/")
            found[moved.removeprefix(".../")] = None
            continue
        for word in _WORD.findall(line):
            name = _plain(word)
            # Japanese has no blanks: "変更はapp/cart.pyです"
            found.update(dict.fromkeys([name, *_NAME.findall(name)] if not name.startswith("//") else []))
    return list(found)[:MOST_PATHS]


def place_hunk(hunk: Hunk, lines: Sequence[str]) -> tuple[LineSpan, bool] | None:
    """Return the lines of the current file that a hunk changes, and whether all its lines fit; None if few do.

    ``lines`` have no white space at their ends.
    """
    sides = [(hunk.after, hunk.new_start, "+"), (hunk.before, hunk.old_start, "-")]
    sides.sort(key=lambda side: not side[0])  # a side without lines fits everywhere
    for side, start, own in sides:
        place = _find(side, start, lines)
        if place is not None:
            return _changed(hunk, place, own), True
    found = [_nearest(side, start, lines) for side, start, _ in sides]
    best = max(found, key=lambda one: one[0])
    return (best[1], False) if best[0] else None


def _find(wanted: Sequence[str], start: int, lines: Sequence[str]) -> int | None:
    """Return the 0-based position of some lines in the file, the one nearest to where the diff expects them."""
    if not wanted:
        return max(0, min(start, len(lines)) - 1)
    plain = [line.rstrip() for line in wanted]
    near = sorted((at for at, line in enumerate(lines) if line == plain[0]), key=lambda at: abs(at - (start - 1)))
    # The end of a text that is cut short looks like a blank line.
    for tried in (plain[:MOST_COMPARED], plain[:-1][:MOST_COMPARED] if not plain[-1] else []):
        found = next((at for at in near[:MOST_TRIED] if tried and lines[at : at + len(tried)] == tried), None)
        if found is not None:
            return found
    return None


def _nearest(wanted: Sequence[str], start: int, lines: Sequence[str]) -> tuple[int, LineSpan]:
    """Return how many telling lines still stand where most of them do, and from where to where; 0 if too few do."""
    telling = [(at, line.strip()) for at, line in enumerate(wanted[:MOST_COMPARED]) if len(line.strip()) >= TELLING]
    places: dict[str, list[int]] = {text: [] for _, text in telling}
    for number, line in enumerate(lines):
        if (known := places.get(line.strip())) is not None and len(known) < MOST_COMPARED:
            known.append(number)
    votes = Counter(place - at for at, text in telling for place in places[text])
    shift = max(votes, key=lambda shift: (votes[shift], -abs(shift - (start - 1)), -shift), default=0)
    if not votes or votes[shift] < LEAST_FIT * len(telling):
        return 0, LineSpan(1, 1)
    standing = [at + shift + 1 for at, text in telling if at + shift in places[text]]
    return len(standing), LineSpan(min(standing), max(standing))


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
