"""Plans how pieces are put into a file, and how they are taken out."""

import os
from pathlib import Path
from typing import Any

from shirube.doors.agents import jsonc
from shirube.doors.agents.changes import PlannedChange, Row, merged
from shirube.doors.agents.edits import ABSENT, SAME, is_empty, is_ours, look, missing, put, take
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import AgentFile, Edit, Receipt, Receipts, check_writable, digest, owners, without
from shirube.doors.agents.table import SERVER
from shirube.messages import NOTHING, Message, say


def plan_install(file: AgentFile, group: list[Piece], receipts: Receipts) -> PlannedChange:
    """Return the change that puts pieces into a file; it keeps whatever others wrote or changed."""
    old = receipts.get(file.path)
    untouched = old is None or old.after == digest(file.data)
    edits = dict(old.edits) if old else {}
    text, rows = file.text, []
    for piece, agents in merged(group):
        edit = edits.get(piece.key)
        state, found = look(text, piece)
        action, detail = _decide(piece, state, edit, found, untouched)
        if action in ("added", "updated"):
            made = missing(text, piece) if state == ABSENT or edit is None else edit.made
            text = put(text, piece)
            # To see a user's change later, the value is compared; for texts the file's digest is enough.
            value = piece.value if piece.form in ("json", "toml") else None
            edits[piece.key] = Edit(owners(edit, agents), value, made)
        elif action == "present" and edit is not None:
            edits[piece.key] = Edit(owners(edit, agents), edit.value, edit.made)
        if not piece.filler:
            rows += [Row(agent, piece.kind, str(file.path), action, detail) for agent in agents]
    after = text.encode("utf-8") if text != file.text else file.data
    if after != file.data:
        check_writable(file)
    existed = old.existed if old else file.data is not None
    receipt = Receipt(str(file.path), "", existed, (old is None or old.whole) and untouched, edits) if edits else None
    return PlannedChange(file, after, tuple(dict.fromkeys(rows)), receipt)


def _decide(piece: Piece, state: str, edit: Edit | None, found: Any, untouched: bool) -> tuple[str, Message]:
    """Return the action for a piece, and the reason if there is nothing to do."""
    if state == ABSENT:
        return "added", NOTHING
    if state == SAME or piece.filler:
        return "present", NOTHING
    between_marks = piece.form in ("item", "block")
    if piece.form == "file":
        ours = edit is not None and untouched
    else:
        ours = between_marks or (edit is not None and edit.value == found)
    return ("updated", NOTHING) if ours else ("kept", say("install.not_ours_already"))


def may_hold_ours(path: Path, receipts: Receipts) -> bool:
    """Tell whether a file has a receipt or contains our name; others are not parsed, since they may be broken."""
    real = Path(os.path.realpath(path))
    try:
        return receipts.has(real) or (real.is_file() and SERVER.encode() in real.read_bytes())
    except OSError:
        return False


def plan_uninstall(file: AgentFile, group: list[Piece], receipts: Receipts) -> PlannedChange:
    """Return the change that removes pieces: it restores the original, or cuts our lines if others edited since."""
    old = receipts.get(file.path)
    edits = dict(old.edits) if old else {}
    untouched = old is not None and old.after == digest(file.data)
    text, rows = file.text, list[Row]()
    for piece, agents in reversed([entry for entry in merged(group) if not entry[0].filler]):
        edit = edits.pop(piece.key, None)
        state, found = look(text, piece)
        if state == ABSENT:
            continue
        left, why = _reason_to_keep(piece, edit, agents, is_ours(piece, found), untouched)
        if left:
            edits[piece.key] = left
        if not why:
            text = take(text, piece, edit.made if edit else 0)
        action = "kept" if why else "removed"
        rows = [*(Row(agent, piece.kind, str(file.path), action, why) for agent in agents), *rows]
    text = _without_fillers(text, [piece for piece in group if piece.filler], edits)
    after = file.data if text == file.text else _rest(file, text, group[0], old if not edits else None, receipts)
    if after != file.data:
        check_writable(file)
    receipt = Receipt(old.path, "", old.existed, old.whole and untouched, edits) if old and edits else None
    return PlannedChange(file, after, tuple(dict.fromkeys(rows)), receipt)


def _reason_to_keep(
    piece: Piece, edit: Edit | None, agents: tuple[str, ...], ours: bool, untouched: bool
) -> tuple[Edit | None, Message]:
    """Return the edit to remember and the reason, if a piece must stay; else nothing."""
    if edit is None:
        return None, NOTHING if ours else say("install.not_ours")
    if left := without(edit, agents):
        return left, say("install.shared", names=left.agents)
    if piece.form == "file" and not untouched and not ours:
        return None, say("install.yours_now")
    return None, NOTHING


def _without_fillers(text: str, fillers: list[Piece], edits: dict[str, Edit]) -> str:
    """Remove members that only our pieces needed, unless other pieces of ours still need them."""
    if not fillers or set(edits) - {piece.key for piece in fillers}:
        return text
    ours = [piece for piece in fillers if edits.pop(piece.key, None)]
    whole = jsonc.find(text, ())
    if whole is not None and whole.data() == {piece.pointer[0]: piece.value for piece in ours}:
        for piece in ours:
            text = take(text, piece, 0)
    return text


def _rest(file: AgentFile, text: str, piece: Piece, old: Receipt | None, receipts: Receipts) -> bytes | None:
    """Return the file's new content: its original where known, None where there was no file before."""
    if old is not None:
        known, original = receipts.original(old, file.data)
        if known:
            return original
        if not old.existed and is_empty(text, piece):
            return None
    return None if not text.strip("\ufeff \t\r\n") and piece.form in ("block", "file") else text.encode("utf-8")
