"""The words of a question as they stand in the code: wrapping, placeholders, gaps, lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.engine.search.verbatim import FAR, NEAR, Run, best_run, joined, unwrapped, without_stamp, words_of
from tests.cases import for_each


@for_each(
    ("words", "text"),
    [
        ("予 約 の … ャ ン … ル", "予約の"),
        ("い … 設 定 を … し … る", "設定を"),
        ("型 … ロ グ … API", "型 … ログ … API"),
        ("の … る", "の … る"),
    ],
)
def test_scraps_of_japanese_words_are_not_shown(words: str, text: str):
    assert joined(words.split()) == text


def run(message: str, text: str) -> Run:
    """Return the best run where every word weighs the same."""
    words = words_of(message)
    return replace(best_run(words, [1.0] * len(words), text), whole=0.0)


@for_each(
    "wrapping",
    [
        "ValueError: ",
        "django.db.utils.OperationalError: ",
        "java.lang.IllegalStateException: ",
        'Exception in thread "main" java.lang.IllegalStateException: ',
        "Caused by: a.b.FooException: ",
        "Uncaught TypeError: ",
        "std::runtime::CustomError: ",
        "E   ValueError: ",
        "panic: ",
        "fatal error: ",
        "Error: ",
        "エラー：",
        "error[E0382]: ",
        "warning[W001]: ",
        "2024-01-02 03:04:05,123 ERROR ",
        "2024-01-02T03:04:05.123Z [main] WARN  ",
        "[12] INFO: ",
        "12:30:01.5 CRITICAL - ",
        "thread 'main' panicked at src/main.rs:1:2:\n",
        "src/a.c:3:4: error: ",
        "src/app/a.ts:12: ",
        "    at run (src/a.js:3:4)\n",
        'Traceback (most recent call last):\n  File "a/b.py", line 3, in run\nKeyError: ',
    ],
)
def test_what_error_output_puts_before_a_message_is_taken_off(wrapping: str):
    assert unwrapped(f"{wrapping}no such user") == "no such user"


@for_each(
    "text",
    [
        "no such user",
        "how is a ValueError raised",
        "error handling of sessions",
        "information about users",
        "ERROR",
        "error: x",
        "at noon the job starts",
        "",
    ],
)
def test_what_is_no_wrapping_or_all_there_is_stays(text: str):
    assert unwrapped(text) == text


@for_each(
    ("text", "words"),
    [
        ("No such User_id!", ["no", "such", "user_id"]),
        ("userが無い", ["user", "が", "無", "い"]),
        ("a\0b", ["a", "b"]),
        ("…", []),
    ],
)
def test_words_are_in_lower_case_and_japanese_is_cut_into_characters(text: str, words: list[str]):
    assert words_of(text) == words


@for_each(
    "hole",
    [
        "%s",
        "%d",
        "%-10.3f",
        "%lld",
        "%(name)s",
        "%@",
        "{}",
        "{name}",
        "{user.name!r}",
        "${x}",
        "#{x}",
        r"\(x)",
        "$name",
    ],
)
def test_a_placeholder_stands_for_what_the_message_has_there(hole: str):
    """Four of six words stand there; the two of the value are not counted, but they end no run."""
    assert run("user bob smith was not found", f'raise E("user {hole} was not found")') == Run(
        pytest.approx(4 / 6), 0, ("user", "…", "was", "not", "found")
    )


@for_each("hole", ["%s", "%d", "{name}", "${x}", "#{x}", r"\(x)"])
def test_a_placeholder_at_either_end_of_a_message_is_no_obstacle(hole: str):
    assert run("bob was not found", f'"{hole} was not found"').words == ("was", "not", "found")
    assert run("no such user bob", f'"no such user {hole}"').words == ("no", "such", "user")


def test_a_placeholder_stands_for_a_few_words_only():
    few, many = (f"user {'x ' * count}was not found" for count in (6, 7))
    assert run(few, "user %s was not found").words[0] == "user"
    assert run(many, "user %s was not found").words == ("was", "not", "found")


def test_japanese_messages_match_around_their_placeholders():
    message = "ユーザー太郎が見つかりません"
    found = run(message, "raise E(f'ユーザー{name}が見つかりません')")
    assert (joined(found.words), found.share) == ("ユーザー … が見つかりません", pytest.approx(12 / 14))


def test_a_percent_sign_of_prose_is_no_placeholder():
    assert run("100% sure it works", "we are 100% sure it works").share == 1.0


@for_each(
    ("text", "weight"),
    [
        ("alpha beta gamma", 3.0),
        ("the Alpha, beta: GAMMA!", 3.0),
        ("alpha one beta gamma", 2 + NEAR),
        ("alpha one two beta gamma", 2 + NEAR),
        ("alpha one two three beta gamma", 2 + FAR),
        ("alpha one two three four beta gamma", 2.0),
        ("alpha gamma", 1 + NEAR),
        ("gamma beta alpha", 0.0),
        ("alpha only", 0.0),
        ("", 0.0),
    ],
)
def test_a_gap_makes_the_next_word_count_less_and_a_long_one_ends_the_run(text: str, weight: float):
    assert run("alpha beta gamma", text).share == pytest.approx(weight / 3)


def test_one_word_is_no_run():
    assert run("alpha beta", "alpha alpha") == Run()


def test_the_best_run_of_a_text_is_told_with_its_line():
    text = "alpha beta\n\nx alpha\n beta gamma delta\nalpha gamma"
    assert run("alpha beta gamma delta", text) == Run(1.0, 2, ("alpha", "beta", "gamma", "delta"))


def test_no_word_of_the_message_counts_twice():
    assert run("alpha beta gamma delta", "alpha beta alpha beta").share == pytest.approx(2 / 4)
    assert run("alpha beta gamma delta", "gamma delta alpha beta").share == pytest.approx(2 / 4)


def test_a_run_is_weighed_by_its_words():
    """The first run has two words of weight 1, the second two of weight 3."""
    text = "common words " + "x " * 9 + "\nrare thing"
    found = best_run(words_of("common words rare thing"), [1.0, 1.0, 3.0, 3.0], text)
    assert replace(found, whole=0.0) == Run(pytest.approx(6 / 8), 1, ("rare", "thing"))


def test_a_word_said_twice_is_found_in_either_place():
    assert run("not this but not that", "but not that") == Run(pytest.approx(3 / 5), 0, ("but", "not", "that"))


def test_words_are_joined_as_they_are_written():
    assert joined(("no", "such", "ユ", "ー", "ザ", "ー")) == "no such ユーザー"


@given(st.text("abc %{}$s#\\()\n", max_size=60), st.lists(st.sampled_from("abc"), min_size=2, max_size=8))
def test_any_text_gives_a_share_and_words_of_the_message(text: str, message: list[str]):
    found = best_run(message, [1.0] * len(message), text)
    assert 0 <= found.share <= 1
    assert 0 <= found.line <= text.count("\n")
    assert (found.share > 0) == (len(found.words) > 1)
    joined_message = " ".join(message)
    assert " ".join(found.words) in joined_message


@given(st.text(max_size=80))
def test_unwrapping_only_takes_away_at_the_beginning(text: str):
    assert text.endswith(unwrapped(text))


@for_each(
    "stamp",
    [
        "2024-01-02 10:11:12,123 ERROR ",
        "[2024-01-02T10:11:12Z] INFO: ",
        "1:M 05 Dec 2023 22:21:50.001 * ",
        "Dec  5 22:21:50 myhost redis[1]: ",
        "redis_1 | 2023-12-05T22:21:50Z ",
        "10:11:12 ",
    ],
)
def test_what_a_log_puts_before_a_message_is_taken_off(stamp: str):
    assert without_stamp(f"{stamp}Background saving started") == "Background saving started"


@for_each("text", ["how does 12:30:00 parse", "INFO command output", "10:00:00", "error in users"])
def test_any_other_text_stays_as_it_is(text: str):
    assert without_stamp(text) == text
