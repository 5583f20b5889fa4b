"""Renders the templates of the pages, and defines the functions that they call."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shirube.doors.web.charts import DRAWING
from shirube.doors.web.html import Escaping, as_given, as_read, cut, in_text, shown
from shirube.engine.text.budget import size
from shirube.engine.text.glossary import stop_words

LONGEST_LINE = 300
"""The most characters shown of a line of code: longer lines are data."""
LONGEST_COMPARED = 4000
"""The longest text to compare, in characters; a longer one is shown without marks."""
MOST_MARKS = 12
FIRST_PAGE = ("frame.html", "parts.html", "charts.html", "search.html", "search_results.html", "search_past.html")
_PIECE = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.S)


def render(template: str, **values: Any) -> Markup:
    """Return a template with its values filled in."""
    return Markup(template_environment().get_template(template).render(values))


def compile_templates(names: Sequence[str] = ()) -> None:
    """Compile templates in advance, all unless some are named; each takes 2 to 40 ms."""
    environment = template_environment()
    for name in names or environment.list_templates():
        environment.get_template(name)


@cache
def template_environment(package: str = "") -> Environment:
    """Return the environment of this room's templates, and of those that a package has before them.

    It escapes each value for its context.
    """
    rooms = (package, __name__.rpartition(".")[0])
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(room) for room in rooms if room]),
        extensions=[Escaping],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=in_text,
        auto_reload=False,
    )
    environment.filters |= {function.__name__: function for function in (as_read, as_given, cut, comma, percent, size)}
    environment.globals |= {function.__name__: function for function in (*DRAWING, address, marked_lines, only_here)}
    return environment


def address(page: str, **sent: str) -> str:
    """Return the address of a page with query parameters."""
    return f"/{page}?{urlencode(sent)}"


def comma(number: int) -> str:
    """Return a number with thousands separators."""
    return f"{number:,}"


def percent(part: float) -> str:
    """Return a fraction in percent."""
    return f"{part:.0%}"


def marks_of(query: str) -> "re.Pattern[str] | None":
    """Return a pattern for the words of a question, in any spelling of a name; Japanese as pairs of characters."""
    plain = re.sub(r"\b(?:lang|path|kind|tag):\S+", " ", query)
    words = set(re.findall(r"[A-Za-z0-9]{2,}", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)))
    runs = re.findall(r"[^\W\dA-Za-z_]{2,}", plain)
    pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    telling = {word for word in words if word.lower() not in stop_words()} or words
    known = sorted({*telling, *pairs}, key=lambda word: (-len(word), word))[:40]
    return re.compile("|".join(map(re.escape, known)), re.I) if known else None


def marked_lines(text: str, marks: "re.Pattern[str] | None") -> list[Markup]:
    """Return the lines of a text with matches marked; an empty line becomes a zero-width space to keep its height."""
    return [_marked(cut(line, LONGEST_LINE), marks) for line in text.replace("\r\n", "\n").split("\n")]


def _marked(line: str, marks: "re.Pattern[str] | None") -> Markup:
    parts, at = [], 0
    for match in list(marks.finditer(line))[:MOST_MARKS] if marks else ():
        parts += [shown(line[at : match.start()]), Markup("<mark>"), shown(match[0]), Markup("</mark>")]
        at = match.end()
    return Markup("").join((*parts, shown(line[at:]))) or Markup("&#8203;")


def only_here(text: str, other: str) -> Markup:
    """Return a text with the words marked that the other text lacks; Japanese by characters."""
    if text == other or max(len(text), len(other)) > LONGEST_COMPARED:
        return shown(text)
    pieces, others = _PIECE.findall(text), _PIECE.findall(other)
    parts = []
    for kind, start, end, _, _ in SequenceMatcher(None, pieces, others, autojunk=False).get_opcodes():
        piece = "".join(pieces[start:end])
        is_own = kind != "equal" and piece.strip()
        parts += [Markup('<mark class="only">'), shown(piece), Markup("</mark>")] if is_own else [shown(piece)]
    return Markup("").join(parts)
