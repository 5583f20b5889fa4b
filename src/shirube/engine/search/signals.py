"""The signals that rank a file: plain functions that yield named reasons with points.

As in seed 001, each meaningful word of the question is worth one point. So the best text gets as many points as there
are words, and most other signals are multiplied by the number of words as well. The weights, including those of seed
001, are in ``defaults.toml``. ``CONTRIBUTING.md`` explains how to add a signal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from shirube.engine.search.evidence import Evidence, FileMatch
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import split_identifier
from shirube.types import BIG_KINDS, Reason, Symbol

Signal = Callable[[Evidence, FileMatch], Iterator[Reason]]

WHOLE_PATHS = frozenset({"module", "namespace", "protocol", "section"})
"""Kinds whose scope is part of their own name (``Ecto.Query``) or a position in a text, not something around them."""


def text(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score the text of the file's chunks, by words and by sense."""
    weight = evidence.profile.text * evidence.question.words
    for reason in match.text:
        yield Reason(reason.name, weight * reason.points)


def phrases(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score quoted phrases and compounds that occur as written."""
    points = evidence.profile.text * evidence.config.signals.phrase
    for phrase, shares in evidence.phrases.items():
        if match.path in shares:
            yield Reason(f"phrase:{phrase}", points * shares[match.path])


def path_words(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score phrases, segments and words of the question that occur in the path."""
    weight, signals, path = evidence.profile.path, evidence.config.signals, match.path.lower()
    for phrase in evidence.question.phrases:
        if phrase.text.lower() in path:
            yield Reason(f"path-phrase:{phrase.text}", weight * signals.path_phrase)
    for named in evidence.question.paths:
        if any(form.endswith(f"/{named}/") for form in _forms(path)):
            yield Reason(f"path:{named}", weight * signals.path_phrase)
    for segment in named_segments(evidence, match.path):
        yield Reason(f"path-segment:{segment}", weight * signals.path_segment)
    if match.place > 0:
        yield Reason(
            "path-keyword", weight * signals.path_keyword * evidence.question.words * match.place * _KEYWORD_UNIT
        )


_KEYWORD_UNIT = 1 / (1.5 * 0.5)
"""A path that matches as well as the best text gets 1.0 under seed 001's weights (1.5 × 0.5)."""


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


def definitions(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score a file that defines exactly the name asked for."""
    signals, question = evidence.config.signals, evidence.question
    best, named = 0.0, ""
    for definition in match.definitions:
        symbol, name = definition.symbol, definition.symbol.name.lower()
        is_title = name == question.title
        weight = signals.bare_definition if question.bare or is_title else signals.definition
        points = weight * question.words * (1.0 if is_title else question.names.get(name, 0.0))
        if symbol.kind not in BIG_KINDS and not is_title:
            points *= signals.small_definition
        if not is_title and symbol.name != question.spelled.get(name, "") and name not in question.spelled.values():
            points *= signals.other_capitals
        outer, inside = question.scopes.get(name), symbol.scope and symbol.kind not in WHOLE_PATHS
        if outer not in symbol.scope.lower().split(".") and (outer or inside):
            points *= signals.nested_definition
        if points > best:
            best, named = points, symbol.qualified
    if best > 0:
        yield Reason(f"definition:{named}", best)


def editing(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score a file that is being edited."""
    if match.path in evidence.editing:
        yield Reason("editing", evidence.profile.editing * evidence.question.words)


def dependency(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score a file that the best or the edited files import."""
    share, source = evidence.imported.get(match.path, (0.0, ""))
    if share and evidence.profile.dependency:
        weight = evidence.profile.dependency * evidence.config.signals.dependency
        yield Reason(f"dep:{source}", weight * share * evidence.question.words)


def proximity(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score a file in the same directory as one of the best or edited files."""
    directory = match.path.rpartition("/")[0]
    near = evidence.near.get(directory, 0.0)
    if near and evidence.profile.proximity:
        weight = evidence.profile.proximity * evidence.config.signals.proximity
        yield Reason(f"near:{directory or '.'}", weight * near * evidence.question.words)


def structural(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score a file that defines the same kinds of things, with the same words in their names, as an edited file."""
    if alike := evidence.alike.get(match.path, 0.0):
        yield Reason(
            "structural",
            evidence.profile.structural * evidence.config.signals.structural * alike * evidence.question.words,
        )


def history(evidence: Evidence, match: FileMatch) -> Iterator[Reason]:
    """Score a file that changed recently, or that usually changes together with an edited file."""
    profile, signals = evidence.profile, evidence.config.signals
    if profile.recent and (fresh := evidence.recent.get(match.path, 0.0)):
        yield Reason("recent", profile.recent * signals.recent * fresh * evidence.question.words)
    if share := evidence.together.get(match.path, 0.0):
        yield Reason("co-change", profile.cochange * signals.cochange * share * evidence.question.words)


SIGNALS: tuple[Signal, ...] = (
    text,
    phrases,
    path_words,
    definitions,
    editing,
    dependency,
    proximity,
    structural,
    history,
)


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
