"""The loop that stands for many small tests."""

import inspect

import pytest

from tests.cases import for_each


def test_every_case_runs_and_each_that_is_wrong_is_named():
    seen = []

    @for_each(("word", "length"), [("a", 1), ("ab", 3), ("abc", 4)])
    def check(word, length):
        seen.append(word)
        assert len(word) == length

    with pytest.raises(BaseExceptionGroup, match="2 of 3") as caught:
        check()
    assert seen == ["a", "ab", "abc"]
    assert [error.__notes__ for error in caught.value.exceptions] == [["case: ('ab', 3)"], ["case: ('abc', 4)"]]


def test_an_error_that_was_expected_and_did_not_come_is_a_wrong_case():
    @for_each("text", ["1", "x"])
    def check(text):
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2"):
        check()


def test_fixtures_are_asked_for_and_cases_are_not():
    @for_each("inner", [1, 2])
    @for_each("outer", [3, 4])
    def check(shop, inner, outer): ...

    assert list(inspect.signature(check).parameters) == ["shop"]


def test_a_table_without_cases_is_refused():
    with pytest.raises(AssertionError, match="without cases"):
        for_each("case", [])
