"""Reads by their first words definitions that a grammar does not see: in a syntax error, or in a call of a macro."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tree_sitter import Node

_KINDS = {"fun": "function", "fn": "function", "typealias": "type", "union": "struct", "static": "variable"}
MOST = 1_000
"""How many lines of a file are looked at; finding a word in the tree costs more, the more words a macro has."""
_TEMPLATE = "macro_definition"
_LAST_PATTERN = 1_000
"""A number behind those of all patterns: what the grammar sees as well is of the kind that the grammar says."""


@dataclass(slots=True)
class Stretch:
    """Some lines of a text, in the place of a node."""

    start_byte: int
    end_byte: int

    def child_by_field_name(self, _: str) -> None:
        """Return nothing: it has no parts."""


def declared(
    root: "Node", text: bytes, lines: re.Pattern[bytes], known: "Collection[int]"
) -> "Iterator[tuple[int, dict[str, list[Node]]]]":
    """Yield a match for each line that declares something, unless its name is one of those known by their offset."""
    unknown = (found for found in lines.finditer(text) if found.start("name") not in known)
    for found in islice(unknown, MOST):
        place = found.span("name")
        if _is_unread(root.descendant_for_byte_range(*place), text):
            start = found.end("indent")
            stretch, name = Stretch(start, _end(text, start, start - found.start())), Stretch(*place)
            kind = _KINDS.get(found["kind"].decode(), found["kind"].decode())
            yield _LAST_PATTERN, {f"definition.{kind}": [cast("Node", stretch)], "name": [cast("Node", name)]}


def _is_unread(leaf: "Node | None", text: bytes) -> bool:
    """Tell whether a name is only a word to the grammar, or stands where it gave up; but not in a template for code.

    After an error, quotes may be taken the wrong way round: then the code between two strings is a string.
    """
    around: set[str] = set()
    node = leaf
    while node is not None:
        around.add(node.type)
        node = node.parent
    if leaf is None or _TEMPLATE in around or "comment" in leaf.type:
        return False
    turned = leaf.type == "ERROR" or b"\n" in text[slice(*leaf.byte_range)]
    return leaf.type.endswith("identifier") or (turned and "ERROR" in around)


def _end(text: bytes, start: int, indent: int) -> int:
    """Return where the lines end that are indented more than the first, or close its brackets."""
    indented = rb"^(?![ \t]{%d}(?:[ \t]+\S|[)}\]>]))[ \t]*\S" % indent
    line_end = (text.find(b"\n", start) + 1) or len(text)
    after = re.compile(indented, re.MULTILINE).search(text, line_end)
    return start + len(text[start : after.start() if after else len(text)].rstrip())
