"""Fitting: the best first, never above the budget, neighbours joined, and what is left out is said."""

import random

import pytest

from shirube.errors import SmallBudget
from shirube.features.lookup.context.fit import Offer, Offers, Room, SourceFiles, fit
from shirube.types import Reason
from tests.cases import for_each
from tests.features.lookup.context.conftest import store_of

FILES = {
    f"m{number}.py": "".join(
        f'def job_{number}_{one}(value):\n    """Do {one}."""\n    total = value + {one}\n'
        f"    while total < {one}:\n        total += 1\n    return total\n\n\n"
        for one in range(12)
    )
    for number in range(3)
}
STORE = store_of(FILES)


def offers(points: dict[tuple[str, int], float]) -> list[Offer]:
    """Return offers of the piece at each (path, line)."""
    made = Offers()
    pages = SourceFiles(STORE)
    for (path, line), worth in points.items():
        made.add(path, pages.piece_at(path, line), [Reason("text:words", worth)], line)
    return made.ranked()


def test_the_most_valuable_comes_first_and_the_budget_holds():
    ranked = offers({("m0.py", 1): 0.2, ("m1.py", 1): 0.9, ("m2.py", 1): 0.5})
    taken, left, total = fit(ranked, SourceFiles(STORE), Room(115, 50, 1.0))
    assert [snippet.path for snippet in taken] == ["m1.py", "m2.py"]
    assert sum(snippet.tokens for snippet in taken) <= 115
    assert ([one.path for one in left], total, left[0].reason) == (["m0.py"], 1, "budget")
    assert left[0].tokens > 20


@pytest.mark.requirement("001-BUNDLE-04")
def test_neighbours_become_one_snippet_with_the_reasons_of_both():
    ranked = offers({("m0.py", 1): 0.4, ("m0.py", 9): 0.9, ("m1.py", 1): 0.6})
    taken, _, _ = fit(ranked, SourceFiles(STORE), Room(2000, 50, 1.0))
    assert [(one.path, one.start, one.end, one.symbol) for one in taken] == [
        ("m0.py", 1, 14, "job_0_0, job_0_1"),
        ("m1.py", 1, 6, "job_1_0"),
    ]
    assert taken[0].score == 0.9


def test_no_more_snippets_than_asked_for():
    ranked = offers({(f"m{number}.py", 1): 1.0 - number / 10 for number in range(3)})
    taken, left, _ = fit(ranked, SourceFiles(STORE), Room(10_000, 2, 1.0))
    assert len(taken) == 2
    assert [one.reason for one in left] == ["limit"]


def test_what_is_joined_counts_once_and_may_still_grow_where_the_limit_is_reached():
    ranked = offers({("m0.py", 1): 0.9, ("m0.py", 9): 0.8, ("m1.py", 1): 0.7, ("m2.py", 1): 0.6, ("m1.py", 9): 0.5})
    taken, left, total = fit(ranked, SourceFiles(STORE), Room(2000, 2, 1.0))
    assert [(one.path, one.symbol) for one in taken] == [("m0.py", "job_0_0, job_0_1"), ("m1.py", "job_1_0, job_1_1")]
    assert ([(one.path, one.reason) for one in left], total) == ([("m2.py", "limit")], 1)


def test_a_function_without_the_comment_above_it_is_whole():
    text = "".join(f"# note {number} about the next function\n" for number in range(30)) + "def f(x):\n    return x\n"
    pages = SourceFiles(store_of({"a.py": text}))
    made = Offers()
    made.add("a.py", pages.piece_at("a.py", 31), [Reason("text:words", 1.0)], 31)
    (taken,), _, _ = fit(made.ranked(), pages, Room(70, 5, 1.0))
    assert (taken.start > 1, taken.end, taken.whole) == (True, 32, True)


@for_each("focus", [1, 9])
def test_the_comment_above_a_function_is_cut_before_its_code(focus: int):
    comment = "".join(f"# Tells in many words, of which this is line {at}, what is done.\n" for at in range(12))
    body = "".join(f"    step_{at} = compute({at})\n" for at in range(40))
    pages = SourceFiles(store_of({"a.py": f"{comment}def run():\n{body}    return step_0\n"}))
    (piece,) = pages.pieces("a.py")
    found = Offers()
    found.add("a.py", piece, [Reason("text:words", 1.0)], focus)
    (taken,), _, _ = fit(found.ranked(), pages, Room(250, 10, 1.0))
    assert pages.text("a.py", taken.start, taken.end).startswith("def run():\n    step_0")
    assert not taken.whole


def test_a_cut_does_not_end_with_the_comment_of_what_follows():
    body = "".join(f"    step_{at} = compute({at})\n" for at in range(9))
    notes = "".join(f"    # Step {at} of what follows.\n" for at in range(30))
    pages = SourceFiles(store_of({"a.py": f"def run():\n{body}\n{notes}    return step_0\n"}))
    made = Offers()
    made.add("a.py", pages.piece_at("a.py", 1), [Reason("text:words", 1.0)])
    (taken,), _, _ = fit(made.ranked(), pages, Room(200, 5, 1.0))
    assert pages.lines("a.py")[taken.end - 1] == "    step_8 = compute(8)"


def test_something_long_is_cut_to_its_share_around_its_point():
    store = store_of({"a.py": "def f():\n" + "    x = 1\n" * 150 + "    needle = 2\n" + "    y = 1\n" * 40 + "\n"})
    made = Offers()
    piece = next(one for one in store.pieces("a.py") if one.start_line <= 152 <= one.end_line)
    made.add("a.py", piece, [Reason("artifact:output:152", 2.0)], 152)
    (taken,), _, _ = fit(made.ranked(), SourceFiles(store), Room(400, 9, 0.35))
    assert not taken.whole
    assert taken.tokens <= 140
    assert taken.start <= 152 <= taken.end


@pytest.mark.requirement("N001-BUNDLE-03")
def test_a_budget_in_which_nothing_fits_is_refused_and_the_named_one_is_enough():
    ranked = offers({("m0.py", 1): 1.0})
    with pytest.raises(SmallBudget) as refused:
        fit(ranked, SourceFiles(STORE), Room(5, 9, 0.35))
    smallest = refused.value.smallest
    assert str(smallest) in refused.value.hint
    taken, _, _ = fit(ranked, SourceFiles(STORE), Room(smallest, 9, 0.35))
    assert 0 < taken[0].tokens <= smallest
    with pytest.raises(SmallBudget):
        fit(ranked, SourceFiles(STORE), Room(smallest - 1, 9, 0.35))


def test_nothing_to_show_is_no_error():
    assert fit([], SourceFiles(STORE), Room(1, 1, 1.0)) == ((), (), 0)


def test_any_mixture_stays_within_its_budget_shows_nothing_twice_and_loses_nothing(seed: int):
    chance = random.Random(seed)
    for _ in range(60):
        places = {
            (chance.choice(list(FILES)), chance.randrange(1, 94)): chance.random()
            for _ in range(chance.randrange(1, 25))
        }
        ranked = offers(places)
        budget = chance.randrange(60, 2500)
        taken, left, total = fit(ranked, SourceFiles(STORE), Room(budget, 50, chance.uniform(0.2, 1.0)))
        assert sum(one.tokens for one in taken) <= budget
        shown = [(one.path, line) for one in taken for line in range(one.start, one.end + 1)]
        assert len(shown) == len(set(shown))
        assert total >= len(left)
        assert all(taken[n].score >= taken[n + 1].score for n in range(len(taken) - 1))
