import pytest

from shirube.features.plan.evaluate import keywords_of
from shirube.features.plan.refine import NAME, read_whole

WORDS = keywords_of(["session", "expiry"], lambda terms: (10, dict.fromkeys(terms, 2)))


def test_a_file_full_of_the_words_is_worth_more_than_one_that_has_them_once():
    texts = {"a.py": "session expiry session expiry", "b.py": "session expiry " + "other " * 50}
    worth = read_whole(texts, WORDS, ())
    assert worth["a.py"] == 1.0
    assert worth["b.py"] < worth["a.py"]


def test_the_name_of_a_file_counts_by_its_share():
    worth = read_whole({"x/session_store.py": "", "x/session.py": ""}, WORDS, ())
    assert worth == {"x/session_store.py": pytest.approx(NAME / 3, abs=0.2), "x/session.py": NAME}


def test_the_share_a_file_has_in_other_orders_is_added():
    worth = read_whole({"a.py": "", "b.py": ""}, WORDS, ({"a.py": 1.0}, {"a.py": 0.5, "b.py": 1.0}))
    assert worth == {"a.py": 1.5, "b.py": 1.0}


def test_no_files_are_no_trouble():
    assert read_whole({}, WORDS, ()) == {}
