"""What several pages are made of: headings, notes, badges, tables, code, places to open."""

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from urllib.parse import quote

from shirube.doors.web.frame import hidden_key
from shirube.doors.web.html import Child, Html, cut, el, join, plain
from shirube.doors.web.visit import Visit
from shirube.doors.web.words import Words
from shirube.engine.text import stop_words
from shirube.errors import ShirubeError, UsageError
from shirube.messages import say

EDITORS = {
    "vscode": "vscode://file{path}:{line}",
    "vscodium": "vscodium://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
}
"""Addresses that open a file; a configuration chooses one by name and cannot bring its own."""
COPY = el(
    "svg",
    el("rect", x=5, y=5, width=9, height=9, rx=1.5),
    el("path", d="M11 5V3.500A1.500 1.500 0 0 0 9.500 2h-6A1.500 1.500 0 0 0 2 3.500v6A1.500 1.500 0 0 0 3.500 11H5"),
    viewBox="0 0 16 16",
    class_="icon",
    aria_hidden="true",
)
LONGEST_LINE = 300
"""Characters of a line of code that are shown: a longer one is data, and what is left out is counted."""
LONGEST_TEXT = 4000
MOST_MARKS = 12
DETAILS = {"map": "map_reason", "text": "leg", "boost": "role"}
"""Reasons whose second word is one of a group."""
MOST_NARROW = 2
"""Columns of words that fit beside each other on a narrow screen; rows with more become blocks there."""


def heading(title: str, *more: Child, about: str = "") -> Html:
    """Return the beginning of a page."""
    return el("div", el("h1", title), el("p", about, class_="about") if about else None, more, class_="heading")


def section(title: str, *content: Child, id: str | None = None, class_: str = "card") -> Html:
    """Return a part of a page under a heading of its own."""
    return el("section", el("h2", title), content, class_=class_, id=id)


def note(text: str, kind: str = "warn") -> Html:
    """Return a line that a reader should not miss."""
    return el("p", text, class_=f"note {kind}")


def notes(visit: Visit, texts: Iterable[str], kind: str = "warn") -> Html:
    """Return what operations say, in the reader's language, each once."""
    return join(note(cut(visit.say(text), LONGEST_TEXT), kind) for text in dict.fromkeys(texts) if text)


def trouble(words: Words, error: ShirubeError) -> Html:
    """Return an error as a person reads it: what is wrong, and what to do."""
    hint = el("p", cut(words.say(error.hint), LONGEST_TEXT)) if error.hint else None
    what = el("p", el("b", words("frame.trouble")), " ", cut(words.say(error.message), LONGEST_TEXT))
    return el("div", what, hint, class_="note bad", role="alert")


def told(words: Words, error: ShirubeError) -> str:
    """Return an error in a line."""
    return words.say(say("parts.told", message=error.message, hint=error.hint) if error.hint else error.message)


def tried(visit: Visit, make: Callable[[Visit], Html]) -> Html:
    """Return what is made, or why it cannot be: the form above it stays as it was filled in."""
    try:
        return make(visit)
    except UsageError as error:
        return trouble(visit.words, error)


def done(visit: Visit) -> Html | None:
    """Return what the form that led here did, when it left a word that is known."""
    word = visit.text("done")
    phrase = visit.words.term("done", word)
    return el("p", phrase, class_="note good", role="status") if phrase != word else None


def badge(text: str, kind: str = "") -> Html:
    """Return a word with a colour behind it."""
    return el("span", text, class_=f"badge {kind}".strip())


def empty(text: str) -> Html:
    """Return what stands where there is nothing to show."""
    return el("p", text, class_="empty")


def facts(rows: Iterable[tuple[str, Child]]) -> Html:
    """Return names with their values, the empty ones left out."""
    found = [el("div", el("dt", name), el("dd", value)) for name, value in rows if value not in (None, "", ())]
    return el("dl", found, class_="facts")


def figures(rows: Iterable[tuple[str, str, str]]) -> Html:
    """Return figures that are seen at a glance, each with its name and what it is made of."""
    tiles = (
        el("div", el("dt", name), el("dd", value), el("dd", about, class_="dim") if about else None)
        for name, value, about in rows
    )
    return el("dl", tiles, class_="tiles")


def table(heads: Sequence[str], rows: Iterable[Sequence[Child]], label: str, numbers: Sequence[int] = ()) -> Html:
    """Return a table that scrolls by itself when it is too wide; ``numbers`` are columns of figures."""
    kinds = ["num" if number in numbers else None for number in range(len(heads))]
    tops = [
        el("th", head, scope="col", role="columnheader", class_=kind) for head, kind in zip(heads, kinds, strict=True)
    ]
    body = [el("tr", _cells(heads, row, kinds), role="row") for row in rows]
    parts = (el("thead", el("tr", tops, role="row"), role="rowgroup"), el("tbody", body, role="rowgroup"))
    # On a narrow screen rows become blocks, which takes their roles away unless these are said.
    kind = "blocks" if kinds.count(None) > MOST_NARROW else None
    grid = el("table", parts, role="table", class_=kind)
    return el("div", grid, class_="scroll", role="region", aria_label=label, tabindex=0)


def _cells(heads: Sequence[str], row: Sequence[Child], kinds: Sequence[str | None]) -> list[Html]:
    return [
        el("td", el("div", cell, class_="cell"), role="cell", class_=kind, data_head=plain(head))
        for head, cell, kind in zip(heads, row, kinds, strict=True)
    ]


def place(visit: Visit, path: str, start: int = 0, end: int = 0) -> Html:
    """Return a file with its lines, to be opened in an editor or copied."""
    folder, slash, name = path.rpartition("/")
    lines = f":{start}-{end}" if start and end > start else f":{start}" if start else ""
    written = el("span", el("span", f"{folder}{slash}", class_="dim"), el("b", name), el("span", lines, class_="dim"))
    whole = (visit.workspace.root / path).as_posix()
    target = EDITORS.get(visit.workspace.config.web.editor, "").format(path=quote(whole), line=start or 1)
    opened = el("a", written, href=target, title=visit.words("frame.open")) if target else written
    label = f"{visit.words('frame.copy')}: {cut(path, 120)}"
    copy = el("button", COPY, type="button", class_="copy", data_copy=f"{path}{lines}", title=label, aria_label=label)
    return el("span", opened, copy, class_="place")


def reason_words(visit: Visit, tag: str) -> tuple[str, str]:
    """Return a reason as people say it, and what it is about: ``text:words`` → ``("Text", "by words")``."""
    name, _, what = tag.partition(":")
    return visit.words.term("reason", name), visit.words.term(DETAILS.get(name, ""), what)


def code(text: str, first: int = 1, marks: "re.Pattern[str] | None" = None, label: str = "") -> Html:
    """Return lines with their numbers, what was asked for marked."""
    lines = [
        el("li", join(_marked(cut(line, LONGEST_LINE), marks)) or Html("&#8203;"), value=first + number)
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"))
    ]
    return el("div", el("ol", lines), class_="code", tabindex=0, role="region", aria_label=label or "code")


def _marked(line: str, marks: "re.Pattern[str] | None") -> Iterable[Child]:
    if marks is None:
        return (line,)
    parts: list[Child] = []
    at = 0
    for found in list(marks.finditer(line))[:MOST_MARKS]:
        parts += [line[at : found.start()], el("mark", found[0])]
        at = found.end()
    return (*parts, line[at:])


def marks_of(query: str) -> "re.Pattern[str] | None":
    """Return what finds the words of a question in a text, whichever way a name is spelled; Japanese in pairs."""
    plain = re.sub(r"\b(?:lang|path|kind|tag):\S+", " ", query)
    words = set(re.findall(r"[A-Za-z0-9]{2,}", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)))
    runs = re.findall(r"[^\W\dA-Za-z_]{2,}", plain)
    pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    telling = {word for word in words if word.lower() not in stop_words()} or words
    known = sorted({*telling, *pairs}, key=lambda word: (-len(word), word))[:40]
    return re.compile("|".join(map(re.escape, known)), re.I) if known else None


def button(visit: Visit, action: str, label: str, fields: dict[str, str], kind: str = "") -> Html:
    """Return a form that is one button."""
    hidden = [el("input", type="hidden", name=name, value=value) for name, value in fields.items()]
    pressed = el("button", label, class_=f"button {kind}".strip())
    return el("form", hidden_key(visit), hidden, pressed, method="post", action=action, class_="inline")


def select(name: str, label: str, chosen: str, choices: Iterable[tuple[str, str]]) -> Html:
    """Return a labelled choice."""
    options = [el("option", text, value=value, selected=value == chosen) for value, text in choices]
    return el("label", el("span", label), el("select", options, name=name))


def field(name: str, label: str, value: str = "", **more: str | int | bool | None) -> Html:
    """Return a labelled line to type into."""
    return el("label", el("span", label), el("input", type="text", name=name, value=value, autocomplete="off", **more))


def area(name: str, label: str, value: str = "", rows: int = 3, hint: str = "") -> Html:
    """Return a labelled box for several lines; what was typed comes back as it was."""
    box = el("textarea", Html(escape(value)), name=name, rows=rows, placeholder=hint or None, spellcheck="false")
    return el("label", el("span", label), box)


def moment(text: str) -> Html:
    """Return a point in time, short; the script turns it into the reader's own."""
    return el("time", text.replace("T", " ").removesuffix("Z"), datetime=text) if text else Html("–")
