"""Expansion rules in words, read as filters: ``"add file type filters for *.test.ts"`` → paths ``*.test.ts``."""

import re
from collections.abc import Callable

from msgspec import Struct

from shirube.engine.text.tokens import normalise
from shirube.features.plan.expect import goal_words

_GLOB = re.compile(r"[\w./-]*\*[\w.*/-]*")
_DIRECTORY = re.compile(r"(?<![\w.])((?:[\w.-]+/)+[\w.-]*)")
_KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"\btests?\b|\bspecs?\b|テスト", "*test*", ()),
    (r"\bdocs?\b|\bdocumentation\b|\breadme\b|文書|ドキュメント", "", ("markdown",)),
    (r"\bconfig\w*\b|\bsettings?\b|設定", "", ("json", "yaml", "toml")),
    (r"\bstyles?(?:heets?)?\b|スタイル", "", ("css", "scss")),
)
_KINDS_READ = tuple((re.compile(mark, re.IGNORECASE), path, languages) for mark, path, languages in _KINDS)
_WORD = re.compile(r"[A-Za-z+#]+")
_TALK = frozenset(
    (
        *("add", "include", "search", "file", "files", "type", "types", "filter", "filters", "related", "only", "best"),
        *("practices", "look", "limit", "restrict", "also", "query", "queries", "expand", "results", "prefer", "all"),
    )
)


class Rule(Struct, frozen=True):
    """A rule that has been understood: filters, or else words to add."""

    text: str
    path: str = ""
    languages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def read_rule(text: str, language: Callable[[str], str]) -> Rule:
    """Return what a rule asks for; ``language`` names the language a word stands for, or nothing.

    A glob or a directory comes first, then a language, then a kind of file; a rule without any adds its words.
    """
    plain = normalise(text)
    for place in (_GLOB, _DIRECTORY):
        if found := place.search(plain):
            return Rule(text, path=found[0].rstrip("."))
    if named := [name for word in _WORD.findall(plain) if word.lower() not in _TALK and (name := language(word))]:
        return Rule(text, languages=tuple(dict.fromkeys(named)))
    for mark, path, languages in _KINDS_READ:
        if mark.search(plain):
            return Rule(text, path, languages)
    return Rule(text, words=tuple(word for word in goal_words(plain) if word.lower() not in _TALK))
