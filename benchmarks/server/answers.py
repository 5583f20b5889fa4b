"""Whether both stores answer alike: every development question asked of both, with the same labels and tables."""

from argparse import Namespace
from contextlib import closing
from typing import Any

from benchmarks.quality.answers import Answer, scores, share
from benchmarks.quality.metric import overall
from benchmarks.quality.sets import GROUPS, MEASURES, Sets, read_sets
from benchmarks.server.places import Places, environment
from shirube.deadline import Deadline

TIE = 1e-4
"""Scores no further apart than this count as equal: single precision, and rounding of the last digit that is shown."""
Hits = list[tuple[str, int, int, float]]
"""Path, first line, last line and score."""


def compare(places: Places, options: Namespace) -> dict[str, Any]:
    """Return for each kind of question its quality here and there, and how alike the first ten are."""
    both = {}
    for place in ("here", "there"):
        print(" ", place, flush=True)
        settings = places.settings(place)
        names = {f"SHIRUBE_{name.upper().replace('.', '_')}": str(value) for name, value in settings.items()}
        folder = places.folder / "answers" / place
        with environment(folder, names):
            sets = read_sets(options.bench, options.commits, options.errors, options.only, str(folder / "cache"))
            with closing(sets):
                both[place] = {name: _asked(sets, name) for name in GROUPS}
    assert places.bytes(), "the server was asked"
    here, there = both["here"], both["there"]
    return {name: _row(name, here[name], there[name]) for name in GROUPS if here[name][0]}


def _asked(sets: Sets, name: str) -> tuple[list[Answer], list[Hits]]:
    """Return the answers of a group, for its measure, and the hits in their order."""
    answers, hits = [], []
    for kind, one in sets.group(name):
        with Deadline().governing():
            found = sets.ours(kind).found(one, mode="auto").hits
        hits.append([(hit.path, hit.start_line, hit.end_line, hit.score) for hit in found])
        answers.append(Answer(one, tuple(_places(hits[-1]))))
    return answers, hits


def _row(name: str, here: tuple[list[Answer], list[Hits]], there: tuple[list[Answer], list[Hits]]) -> dict[str, Any]:
    measure = MEASURES[name]
    is_mean_of_means = name not in ("messages", "places")
    quality = [
        overall(scores(answers, measure)) if is_mean_of_means else share(answers, measure)
        for answers, _ in (here, there)
    ]
    pairs = list(zip(here[1], there[1], strict=True))
    different = [(ours, theirs) for ours, theirs in pairs if _places(ours) != _places(theirs)]
    return {
        "questions": len(pairs),
        "here": quality[0],
        "there": quality[1],
        "first hit equal": sum(_places(ours[:1]) == _places(theirs[:1]) for ours, theirs in pairs),
        "first ten equal": len(pairs) - len(different),
        "differ by ties": sum(_is_tie(ours, theirs) for ours, theirs in different),
        "differ otherwise": sum(not _is_tie(ours, theirs) for ours, theirs in different),
    }


def _places(hits: Hits) -> list[tuple[str, int, int]]:
    return [hit[:3] for hit in hits]


def _is_tie(ours: Hits, theirs: Hits) -> bool:
    """Tell whether the scores are the same place by place, so that only the order among equals differs."""
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all(abs(one[3] - other[3]) <= TIE for one, other in pairs)
