"""Laravel Blade by its own rules: block directives, ``<x-…>`` components, and the views a view uses."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.engine.parse.lines import Lines
from shirube.engine.parse.pieces import Span, cut_pieces
from shirube.types import Parsed, RawImport, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMED = frozenset({"section", "component", "slot", "push", "prepend", "fragment", "pushonce", "prependonce"})
"""Blocks known by the first string they are given."""

LOOPS = frozenset({"foreach", "forelse", "for", "while", "switch", "verbatim", "once", "php", "auth", "guest", "can"})
"""Blocks known by what they go over."""

ENDS = {"show": "section", "stop": "section", "append": "section", "overwrite": "section"}
"""Words that close a section besides ``@endsection``."""

USES = frozenset(
    {
        "include",
        "includeif",
        "includewhen",
        "includeunless",
        "includefirst",
        "extends",
        "extendsfirst",
        "component",
        "each",
        "livewire",
    }
)
"""Directives that bring in another view."""

NAME_CHARACTERS = 80

_COMMENT = re.compile(rb"\{\{--.*?(?:--\}\}|\Z)", re.DOTALL)
_TOKEN = re.compile(
    rb"(?<![\w@])@(?P<word>[A-Za-z]+)(?P<args>[ \t]*\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))?"
    rb"|<(?P<close>/)?(?P<tag>x-[\w.:-]+|livewire:[\w.:-]+)(?P<rest>(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>"
)
_STRING = re.compile(r"""["']([^"']+)["']""")
_VIEW = re.compile(r"[\w.:/-]+\Z")


@dataclass(slots=True)
class _Block:
    """A block while its end is still unknown."""

    key: str
    start: int
    end: int
    kind: str
    name: str
    head: str
    closed: bool = False
    qualified: str = ""


def parse_blade(text: bytes) -> Parsed:
    """Return the blocks, components and used views of a Blade template."""
    bare = _COMMENT.sub(lambda match: re.sub(rb"[^\n]", b" ", match[0]), text)
    blocks, used = _read(bare)
    kept = _placed([block for block in blocks if block.name])
    spans = [Span(one.start, one.end, one.qualified, one.kind) for one in kept]
    return Parsed("blade", cut_pieces(text, spans), _symbols(kept, text), _imports(used, text))


def _read(text: bytes) -> "tuple[list[_Block], list[tuple[int, str]]]":
    """Walk over directives and tags once."""
    blocks: list[_Block] = []
    opened: list[_Block] = []
    used: list[tuple[int, str]] = []
    for match in _TOKEN.finditer(text):
        if match["word"]:
            word = match["word"].decode().lower()
            args = (match["args"] or b"").decode("utf-8", "ignore").strip()[1:-1].strip()
            used.extend((match.start(), view) for view in _views(word, args))
            block = _directive(match, word, args)
            closes = ENDS.get(word, word.removeprefix("end") if word.startswith("end") else "")
        else:
            block = _component(match)
            closes = match["tag"].decode().partition(":")[0] if match["close"] else ""
            if block and not block.name.startswith("slot"):
                used.append((match.start(), match["tag"].decode()))
        if closes:
            _close(opened, closes, match.end())
        if block:
            blocks.append(block)
            if not block.closed:
                opened.append(block)
    return blocks, used


def _directive(match: "re.Match[bytes]", word: str, args: str) -> _Block | None:
    """Return the block a directive opens, if it opens one."""
    head = " ".join(match[0].decode("utf-8", "ignore").split())
    if word in NAMED:
        string = _STRING.search(args)
        inline = word in {"section", "slot"} and "," in args[string.end() if string else 0 :]
        name = string[1] if string else word
        return _Block(word, match.start(), match.end(), "directive", name, head, inline)
    if word in LOOPS:
        inline = word == "php" and bool(args)
        name = " ".join(f"{word} {args}".split())[:NAME_CHARACTERS].strip()
        return _Block(word, match.start(), match.end(), "directive", name, head, inline)
    return None


def _component(match: "re.Match[bytes]") -> _Block | None:
    """Return the component a tag opens."""
    if match["close"]:
        return None
    tag = match["tag"].decode()
    rest = match["rest"].decode("utf-8", "ignore")
    head = " ".join(match[0].decode("utf-8", "ignore").split())
    name, kind = tag, "component"
    if tag == "x-slot" or tag.startswith("x-slot:"):
        string = re.search(r"""\bname=["']([^"']+)""", rest)
        name, kind = "slot " + (tag[7:] or (string[1] if string else "")), "directive"
    key, alone = tag.partition(":")[0], rest.rstrip().endswith("/")
    return _Block(key, match.start(), match.end(), kind, name.strip(), head, alone)


def _close(opened: list[_Block], key: str, end: int) -> None:
    """Close the innermost open block of a kind and forget those left open inside it."""
    for place in range(len(opened) - 1, -1, -1):
        if opened[place].key == key:
            opened[place].end = end
            opened[place].closed = True
            del opened[place:]
            return


def _views(word: str, args: str) -> "Iterator[str]":
    """Return the views a directive names."""
    if word not in USES:
        return
    names = [name for name in _STRING.findall(args) if _VIEW.match(name)]
    yield from names if word.endswith("first") else names[:1]


def _placed(blocks: list[_Block]) -> list[_Block]:
    """Give every block its path."""
    stack: list[_Block] = []
    for block in blocks:
        while stack and stack[-1].end < block.end:
            stack.pop()
        above = stack[-1].qualified if stack else ""
        block.qualified = f"{above}.{block.name}" if above else block.name
        stack.append(block)
    return blocks


def _symbols(blocks: list[_Block], text: bytes) -> tuple[Symbol, ...]:
    """Return the blocks as symbols with their lines."""
    symbols = []
    lines = Lines(text)
    for one in blocks:
        line, end_line = lines.of(one.start, one.end)
        symbols.append(Symbol(one.name, one.qualified, one.kind, line, end_line, one.head[:200]))
    return tuple(symbols)


def _imports(used: list[tuple[int, str]], text: bytes) -> tuple[RawImport, ...]:
    """Return each used view once, at its first line."""
    lines: dict[str, int] = {}
    line, place = 1, 0
    for start, view in used:
        line += text.count(b"\n", place, start)
        place = start
        lines.setdefault(view, line)
    return tuple(RawImport(view, at) for view, at in lines.items())
