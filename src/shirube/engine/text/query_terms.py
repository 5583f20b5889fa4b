"""Parses a query into phrases, paths, symbols, compounds, words and Japanese."""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache

from msgspec import Struct

from shirube.engine.text.tokens import CJK_LETTER, LOWER, UPPER, is_compound, normalise, split_identifier

FILTERS = ("lang", "path", "kind", "tag")
"""The filters a query may carry; any other ``name:value`` is plain text."""

ALTERNATIVES = re.compile(
    "and/or|client/server|either/or|false/true|get/set|he/she|input/output|key/value|left/right|"
    "may/must|on/off|open/close|read/write|request/response|start/stop|success/failure|tcp/ip|"
    "true/false|yes/no"
)
"""Two words joined by a slash that mean "one or the other", not a path."""

EXTENSIONS = (
    "bash|bat|c|cc|cfg|cjs|conf|cpp|cs|css|csv|cts|exs|go|gradle|h|hpp|hs|html|ini|ipynb|java|js|json|"
    "jsx|kt|lua|md|mdx|mjs|mts|php|po|proto|ps1|py|pyi|rb|rs|rst|scala|scss|sh|sql|svelte|swift|toml|ts|"
    "tsx|txt|vue|xml|yaml|yml|zig"
)
"""File extensions; they make ``handler.ts`` a file and not an attribute."""


class TermKind(StrEnum):
    """What a term of a query is."""

    PHRASE = "phrase"
    """Quoted text, to be matched exactly: ``"oauth handler"``."""
    PATH = "path"
    """A place in the tree: ``lambda/page-agent/handler``, ``handler.ts``."""
    SYMBOL = "symbol"
    """A name that can only be code: ``Foo::bar``, ``module.func``, ``_private``, ``getUserById``."""
    COMPOUND = "compound"
    """Words joined by hyphens or underscores: ``page-agent``, ``user_profile``."""
    WORD = "word"
    """A plain word or a number."""
    CJK = "cjk"
    """A run of Japanese, Chinese or Korean: ``の処理`` in ``getUserの処理``."""


class Term(Struct, frozen=True):
    """One term of a query, as typed (without quotes, brackets or ``()``)."""

    kind: TermKind
    text: str

    @property
    def segments(self) -> tuple[str, ...]:
        """The parts between slashes: ``lambda/page-agent/x`` → ``("lambda", "page-agent", "x")``."""
        return tuple(part for part in self.text.split("/") if part.strip(".*~"))


class QueryTerms(Struct, frozen=True):
    """A parsed query; every list keeps the order of the query."""

    text: str
    """The query without its filters."""
    terms: tuple[Term, ...] = ()
    filters: Mapping[str, tuple[str, ...]] = {}
    """Filter → its values, as typed: ``{"lang": ("py", "ts")}``."""

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments of all paths: ``src/auth x/y.py`` → ``("src", "auth", "x", "y.py")``."""
        return tuple(part for term in self.terms if term.kind is TermKind.PATH for part in term.segments)

    def of(self, kind: TermKind) -> tuple[str, ...]:
        """Return the texts of all terms of a kind."""
        return tuple(term.text for term in self.terms if term.kind is kind)


@lru_cache(maxsize=64)
def read_query(text: str) -> QueryTerms:
    """Read a query: ``'"oauth handler" src/auth lang:py'`` → a phrase, a path and a filter."""
    filters: dict[str, tuple[str, ...]] = {}

    def take(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match[0]
        name = match["name"].lower()
        filters[name] = (*filters.get(name, ()), match["quoted"] or match["bare"])
        return " "

    rest = " ".join(normalise(_FILTER.sub(take, text)).split())
    return QueryTerms(rest, tuple(_read(rest)), filters)


# A filter inside a quotation is part of the quotation, so the pattern matches quotations first and skips them.
_FILTER = re.compile(
    rf"""
    "[^"]*" | “[^”]*” | 「[^」]*」 | 『[^』]*』
    | (?<!\S)(?P<name>{"|".join(FILTERS)})[:：](?:"(?P<quoted>[^"]+)"|(?P<bare>[^\s"]\S*))
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Before matching, every CJK character is replaced by this one: the real character classes, as often as they are needed
# below, would take 40 ms to compile.
_ANY = "一"
_WORD = rf"[^\W{_ANY}]"

# A single quote opens where no word ends and closes where none begins: don't, users'.
_QUOTED = rf"""
    "([^"]*)" | “([^”]*)” | 「([^」]*)」 | 『([^』]*)』 | «([^»]*)»
    | (?<!{_WORD})'([^'\s](?:[^']|(?<={_WORD})'(?={_WORD}))*)'(?!{_WORD})
    | (?<!{_WORD})‘([^‘\s](?:[^‘’]|’(?={_WORD}))*)’(?!{_WORD})
"""
_SEGMENT = rf"(?:(?:{_WORD}|[.@~*$+\[\]()-]){{1,100}}|{_ANY}+(?:[.]{_WORD}+)?)"
_NAME = rf"(?!\d){_WORD}+"


@cache
def _term() -> re.Pattern[str]:
    """Return the pattern of a term; compiled at the first query, so that workers and servers start faster."""
    return re.compile(
        rf"""
        (?P<phrase>{_QUOTED})
        | (?P<url>[a-z][a-z0-9+.-]*://[^\s<>"'`{_ANY}]+)
        | (?P<path>/?{_SEGMENT}(?:/{_SEGMENT})+/? | /{_SEGMENT}/?)(?::\d+)*
        | (?P<file>(?:{_WORD}|[.-]){{0,100}}{_WORD}[.](?:{EXTENSIONS}))(?!{_WORD}|[(])(?::\d+)*
        | (?P<symbol>{_NAME}(?:(?:::|[.]|->|[#]){_NAME})+ | (?<=[$@]){_NAME} | {_NAME}(?=[(][)]))
        | (?P<hyphened>{_WORD}+(?:-{_WORD}+)+)
        | (?P<cjk>{_ANY}+)
        | (?P<word>{_WORD}+(?:['’](?:[dmst]|ll|re|ve)(?!{_WORD})|(?:[.]\d+)*))
        """,
        re.VERBOSE,
    )


_HUMP = re.compile(rf"[{LOWER}0-9][{UPPER}]|[{UPPER}]{{2}}[{LOWER}]")
_LATIN = re.compile(rf"[{UPPER}{LOWER}]")


def _read(text: str) -> Iterator[Term]:
    plain = text if text.isascii() else CJK_LETTER.sub(_ANY, text)
    for match in _term().finditer(plain):
        kind = match.lastgroup or "word"
        yield from _READERS[kind](text[slice(*match.span(kind))])


def _phrase(text: str) -> Iterator[Term]:
    if quoted := text[1:-1].strip():
        yield Term(TermKind.PHRASE, quoted)


def _path(text: str) -> Iterator[Term]:
    if "][" in text:  # tags of a subject, as in "[Client][Panel/Twitter] …"
        for tag in text.strip("[]").split("]["):
            yield from _read(tag)
        return
    path = _unwrap(text.rstrip(".")).rstrip(".")
    if _is_path(path):
        yield Term(TermKind.PATH, path)
    else:
        for part in path.split("/"):
            yield from _read(part)


def _unwrap(path: str) -> str:
    """Remove brackets around a path, but keep those inside it: ``(app/[id])`` → ``app/[id]``."""
    for opening, closing in ("()", "[]"):
        surplus = path.count(opening) - path.count(closing)
        if path.startswith(opening) and (surplus > 0 or path.endswith(closing)):
            path = path[1:]
            surplus -= 1
        if surplus < 0 and path.endswith(closing):
            path = path[:-1]
    return path


def _is_path(path: str) -> bool:
    """Tell a path from alternatives: ``src/auth`` → ``True``; ``and/or``, ``検索/置換`` → ``False``."""
    parts = [part for part in path.split("/") if part]
    if not _LATIN.search(path):
        return False
    if len(parts) != 2 or path.startswith(("/", ".", "~")) or path.endswith("/"):
        return True
    return not ALTERNATIVES.fullmatch(path.lower()) and not path.isupper() and min(map(len, parts)) > 1


def _symbol(name: str) -> Iterator[Term]:
    abbreviation = all(len(part) == 1 for part in name.split("."))  # e.g, i.e
    yield Term(TermKind.WORD if abbreviation and "." in name else TermKind.SYMBOL, name)


def _hyphened(term: str) -> Iterator[Term]:
    if is_compound(term):
        yield Term(TermKind.COMPOUND, term)
    else:
        for part in term.split("-"):
            yield from _read(part)


def _word(word: str) -> Iterator[Term]:
    bare = word.strip("_")
    humps = [part for part in split_identifier(bare) if not part.isdigit()]
    if not bare:
        return
    if word.startswith("_"):
        yield Term(TermKind.SYMBOL, word)
    elif "_" in bare:
        yield Term(TermKind.COMPOUND, word)
    else:
        yield Term(TermKind.SYMBOL if len(humps) > 1 and _HUMP.search(bare) else TermKind.WORD, word)


_READERS: dict[str, Callable[[str], Iterator[Term]]] = {
    "phrase": _phrase,
    "url": lambda text: iter([Term(TermKind.WORD, text.rstrip(".,;:)"))]),
    "path": _path,
    "file": lambda text: iter([Term(TermKind.PATH, text)]),
    "symbol": _symbol,
    "hyphened": _hyphened,
    "cjk": lambda text: iter([Term(TermKind.CJK, text)]),
    "word": _word,
}
