"""Fitting similarity: right on pairs made by hand."""

import pytest
from benchmarks.similarity.__main__ import judge, report
from benchmarks.similarity.curve import fit, held_out, reliability, weights
from benchmarks.similarity.pairs import Pair


@pytest.fixture
def pairs() -> list[Pair]:
    """Return two projects in which true pairs stand four steps up, and one of five goes against the rule."""
    rows = []
    for name in ("a", "b", "c"):
        for group, count in (("english", 20), ("japanese", 10)):
            rows += [Pair(name, group, 4.0 if n % 5 else 1.0, True) for n in range(count)]
            rows += [Pair(name, group, 0.0 if n % 5 else 3.0, False) for n in range(count)]
    return rows


def test_every_group_and_both_answers_weigh_alike(pairs):
    weight = weights(pairs)
    cells = {(group, true) for group in ("english", "japanese") for true in (True, False)}
    for cell in cells:
        assert sum(w for w, p in zip(weight, pairs, strict=True) if (p.group, p.true) == cell) == pytest.approx(0.25)


def test_the_curve_says_what_is_true(pairs):
    slope, bias = fit(pairs)
    assert slope > 0
    assert -bias / slope == pytest.approx(2.0, abs=0.2)


def test_a_project_is_judged_by_the_others(pairs):
    odd = [Pair("odd", "english", 4.0, False) for _ in range(60)] + [
        Pair("odd", "english", 0.0, True) for _ in range(60)
    ]
    said = held_out([*pairs, *odd])[len(pairs) :]
    assert min(said[:60]) > 0.5 > max(said[60:])


def test_bins_hold_what_was_said_and_what_was_true(pairs):
    rows = reliability(pairs, [0.95 if pair.steps >= 3 else 0.05 for pair in pairs])
    assert [(row["said"], round(row["true"], 2)) for row in rows] == [
        (pytest.approx(0.05), 0.2),
        (pytest.approx(0.95), 0.8),
    ]
    assert sum(row["share"] for row in rows) == pytest.approx(1.0)


def test_the_report_names_the_curve(pairs):
    text = report({"names": judge(pairs)}, "static-1", "2026-01-31")
    assert "names: slope" in text
    assert "| 0.6 |" in text
