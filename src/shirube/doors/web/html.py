"""Text that cannot become markup.

Each ``{{ value }}`` of a template is escaped for the place where it stands: in text, in an attribute, or where people
read and no markup can be. A value in a tag but not in quotes, in a script or in a style does not compile. Characters
that steer instead of being seen (controls, directions, zero widths) are shown as their code points, so that a file
cannot look like another one.
"""

import re
from collections.abc import Iterator
from html import escape

from jinja2 import TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""What is no sign that a reader sees, but for line feeds and tabs."""
READ = frozenset({"title", "text", "aria-label", "placeholder", "alt", "data-head"})
"""Elements and attributes that people read and that cannot hold markup."""
_QUOTE = re.compile('"')
_OPENING = re.compile(r"<(/?[a-zA-Z]\w*|/?$)")
_ATTRIBUTE = re.compile(r'([\w-]+)="|>')
_LAYOUT = re.compile(r"^\s*\n\s*|\s*\n\s*$|(?<=>)\s*\n\s*|\s*\n\s*(?=<)")


def shown(text: str) -> Markup:
    """Return text as markup that shows it, steering characters as their code points."""
    return Markup(STEERING.sub(_mark, escape(text.replace("\r\n", "\n"))))


def _mark(found: "re.Match[str]") -> str:
    return f'<span class="odd">U+{ord(found[0]):04X}</span>'


def plain(text: str) -> str:
    """Return text for where no markup can be: U+202E becomes ``⟨U+202E⟩``."""
    return STEERING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def cut(text: str, most: int) -> str:
    """Return at most so many characters, with how many were left out."""
    return text if len(text) <= most else f"{text[:most]} … +{len(text) - most:,}"


def in_text(value: object) -> Markup:
    """Return a value as it stands in text; None is nothing, and markup stays markup."""
    return value if isinstance(value, Markup) else shown("" if value is None else str(value))


def as_read(value: object) -> Markup:
    """Return a value for an attribute or an element that people read and that cannot hold markup."""
    return as_given(plain(_no_markup(value)))


def as_given(value: object) -> Markup:
    """Return a value for an attribute or a box, from which it comes back as it was."""
    return Markup(escape(_no_markup(value)))


def _no_markup(value: object) -> str:
    if isinstance(value, Markup):
        raise TypeError(f"no markup can stand here: {value[:80]}")
    return "" if value is None else str(value)


class Escaping(Extension):
    """Escapes each value for its place, and drops the line breaks that only lay a template out."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Return the tokens of a template with the filter for its place around each value."""
        place, chosen = _Place(), ""
        for token in stream:
            if token.type == "data":
                text = re.sub(r"\s*\n\s*", " ", _LAYOUT.sub("", token.value))
                place.read(text)
                yield Token(token.lineno, "data", text)
                continue
            if token.type == "variable_end" and chosen:
                yield from (Token(token.lineno, kind, chosen) for kind in ("rparen", "pipe", "name"))
            yield token
            if token.type == "variable_begin":
                if place.is_closed:
                    raise TemplateSyntaxError("no value can stand here", token.lineno, stream.name)
                chosen = place.filter
                if chosen:
                    yield Token(token.lineno, "lparen", "(")


class _Place:
    """Where in a document a template has come to."""

    def __init__(self) -> None:
        self.element = self.tag = self.attribute = ""

    def read(self, text: str) -> None:
        """Go on to the end of a piece of the template."""
        at = 0
        while at < len(text):
            if self.attribute:
                found = _QUOTE.search(text, at)
                self.attribute = "" if found else self.attribute
            elif self.tag:
                found = _ATTRIBUTE.search(text, at)
                self.attribute = (found[1] or "") if found else ""
                if found and not found[1]:
                    self.element, self.tag = self.tag, ""
            else:
                found = _OPENING.search(text, at)
                self.tag = (found[1] or "<") if found else ""
            at = found.end() if found else len(text)

    @property
    def is_closed(self) -> bool:
        """Whether no value may stand here: in a tag but not in quotes, in a script or a style."""
        unquoted = self.tag and not self.attribute
        return bool(unquoted) or self.attribute.startswith(("on", "style")) or self.element in ("script", "style")

    @property
    def filter(self) -> str:
        """The filter that a value needs here; none in text, where every value is shown."""
        if (self.attribute or self.element) in READ:
            return "as_read"
        return "as_given" if self.attribute or self.element == "textarea" else ""
