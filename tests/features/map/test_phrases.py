import pytest

from shirube.features.map.facts import judge_outcome, read_outcome
from shirube.features.map.records import Result
from tests.cases import for_each

SURE = 0.7


@pytest.mark.requirement("003-FAILED-01", "N003-STEP-01")
@for_each(
    "request_",
    [
        "やり直してください",
        "そうじゃない、ログイン画面の方です",
        "違う",
        "違います。検証は要りません",
        "さっきの修正でエラーになる",
        "さっきの変更、動かない",
        "まだ直っていない",
        "先ほどの実装がおかしい",
        "元に戻して",
        "redo this please",
        "No, that's wrong",
        "that is not what I asked for",
        "it still crashes after your change",
        "your fix doesn't work",
        "still broken",
        "try again",
        "revert that",
    ],
)
def test_a_request_that_says_the_work_failed_is_understood(request_: str):
    found = read_outcome(request_)
    assert (found.outcome, found.confidence >= SURE) == (Result.FAILURE, True), found


@for_each(
    "request_",
    [
        "fix the bug in the login form",
        "ログインのバグを修正して",
        "add a retry button that tries the payment again",
        "エラーが出る条件を調べて",
        "the app crashes when the password is empty",
        "空のパスワードで落ちるのを直して",
        "パスワードが間違っているときの表示を変更",
        "言語の違いを吸収する層を追加",
        "handle wrong passwords",
        "add an undo button to the editor",
        "もう一度送信するボタンを追加して",
        "support partial updates",
        "",
    ],
)
def test_an_ordinary_request_says_nothing_about_the_work_before(request_: str):
    found = read_outcome(request_)
    assert found.confidence < SURE, found


@pytest.mark.requirement("N003-OUTCOME-01")
@for_each(
    ("message", "outcome"),
    [
        ("違う", Result.FAILURE),
        ("やり直し", Result.FAILURE),
        ("最初からお願いします", Result.FAILURE),
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
    assert "'やり直'" in read_outcome("やり直して").why
    assert read_outcome("add a field").outcome is None


def test_a_long_text_is_believed_less():
    long = "Please add a settings page. " * 5 + "try again"
    assert read_outcome(long).confidence < read_outcome("try again").confidence
