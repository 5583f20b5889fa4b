"""Ranks files and their places: signals add points, a file's role multiplies them, and every point has a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shirube.engine.search.definitions import sought
from shirube.engine.search.evidence import Evidence
from shirube.engine.search.roles import Role, is_internal, role_of, superseded
from shirube.engine.search.shapes import Shapes
from shirube.engine.search.signals import (
    FILE_SIGNALS,
    PLACE_SIGNALS,
    SITUATION,
    Signal,
    frame_points,
    is_named,
    named_parts,
    nearest_frame,
)
from shirube.engine.search.verbatim import joined
from shirube.engine.store.port import Candidate
from shirube.types import Reason, Symbol

if TYPE_CHECKING:
    from shirube.engine.search.evidence import Numbers

NO_BOOST = "none"
QUOTED = 100.0
"""Points of a place with a quoted phrase: more than all signals together, so that it is the one shown."""
STRING, MESSAGE = 80.0, 2.0
"""Points of a place that has the string of the message asked for, and what its file gets, as a share of the best."""
HEAD = 20.0
"""Points that imports, a licence or the docstring of a module have less: no such place stands for its file."""
LEAST_FACTOR = 0.01
"""The smallest factor: a factor of 0 would remove the file, and the answer could falsely be "none"."""
SEED_IMPLEMENTATION = 1.5
"""The factor of an implementation in seed 001; the profiles' factors for roles are meant beside it."""
PLACE, LONG = 0.12, 6
"""In a question of so many words a file gains this share of the points of its best place, for each word."""
SEEN = 0.4
"""What a compound with an underscore, or a file's path, adds, as a share of the best file's score."""
MOST_LOST = 0.9
"""A negative bonus takes at most this share of a score: no file may vanish for what it is."""
TEXT = FILE_SIGNALS[:3]
"""What a file's text is worth by words and by sense: all that counts without a boost profile (D9)."""


class Ranked:
    """A ranked file: its score, its places, best first, and the reasons for the score, worked out when asked for."""

    def __init__(self, ranking: "FileScores", number: int) -> None:
        self._ranking, self.number = ranking, number
        self.path = ranking.evidence.paths[number]
        self.score = float(ranking.scores[number])
        self.role = ranking.roles[number]

    @cached_property
    def why(self) -> tuple[Reason, ...]:
        """Return the reasons; their points add up to the score."""
        return self._ranking.reasons(self.number)

    @cached_property
    def numbers(self) -> list[int]:
        """Return the numbers of its places, best first."""
        return self._ranking.places_of(self.number)

    @cached_property
    def chunks(self) -> tuple[Candidate, ...]:
        """Return its places, best first."""
        return tuple(self._ranking.evidence.places[at] for at in self.numbers)


@dataclass
class FileScores:
    """The points of all files and places of one question."""

    evidence: Evidence
    table: Shapes
    signals: Sequence[Signal]
    measures: "dict[str, Numbers]"
    """Signal → what it measures of each file."""
    points: "Numbers"
    """One row for each signal, one column for each file."""
    named: list[tuple[Reason, ...]]
    """What the question names outright of each file; its points are the last row."""
    factors: list[list[tuple[str, float]]]
    plus: "Numbers"
    """What the role of each file adds after that, where boosts are added (seed 001's ``context_bundle``).

    A file without a word of the question is given nothing."""
    lifts: list[tuple[Reason, ...]]
    """What phrases that each file has add after that."""
    scores: "Numbers"
    roles: list[Role]
    place_points: "Numbers"
    """The points of each place, by which the places of a file are ordered."""
    sought: Mapping[int, tuple[float, int]]
    """The places that define a name asked for, in their order: their scores, which are above all others, and lines."""

    def ranked(self) -> list[Ranked]:
        """Return the files with a score, best first; ties are broken by path."""
        paths, scores = self.evidence.paths, self.scores.tolist()
        order = sorted(range(len(paths)), key=lambda at: (-scores[at], paths[at]))
        return [Ranked(self, at) for at in order if scores[at] > 0]

    def reasons(self, number: int) -> tuple[Reason, ...]:
        """Return the reasons for a file's score."""
        found: dict[str, float] = {}
        for row, signal in enumerate(self.signals):
            if (points := float(self.points[row, number])) > 0:
                name = signal.named(self.evidence, number)
                name = "text:sense" if name == "text:whole" else name
                found[name] = found.get(name, 0.0) + points
        reasons = [*(Reason(name, points) for name, points in found.items()), *self.named[number]]
        total = float(self.points[:, number].sum())
        for name, factor in self.factors[number]:
            reasons.append(Reason(f"boost:{name}", total * (factor - 1), f"×{factor:.3g}"))
            total *= factor
        if plus := float(self.plus[number]):
            reasons.append(Reason(f"bonus:{self.roles[number].value}", plus))
        return (*reasons, *self.lifts[number])

    def places_of(self, number: int) -> list[int]:
        """Return the numbers of a file's places, best first; those with nothing of the question are left out."""
        points, places = self.place_points, self.evidence.places
        mine = sorted(self._places[number], key=lambda at: (-points[at], places[at].start_line, places[at].key))
        named = {*self.evidence.strings, *self.sought}
        telling = [at for at in mine if places[at].lexical > 0 or places[at].cosine or at in named]
        return list(dict.fromkeys([*self.framed(mine), *telling])) or mine[:1]

    def framed(self, numbers: Sequence[int]) -> list[int]:
        """Return those of some places that pasted output names."""
        if not self.evidence.frames:
            return []
        places = self.evidence.places
        spans = {at: (places[at].start_line, places[at].end_line) for at in numbers}
        return [at for at, span in spans.items() if nearest_frame(self.evidence, places[at].path, span)[0]]

    @cached_property
    def _places(self) -> list[list[int]]:
        """Return the numbers of all places of each file."""
        by_file: list[list[int]] = [[] for _ in self.evidence.paths]
        for at, owner in enumerate(self.evidence.owners.tolist()):
            by_file[owner].append(at)
        return by_file

    def count(self, ranked: Sequence[Ranked]) -> int:
        """Return how many places these files have."""
        import numpy as np

        evidence = self.evidence
        counted = (evidence.lexical > 0) | (evidence.cosines != 0)
        places = np.bincount(evidence.owners, weights=counted, minlength=len(evidence.paths))
        return int(np.maximum(places, 1)[[file.number for file in ranked]].sum())


def rank(evidence: Evidence, table: Shapes, plain: bool = False, additive: bool = False) -> FileScores:
    """Weigh all files; ``plain`` uses the text alone, ``additive`` counts the bonus of each role as well."""
    import numpy as np

    signals = TEXT if plain else (*FILE_SIGNALS, *(signal for signal in SITUATION if _applies(signal, evidence)))
    points = np.zeros((len(signals) + 1, len(evidence.paths)))
    measures = {signal.name: signal.measure(evidence) for signal in signals}
    for row, signal in enumerate(signals):
        points[row] = signal.weight(evidence) * table.points(table.files.get(signal.name), measures[signal.name])
    points *= evidence.question.words
    question = evidence.question
    names = not plain and bool(question.phrases or question.paths or question.segments)
    named: list[tuple[Reason, ...]] = [tuple(named_parts(evidence, path)) if names else () for path in evidence.paths]
    points[-1] = [sum(reason.points for reason in parts) for parts in named] if names else 0.0
    roles = [role_of(path, language) for path, language in zip(evidence.paths, evidence.languages, strict=True)]
    outdated = superseded(evidence.paths) if not plain else frozenset()
    factors = [[] for _ in roles] if plain else _factors(evidence, roles, outdated, table)
    scores = points.sum(axis=0)
    for number, some in enumerate(factors):
        for _, factor in some:
            scores[number] *= factor
    plus = np.zeros(len(scores))
    if additive:
        bonus = np.array([evidence.boosts.plus.get(role, 0.0) for role in roles])
        plus = np.maximum(np.where(evidence.words > 0, bonus, np.minimum(bonus, 0.0)), -MOST_LOST * scores)
    scores = scores + plus
    lifts: list[tuple[Reason, ...]] = [()] * len(roles)
    if names or (evidence.strings and not plain):
        lifts = _lifts(evidence, float(scores.max(initial=0.0)))
    scores = scores + np.array([sum(reason.points for reason in some) for some in lifts])
    definitions = () if plain else _sought(evidence)
    by_place = _place_points(evidence, table)
    if question.words >= LONG and not (plain or evidence.strings or evidence.frames):
        best_places = np.zeros(len(scores))
        np.maximum.at(best_places, evidence.owners, by_place)
        gains = PLACE * question.words * best_places
        scores = scores + gains
        lifts = [(*some, Reason("place", gain)) for some, gain in zip(lifts, gains.tolist(), strict=True)]
    by_place = by_place + _outright(evidence)
    best, sought = float(scores.max(initial=0.0)) or 1.0, dict[int, tuple[float, int]]()
    for rank, (at, symbol) in enumerate(definitions):
        score = best * (2 - rank / len(definitions))
        sought[at] = score, symbol.start_line
        by_place[at] += QUOTED * score
        if scores[owner := evidence.owners[at]] < score:
            lifts[owner] = (*lifts[owner], Reason(f"name:{symbol.qualified}", score - float(scores[owner])))
            scores[owner] = score
    return FileScores(
        evidence, table, signals, measures, points, named, factors, plus, lifts, scores, roles, by_place, sought
    )


def _place_points(evidence: Evidence, table: Shapes) -> "Numbers":
    """Return what the signals say of each place."""
    import numpy as np

    total = -HEAD * np.array([place.kind == "head" for place in evidence.places], dtype=float)
    for signal in PLACE_SIGNALS:
        total += table.points(table.places.get(signal.name), signal.measure(evidence))
    return total


def _outright(evidence: Evidence) -> "Numbers":
    """Return the points of each place for what names it outright: pasted output, a quoted phrase."""
    import numpy as np

    total = frame_points(evidence) if evidence.frames else np.zeros(len(evidence.places))
    for at, surety in evidence.strings.items():
        total[at] += STRING * surety
    return total + QUOTED * np.array([place.key in evidence.written for place in evidence.places], dtype=float)


def _sought(evidence: Evidence) -> list[tuple[int, Symbol]]:
    """Return the places that define a name asked for, in order; what pasted output names comes before any name."""
    if evidence.frames or not evidence.definitions:
        return []
    numbers = {place.key: at for at, place in enumerate(evidence.places)}
    first: dict[int, Symbol] = {}
    for one in sought(evidence):
        first.setdefault(one.key, one.symbol)
    return [(numbers[key], symbol) for key, symbol in first.items() if key in numbers]


def _applies(signal: Signal, evidence: Evidence) -> bool:
    """Tell whether a signal of the situation can apply: most questions have no edited file."""
    known = {
        "editing": evidence.editing,
        "structural": evidence.alike,
        "recent": evidence.recent,
        "co-change": evidence.together,
        "frame": evidence.frames,
    }
    return bool(known[signal.name])


def _lifts(evidence: Evidence, best: float) -> list[tuple[Reason, ...]]:
    """Return what phrases and paths add to each file, beside the best file's score: quoted phrases put it first.

    A compound with an underscore is a name that somebody saw in the code, and a path is one that somebody saw in the
    tree, so files that have them are preferred.
    """
    question = evidence.question
    named = [(phrase.text, "phrase", 1.0) for phrase in question.phrases if phrase.first]
    if not evidence.frames:  # the places that output names come before the names in it
        named += [(phrase.text, "compound", SEEN) for phrase in question.phrases if phrase.is_snake]
    strings = _strings(evidence) if not evidence.frames else {}
    lifts = []
    for number, path in enumerate(evidence.paths):
        shares = [*strings.get(number, ())]
        shares += [(kind, text, weight * evidence.phrases.get(text, {}).get(path, 0.0)) for text, kind, weight in named]
        shares += [("file", whole, SEEN) for whole in question.files if f"/{path.lower()}".endswith(f"/{whole}")]
        lifts.append(tuple(Reason(f"{kind}:{text}", best * share) for kind, text, share in shares if share))
    return lifts


def _strings(evidence: Evidence) -> dict[int, list[tuple[str, str, float]]]:
    """Return what having the message's string adds to each file that has it."""
    found: dict[int, list[tuple[str, str, float]]] = {}
    for at, surety in sorted(evidence.strings.items(), key=lambda one: one[1]):
        found[int(evidence.owners[at])] = [("message", f'"{joined(evidence.runs[at].words)}"', MESSAGE * surety)]
    return found


def _factors(
    evidence: Evidence, roles: Sequence[Role], outdated: frozenset[str], table: Shapes
) -> list[list[tuple[str, float]]]:
    """Return the factors for each file's role, age and privacy; a file that the question names gets no penalty."""
    found = []
    known: dict[tuple[Role, bool, bool, bool], list[tuple[str, float]]] = {}
    may_name = evidence.editing or evidence.frames or evidence.question.paths
    for path, role in zip(evidence.paths, roles, strict=True):
        named = bool(may_name) and _is_named(evidence, path)
        kind = role, path in outdated, is_internal(path), named
        if (factors := known.get(kind)) is None:
            factors = known[kind] = _factors_of(evidence, table, *kind)
        if path in evidence.learned:
            learned = max(LEAST_FACTOR, 1 + evidence.learned[path])
            factors = [*factors, ("learned", learned)] if learned != 1.0 else factors
        found.append(factors)
    return found


def _factors_of(
    evidence: Evidence, table: Shapes, role: Role, outdated: bool, internal: bool, named: bool
) -> list[tuple[str, float]]:
    boosts = evidence.boosts
    wanted = evidence.profile.roles.get(role, 0.0) * boosts.implementation / SEED_IMPLEMENTATION
    factor = max(getattr(boosts, role) * table.roles.get(role, 1.0), wanted)
    factors = [(role.value, max(factor, boosts.implementation) if named else factor)]
    if outdated and not named:
        factors.append(("superseded", boosts.superseded * table.roles.get("superseded", 1.0)))
    if internal and not named:
        factors.append(("internal", boosts.internal * table.roles.get("internal", 1.0)))
    return [(name, max(LEAST_FACTOR, factor)) for name, factor in factors if factor != 1.0]


def _is_named(evidence: Evidence, path: str) -> bool:
    given = path in evidence.editing or path in evidence.frames
    return given or is_named(evidence, path)
