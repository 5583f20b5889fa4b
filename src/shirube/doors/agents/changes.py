"""Plans the changes of all files first; afterwards shows them or makes them."""

from collections.abc import Callable, Iterable
from difflib import unified_diff
from pathlib import Path

from msgspec import Struct

from shirube.codec import replace
from shirube.doors.agents.jsonc import Broken
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import AgentFile, Receipt, Receipts, digest, read, real_path, refused, remove, write
from shirube.errors import ConfigError
from shirube.messages import NOTHING, Message, say


class Row(Struct, frozen=True):
    """What happens to one piece, for people and programs to read."""

    agent: str
    kind: str
    path: str
    action: str
    """added, updated, present, removed, kept (with the reason), skipped (with the reason) or refused"""
    detail: Message = NOTHING


class PlannedChange(Struct, frozen=True):
    """What happens to one file; ``after`` is None when it is removed."""

    file: AgentFile
    after: bytes | None
    rows: tuple[Row, ...]
    receipt: Receipt | None
    """The receipt to store for it afterwards; None to forget the file."""

    @property
    def is_edit(self) -> bool:
        """Tell whether the file changes at all."""
        return self.after != self.file.data


Planner = Callable[[AgentFile, list[Piece], Receipts], PlannedChange]


def gather(
    pieces: Iterable[Piece], receipts: Receipts, within: Path | None, planner: Planner
) -> tuple[list[PlannedChange], list[Row]]:
    """Plan the change of every file; one that cannot be edited gets refused rows and does not stop the others."""
    groups: dict[Path, list[Piece]] = {}
    changes, rows = [], []
    for piece in pieces:
        try:
            groups.setdefault(real_path(piece.path, within), []).append(piece)
        except ConfigError as error:
            rows.append(refusal(piece, error))
    for path, group in groups.items():
        try:
            changes.append(planner(read(path), group, receipts))
        except (Broken, ConfigError) as error:
            why = refused(path, say("install.unsafe", why=error.why)) if isinstance(error, Broken) else error
            rows += [refusal(piece, why) for piece in group if not piece.filler]
    return changes, list(dict.fromkeys(rows))


def refusal(piece: Piece, error: ConfigError) -> Row:
    """Return the row for a piece whose file cannot be edited."""
    return Row(piece.agent, piece.kind, str(piece.path), "refused", error.message)


def merged(pieces: list[Piece]) -> list[tuple[Piece, tuple[str, ...]]]:
    """Return each piece once, with all the agents that share it: several read the same AGENTS.md."""
    by_key: dict[str, tuple[Piece, tuple[str, ...]]] = {}
    for piece in pieces:
        first, agents = by_key.get(piece.key, (piece, ()))
        by_key[piece.key] = (first, (*agents, piece.agent))
    return list(by_key.values())


def make_all(changes: Iterable[PlannedChange], receipts: Receipts) -> list[Row]:
    """Make all changes and return their rows; a file that cannot be written does not stop the others."""
    rows: list[Row] = []
    for change in changes:
        try:
            make(change, receipts)
            rows += change.rows
        except ConfigError as error:
            rows += [replace(row, action="refused", detail=error.message) for row in change.rows]
    return rows


def make(change: PlannedChange, receipts: Receipts) -> None:
    """Back up the original, change the file, and store the receipt."""
    old = receipts.get(change.file.path)
    if change.is_edit and change.receipt and (old is None or not change.receipt.whole):
        receipts.keep(change.file.path, change.file.data)
    if change.is_edit and change.after is None:
        directories = receipts.directories()
        remove(change.file, [place for place in directories if change.file.path.is_relative_to(place)])
        receipts.put_directories(directories)
    elif change.is_edit and change.after is not None and (made := write(change.file, change.after)):
        receipts.put_directories([*receipts.directories(), *made])
    if change.receipt is None:
        receipts.drop(change.file.path)
    else:
        receipts.put(replace(change.receipt, after=digest(change.after)))


def diff_text(change: PlannedChange) -> str:
    """Return a change as a unified diff."""
    before, after = change.file.text, (change.after or b"").decode("utf-8")
    old = "/dev/null" if change.file.data is None else str(change.file.path)
    new = "/dev/null" if change.after is None else str(change.file.path)
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
