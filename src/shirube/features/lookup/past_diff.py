"""The diff of a past commit, cut to a budget: without files that may hold secrets, and nothing outside the project."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.repo.skips import is_secret_path
from shirube.engine.store.port import TouchedFile
from shirube.engine.text.budget import estimate_tokens
from shirube.engine.text.redact import redacted
from shirube.features.lookup.results import EarlierChange
from shirube.messages import Message, say

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MOST_FILES = 50
"""How many files of a commit its diff shows."""
LONGEST_LINE = 300
"""Characters of a line; what is longer was made by a program."""
_OUTSIDE = ":/"
_PIECES = re.compile(r"^(?=diff --git |@@ )", re.MULTILINE)


def with_diff(workspace: "Workspace", shown: EarlierChange, files: Sequence[TouchedFile], tokens: int) -> EarlierChange:
    """Return a commit with its diff.

    Git is asked for files that the store knows, by their names: what is not to be shown does not leave git at all.
    """
    inside = [file for file in files if not (file.then or file.path).startswith(_OUTSIDE)]
    secret = [] if workspace.config.index.include_secrets else [file for file in inside if _is_secret(file)]
    wanted = [file for file in inside if file not in secret]
    notes = [say("past.diff_secret", files=[file.then or file.path for file in secret])] if secret else []
    if len(wanted) > MOST_FILES:
        notes.append(say("past.diff_files", count=len(wanted), most=MOST_FILES))
    names = [name for file in wanted[:MOST_FILES] for name in (file.then or file.path, file.before) if name]
    diff = workspace.diff_of(shown.hash, [name for name in names if not name.startswith(_OUTSIDE)]) if names else ""
    if diff is None:
        return replace(shown, diff_notes=(*notes, say("past.diff_failed")))
    text, cut = _cut(redacted(diff), tokens)
    return replace(shown, diff=text, diff_notes=(*notes, *cut))


def _is_secret(file: TouchedFile) -> bool:
    """Tell whether a file has, or had, the name of one that may hold keys or passwords."""
    return any(is_secret_path(name) for name in (file.path, file.then, file.before) if name)


def _cut(diff: str, tokens: int) -> tuple[str, tuple[Message, ...]]:
    """Return as much of a diff as the tokens allow, cut between hunks, or inside the first if that is too large."""
    pieces = list(_pieces(diff))
    kept: list[str] = []
    for piece in pieces:
        tokens -= estimate_tokens(piece)
        if tokens < 0:
            break
        kept.append(piece)
    if len(kept) == len(pieces):
        return diff_text(kept), ()
    if kept:
        return diff_text(kept), (say("past.diff_cut", shown=len(kept), total=len(pieces)),)
    lines, room = pieces[0].splitlines(keepends=True), tokens + estimate_tokens(pieces[0])
    while len(lines) > 1 and estimate_tokens("".join(lines)) > room:
        del lines[max(1, len(lines) * 3 // 4) :]
    return diff_text(lines), (say("past.diff_cut", shown=0, total=len(pieces)),)


def diff_text(parts: Sequence[str]) -> str:
    """Join pieces of a diff."""
    return "".join(parts).rstrip("\n")


def _pieces(diff: str) -> Iterator[str]:
    """Yield the hunks of a diff, each file's first with the head of the file; lines are cut to their limit."""
    head = ""
    for piece in _PIECES.split(diff):
        short = "".join(_line(line) for line in piece.splitlines(keepends=True))
        if piece.startswith("@@ "):
            yield head + short
            head = ""
        else:
            if head:
                yield head
            head = short
    if head:
        yield head


def _line(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1].rstrip()}…\n"
