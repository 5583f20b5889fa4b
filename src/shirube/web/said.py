"""What operations say, in the language of the reader.

Operations speak English, to models and terminals, and much of it lies in journals by the time a page shows it. So their
sentences are known by form: ``said.toml`` has each under a code, in English and Japanese, with gaps for what differs.
What fills a gap may be a sentence again. A test finds every sentence of the rooms below that is not in the table.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

GAP = re.compile(r"\{(\w+)\}")
DEEPEST = 4
"""Sentences within sentences; more of them are no sentence of ours."""
LONGEST = 4000
JOINTS = {". ": "。", "; ": "。", ", ": "、"}
"""What stands between sentences that were put together."""


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence: what stands between its gaps, their names, and the Japanese."""

    pieces: tuple[str, ...]
    names: tuple[str, ...]
    japanese: str

    def read(self, text: str) -> dict[str, str] | None:
        """Return what fills the gaps, or None when it is another sentence; nothing is ever tried twice."""
        first, *middle = self.pieces[:-1] or self.pieces
        last = self.pieces[-1] if self.names else ""
        at, end = len(first), len(text) - len(last)
        if at > end or not text.startswith(first) or not text.endswith(last):
            return None
        gaps = []
        for piece in middle:
            found = text.find(piece, at, end)
            if found < 0:
                return None
            gaps.append(text[at:found])
            at = found + len(piece)
        if not self.names:
            return {} if at == end else None
        return dict(zip(self.names, [*gaps, text[at:end]], strict=True))


@cache
def sentences() -> Mapping[str, tuple[str, str]]:
    """Return every sentence by its code: English and Japanese."""
    table = tomllib.loads(files("shirube.web").joinpath("said.toml").read_text("utf-8"))
    return {f"{group}.{name}": (pair[0], pair[1]) for group, rows in table.items() for name, pair in rows.items()}


@cache
def _forms() -> tuple[Form, ...]:
    """Return the sentences, those with the most words of their own first."""
    forms = [Form(tuple(GAP.split(one)[::2]), tuple(GAP.findall(one)), other) for one, other in sentences().values()]
    return tuple(sorted(forms, key=lambda form: (-sum(map(len, form.pieces)), form.pieces)))


@lru_cache(4096)
def said(text: str, deep: int = 0) -> str:
    """Return a sentence in Japanese; one that is not known stays as it is.

    A gap that holds the end of one sentence and the beginning of another is none, unless nothing else fits.
    """
    sentence = text.strip(" ,;")
    if deep > DEEPEST or not sentence or len(text) > LONGEST:
        return text
    found = [(form, gaps) for form in _forms() if (gaps := form.read(sentence)) is not None]
    for form, gaps in found:
        if any(joint in piece for joint in JOINTS for piece in form.pieces) or not _is_joined("\0".join(gaps.values())):
            return _filled(form, gaps, deep)
    return _apart(text, deep) or (_filled(*found[0], deep) if found else text)


def _is_joined(text: str) -> bool:
    return any(joint in text for joint in JOINTS)


def _filled(form: Form, gaps: Mapping[str, str], deep: int) -> str:
    return GAP.sub(lambda gap: said(gaps[gap[1]], deep + 1), form.japanese)


def _apart(text: str, deep: int) -> str:
    """Return sentences that were put together, when one of them is known; a hint stands in brackets."""
    if text.endswith(")") and " (" in text:
        parts = text[:-1].split(" (", 1)
        told = [said(part, deep + 1) for part in parts]
        if told != parts:
            return f"{told[0]}（{told[1]}）"
    for joint, mark in JOINTS.items():
        first, *rest = text.split(joint)
        parts = [f"{part}{joint[0]}" if joint == ". " else part for part in (first, *rest[:-1])] + rest[-1:]
        told = [said(part, deep + 1) for part in parts]
        if rest and told != parts:
            return mark.join(part.removesuffix("。") for part in told[:-1]) + mark + told[-1]
    return ""
