"""BM25 over tokens."""

from math import log

import pytest

from shirube.engine.text.bm25 import Bm25, idf, saturation


def test_the_formula_is_the_seed_s():
    assert idf(10, 1) == pytest.approx(log((10 - 1 + 0.5) / (1 + 0.5) + 1))
    assert saturation(1, 10, 10.0) == pytest.approx(1.0)
    assert saturation(3, 10, 10.0) == pytest.approx(3 * 2.2 / (3 + 1.2))
    assert saturation(1, 20, 10.0) < 1.0


def test_a_score_computed_by_hand():
    index: Bm25[str] = Bm25()
    index.add("a", ["git", "commit"])
    index.add("b", ["git", "push", "remote"])
    average = 2.5
    expected = idf(2, 1) * saturation(1, 2, average) + idf(2, 2) * saturation(1, 2, average)
    assert index.scores(["git", "commit"])["a"] == pytest.approx(expected)


def test_a_repeated_term_counts_again_and_an_unknown_one_not_at_all():
    index: Bm25[str] = Bm25()
    index.add("a", ["x"])
    assert index.scores(["x", "x"])["a"] == pytest.approx(2 * index.scores(["x"])["a"])
    assert index.scores(["y"]) == {}
    assert Bm25().scores(["x"]) == {}


def test_removing_a_document_leaves_what_would_be_without_it():
    with_it, without = Bm25(), Bm25()
    for key, tokens in (("a", ["x", "y"]), ("b", ["x"]), ("c", ["z", "z"])):
        with_it.add(key, tokens)
        if key != "b":
            without.add(key, tokens)
    with_it.remove("b")
    with_it.remove("never there")
    assert with_it.scores(["x", "z"]) == without.scores(["x", "z"])
    assert len(with_it) == 2


def test_a_term_counts_for_what_it_is_worth():
    index: Bm25[str] = Bm25()
    index.add("a", ["x", "y"])
    one = index.scores({"x": 1.0})["a"]
    assert index.scores({"x": 2.0, "y": 0.5})["a"] == pytest.approx(2.5 * one)


def test_the_documents_that_have_every_term_are_told():
    index: Bm25[str] = Bm25()
    index.add("a", ["x", "y"])
    index.add("b", ["x"])
    assert index.having(["x"]) == {"a", "b"}
    assert index.having(["x", "y"]) == {"a"}
    assert index.having(["x", "z"]) == set()
    assert index.having([]) == set()
