import pytest

from shirube.engine.text.tokens import index_terms
from shirube.features.plan.evaluate import forms_of, goal_words, keywords_of
from shirube.features.plan.record import EvaluationMode
from tests.cases import for_each


@pytest.mark.requirement("002-PLAN-02")
@for_each(
    ("goal", "words"),
    [
        ("How does the session expire?", ("session", "expire")),
        ("VitePressの設定方法を理解する", ("VitePress", "設定")),
        ("プロジェクトのテスト戦略を完全に理解する", ("テスト", "戦略")),
        ("find getUserById in app/models.py", ("getUserById", "app/models.py")),
        ('explain "connection pool"', ("connection pool",)),
        ("how does it work", ()),
    ],
)
def test_the_words_a_goal_is_about_are_read_in_both_languages(goal, words):
    assert goal_words(goal) == words


@pytest.mark.requirement("N002-CUT-01")
def test_a_run_of_japanese_is_cut_so_that_words_that_only_ask_are_left_out():
    assert goal_words("設定方法を理解する") == ("設定",)


def stands(word, text, mode=EvaluationMode.FUZZY):
    (keyword,) = keywords_of([word], lambda terms: (10, dict.fromkeys(terms, 1)))
    return keyword.stands_in(text.lower(), frozenset(index_terms(text)), mode)


@pytest.mark.requirement("002-MODE-01", "002-MODE-02")
def test_strict_wants_the_word_as_written_and_fuzzy_takes_any_form():
    assert stands("configuration", "read the config")
    assert not stands("configuration", "read the config", EvaluationMode.STRICT)
    assert stands("sessions", "class Session")
    assert stands("export default", "Export  default".replace("  ", " "), EvaluationMode.STRICT)
    assert stands("認証", "def authentication(user)")


def test_a_keyword_of_two_words_needs_both():
    assert stands("connection pool", "the pool of every connection")
    assert not stands("connection pool", "one connection")


def test_rare_words_count_more():
    rare, common = keywords_of(["zebra", "user"], lambda terms: (100, {"zebra": 1, "user": 80}))
    assert rare.rarity > common.rarity


def test_a_word_that_is_everywhere_tells_nothing_and_a_rare_one_all_it_can():
    counts = {"zebra": 3, "user": 60, "page": 20, "login": 0}
    words = keywords_of(counts, lambda terms: (200, counts))
    assert [word.telling for word in words if word.text != "page"] == [1.0, 0.0, 1.0]
    assert 0 < words[2].telling < 1


def test_in_a_small_project_one_chunk_is_as_rare_as_can_be():
    once, often = keywords_of(["zebra", "user"], lambda terms: (5, {"zebra": 1, "user": 4}))
    assert (once.telling, often.telling) == (1.0, 0.0)


def test_short_forms_and_english_are_forms():
    assert frozenset({"config"}) in forms_of("configuration")
    assert any("authent" in "".join(form) for form in forms_of("認証"))
