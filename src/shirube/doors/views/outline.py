"""The symbols of a file in few words: as much of each as fits, and every name with its line.

Forms from the most to the least detailed: whole signatures, parameters by name, names with their lines, members on the
line of what they belong to, everything on one line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from shirube.doors.views.screen import printable
from shirube.engine.text.budget import tokens_of
from shirube.features.lookup.symbol_results import Defined, StructureElement, StructureFile
from shirube.types import BIG_KINDS

SHARE = 5
"""An outline takes at most one of so many tokens of its file."""
TYPE_LAST = frozenset({"go"})
"""Languages that write ``name type`` without a colon between."""
WIDTH = 100
"""The most characters of a line of a row, unless a single symbol takes more."""
_GENERIC = re.compile(r"^\s*(?:[<\[][^(]*[>\]])?\s*")
"""Parameters of types, between a name and its parameters."""
_WORD = re.compile(r"[^\W\d][\w$]*")
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
Elements = Sequence[StructureElement]


def outline(file: StructureFile, most: int = 0, alone: bool = False) -> str:
    """Return the most detailed outline that fits its share of the file and ``most`` tokens, else the shortest.

    If a file that is ``alone`` in the answer does not fit otherwise, its path is left out: its reader asked for it.
    """
    room, text = min(file.tokens // SHARE, most or file.tokens), ""
    for head in (f"{printable(file.file)}\n", "") if alone else (f"{printable(file.file)}\n",):
        text = head + fitted(file.symbols, file.language, room - tokens_of(head) if head else room)
        if tokens_of(text) <= room:
            break
    return text


def fitted(elements: Elements, language: str, room: int) -> str:
    """Return symbols in the most detailed form that takes at most so many tokens, else in the shortest."""
    text = ""
    for form in FORMS:
        text = "\n".join(form(elements, language))
        if tokens_of(text) <= room:
            break
    return text


def lines_of(element: StructureElement | Defined) -> str:
    """Return the lines of a symbol: ``12-30``, or ``12``."""
    start, end = element.start_line, element.end_line
    return f"{start}-{end}" if end > start else str(start)


def parameters(element: StructureElement, language: str) -> str:
    """Return the names of a signature's parameters in parentheses; empty where it has none, as that of a class."""
    _, _, after = element.signature.partition(element.name)
    after = _GENERIC.sub("", after)
    if not after.startswith("(") or element.type in BIG_KINDS:
        return ""
    names = []
    for part in _parts(after):  # x: int = 3, const char *x → x
        before, colon, _ = part.partition("=")[0].partition(":")
        if words := _WORD.findall(before):
            names.append(words[0 if language in TYPE_LAST and not colon else -1])
    return f"({', '.join(names)})"


def _parts(text: str) -> Iterator[str]:
    """Cut what the first parentheses hold at its commas."""
    depth, begin = 0, 1
    for at, char in enumerate(text):
        if char in _PAIRS:
            depth += 1
        elif char in _PAIRS.values() and text[at - 1] not in "-=":
            depth -= 1
        if (char == "," and depth == 1) or depth == 0:
            yield text[begin:at]
            begin = at + 1
        if depth == 0:
            return


def _listed(elements: Elements, describe: Callable[[StructureElement], str], depth: int = 0) -> Iterator[str]:
    """Return a line for each symbol, indented by a blank for each that holds it."""
    for element in elements:
        yield f"{' ' * depth}{describe(element)}"
        yield from _listed(element.children, describe, depth + 1)


def _signatures(elements: Elements, language: str) -> Iterator[str]:
    def describe(element: StructureElement) -> str:
        text = element.signature if element.name in element.signature else f"{element.type} {element.name}"
        return printable(f"{lines_of(element)} {text}")

    return _listed(elements, describe)


def _named_parameters(elements: Elements, language: str) -> Iterator[str]:
    def describe(element: StructureElement) -> str:
        return printable(f"{lines_of(element)} {element.name}{parameters(element, language)}")

    return _listed(elements, describe)


def _members_inside(elements: Elements, language: str) -> Iterator[str]:
    """Return a line for each outermost symbol, with its members in parentheses."""
    for element in elements:
        inside = f" ({row(element.children, ', ')})" if element.children else ""
        yield f"{lines_of(element)} {printable(element.name)}{inside}"


def _wrapped(text: str) -> Iterator[str]:
    """Cut a row into lines before the numbers of symbols, so that a budget can leave out the last of them."""
    line = ""
    for part in _symbols(text):
        if line and len(line) + len(part) >= WIDTH:
            yield line
            line = part
        else:
            line = f"{line} {part}" if line else part
    yield line


def _symbols(row: str) -> Iterator[str]:
    """Cut a row before each number that follows a name, which may itself end with a digit."""
    symbol = ""
    for word in row.split(" "):
        if symbol and " " in symbol and word[:1].isdigit():
            yield symbol
            symbol = word
        else:
            symbol = f"{symbol} {word}" if symbol else word
    yield symbol


def row(elements: Elements, between: str) -> str:
    """Return symbols in a row, members in parentheses; of neighbours with one name, the name once: ``3,9 size``."""
    shown = []
    for _, same in groupby(elements, lambda element: (element.name, bool(element.children) and element.start_line)):
        several = list(same)
        first = several[0]
        inside = f"({row(first.children, between)})" if first.children else ""
        starts = ",".join(str(one.start_line) for one in several)
        shown.append(f"{starts} {printable(first.name)}{inside}")
    return between.join(shown)


FORMS: tuple[Callable[[Elements, str], Iterator[str]], ...] = (
    _signatures,
    _named_parameters,
    lambda elements, language: _listed(elements, lambda one: printable(f"{lines_of(one)} {one.name}")),
    _members_inside,
    lambda elements, language: _wrapped(row(elements, ", ")),
    lambda elements, language: _wrapped(row(elements, " ")),
)
