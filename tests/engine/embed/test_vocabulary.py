from shirube.engine.embed.static import Vocabulary

TERMS = ["get", "user", "ログ", "ログイン", "機能", "読み込み"]


def test_a_katakana_word_is_not_its_bigrams() -> None:
    assert Vocabulary(TERMS).terms("ログイン機能 getUser") == ["getus", "get", "user", "ログイン", "機能"]


def test_unknown_katakana_falls_back_to_bigrams() -> None:
    assert Vocabulary(TERMS).terms("ログインフォーム") == ["ログイン", "フォ", "ォー", "ーム"]


def test_longer_words_are_taken_beside_the_bigrams() -> None:
    assert Vocabulary(TERMS).terms("読み込み") == ["読み", "み込", "込み", "読", "込", "読み込み"]


def test_a_term_said_four_times_counts_twice() -> None:
    assert Vocabulary(TERMS).bag("user user user user") == [(1, 2.0)]


def test_an_unknown_term_has_two_shared_rows_or_none() -> None:
    (first, share), (second, _) = Vocabulary(TERMS, 100).bag("zebra")
    assert share == 0.5
    assert len(TERMS) <= min(first, second)
    assert max(first, second) < Vocabulary(TERMS, 100).size
    assert Vocabulary(TERMS).bag("zebra") == []


def test_given_tokens_are_used_except_for_japanese() -> None:
    assert Vocabulary(TERMS).terms("ログイン get", ["get", "ログ", "グイ", "イン"]) == ["get", "ログイン"]
