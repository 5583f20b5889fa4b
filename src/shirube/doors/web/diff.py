"""What one text has and another has not, marked in it."""

import re
from difflib import SequenceMatcher

from shirube.doors.web.html import Child, Html, el, join

LONGEST = 4000
"""Characters that are compared; a longer text is shown as it is."""
_PIECE = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.S)


def only_here(text: str, other: str) -> Html:
    """Return a text with what the other lacks marked, word by word, Japanese character by character."""
    if text == other or max(len(text), len(other)) > LONGEST:
        return join([text])
    pieces, others = _PIECE.findall(text), _PIECE.findall(other)
    parts: list[Child] = []
    for kind, start, end, _, _ in SequenceMatcher(None, pieces, others, autojunk=False).get_opcodes():
        piece = "".join(pieces[start:end])
        parts.append(piece if kind == "equal" or not piece.strip() else el("mark", piece, class_="only"))
    return join(parts)
