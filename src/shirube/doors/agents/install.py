"""Plans how pieces get into a file."""

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
    """Return the change that puts pieces into a file; what somebody else made or changed stays."""
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
            edits[piece.key] = Edit(owners(edit, agents), _remembered(piece), made)
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
    """Return what is to be done with a piece, and why if it is nothing."""
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


def _remembered(piece: Piece) -> Any:
    """Return what tells later whether an entry is still as it was written; texts are told by the whole file."""
    return piece.value if piece.form in ("json", "toml") else None


def may_hold_ours(path: Path, receipts: Receipts) -> bool:
    """Tell whether a file is any of our business: we remember it, or it names us; what others have may be broken."""
    real = Path(os.path.realpath(path))
    try:
        return receipts.has(real) or (real.is_file() and SERVER.encode() in real.read_bytes())
    except OSError:
        return False


def plan_uninstall(file: AgentFile, group: list[Piece], receipts: Receipts) -> PlannedChange:
    """Return the change that takes pieces out: the file as it was, or without our lines if others changed it since."""
    old = receipts.get(file.path)
    edits = dict(old.edits) if old else {}
    untouched = old is not None and old.after == digest(file.data)
    text, rows = file.text, list[Row]()
    for piece, agents in reversed([entry for entry in merged(group) if not entry[0].filler]):
        edit = edits.pop(piece.key, None)
        state, found = look(text, piece)
        if state == ABSENT:
            continue
        left, why = _kept(piece, edit, agents, is_ours(piece, found), untouched)
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


def _kept(
    piece: Piece, edit: Edit | None, agents: tuple[str, ...], ours: bool, untouched: bool
) -> tuple[Edit | None, Message]:
    """Return why a piece stays, if it does, and what is remembered of it then."""
    if edit is None:
        return None, NOTHING if ours else say("install.not_ours")
    if left := without(edit, agents):
        return left, say("install.shared", names=left.agents)
    if piece.form == "file" and not untouched and not ours:
        return None, say("install.yours_now")
    return None, NOTHING


def _without_fillers(text: str, fillers: list[Piece], edits: dict[str, Edit]) -> str:
    """Take out what was only needed beside our pieces, unless other pieces stand beside it now."""
    if not fillers or set(edits) - {piece.key for piece in fillers}:
        return text
    mine = [piece for piece in fillers if edits.pop(piece.key, None)]
    whole = jsonc.find(text, ())
    if whole is not None and whole.data() == {piece.pointer[0]: piece.value for piece in mine}:
        for piece in mine:
            text = take(text, piece, 0)
    return text


def _rest(file: AgentFile, text: str, piece: Piece, old: Receipt | None, receipts: Receipts) -> bytes | None:
    """Return what is left of a file: its original where that can be told, nothing where nothing was before."""
    if old is not None:
        known, original = receipts.original(old, file.data)
        if known:
            return original
        if not old.existed and is_empty(text, piece):
            return None
    return None if not text.strip("\ufeff \t\r\n") and piece.form in ("block", "file") else text.encode("utf-8")
