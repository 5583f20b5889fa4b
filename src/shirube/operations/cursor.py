"""Where the next page begins: a few plain values, wrapped so that nobody builds on them."""

import base64
import binascii
import json

from shirube.errors import BadArgument

MAX_CHARACTERS = 10_000


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
        raise BadArgument("the cursor is not one of ours", "send next_cursor of an earlier answer, or none")
    return tuple(values)
