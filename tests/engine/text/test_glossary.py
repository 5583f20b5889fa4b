"""From Japanese to the English of code."""

import re
import unicodedata
from importlib import resources

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.glossary import english_for, segments
from shirube.engine.text.tokens import CJK, KANA, KANJI

LINES = resources.files("shirube.engine.text").joinpath("japanese.tsv").read_text("utf-8").splitlines()
ENTRIES = dict(line.split("\t") for line in LINES)
ALTERNATIVE = re.compile(r"[a-z0-9]+(?:[ _-][a-z0-9]+)*")
MOST_ALTERNATIVES = 5


def first(text: str) -> list[str]:
    """Return the best English of each word."""
    return [alternatives[0] for alternatives in english_for(text)]


@for_each(
    ("text", "english"),
    [
        ("認証", ["authentication"]),
        ("認証の検索", ["authentication", "search"]),
        ("ミドルウェアを登録する", ["middleware", "register"]),
        ("検索", ["search"]),
        ("getUserの検索", ["search"]),
        ("検索 と 認証", ["search", "authentication"]),
    ],
)
def test_a_word_of_the_trade_has_english(text: str, english: list[str]):
    assert first(text) == english


@for_each("text", ["接続プール", "環境変数", "アクセストークン", "あいまい検索"])
def test_the_longest_word_wins(text: str):
    (found,) = english_for(text)
    assert ", ".join(found) == ENTRIES[text]
    assert english_for(f"この{text}を") == (found,)


@for_each(
    "variants",
    [
        "書き込み 書込み 書込",
        "読み込み 読込み 読込",
        "取り消し 取消し 取消",
        "呼び出し 呼出し 呼出",
        "並べ替え 並び替え",
    ],
)
def test_the_spellings_of_a_word_mean_the_same(variants: str):
    assert len({english_for(word) for word in variants.split()}) == 1
    assert all(map(english_for, variants.split()))


@for_each("word", ["サーバ サーバー", "ｻｰﾊﾞｰ サーバー", "ﾃﾞｰﾀﾍﾞｰｽ データベース"])
def test_width_and_a_last_long_vowel_make_no_difference(word: str):
    one, two = word.split()
    assert english_for(one) == english_for(two) != ()


@for_each("text", ["", "plain English", "getUser()", "ぬるぽ", "薔薇", "한국어", "123 ！？"])
def test_an_unknown_word_says_nothing(text: str):
    assert english_for(text) == ()


@for_each("text", ["ブループリント", "スループット計", "ハループ"])
def test_a_known_word_inside_of_other_katakana_is_not_read_out_of_it(text: str):
    assert "loop" in first("ループ")
    assert "loop" not in first(text)


@for_each(
    ("text", "english"),
    [
        ("キャッシュサーバ", ["cache", "server"]),
        ("ユーザー登録", ["user", "register"]),
        ("非同期ループ", ["async", "loop"]),
    ],
)
def test_words_that_are_joined_are_read_one_by_one(text: str, english: list[str]):
    assert first(text) == english


def test_a_kanji_is_a_word_where_it_stands_alone_only():
    assert first("列を") == ["column"]
    assert first("配列") == ["array"]
    assert english_for("列薔薇") == english_for("薔薇列") == ()


@for_each("word", ["処理", "仕組み", "実装"])
def test_a_word_that_only_asks_counts_when_there_is_nothing_else(word: str):
    assert first(f"認証の{word}") == ["authentication"]
    assert ", ".join(*english_for(word)) == ENTRIES[word]


def test_a_word_that_comes_twice_is_said_once():
    assert first("検索と検索") == ["search"]


def test_what_is_not_japanese_parts_words():
    assert english_for("検x索") == english_for("検 索") == (*english_for("検"), *english_for("索"))


@given(st.text() | st.text(st.sampled_from("認証検索接続プールの x、")))
def test_any_text_has_an_answer_of_known_words_only(text: str):
    assert {", ".join(found) for found in english_for(text)} <= set(ENTRIES.values())


def test_every_word_of_the_list_is_found_by_itself():
    assert [key for key, english in ENTRIES.items() if english_for(key) != (tuple(english.split(", ")),)] == []


def test_every_line_is_a_word_a_tab_and_its_english():
    assert [line for line in LINES if not re.fullmatch(r"[^\t]+\t[^\t]+", line)] == []


def test_every_key_is_japanese_in_one_run_and_in_normal_form():
    assert [key for key in ENTRIES if not re.fullmatch(rf"[{CJK}]+", key)] == []
    assert [key for key in ENTRIES if not re.search(rf"[{KANA}{KANJI}]", key)] == []
    assert [key for key in ENTRIES if unicodedata.normalize("NFKC", key) != key] == []


def test_every_key_stands_once_and_the_list_is_in_order():
    assert len(ENTRIES) == len(LINES)
    assert sorted(LINES) == LINES


def test_the_english_is_a_few_different_alternatives_in_lower_case():
    for key, english in ENTRIES.items():
        alternatives = english.split(", ")
        assert len(alternatives) <= MOST_ALTERNATIVES, key
        assert len(set(alternatives)) == len(alternatives), key
        assert all(map(ALTERNATIVE.fullmatch, alternatives)), key


def test_a_text_is_cut_where_the_glossary_cuts_it():
    assert segments("御朱印の認証 x") == [
        ("御", []),
        ("朱", []),
        ("印", []),
        ("の", []),
        ("認証", [english_for("認証")[0]]),
    ]
    assert segments("ブループリント") == [("ブループリント", [])]
    assert segments("plain words") == []


def test_known_words_are_named_as_they_stand_there():
    from shirube.engine.text.glossary import known_words

    assert [word for word, _ in known_words("認証の処理とログイン画面")] == ["認証", "処理", "ログイン", "画面"]


def test_an_english_word_leads_back_to_japanese():
    from shirube.engine.text.glossary import japanese_for

    assert "認証" in japanese_for("Authentication")
    assert japanese_for("zebra") == ()
