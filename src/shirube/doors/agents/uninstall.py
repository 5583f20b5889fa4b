"""Plans how pieces get out of a file again."""

import os
from pathlib import Path

from shirube.doors.agents import jsonc
from shirube.doors.agents.changes import Change, Row, merged
from shirube.doors.agents.disk import File, check_writable, digest
from shirube.doors.agents.edits import ABSENT, is_empty, is_ours, look, take
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import Edit, Receipt, Receipts, without
from shirube.doors.agents.table import SERVER
from shirube.messages import NOTHING, Message, say


def may_hold_ours(path: Path, receipts: Receipts) -> bool:
    """Tell whether a file is any of our business: we remember it, or it names us; what others have may be broken."""
    real = Path(os.path.realpath(path))
    try:
        return receipts.has(real) or (real.is_file() and SERVER.encode() in real.read_bytes())
    except OSError:
        return False


def plan_uninstall(file: File, group: list[Piece], receipts: Receipts) -> Change:
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
    return Change(file, after, tuple(dict.fromkeys(rows)), receipt)


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


def _rest(file: File, text: str, piece: Piece, old: Receipt | None, receipts: Receipts) -> bytes | None:
    """Return what is left of a file: its original where that can be told, nothing where nothing was before."""
    if old is not None:
        known, original = receipts.original(old, file.data)
        if known:
            return original
        if not old.existed and is_empty(text, piece):
            return None
    return None if not text.strip("\ufeff \t\r\n") and piece.form in ("block", "file") else text.encode("utf-8")
