"""Where the next page begins: a few plain values, wrapped so that nobody builds on them.

What an operation packs says where it goes on. What a caller gets is bound to the question as well, and to the index:
the place is of no use with any other, and would skip or repeat what it shows.
"""

import base64
import binascii
import json
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from shirube.codec.records import replace
from shirube.errors import BadArgument, StaleCursor

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MAX_CHARACTERS = 10_000
DIGEST = 12
"""Characters of a digest: it tells mistakes, not attacks; a forged cursor shows nothing a question would not."""
PER_PAGE = ("cursor", "limit")
"""What may differ from page to page."""


def pack_cursor(*values: str | int) -> str:
    """Return a token for ``next_cursor``: ``pack_cursor("a.py", 3)`` → ``"WyJhLnB5IiwgM10"``."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def unpack_cursor(token: str, *kinds: type) -> tuple[str | int, ...]:
    """Return what ``pack_cursor`` was given, or refuse a token that is not one of ours."""
    try:
        values = json.loads(base64.urlsafe_b64decode(token[:MAX_CHARACTERS] + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(kinds):
        raise _not_ours()
    return tuple(values)


def offset_of(cursor: str) -> int:
    """Return how many items stand on the pages before, for a list that is counted off."""
    return int(unpack_cursor(cursor, int)[0]) if cursor else 0


def one_page(workspace: "Workspace", operation: str, request: Any, answer: Callable[[Any], Any]) -> Any:
    """Return what ``answer`` makes of a request with a cursor: only one of the same question and index is taken."""
    arguments = [(name, getattr(request, name)) for name in request.__struct_fields__ if name not in PER_PAGE]
    question = _digest(operation, workspace.root, arguments)
    now = workspace.generation()
    if request.cursor:
        position = _opened(request.cursor, question, now)
        result = answer(replace(request, cursor=position))
        _opened(request.cursor, question, workspace.generation())
    else:
        result = answer(request)
        if result.next_cursor and (after := workspace.generation()) != now:
            now, result = after, answer(request)  # the index was brought up to date on the way
    return replace(result, next_cursor=_bound(result.next_cursor, question, now)) if result.next_cursor else result


def _bound(position: str, question: str, generation: str) -> str:
    return ".".join((position, _digest(position, question), _digest(position, question, generation)))


def _opened(token: str, question: str, generation: str) -> str:
    """Return the position in a cursor, or say why it cannot be used."""
    position, asked, made = token.split(".") if token.count(".") == 2 else ("", "", "")
    if not (position and asked and made):
        raise _not_ours()
    if asked != _digest(position, question):
        raise BadArgument("asking.other_cursor")
    if made != _digest(position, question, generation):
        raise StaleCursor("asking.stale_cursor")
    return position


def _digest(*parts: object) -> str:
    return sha256(repr([str(part) for part in parts]).encode("utf-8", "backslashreplace")).hexdigest()[:DIGEST]


def _not_ours() -> BadArgument:
    return BadArgument("asking.cursor")
