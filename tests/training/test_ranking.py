"""The fit of the ranking: what it learns from a few made-up questions, and that it is the same each time."""

import numpy as np
import pytest
from training.ranking.__main__ import TABLE, table
from training.ranking.cases import AT, STRANGER, Asked, Case, FirstPlace, strangers
from training.ranking.confidence import fit_confidence
from training.ranking.fit import basis, fit_files, fit_places, fold, kind_weights

from shirube.engine.search.shapes import shapes
from shirube.engine.search.signals import FILE_SIGNALS, PLACE_SIGNALS

FILES, PLACES = len(FILE_SIGNALS), len(PLACE_SIGNALS)


def case(repository: str, number: int, kind: str = "place") -> Case:
    """Return a question whose right file has the first signal, and whose right place the second; the rest is noise."""
    noise = np.random.default_rng(number)
    files, places = noise.random((6, FILES)), noise.random((12, PLACES))
    right, hit = np.arange(6) == 2, np.arange(12) == 5
    files[:, 0], places[:, 1] = right * 0.9, hit * 0.9
    asked = Asked(kind, repository, f"question {number}", ("a.py",), (("a.py", 3),))
    return Case(asked, files, np.zeros(6), np.ones(6), [("test",)] * 6, np.arange(12) // 2, places, right, hit)


CASES = [case(f"r{number % 3}", number) for number in range(30)]


def test_the_signal_that_tells_right_from_wrong_gets_the_points():
    fitted = fit_files(CASES)
    spans = fitted.shapes.reshape(FILES, -1).sum(axis=1)
    assert spans.argmax() == 0
    assert all(fitted.scores(one).argmax() == 2 for one in CASES)
    of_places = fit_places(CASES).reshape(PLACES, -1).sum(axis=1)
    assert of_places.argmax() == 1


def test_the_same_cases_give_the_same_table():
    answers = [FirstPlace(one.asked, (float(at % 2),) * 9, bool(at % 2), 0.0) for at, one in enumerate(CASES)]
    first, second = (table(fit_files(CASES), fit_places(CASES), fit_confidence(answers)) for _ in range(2))
    assert first == second
    assert TABLE.read_text("utf-8").split("\n")[:8] == first.split("\n")[:8]


def test_every_kind_counts_by_its_share_and_every_repository_of_it_alike():
    few, many = [case("a", 1)], [case("b", number) for number in range(9)]
    weights = kind_weights([*few, *many, case("a", 2, "message")], {"place": 1.0, "message": 3.0})
    assert weights[0] == pytest.approx(0.5)
    assert weights[1:10].sum() == pytest.approx(0.5)
    assert weights[10] == 3.0


def test_a_measure_reaches_into_the_spans_below_it():
    assert basis(np.array([[0.0], [0.2], [1.0]])).sum(axis=1).tolist() == [0.0, 1.0, len(AT) - 1.0]


def test_strangers_are_asked_where_nothing_answers_them():
    asked = [Asked("place", name, "q", ("a.py",)) for name in ("a", "b", "c", "a", "b", "c")]
    found = strangers(asked)
    assert [(one.kind, one.repository, one.files) for one in found] == [(STRANGER, "b", ()), (STRANGER, "b", ())]


def test_a_repository_is_in_the_same_fold_by_any_spelling_of_its_name():
    assert fold("Alamofire", 5) == fold("alamofire", 5)


def test_the_shipped_table_is_what_the_program_reads():
    assert set(shapes().files) == {signal.name for signal in FILE_SIGNALS}
    assert set(shapes().places) == {signal.name for signal in PLACE_SIGNALS}
