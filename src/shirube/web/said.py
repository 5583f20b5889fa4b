"""What operations say, in the language of the reader.

Operations speak English, to models and terminals, and much of it lies in journals by the time a page shows it. So their
sentences are known by form: ``said.toml`` has each under a code, in English and Japanese, with gaps for what differs.
What fills a gap may be a sentence again. A test finds every sentence of the rooms below that is not in the table.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

GAP = re.compile(r"\{(\w+)\}")
DEEPEST = 4
"""Sentences within sentences; more of them is no sentence of ours."""
JOINTS = ("; ", ". ", ", ")
"""What stands between sentences that were put together."""
ENDS = {"; ": "。", ". ": "。", ", ": "、"}


@cache
def sentences() -> Mapping[str, tuple[str, str]]:
    """Return every sentence by its code: English and Japanese."""
    text = files("shirube.web").joinpath("said.toml").read_text("utf-8")
    return {
        f"{group}.{name}": (pair[0], pair[1])
        for group, rows in tomllib.loads(text).items()
        for name, pair in rows.items()
    }


@cache
def _forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what finds each sentence, those with the most words of their own first."""
    pairs = sorted(sentences().values(), key=lambda pair: (-len(GAP.sub("", pair[0])), pair[0]))
    return tuple((_form(english), japanese) for english, japanese in pairs)


def _form(english: str) -> re.Pattern[str]:
    parts, at = [], 0
    for gap in GAP.finditer(english):
        parts += [re.escape(english[at : gap.start()]), f"(?P<{gap[1]}>.+?)"]
        at = gap.end()
    return re.compile("".join([*parts, re.escape(english[at:])]), re.S)


@lru_cache(4096)
def said(text: str, deep: int = 0) -> str:
    """Return a sentence in Japanese; one that is not known stays as it is."""
    if deep > DEEPEST or not text.strip():
        return text
    for form, japanese in _forms():
        if found := form.fullmatch(text):
            return GAP.sub(lambda gap: said(found[gap[1]], deep + 1), japanese)
    return _joined(text, deep)


def _joined(text: str, deep: int) -> str:
    """Return sentences that were put together, when the first of them is known; a hint stands in brackets."""
    if text.endswith(")") and " (" in text:
        message, _, hint = text[:-1].partition(" (")
        if (told := said(message, deep + 1)) != message:
            return f"{told}（{said(hint, deep + 1)}）"
    for joint in JOINTS:
        first, found, rest = text.partition(joint)
        if found and rest and (told := said(first, deep + 1)) != first:
            return f"{told}{ENDS[joint]}{said(rest, deep + 1)}"
    return text
