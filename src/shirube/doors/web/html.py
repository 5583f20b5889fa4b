"""Escapes values in templates, so that text cannot become markup.

Each ``{{ value }}`` of a template is escaped for its context: text, an attribute, or a place that people read but that
cannot hold markup. A value in a tag outside quotes, in a script or in a style does not compile. Invisible characters
(controls, directions, zero widths) are shown as their code points, so that no file name can imitate another.
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
"""Invisible characters, except line feeds and tabs."""
READ = frozenset({"title", "text", "aria-label", "placeholder", "alt", "data-head"})
"""Elements and attributes that people read but that cannot hold markup."""
_QUOTE = re.compile('"')
_OPENING = re.compile(r"<(/?[a-zA-Z]\w*|/?$)")
_ATTRIBUTE = re.compile(r'([\w-]+)="|>')
_LAYOUT = re.compile(r"^\s*\n\s*|\s*\n\s*$|(?<=>)\s*\n\s*|\s*\n\s*(?=<)")


def shown(text: str) -> Markup:
    """Return text as markup that shows it, with invisible characters as their code points."""
    safe = escape(text.replace("\r\n", "\n"))
    return Markup(STEERING.sub(lambda match: f'<span class="odd">U+{ord(match[0]):04X}</span>', safe))


def plain(text: str) -> str:
    """Return text for places that cannot hold markup: U+202E becomes ``⟨U+202E⟩``."""
    return STEERING.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def cut(text: str, most: int) -> str:
    """Return at most ``most`` characters of a text, with the number of those left out."""
    return text if len(text) <= most else f"{text[:most]} … +{len(text) - most:,}"


def in_text(value: object) -> Markup:
    """Return a value for text content; None becomes empty, and markup stays markup."""
    return value if isinstance(value, Markup) else shown("" if value is None else str(value))


def as_read(value: object) -> Markup:
    """Return a value for an attribute or an element that people read but that cannot hold markup."""
    return as_given(plain(_no_markup(value)))


def as_given(value: object) -> Markup:
    """Return a value for an attribute or a text box, unchanged but for escaping, so that a form sends it back as is."""
    return Markup(escape(_no_markup(value)))


def _no_markup(value: object) -> str:
    if isinstance(value, Markup):
        raise TypeError(f"no markup can stand here: {value[:80]}")
    return "" if value is None else str(value)


class Escaping(Extension):
    """Escapes each value for its context, and drops line breaks that only format the template."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens of a template, with the filter for its context around each value."""
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
    """The context at the current point of a template: element, tag and attribute."""

    def __init__(self) -> None:
        self.element = self.tag = self.attribute = ""

    def read(self, text: str) -> None:
        """Advance over a piece of the template."""
        at = 0
        while at < len(text):
            if self.attribute:
                match = _QUOTE.search(text, at)
                self.attribute = "" if match else self.attribute
            elif self.tag:
                match = _ATTRIBUTE.search(text, at)
                self.attribute = (match[1] or "") if match else ""
                if match and not match[1]:
                    self.element, self.tag = self.tag, ""
            else:
                match = _OPENING.search(text, at)
                self.tag = (match[1] or "<") if match else ""
            at = match.end() if match else len(text)

    @property
    def is_closed(self) -> bool:
        """Whether no value is allowed here: in a tag outside quotes, in a script or in a style."""
        unquoted = self.tag and not self.attribute
        return bool(unquoted) or self.attribute.startswith(("on", "style")) or self.element in ("script", "style")

    @property
    def filter(self) -> str:
        """The filter that a value needs here; none in text, where ``finalize`` escapes every value."""
        if (self.attribute or self.element) in READ:
            return "as_read"
        return "as_given" if self.attribute or self.element == "textarea" else ""
