"""Parses Laravel Blade without a grammar: block directives, ``<x-…>`` components, and the views a view uses."""

import re
from dataclasses import dataclass

from shirube.engine.parse.chunks import Lines, Span, cut_chunks
from shirube.types import Parsed, RawImport, Symbol

NAMED = frozenset({"section", "component", "slot", "push", "prepend", "fragment", "pushonce", "prependonce"})
"""Blocks that are named by the first string in their arguments."""

LOOPS = frozenset({"foreach", "forelse", "for", "while", "switch", "verbatim", "once", "php", "auth", "guest", "can"})
"""Blocks that are named by the directive and its arguments."""

ENDS = {"show": "section", "stop": "section", "append": "section", "overwrite": "section"}
"""Directives that close a section besides ``@endsection``."""

USES = frozenset(
    {"include", "includeif", "includewhen", "includeunless", "includefirst"}
    | {"extends", "extendsfirst", "component", "each", "livewire"}
)
"""Directives that use another view."""

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
    named = [block for block in blocks if block.name]
    _qualify(named)
    spans = [Span(block.start, block.end, block.qualified, block.kind) for block in named]
    lines, first = Lines(text), dict[str, int]()
    symbols = tuple(
        Symbol(block.name, block.qualified, block.kind, *lines.of(block.start, block.end), block.head[:200])
        for block in named
    )
    for start, view in used:
        first.setdefault(view, lines.of(start, start)[0])
    imports = tuple(RawImport(view, line) for view, line in first.items())
    return Parsed("blade", cut_chunks(text, spans), symbols, imports)


def _read(text: bytes) -> "tuple[list[_Block], list[tuple[int, str]]]":
    """Return the blocks and the used views, in one pass over directives and tags."""
    blocks: list[_Block] = []
    opened: list[_Block] = []
    used: list[tuple[int, str]] = []
    for match in _TOKEN.finditer(text):
        if match["word"]:
            word = match["word"].decode().lower()
            args = (match["args"] or b"").decode("utf-8", "ignore").strip()[1:-1].strip()
            views = [name for name in _STRING.findall(args) if _VIEW.match(name)] if word in USES else []
            used.extend((match.start(), view) for view in (views if word.endswith("first") else views[:1]))
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
    if word in NAMED:
        string = _STRING.search(args)
        inline = word in {"section", "slot"} and "," in args[string.end() if string else 0 :]
        name = string[1] if string else word
    elif word in LOOPS:
        inline = word == "php" and bool(args)
        name = " ".join(f"{word} {args}".split())[:NAME_CHARACTERS].strip()
    else:
        return None
    return _Block(word, *match.span(), "directive", name, _head(match), inline)


def _component(match: "re.Match[bytes]") -> _Block | None:
    """Return the component a tag opens."""
    if match["close"]:
        return None
    tag = match["tag"].decode()
    rest = match["rest"].decode("utf-8", "ignore")
    name, kind = tag, "component"
    if tag == "x-slot" or tag.startswith("x-slot:"):
        string = re.search(r"""\bname=["']([^"']+)""", rest)
        name, kind = "slot " + (tag[7:] or (string[1] if string else "")), "directive"
    is_closed = rest.rstrip().endswith("/")
    return _Block(tag.partition(":")[0], *match.span(), kind, name.strip(), _head(match), is_closed)


def _head(match: "re.Match[bytes]") -> str:
    return " ".join(match[0].decode("utf-8", "ignore").split())


def _close(opened: list[_Block], key: str, end: int) -> None:
    """Close the innermost open block of a kind and forget those left open inside it."""
    for place, block in reversed([*enumerate(opened)]):
        if block.key == key:
            block.end, block.closed = end, True
            del opened[place:]
            return


def _qualify(blocks: list[_Block]) -> None:
    """Give every block the path of the blocks around it."""
    stack: list[_Block] = []
    for block in blocks:
        while stack and stack[-1].end < block.end:
            stack.pop()
        above = stack[-1].qualified if stack else ""
        block.qualified = f"{above}.{block.name}" if above else block.name
        stack.append(block)
