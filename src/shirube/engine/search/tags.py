"""What a document says of itself: the tags in its front matter."""

import re

_FRONT_MATTER = re.compile(r"\A﻿?---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TAGS = re.compile(r"^tags?[ \t]*:[ \t]*(\[[^\]]*\]|.*(?:\n[ \t]*-[ \t]+.*)*)", re.MULTILINE | re.IGNORECASE)


def tags_of(text: str) -> frozenset[str]:
    """Return the tags of a text, in lower case: ``tags: [Auth, web]`` → ``{"auth", "web"}``; lists count as well."""
    front = _FRONT_MATTER.match(text)
    named = _TAGS.search(front[1]) if front else None
    if named is None:
        return frozenset()
    parts = re.split(r"[,\n]", named[1].strip().removeprefix("[").removesuffix("]"))
    found = (part.strip().removeprefix("-").strip().strip("\"'").lower() for part in parts)
    return frozenset(tag for tag in found if tag)
