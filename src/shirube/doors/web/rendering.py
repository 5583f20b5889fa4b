"""The templates of the pages, and what they call to take a text apart."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shirube.doors.web.charts import DRAWING
from shirube.doors.web.html import Escaping, as_given, as_read, cut, in_text, shown
from shirube.engine.text.budget import size
from shirube.engine.text.glossary import stop_words

LONGEST_LINE = 300
"""Characters of a line of code that are shown: a longer one is data, and what is left out is counted."""
LONGEST_COMPARED = 4000
"""Characters that are compared; a longer text is shown as it is."""
MOST_MARKS = 12
FIRST_PAGE = ("frame.html", "parts.html", "charts.html", "search.html", "search_results.html")
_PIECE = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.S)


def render(template: str, **values: Any) -> Markup:
    """Return a template with its values filled in."""
    return Markup(template_environment().get_template(template).render(values))


def compile_templates(names: Sequence[str] = ()) -> None:
    """Compile templates before somebody waits for them, all unless some are named; each takes 2 to 40 ms."""
    environment = template_environment()
    for name in names or environment.list_templates():
        environment.get_template(name)


@cache
def template_environment() -> Environment:
    """Return the templates with what they call; each value in them is escaped for its place."""
    made = Environment(
        loader=PackageLoader(__name__.rpartition(".")[0]),
        extensions=[Escaping],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=in_text,
        auto_reload=False,
    )
    made.filters |= {one.__name__: one for one in (as_read, as_given, cut, comma, percent, size)}
    made.globals |= {one.__name__: one for one in (*DRAWING, address, marked_lines, only_here)}
    return made


def address(page: str, **sent: str) -> str:
    """Return the address of a page with what is sent to it."""
    return f"/{page}?{urlencode(sent)}"


def comma(number: int) -> str:
    """Return a number with its thousands apart."""
    return f"{number:,}"


def percent(part: float) -> str:
    """Return a share of 1 in percent."""
    return f"{part:.0%}"


def marks_of(query: str) -> "re.Pattern[str] | None":
    """Return what finds the words of a question in a text, whichever way a name is spelled; Japanese in pairs."""
    plain = re.sub(r"\b(?:lang|path|kind|tag):\S+", " ", query)
    words = set(re.findall(r"[A-Za-z0-9]{2,}", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)))
    runs = re.findall(r"[^\W\dA-Za-z_]{2,}", plain)
    pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    telling = {word for word in words if word.lower() not in stop_words()} or words
    known = sorted({*telling, *pairs}, key=lambda word: (-len(word), word))[:40]
    return re.compile("|".join(map(re.escape, known)), re.I) if known else None


def marked_lines(text: str, marks: "re.Pattern[str] | None") -> list[Markup]:
    """Return the lines of a text with what was asked for marked; an empty one holds a space without width."""
    return [_marked(cut(line, LONGEST_LINE), marks) for line in text.replace("\r\n", "\n").split("\n")]


def _marked(line: str, marks: "re.Pattern[str] | None") -> Markup:
    parts, at = [], 0
    for found in list(marks.finditer(line))[:MOST_MARKS] if marks else ():
        parts += [shown(line[at : found.start()]), Markup("<mark>"), shown(found[0]), Markup("</mark>")]
        at = found.end()
    return Markup("").join((*parts, shown(line[at:]))) or Markup("&#8203;")


def only_here(text: str, other: str) -> Markup:
    """Return a text with what the other lacks marked, word by word, Japanese character by character."""
    if text == other or max(len(text), len(other)) > LONGEST_COMPARED:
        return shown(text)
    pieces, others = _PIECE.findall(text), _PIECE.findall(other)
    parts = []
    for kind, start, end, _, _ in SequenceMatcher(None, pieces, others, autojunk=False).get_opcodes():
        piece = "".join(pieces[start:end])
        is_own = kind != "equal" and piece.strip()
        parts += [Markup('<mark class="only">'), shown(piece), Markup("</mark>")] if is_own else [shown(piece)]
    return Markup("").join(parts)
