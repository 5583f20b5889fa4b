"""The diff of a past commit, cut to a budget: without files that may hold secrets, and nothing outside the project."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.history.commits import OUTSIDE
from shirube.engine.repo.skips import is_secret_path
from shirube.engine.store.port import PastChange, TouchedFile
from shirube.engine.text.budget import estimate_tokens
from shirube.engine.text.redact import redacted
from shirube.features.lookup.results import EarlierChange
from shirube.messages import Message, say

if TYPE_CHECKING:
    from shirube.workspace import Workspace

LONGEST_LINE = 300
"""Characters of a line; what is longer was made by a program."""
LONGEST_PIECE = 100_000
"""Characters of a hunk that are looked at; no budget has room for more."""
_PIECES = re.compile(r"^(?=diff --git |@@ )", re.MULTILINE)


def with_diff(workspace: "Workspace", shown: EarlierChange, change: PastChange, tokens: int) -> EarlierChange:
    """Return a commit with its diff.

    Git is asked for files that the store knows, by their names: what is not to be shown does not leave git at all.
    """
    if not change.weight:
        return replace(shown, diff_notes=(say("past.diff_many", commit=shown.commit),))
    inside = [file for file in change.files if not (file.then or file.path).startswith(OUTSIDE)]
    secret = [] if workspace.config.index.include_secrets else [file for file in inside if _is_secret(file)]
    notes = [say("past.diff_secret", files=[file.then or file.path for file in secret])] if secret else []
    names = [name for file in inside if file not in secret for name in (file.then or file.path, file.before) if name]
    diff = workspace.diff_of(shown.hash, [name for name in names if not name.startswith(OUTSIDE)]) if names else ""
    if diff is None:
        return replace(shown, diff_notes=(*notes, say("past.diff_failed")))
    text, cut = _cut(diff, tokens)
    return replace(shown, diff=text, diff_notes=(*notes, *cut))


def _is_secret(file: TouchedFile) -> bool:
    """Tell whether a file has, or had, the name of one that may hold keys or passwords."""
    return any(is_secret_path(name) for name in (file.path, file.then, file.before) if name)


def _cut(diff: str, tokens: int) -> tuple[str, tuple[Message, ...]]:
    """Return as much of a diff as the tokens allow, cut between hunks, or inside the first if that is too large."""
    pieces = list(_pieces(diff))
    kept: list[str] = []
    for piece in pieces:
        shown = _shown(piece)
        cost = estimate_tokens(shown)
        if cost > tokens or len(piece) > LONGEST_PIECE:
            break
        tokens -= cost
        kept.append(shown)
    if len(kept) == len(pieces):
        return "".join(kept).rstrip("\n"), ()
    note = say("past.diff_cut", shown=len(kept), total=len(pieces))
    lines = kept or _shown(pieces[0]).splitlines(keepends=True)
    while not kept and len(lines) > 1 and estimate_tokens("".join(lines)) > tokens:
        del lines[max(1, len(lines) * 3 // 4) :]
    return "".join(lines).rstrip("\n"), (note,)


def _pieces(diff: str) -> Iterator[str]:
    """Yield the hunks of a diff, each file's first with the head of the file."""
    head = ""
    for piece in _PIECES.split(diff):
        if piece.startswith("@@ "):
            yield head + piece
            head = ""
        else:
            if head:
                yield head
            head = piece
    if head:
        yield head


def _shown(piece: str) -> str:
    """Return a piece without what looks like a secret, its lines cut to their limit."""
    lines = redacted(piece[:LONGEST_PIECE]).splitlines(keepends=True)
    cut = (line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1].rstrip()}…\n" for line in lines)
    return "".join(cut)
