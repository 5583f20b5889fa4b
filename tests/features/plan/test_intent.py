from shirube.features.plan.frame import Intent
from shirube.features.plan.reading import UNSURE, read_intent
from tests.cases import for_each


@for_each(
    ("request_text", "intent"),
    [
        ("Fix the login crash when the password is empty", Intent.MODIFY),
        ("ログイン画面でパスワードが空のときエラーになるので修正して", Intent.MODIFY),
        ("Add OAuth2 support to the API client", Intent.IMPLEMENT),
        ("セッションの有効期限を延長する機能を追加したい", Intent.IMPLEMENT),
        ("look into the memory leak of the worker", Intent.INVESTIGATE),
        ("なぜ検索が遅いのか調べて", Intent.INVESTIGATE),
        ("How does routing work?", Intent.QUESTION),
        ("認証はどこで行われますか？", Intent.QUESTION),
    ],
)
def test_the_words_tell_what_is_wanted_in_both_languages(request_text, intent):
    reading = read_intent(request_text)
    assert reading.intent is intent
    assert reading.confidence >= UNSURE
    assert reading.words


def test_a_question_about_a_change_stays_a_question_and_a_request_in_its_form_is_a_task():
    assert read_intent("how can I add a plugin?").intent is Intent.QUESTION
    assert read_intent("Can you rename getUser to fetchUser?").intent is Intent.MODIFY


def test_words_that_tell_nothing_are_looked_into_and_said_to_be_a_guess():
    reading = read_intent("dispatch queue")
    assert (reading.intent, reading.words) == (Intent.INVESTIGATE, ())
    assert reading.confidence < UNSURE
