"""The texts of the interface, in English and Japanese, from one table."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from shirube.codec import packaged
from shirube.errors import ShirubeError
from shirube.messages import AGENT, Speech, render, say, section

EDGE = "\ufdd0"
"""Marks a point where spaces are removed; a Unicode noncharacter, so no text contains it."""
_NO_SPACE = re.compile(f" ?{EDGE} ?")
LANGUAGES: Mapping[str, str] = {"en": "English", "ja": "日本語"}
DETAILS = {"map": "map_reason", "text": "leg", "boost": "role"}
"""Reasons whose detail is a term, with the group of that term."""
SHARED = ("index_state", "skip")
"""Groups of terms that sentences have too."""


@cache
def table() -> dict[str, dict[str, str]]:
    """Return every phrase by its key: ``{"search": {"en": "Search", "ja": "検索"}}``."""
    groups = packaged("shirube.doors.web", "words.toml") | {group: section(group) for group in SHARED}
    return {
        f"{group}.{name}": dict(zip(LANGUAGES, phrases, strict=True))
        for group, entries in groups.items()
        for name, phrases in entries.items()
    }


class Words(Struct, frozen=True):
    """The phrases of one language."""

    language: str

    def __call__(self, key: str, **values: object) -> str:
        """Return a phrase with its placeholders filled."""
        phrase = table()[key][self.language]
        return phrase.format(**values) if values else phrase

    def say(self, text: str) -> str:
        """Return a message in this language, with the pages' names for operations; other text stays as it is."""
        speech = Speech(self.language, self._operation, self._argument)
        return _NO_SPACE.sub("", render(text, speech))

    def _operation(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return the pages' name for an operation, or the call itself when they have none."""
        called = self._called("operation", name)
        return called if called != name else AGENT.operation(name, arguments)

    def _argument(self, name: str, value: str | int) -> str:
        called = self._called("argument", name)
        return called if value == "" else AGENT.argument(called, value)

    def _called(self, group: str, name: str) -> str:
        """Return the pages' name for something; Japanese messages put spaces around names, which are wrong here."""
        called = self.term(group, name)
        return f"{EDGE}{called}{EDGE}" if self.language == "ja" and called != name else called

    def term(self, group: str, word: str) -> str:
        """Return the reader's word for a term of the program (a phase, a state), or the term when there is none."""
        phrase = table().get(f"{group}.{word}")
        return phrase[self.language] if phrase else word

    def terms(self, group: str, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return terms of the program, each with the reader's word for it."""
        return [(name, self.term(group, name)) for name in names]

    def heads(self, group: str, *names: str) -> dict[str, str]:
        """Return the columns of a table with what stands above each."""
        return {name: self(f"{group}.{name}") for name in names}

    def reason(self, tag: str) -> tuple[str, str]:
        """Return a reason as people say it, and what it is about: ``text:words`` → ``("Text", "by words")``."""
        name, _, what = tag.partition(":")
        return self.term("reason", name), self.term(DETAILS.get(name, ""), what)

    def error(self, error: ShirubeError) -> str:
        """Return an error in a line."""
        return self.say(say("parts.told", message=error.message, hint=error.hint) if error.hint else error.message)


def choose(chosen: str, accepted: str) -> str:
    """Return the language that was chosen, or the first known one that a browser accepts."""
    if chosen in LANGUAGES:
        return chosen
    ranked = sorted((-_weight(part), number, part) for number, part in enumerate(accepted.split(",")))
    for refused, _, part in ranked:
        tag = part.split(";")[0].strip().lower().split("-")[0]
        if refused < 0 and tag in LANGUAGES:
            return tag
    return "en"


def _weight(part: str) -> float:
    """Return the weight of an accepted language: ``ja;q=0.8`` → 0.8."""
    _, _, given = part.partition(";q=")
    try:
        return float(given) if given else 1.0
    except ValueError:
        return 0.0
