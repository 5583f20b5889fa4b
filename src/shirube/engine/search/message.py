"""Reads a question as a message that a program printed, and finds the places that have the string it was made from.

The string is found by the words that stand side by side between the message's values (``Failed to spawn: `foo```). What
decides is the longest run of the message that is all of a string, whatever its wrapping and its values match elsewhere.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.search.roles import Role, role_of
from shirube.engine.search.verbatim import GAP, IMPORTED, MOST_WORDS, Run, unwrapped, words_of
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import Strategy, tokenize

if TYPE_CHECKING:
    from shirube.engine.store.port import Candidate

MOST_PIECES = 4
"""How many pieces of a message are looked for as they are."""
LONG_PIECE, LONG_RUN, LEAST_TELLING = 9, 5, 2
"""Words of all of a message, and of a run, that are looked for, and how many of them are no stop words at least."""
MOST_READ = 80
"""How many of the best places with all words of a piece are read to see whether it stands there."""
PRINTED, TELLING, PLAIN = 0.12, 0.5, 0.6
"""How much of a question a string has at least: of one that is printed by a program, that may be, or that reads as any
other."""
CLOSE = 0.2
"""A place counts when its string weighs at least this much of the heaviest, to the fourth power."""
JAPANESE = 0.3
"""How many words a Japanese character is."""
ASIDE, AS_MUCH = 0.6, 0.6
"""What a string in a test, an example or anything else beside the sources counts, and at most of one in the sources,
if that has as much of the heaviest: a test has the whole output that it expects."""
_ASKS = re.compile(r"\s*(?:how|where|what|why|which|who|when|does|do|is|are|can|should)\b[^\"'`:]*$", re.IGNORECASE)
_WRAPPED = re.compile(
    r"\s*(?:[×✘✖✗╭├╰│└─]|Caused by:|Traceback|Uncaught |thread '|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL"
    r"|CRITICAL|SEVERE)\b"
    r"|(?:\[[^\]\n]+\]\s*)?(?:[\w-]+ ){0,3}(?i:error|panic|fatal|warning|exception|エラー)(?:\[\w+\])?[:：]"
    r"|(?:[\w$]+(?:\.|::))+[A-Z]\w*:\s|(?:[\w$]+(?:\.|::))*[A-Z]\w*(?:Error|Exception|Warning|Failure|Exit)\b[^:\n]{0,40}:)"
)
_NEVER = frozenset({Role.DOC, Role.GENERATED, Role.VENDORED})
_TELLS = re.compile(
    r"[`×✘✖╰│]|\w: |\.{3}|\w[.!]$"
    r"|\b(?:not|no|can't|cannot|invalid|fail(?:ed|s|ure)?|must|unable|unknown|(?:un)?expected|missing"
    r"|(?:un)?supported|allowed|empty|exists?|found|required|requires|deprecated|already|error|panic"
    r"|exception|timed out|denied|refused|exceeded)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z'’]*")
_BESIDE = re.compile(r"(?:^|[/_-])(?:tests?|templates?|playground|e2e|bench(?:es)?)[/._-]")
"""Directories of tests and templates that have no role, and modules of tests inside a source."""
_GAPPED = rf"\W{{1,40}}{GAP}\W{{1,40}}"
_ROUND = "\"'`“”‘’()[]{}<>.,;!?…"


def least_share(text: str) -> float:
    """Return how much of a question a string has at least to be its message's: little when output is wrapped around."""
    if _WRAPPED.match(text) or _quoted(text):
        return PRINTED
    return TELLING if _TELLS.search(text) is not None and _ASKS.match(text) is None else PLAIN


def pieces_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Return what to look for of a message: all of it with gaps for its values, then the most telling of its runs."""
    runs = [tuple(run) for run in _runs(text) if run]
    whole = tuple(chain.from_iterable((*run, GAP) for run in runs))[:-1][:LONG_PIECE]
    if len(whole) < LEAST_TELLING:
        whole = tuple(words_of(text)[:LONG_PIECE])
    ends = [part for run in runs for part in (run[:LONG_RUN], run[max(LONG_RUN, len(run) - LONG_RUN) :])]
    telling = sorted((part for part in ends if len(terms_of(part)) >= LEAST_TELLING), key=lambda part: -len(part))
    return tuple(dict.fromkeys([whole, *telling]))[:MOST_PIECES]


def values_of(text: str) -> frozenset[str]:
    """Return the words of a message that are only in its values: names, paths, numbers, what it quotes alone."""
    plain = {word for run in _runs(text) for word in run}
    return frozenset(words_of(text)) - {part for word in plain for part in words_of(word)}


def told_in(text: str) -> str:
    """Return what a question quotes when that may be a message, or all of it without the wrapping of error output."""
    return unwrapped(_quoted(text) or text)


def _quoted(text: str) -> str:
    """Return what a question asks about in quotes, when that may be a message."""
    if not _ASKS.match(text.partition('"')[0]):
        return ""
    quoted = max((match[1] for match in _QUOTED.finditer(text)), key=len, default="")
    return quoted if len(quoted.split()) > LEAST_TELLING else ""


def _runs(text: str) -> Iterator[list[str]]:
    """Yield the runs of plain words of a message: between its values, and up to a colon or the end of a sentence."""
    run: list[str] = []
    for token in text.split():
        word = token.strip(_ROUND).rstrip(":")
        plain = _PLAIN.fullmatch(word) is not None and not (token[0] in "\"'`" and token[-1] in "\"'`")
        if run and (not plain or token[0] in "\"'`("):
            yield run
            run = []
        if plain:
            run.append(word.lower())
            if token[-1] in "\"'`:).;":
                yield run
                run = []
    yield run


def terms_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the index terms of a piece, without stop words where others are enough."""
    tokens = dict.fromkeys(tokenize(" ".join(word for word in words if word.isalnum()), Strategy.HYBRID))
    telling = [token for token in tokens if token not in stop_words()]
    return tuple(dict.fromkeys(map(stem, telling if len(telling) >= LEAST_TELLING else tokens)))


def likely(pools: Sequence[Mapping[int, float]], items: "Sequence[Candidate]") -> list[int]:
    """Return the keys of the chunks to read: those with all words of a piece that few have first, and sources first."""
    aside = {one.key: is_aside(one) for one in items if any(one.key in pool for pool in pools)}
    found: dict[int, None] = {}
    for some in sorted(pools, key=len):
        best = sorted(some, key=lambda key: (aside.get(key, True), -some[key], key))
        found |= dict.fromkeys(best[: MOST_READ - len(found)])
    return list(found)


def holding(pieces: Sequence[Sequence[str]], texts: Mapping[int, str]) -> set[int]:
    """Return the keys of the texts that have one of the pieces as it is."""
    if not texts:
        return set()
    sought = re.compile(
        "|".join(r"\W{1,40}".join(map(re.escape, words)).replace(_GAPPED, ".{1,90}?") for words in pieces)
    )
    return {key for key, text in texts.items() if sought.search(text.lower())}


def strings(
    runs: Mapping[int, Run], places: "Sequence[Candidate]", least: float
) -> tuple[dict[int, float], dict[int, Run]]:
    """Return how surely each place has the message's string, from 0 to 1, and its runs, in which that string counts.

    The heaviest string has 1. An import never stands for a message.
    """
    worth = {at: _worth(run, places[at]) for at, run in runs.items() if is_string(run, least)}
    aside = {at for at in worth if is_aside(places[at])}
    if least != PRINTED:
        worth = {at: value for at, value in worth.items() if at not in aside}
        aside = set()
    own = max((value for at, value in worth.items() if at not in aside), default=0.0)
    worth |= {
        at: min(worth[at], ASIDE * own) for at in aside if own > 0.0
    }  # a test has the whole output as it expects it
    best = max(worth.values(), default=0.0)
    found = {at: sure for at, value in worth.items() if value and (sure := (value / best) ** 4) >= CLOSE}
    kept = {at: run for at, run in runs.items() if run.whole != IMPORTED or least != PRINTED}
    return found, {**kept, **{at: replace(runs[at], share=max(runs[at].share, sure)) for at, sure in found.items()}}


def is_string(run: Run, least: float) -> bool:
    """Tell whether a run is a string of some words, with at least such a share of the question."""
    words = sum(JAPANESE if word >= "\u3040" else not word.isdigit() for word in run.words if word != GAP)
    return run.share >= least and words >= (2 if run.whole > 0.75 else 5 if run.whole > 0 else MOST_WORDS)


def _worth(run: Run, place: "Candidate") -> float:
    return 0.0 if role_of(place.path, place.language) in _NEVER else run.share * (0.5 + run.whole / 2)


def is_aside(place: "Candidate") -> bool:
    """Tell whether a place is beside the sources: a test, a template, a document, an example."""
    role = role_of(place.path, place.language)
    return role != Role.IMPLEMENTATION or _BESIDE.search(f"{place.path}/{place.symbol}.") is not None
