"""Plans how pieces get into a file."""

from typing import Any

from shirube.doors.agents.changes import Change, Row, merged
from shirube.doors.agents.disk import File, check_writable, digest
from shirube.doors.agents.edits import ABSENT, SAME, look, missing, put
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import Edit, Receipt, Receipts, owners
from shirube.messages import NOTHING, Message, say


def plan_install(file: File, group: list[Piece], receipts: Receipts) -> Change:
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
    return Change(file, after, tuple(dict.fromkeys(rows)), receipt)


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
