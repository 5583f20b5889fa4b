"""Markup that cannot be anything else than what it was meant to be.

Everything that goes into an element is text and is escaped, unless it is ``Html`` already, which only this module
and ``words`` make. Characters that steer instead of being seen (controls, directions, zero widths) are shown as
their code points, so that a file cannot look like another one.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""What is no sign that a reader sees, but for line feeds and tabs."""
VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
"""Elements that hold nothing and have no end."""
SEEN = frozenset({"title", "aria_label", "placeholder", "alt"})
"""Attributes that people read, where steering characters must not steer either."""


class Html(str):
    """Markup, safe as it stands."""

    __slots__ = ()


Child: TypeAlias = "str | int | float | Iterable[Child] | None"


def el(name: str, /, *children: "Child", **attributes: "str | int | float | bool | None") -> Html:
    """Return an element: ``el("a", "x < y", href="/", class_="plain")`` → ``<a href="/" class="plain">x &lt; y</a>``.

    A trailing underscore of an attribute is dropped and others become hyphens; True stands for the bare attribute,
    False and None for none.
    """
    opening = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(opening if name in VOID else f"{opening}{join(children)}</{name}>")


def join(children: Iterable["Child"]) -> Html:
    """Return parts one after another, escaped where they are text."""
    return Html("".join(_part(child) for child in children))


def _part(child: "Child") -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return shown(child)
    if isinstance(child, int | float):
        return str(child)
    return join(child)


def _attribute(key: str, value: "str | float | bool | None") -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = plain(str(value)) if key in SEEN else str(value)
    return f' {name}="{escape(text)}"'


def shown(text: str) -> Html:
    """Return text as markup that shows it, steering characters as their code points."""
    return Html(STEERING.sub(_mark, escape(text.replace("\r\n", "\n"))))


def _mark(found: "re.Match[str]") -> str:
    return f'<span class="odd">U+{ord(found[0]):04X}</span>'


def plain(text: str) -> str:
    """Return text for where no markup can be: U+202E becomes ``⟨U+202E⟩``."""
    return STEERING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def cut(text: str, most: int) -> str:
    """Return at most so many characters, with how many were left out."""
    return text if len(text) <= most else f"{text[:most]} … +{len(text) - most:,}"
