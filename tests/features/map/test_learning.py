import pytest

from shirube.codec import replace
from shirube.features.map.learning import Prior, learn, terms_of
from shirube.features.map.records import Outcome, Result, WrittenFile

PAY = Outcome("a", Result.SUCCESS, request="retry a failed payment", files=(WrittenFile("pay.py"),))
OTHERS = [
    Outcome(f"s{number}", Result.SUCCESS, request=f"topic{number} window", files=(WrittenFile(f"f{number}.py"),))
    for number in range(9)
]


@pytest.mark.requirement("N003-LEARN-01")
def test_files_that_answered_a_like_request_are_lifted_and_no_others():
    prior = learn([PAY, *OTHERS], 0.15, 8)
    shares = prior.shares("where is a payment retried")
    assert set(shares) == {"pay.py"}
    assert 0 < shares["pay.py"] <= 0.15


def test_the_bound_holds_however_often_it_worked():
    prior = learn([replace(PAY, session_id=str(number)) for number in range(50)], 0.15, 8)
    assert prior.shares("retry a failed payment") == {"pay.py": 0.15}


def test_a_failure_lowers_and_so_does_what_did_not_survive():
    failed = learn([replace(PAY, outcome=Result.FAILURE), *OTHERS], 0.15, 8)
    assert failed.shares("retry a failed payment")["pay.py"] < 0
    reverted = learn([PAY, *OTHERS], 0.15, 8, [False, *[True] * 9])
    assert reverted.shares("retry a failed payment")["pay.py"] < 0


def test_nothing_is_learnt_from_a_few_outcomes_or_when_it_is_off():
    assert learn([PAY] * 3, 0.15, 8) == Prior()
    assert learn([PAY, *OTHERS], 0.0, 8) == Prior()
    assert Prior().shares("retry a failed payment") == {}
    assert learn([replace(one, files=()) for one in OTHERS], 0.15, 8) == Prior()


def test_a_request_in_japanese_teaches_questions_in_english():
    prior = learn([replace(PAY, request="支払いの再試行"), *OTHERS], 0.15, 8)
    assert prior.shares("payment retry")["pay.py"] > 0
    assert "the" not in terms_of("the payment")
