"""The signals that rank files and places: named measures, each with a weight and a shape.

A signal measures every file (or place) at once, usually from 0 to 1. Its points are its weight in ``defaults.toml``
(times that of the profile), times the shape that ``python -m training.ranking`` fitted for it, times the number of the
question's words: as in seed 001, each meaningful word is worth about one point in the best text. What a question
names outright (compounds, paths) has the points of seed 001. ``CONTRIBUTING.md`` explains how to add a signal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import log2
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.search.evidence import Evidence
from shirube.engine.search.names import name_terms, own_words
from shirube.engine.search.verbatim import joined
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import split_identifier
from shirube.types import BIG_KINDS, Reason, Symbol

if TYPE_CHECKING:
    from shirube.engine.search.evidence import Numbers

WHOLE_PATHS = frozenset({"module", "namespace", "protocol", "section"})
"""Kinds whose scope is part of their own name (``Ecto.Query``) or a position in a text, not something around them."""
CALLABLES = frozenset({"function", "method", "constructor", "test"})


class Signal(Struct, frozen=True):
    """A named measure of all files, or of all places."""

    name: str
    """Its name in the fitted table."""
    measure: "Callable[[Evidence], Numbers]"
    weight: Callable[[Evidence], float] = lambda evidence: 1.0
    reason: Callable[[Evidence, int], str] = lambda evidence, at: ""
    """The name of its reason for one file or place; without one it is the signal's name."""

    def named(self, evidence: Evidence, at: int) -> str:
        """Return the name of its reason for one file or place."""
        return self.reason(evidence, at) or self.name


def _numbers(values: Iterable[float]) -> "Numbers":
    import numpy as np

    return np.array(list(values), dtype=float)


def _nothing(evidence: Evidence) -> "Numbers":
    import numpy as np

    return np.zeros(len(evidence.paths))


def _by_path(known: "Callable[[Evidence], Callable[[str], float]]") -> "Callable[[Evidence], Numbers]":
    """Return a measure that looks each path up."""
    return lambda evidence: _numbers(map(known(evidence), evidence.paths))


def _best_of(values: "Numbers", evidence: Evidence) -> "Numbers":
    """Return the best value among the places of each file."""
    import numpy as np

    best = np.zeros(len(evidence.paths))
    np.maximum.at(best, evidence.owners, values)
    return best


# --- files: the text ---------------------------------------------------------------------------------------------


def coverage(evidence: Evidence) -> "Numbers":
    """Return which part of the question is in each file, over all its places that were read."""
    import numpy as np

    found = np.zeros((len(evidence.paths), len(evidence.rarity)), dtype=bool)
    np.logical_or.at(found, evidence.owners[list(evidence.present)], evidence.rows)
    return evidence.covered_by(found)


def together(evidence: Evidence) -> "Numbers":
    """Return the largest part of the question that is in one place of each file."""
    return _best_of(evidence.shares, evidence)


def verbatim(evidence: Evidence) -> "Numbers":
    """Return the best run of the question's words, in order, in each file."""
    return _best_of(_run_shares(evidence), evidence)


def _run_shares(evidence: Evidence) -> "Numbers":
    import numpy as np

    shares = np.zeros(len(evidence.places))
    shares[list(evidence.runs)] = [run.share for run in evidence.runs.values()]
    return shares


def _run_of(evidence: Evidence, number: int) -> str:
    runs = [run for at, run in evidence.runs.items() if evidence.owners[at] == number]
    best = max(runs, key=lambda run: run.share)
    return f'verbatim:"{joined(best.words)}"'


# --- files: the path ---------------------------------------------------------------------------------------------


def file_name(evidence: Evidence) -> "Numbers":
    """Return which part of each file's name is in the question."""
    asked = evidence.question.in_names
    named = [name_terms(path) for path in evidence.paths]
    return _numbers(sum([asked.get(term, 0.0) for term in name]) / max(1, len(name)) for name in named)


def named_parts(evidence: Evidence, path: str) -> Iterator[Reason]:
    """Yield what the question names outright, with the points of seed 001: compounds, paths, segments of paths."""
    signals, text, weight = evidence.config.signals, evidence.profile.text, evidence.profile.path
    question, lower = evidence.question, path.lower()
    for phrase in question.phrases:
        if not phrase.first and (share := evidence.phrases.get(phrase.text, {}).get(path)):
            yield Reason(f"phrase:{phrase.text}", text * signals.phrase * share)
        if phrase.text.lower() in lower:
            yield Reason(f"path-phrase:{phrase.text}", weight * signals.path_phrase)
    for named in question.paths:
        if any(form.endswith(f"/{named}/") for form in _forms(lower)):
            yield Reason(f"path:{named}", weight * signals.path_phrase)
    for segment in named_segments(evidence, path):
        yield Reason(f"path-segment:{segment}", weight * signals.path_segment)


def named_segments(evidence: Evidence, path: str) -> list[str]:
    """Return the path segments in the question that this path contains."""
    if not evidence.question.segments:
        return []
    parts = path.lower().split("/")
    known = {*parts, parts[-1].rpartition(".")[0]}
    return [segment for segment in evidence.question.segments if segment in known]


def is_named(evidence: Evidence, path: str) -> bool:
    """Tell whether the question contains a path to this file or to a directory it is in."""
    return any(f"/{named}/" in form for named in evidence.question.paths for form in _forms(path.lower()))


def _forms(path: str) -> tuple[str, str]:
    """Return a path between slashes, with and without the file's extension."""
    above, slash, name = path.rpartition("/")
    return f"/{path}/", f"/{above}{slash}{name.partition('.')[0]}/"


def unread(evidence: Evidence) -> "Numbers":
    """Return how near each file is in meaning, by how much of a Japanese question the word table does not know."""
    return evidence.sense * (1.0 - evidence.question.understood)


# --- files: definitions ------------------------------------------------------------------------------------------


def definitions(evidence: Evidence) -> "Numbers":
    """Return how surely each file defines a name of the question."""
    values = _nothing(evidence)
    for number, path in enumerate(evidence.paths) if evidence.definitions else ():
        if path in evidence.definitions:
            values[number] = _best_definition(evidence, path)[0]
    return values


def symbol_names(evidence: Evidence) -> "Numbers":
    """Return how well the name of a symbol in each file and the question say the same: "is the rate parsed"."""
    concepts = evidence.question.concepts
    asked = {term for concept in concepts for term in concept}
    words = {place.symbol: own_words(place.symbol) for place in evidence.places if place.kind != "test"}
    known = {symbol: there for symbol, own in words.items() if (there := asked.intersection(own))}
    shares = evidence.covered_by([[not there.isdisjoint(one) for one in concepts] for there in known.values()])
    fit = {
        symbol: 2 * share * part / (share + part)
        for (symbol, there), share in zip(known.items(), shares.tolist(), strict=True)
        if (part := len(there) / len(words[symbol]))
    }
    return _best_of(_numbers(fit.get(place.symbol, 0.0) for place in evidence.places), evidence)


def _best_definition(evidence: Evidence, path: str) -> tuple[float, str]:
    """Return how surely a file defines a name asked for, and the name."""
    signals, question = evidence.config.signals, evidence.question
    best, named = 0.0, ""
    for definition in evidence.definitions[path]:
        symbol, name = definition.symbol, definition.symbol.name.lower()
        is_title = name == question.title
        surety = 1.0 if is_title else question.names.get(name, 0.0)
        if symbol.kind not in BIG_KINDS and not is_title:
            surety *= signals.small_definition
        if not is_title and symbol.name != question.spelled.get(name, "") and name not in question.spelled.values():
            surety *= signals.other_capitals
        outer, inside = question.scopes.get(name), symbol.scope and symbol.kind not in WHOLE_PATHS
        if outer not in symbol.scope.lower().split(".") and (outer or inside):
            surety *= signals.nested_definition
        if surety > best:
            best, named = surety, symbol.qualified
    return best, named


def _definition_of(evidence: Evidence, number: int) -> str:
    return f"definition:{_best_definition(evidence, evidence.paths[number])[1]}"


# --- files: what is around them ----------------------------------------------------------------------------------


def proximity(evidence: Evidence) -> "Numbers":
    """Return how good the best or edited file in each file's directory is."""
    return _numbers(evidence.near.get(path.rpartition("/")[0], 0.0) for path in evidence.paths)


def frames(evidence: Evidence) -> "Numbers":
    """Return how near to the fault pasted output says each file is."""
    return _numbers(nearest_frame(evidence, path)[0] for path in evidence.paths)


def nearest_frame(evidence: Evidence, path: str, span: tuple[int, int] | None = None) -> tuple[float, int]:
    """Return how near to the fault a file is, or some lines of it, and the line that pasted output names there."""
    named = evidence.frames.get(path, {})
    lines = [line for line in named if span is None or span[0] <= line <= span[1]]
    return max(((named[line], line) for line in lines), key=lambda frame: (frame[0], -frame[1]), default=(0.0, 0))


def frame_reason(line: int) -> str:
    """Return the name of the reason that pasted output names a line: ``frame:42``; line 0 is the whole file."""
    return f"frame:{line}" if line else "frame"


FILE_SIGNALS: tuple[Signal, ...] = (
    Signal("text:words", lambda e: e.words, lambda e: e.profile.text),
    Signal("text:sense", lambda e: e.sense, lambda e: e.profile.text * e.config.signals.sense),
    Signal("text:whole", lambda e: e.whole, lambda e: e.profile.text * e.config.signals.sense),
    Signal("text:unread", unread, lambda e: e.profile.text * e.config.signals.sense),
    Signal("coverage", coverage, lambda e: e.profile.text * e.config.signals.coverage),
    Signal("together", together, lambda e: e.profile.text * e.config.signals.coverage),
    Signal("verbatim", verbatim, lambda e: e.profile.text * e.config.signals.verbatim, _run_of),
    Signal("path-keyword", lambda e: e.in_path, lambda e: e.profile.path * e.config.signals.path_keyword),
    Signal("file-name", file_name, lambda e: e.profile.path * e.config.signals.file_name),
    Signal("definition", definitions, lambda e: e.config.signals.definition, _definition_of),
    Signal("symbol", symbol_names, lambda e: e.config.signals.symbol),
    Signal(
        "dep",
        _by_path(lambda e: lambda path: min(1.0, e.imported.get(path, (0.0, ""))[0])),
        lambda e: e.profile.dependency * e.config.signals.dependency,
        lambda e, at: f"dep:{e.imported[e.paths[at]][1]}",
    ),
    Signal(
        "near",
        proximity,
        lambda e: e.profile.proximity * e.config.signals.proximity,
        lambda e, at: f"near:{e.paths[at].rpartition('/')[0] or '.'}",
    ),
    Signal(
        "history",
        _by_path(lambda e: lambda path: e.votes[path].share if path in e.votes else 0.0),
        lambda e: e.config.signals.history,
        lambda e, at: e.votes[e.paths[at]].reason,
    ),
    Signal("changes", _by_path(lambda e: lambda path: e.busy.get(path, 0.0)), lambda e: e.config.signals.changes),
)
"""The signals whose shapes are fitted."""

SITUATION: tuple[Signal, ...] = (
    Signal("editing", _by_path(lambda e: lambda path: float(path in e.editing)), lambda e: e.profile.editing),
    Signal(
        "structural",
        _by_path(lambda e: lambda path: e.alike.get(path, 0.0)),
        lambda e: e.profile.structural * e.config.signals.structural,
    ),
    Signal(
        "recent",
        _by_path(lambda e: lambda path: e.recent.get(path, 0.0)),
        lambda e: e.profile.recent * e.config.signals.recent,
    ),
    Signal(
        "co-change",
        _by_path(lambda e: lambda path: e.together.get(path, 0.0)),
        lambda e: e.profile.cochange * e.config.signals.cochange,
    ),
    Signal(
        "frame",
        frames,
        lambda e: e.config.signals.frame,
        lambda e, at: frame_reason(nearest_frame(e, e.paths[at])[1]),
    ),
)
"""The signals of a situation (edited files, history, pasted output): no question of the fit has one, so their points
grow evenly with the measure."""

# --- places ------------------------------------------------------------------------------------------------------


def _beside_best(values: "Numbers", evidence: Evidence) -> "Numbers":
    """Return values relative to the best place of each file."""
    import numpy as np

    best = _best_of(values, evidence)
    return values / np.where(best > 0, best, 1.0)[evidence.owners]


def _cosine(evidence: Evidence) -> "Numbers":
    import numpy as np

    return np.maximum(0.0, evidence.cosines)


def _beside_all(values: "Numbers") -> "Numbers":
    return values / (float(values.max(initial=0.0)) or 1.0)


def _defining(evidence: Evidence) -> "Numbers":
    names = {**evidence.question.names, evidence.question.title: 1.0}
    keys = {
        known.key
        for found in evidence.definitions.values()
        for known in found
        if names.get(known.symbol.name.lower(), 0.0) == 1.0
    }
    return _numbers([place.key in keys for place in evidence.places])


def frame_points(evidence: Evidence) -> "Numbers":
    """Return the points of each place for what pasted output says of it."""
    return FRAME_PLACE * _numbers(
        nearest_frame(evidence, place.path, (place.start_line, place.end_line))[0] for place in evidence.places
    )


def touched(evidence: Evidence) -> "Numbers":
    """Return how much of its file's votes are for each place, by the name of its symbol."""
    found = []
    for place in evidence.places:
        vote = evidence.votes.get(place.path) if place.symbol else None
        found.append(vote.share * vote.symbols.get(place.symbol.rpartition(".")[2], 0.0) if vote else 0.0)
    return _numbers(found)


FRAME_PLACE = 60.0
"""Points of the place nearest the fault: more than all other signals of a place, less than a quoted phrase has."""
TESTS = frozenset({"test", "tests"})
"""Modules inside a file that hold its tests, as in Rust."""
LONG_PLACE = 64
"""Lines; a longer place is not better for it."""
LENGTHS = [min(1.0, log2(1 + lines) / log2(LONG_PLACE)) for lines in range(LONG_PLACE + 1)]
"""What so many lines are worth."""

PLACE_SIGNALS: tuple[Signal, ...] = (
    Signal("words in file", lambda e: _beside_best(e.lexical, e)),
    Signal("words", lambda e: _beside_all(e.lexical)),
    Signal("sense in file", lambda e: _beside_best(_cosine(e), e)),
    Signal("sense", lambda e: _beside_all(_cosine(e))),
    Signal("coverage", lambda e: e.shares),
    Signal("verbatim", _run_shares),
    Signal("defines", _defining),
    Signal("callable", lambda e: _numbers([place.kind in CALLABLES for place in e.places])),
    Signal("outside tests", lambda e: _numbers([place.symbol.partition(".")[0] not in TESTS for place in e.places])),
    Signal("no symbol", lambda e: _numbers([not place.symbol for place in e.places])),
    Signal("history", touched),
    Signal("length", lambda e: _numbers([LENGTHS[min(LONG_PLACE, p.end_line - p.start_line)] for p in e.places])),
)
"""The signals that choose between the places of a file."""


Outline = Counter[tuple[str, str]]
"""(kind, word) → how many symbols of that kind have the word in their name; the empty word counts all of the kind."""


def outline(symbols: Iterable[Symbol]) -> Outline:
    """Count the symbols by kind and by each word in their names."""
    pairs: Outline = Counter()
    for symbol in symbols:
        pairs[symbol.kind, ""] += 1
        pairs.update((symbol.kind, stem(word)) for word in split_identifier(symbol.name))
    return pairs


def likeness(one: Outline, other: Outline) -> float:
    """Return how similar two outlines are, from 0 (nothing in common) to 1 (equal)."""
    either = (one | other).total()
    return (one & other).total() / either if either else 0.0
