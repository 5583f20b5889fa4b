import pytest

from shirube.features.map.facts import judge_outcome, read_outcome
from shirube.features.map.records import Result
from tests.cases import for_each
from tests.features.map import said

SURE = 0.7


def recorded(request: str) -> bool:
    found = read_outcome(request)
    return found.outcome is Result.FAILURE and found.confidence >= SURE


@pytest.mark.requirement("003-FAILED-01", "N003-STEP-01")
@for_each("request_", [*said.FAILED.split("\n")[1:-1], *said.FAILED_LATER.split("\n")[1:-1]])
def test_a_request_that_says_the_work_failed_is_understood(request_: str):
    assert recorded(request_), read_outcome(request_)


@pytest.mark.requirement("N003-STEP-01")
@for_each("request_", ["", *said.ORDINARY.split("\n")[1:-1], *said.ORDINARY_LATER.split("\n")[1:-1]])
def test_an_ordinary_request_says_nothing_about_the_work_before(request_: str):
    assert not recorded(request_), read_outcome(request_)


def test_a_long_report_about_the_last_change_is_believed():
    assert recorded("Your last change to the login form broke the tests in tests/auth, they fail with a KeyError")


@pytest.mark.requirement("N003-OUTCOME-01")
@for_each(
    ("message", "outcome"),
    [
        ("違う", Result.FAILURE),
        ("やり直し", Result.FAILURE),
        ("最初から", Result.FAILURE),
        ("最初からお願いします", Result.FAILURE),
        ("wrong", Result.FAILURE),
        ("not right", Result.FAILURE),
        ("the total is wrong", Result.FAILURE),
        ("ダメ", Result.FAILURE),
        ("間違いです", Result.FAILURE),
        ("惜しい", Result.PARTIAL),
        ("ほぼ大丈夫", Result.PARTIAL),
        ("一部違う", Result.PARTIAL),
        ("OK", Result.SUCCESS),
        ("これでいい", Result.SUCCESS),
        ("完璧", Result.SUCCESS),
        ("ありがとう", Result.SUCCESS),
        ("perfect, thanks", Result.SUCCESS),
        ("almost, one field is missing", Result.PARTIAL),
        ("wrong, start over", Result.FAILURE),
        ("thanks, but it still doesn't work", Result.FAILURE),
        ("", Result.SUCCESS),
    ],
)
def test_the_phrases_of_the_outcome_command_are_read_in_both_languages(message: str, outcome: Result):
    assert judge_outcome(message).outcome == outcome


def test_the_words_that_decided_are_told():
    assert "'やり直して'" in read_outcome("やり直して").why
    assert read_outcome("add a field").outcome is None


def test_a_long_text_is_believed_less():
    long = "Please add a settings page. " * 5 + "try again"
    assert read_outcome(long).confidence < read_outcome("try again").confidence
