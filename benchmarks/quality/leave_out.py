"""Does the fit carry over? Every repository is asked with a table that was fitted without it."""

import tomllib
from collections.abc import Sequence
from typing import Any

from training.ranking.__main__ import TABLE, table
from training.ranking.cases import Case, measure
from training.ranking.fit import fit_files, fit_places, fold

from benchmarks.quality.answers import Answer, scores
from benchmarks.quality.metric import difference, overall
from benchmarks.quality.sets import GROUPS, MEASURES, Sets, as_asked


def left_out(sets: Sets, folds: int = 0) -> dict[str, Any]:
    """Compare the fit on everything with fits that leave out one repository, or one fold of them, at a time.

    A repository that is in several sets is left out of all of them.
    """
    asked = [one for name in GROUPS for one in sets.group(name)]
    cases = [measure(sets.ours(kind), as_asked(kind, one)) for kind, one in asked]
    on_all = fitted(cases)
    with_all = {name: sets.ask(sets.group(name), table=_read(on_all)) for name in GROUPS}
    without: dict[str, list[Answer]] = {name: [] for name in GROUPS}
    for names in groups(sorted({one.repository for _, one in asked}), folds):
        learnt = _read(fitted([case for case in cases if case.asked.repository not in names]))
        for name in GROUPS:
            without[name] += sets.ask(sets.group(name, only=names), table=learnt)
        print("  without", ", ".join(names), flush=True)
    return {
        "folds": folds,
        "shipped table is the fit on all": _read(on_all) == _order_of(_read(TABLE.read_text("utf-8"))),
        "groups": {name: _compared(name, with_all[name], without[name]) for name in GROUPS if with_all[name]},
    }


def fitted(cases: Sequence[Case]) -> str:
    """Return the table that the cases give."""
    return table(fit_files(cases), fit_places(cases))


def groups(names: Sequence[str], folds: int) -> list[list[str]]:
    """Return which repositories are left out together: each alone, or by fold."""
    if not folds:
        return [[name] for name in names]
    found = [[name for name in names if fold(name, folds) == number] for number in range(folds)]
    return [some for some in found if some]


def _read(text: str) -> Any:
    from msgspec import convert

    from shirube.engine.search.shapes import Shapes

    return convert(tomllib.loads(text), Shapes)


def _order_of(shipped: Any) -> Any:
    """Return the shipped table without the confidence, which is fitted after the order."""
    from shirube.codec import replace

    return replace(shipped, confidence={}, bias=0.0)


def _compared(name: str, with_all: list[Answer], without: list[Answer]) -> dict[str, Any]:
    ours, theirs = scores(without, MEASURES[name]), scores(with_all, MEASURES[name])
    return {
        "fitted on all": overall(theirs),
        "left out": overall(ours),
        "left out minus fitted on all": difference(ours, theirs),
    }
