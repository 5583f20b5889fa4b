"""The runner for plans: its parts, on a project small enough for a test."""

from benchmarks.plans.__main__ import bins
from benchmarks.plans.goals import SUFFIXES, Ran, fixed_suffixes
from benchmarks.plans.report import markdown

from shirube.features.plan.evaluate import keywords_of
from shirube.features.plan.record import Expectation, RefinementStrategy
from shirube.features.plan.refine import Progress, ProjectAccess


def ran(confidence, right):
    return Ran(("a",), confidence, 1, 0.1, "confident", right)


def test_said_and_true_are_compared_tenth_by_tenth():
    table = bins([ran(0.95, True), ran(1.0, True), ran(0.12, False), ran(0.18, True)])
    assert [row["plans"] for row in table["bins"]] == [2, 2]
    assert table["bins"][0] == {"said": 0.15, "true": 0.5, "plans": 2}


def test_the_fixed_suffixes_are_added_one_after_another_and_come_to_an_end():
    access = ProjectAccess(None, lambda terms: (1, {}), None, None, None)
    words = keywords_of((), access.frequencies)

    def view(turns):
        return Progress("goal", Expectation(), words, RefinementStrategy(), access, lists=({},) * turns)

    assert fixed_suffixes(view(1)).text == f"goal {SUFFIXES[0]}"
    assert fixed_suffixes(view(2)).text == f"goal {SUFFIXES[0]} {SUFFIXES[1]}"
    assert fixed_suffixes(view(5)) is None


def test_the_page_names_every_number():
    row = {"ndcg": 0.9, "worst half": 0.8, "worst half, every goal alike": 0.79}
    part = {
        "rows": {"plain search": row},
        **dict.fromkeys(("plans minus plain", "plans minus fixed", "plans minus fixed, worst half"), (0.01, 0.0, 0.02)),
        "iterations": {"plans": 2, "fixed": 3},
        "seconds": {"plans": 0.1, "fixed": 0.1},
        "stopped": {"confident": 3},
        "reliability": bins([ran(0.9, True)]),
    }
    given = {
        **dict.fromkeys(
            ("reached", "reached in three", "right when reached", "right at all", "strangers that were sure"), 0.9
        ),
        **{"goals": 3, "iterations": 2.0, "seconds": 0.1, "strangers": 1, "reliability": bins([ran(0.9, True)])},
    }
    memory = dict.fromkeys(
        ("first cpu seconds", "second cpu seconds", "second as a share of the first", "same answer"), 1
    )
    results = {
        **{"goals": 3, "date": "today", "machine": "m", "without expectations": part, "japanese": part},
        "with expectations": given,
        "memory": {"project": "p", "goals": 2, "new after an edit": 2, **memory},
        "deadline": {"allowed seconds": 10, "seconds": 10.1, "status": "partial", "turns": 2, "turns with results": 1},
    }
    page = markdown(results)
    assert "| plain search | 0.9000 | 0.8000 | 0.7900 |" in page
    assert "+0.0100 [+0.0000, +0.0200]" in page
    assert "`partial`, 1 of 2 turns" in page
