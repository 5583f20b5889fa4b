"""What is going to happen to which file: gathered first, shown or made afterwards."""

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
    """What happens to one file; ``after`` is None when it goes."""

    file: AgentFile
    after: bytes | None
    rows: tuple[Row, ...]
    receipt: Receipt | None
    """What is to be remembered of it from now on."""

    @property
    def is_edit(self) -> bool:
        """Tell whether the file changes at all."""
        return self.after != self.file.data


Planner = Callable[[AgentFile, list[Piece], Receipts], PlannedChange]


def gather(
    pieces: Iterable[Piece], receipts: Receipts, within: Path | None, planner: Planner
) -> tuple[list[PlannedChange], list[Row]]:
    """Plan every file; one that cannot be edited is refused and does not hold up the others."""
    groups: dict[Path, list[Piece]] = {}
    changes, rows = [], []
    for piece in pieces:
        try:
            groups.setdefault(real_path(piece.path, within), []).append(piece)
        except ConfigError as error:
            rows.append(refusal(piece, error))
    for path, group in groups.items():
        try:
            changes.append(_planned(path, group, receipts, planner))
        except ConfigError as error:
            rows += [refusal(piece, error) for piece in group if not piece.filler]
    return changes, list(dict.fromkeys(rows))


def _planned(path: Path, group: list[Piece], receipts: Receipts, planner: Planner) -> PlannedChange:
    file = read(path)
    try:
        return planner(file, group, receipts)
    except Broken as error:
        raise refused(path, say("install.unsafe", why=error.why)) from None


def refusal(piece: Piece, error: ConfigError) -> Row:
    """Return the row of a piece whose file is left alone."""
    return Row(piece.agent, piece.kind, str(piece.path), "refused", error.message)


def merged(pieces: list[Piece]) -> list[tuple[Piece, tuple[str, ...]]]:
    """Return each piece once, with all the agents that share it: several read the same AGENTS.md."""
    found: dict[str, tuple[Piece, tuple[str, ...]]] = {}
    for piece in pieces:
        first, agents = found.get(piece.key, (piece, ()))
        found[piece.key] = (first, (*agents, piece.agent))
    return list(found.values())


def make_all(changes: Iterable[PlannedChange], receipts: Receipts) -> list[Row]:
    """Do it all and return what became of it; a file that cannot be written does not hold up the others."""
    rows: list[Row] = []
    for change in changes:
        try:
            make(change, receipts)
            rows += change.rows
        except ConfigError as error:
            rows += [replace(row, action="refused", detail=error.message) for row in change.rows]
    return rows


def make(change: PlannedChange, receipts: Receipts) -> None:
    """Keep the original, change the file, remember what was done."""
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
    """Return what would change, as a unified diff."""
    before, after = change.file.text, (change.after or b"").decode("utf-8")
    old = "/dev/null" if change.file.data is None else str(change.file.path)
    new = "/dev/null" if change.after is None else str(change.file.path)
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
