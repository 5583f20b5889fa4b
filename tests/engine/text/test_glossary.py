"""From Japanese to the English of code."""

import re
from importlib import resources

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text import glossary
from shirube.engine.text.glossary import JapaneseWord, in_japanese, japanese_words, telling_words
from shirube.engine.text.japanese import folded
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK, KANA, KANJI

LINES = resources.files("shirube.engine.text").joinpath("japanese.tsv").read_text("utf-8").splitlines()
ROWS = {line.split("\t")[0]: line.split("\t")[1:] for line in LINES}
MEANING = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)* (?:[1-9]\d?|100)")
MOST_MEANINGS = 4


def english_for(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the English of every telling word, surest first."""
    return tuple(tuple(english for english, _ in word.meanings) for word in telling_words(japanese_words(text)))


def first(text: str) -> list[str]:
    """Return the best English of each word."""
    return [alternatives[0] for alternatives in english_for(text)]


def cut(text: str) -> list[str]:
    """Return the words of a text."""
    return [word.text for word in japanese_words(text)]


@for_each(
    ("text", "english"),
    [
        ("認証", ["authentication"]),
        ("認証の検索", ["authentication", "search"]),
        ("検索", ["search"]),
        ("getUserの検索", ["search"]),
        ("検索 と 認証", ["search", "authentication"]),
        ("例外を無視する", ["exception", "ignore"]),
    ],
)
def test_a_word_has_english(text: str, english: list[str]):
    assert first(text) == english


@for_each(
    ("text", "words"),
    [
        ("認証有効期限", ["認証", "有効期限"]),
        ("設定を読み込んで並べ替える", ["設定", "を", "読み込ん", "で", "並べ替える"]),
        ("キャッシュサーバ", ["キャッシュ", "サーバ"]),
        ("非同期ループ", ["非同期", "ループ"]),
    ],
)
def test_a_text_is_cut_at_the_best_boundaries(text: str, words: list[str]):
    assert cut(text) == words


@for_each(
    "verb",
    [
        "開く 開き 開い 開か 開け",
        "読み込む 読み込み 読み込ん 読み込ま",
        "並べ替える 並べ替え",
        "新しい 新しく 新しかっ",
    ],
)
def test_the_forms_of_a_verb_or_an_adjective_mean_the_same(verb: str):
    plain, *others = verb.split()
    assert english_for(plain)
    assert {first(f"{form}た")[0] for form in others} == {first(plain)[0]}


@for_each("variants", ["書き込み 書込み 書込", "読込み 読込", "取り消し 取消し 取消", "呼び出し 呼出し 呼出"])
def test_the_spellings_of_a_word_mean_the_same(variants: str):
    assert len({first(word)[0] for word in variants.split()}) == 1


@for_each(
    "word",
    [
        "サーバ サーバー",
        "ｻｰﾊﾞｰ サーバー",
        "ﾃﾞｰﾀﾍﾞｰｽ データベース",
        "檢索 検索",
        "Ｗｅｂサ―バー Webサーバー",
        "ｷﾔﾂｼﾕ キャッシュ",
        "フアイル ファイル",
        "デイレクトリ ディレクトリ",
    ],
)
def test_how_a_word_is_written_makes_no_difference(word: str):
    one, two = word.split()
    assert english_for(one) == english_for(two) != ()


@for_each("word", ["修正", "変更", "追加", "対応"])
def test_a_word_of_everyday_requests_tells_nothing_of_a_name(word: str):
    (known,) = japanese_words(word)
    (telling,) = japanese_words("認証")
    assert known.weight < 0.25
    assert telling.weight > 0.9


@for_each("word", ["場合", "こと", "使う", "対する"])
def test_a_word_of_grammar_is_silent(word: str):
    assert japanese_words(word) == [JapaneseWord(word, (), japanese_words(word)[0].weight)]


@for_each(
    ("word", "english"),
    [("ミューテックス", "mutex"), ("ハイライト", "highlight"), ("リデューサ", "reducer")],
)
def test_katakana_is_read_by_its_sound(word: str, english: str):
    assert stem(first(word)[0]) == stem(english)


@for_each(
    ("word", "english"),
    [("ミドルウェア", "middleware"), ("ミドルウエア", "middleware"), ("エクストラクタ", "extractor")],
)
def test_the_sound_of_a_whole_word_counts_more_than_a_known_part_of_it(word: str, english: str):
    (whole,) = japanese_words(word)
    assert stem(whole.meanings[0][0]) == stem(english)


def test_known_words_side_by_side_stay_apart():
    assert [part.text for part in japanese_words("キャッシュサーバ")] == ["キャッシュ", "サーバ"]


def test_a_question_in_latin_letters_is_read_as_japanese():
    assert in_japanese("ninshou no yuukou kigen") == "認証の有効期限"
    assert in_japanese("how is a token made") == "how is a token made"


@for_each("text", ["", "plain English", "getUser()", "ぬるぽ", "薔薇", "한국어", "123 ！？", "のために"])
def test_an_unknown_word_says_nothing(text: str):
    assert english_for(text) == ()


@for_each("text", ["ブループリント", "スループット計", "ハループ"])
def test_a_known_word_inside_of_other_katakana_is_not_read_out_of_it(text: str):
    assert "loop" in first("ループ")
    assert "loop" not in first(text)


def test_a_text_without_an_end_is_cut_all_the_same():
    assert {word.text for word in japanese_words("認証" * 5000)} == {"認証"}
    assert "".join(word.text for word in japanese_words("ア" * 5000)) == "ア" * 5000


def test_a_kanji_is_a_word_where_it_stands_alone_only():
    assert first("型を") == ["type"]
    assert english_for("型薔薇") == english_for("薔薇型") == ()


@for_each("word", ["処理", "実装"])
def test_a_word_that_only_asks_counts_when_there_is_nothing_else(word: str):
    assert first(f"認証の{word}") == ["authentication"]
    assert english_for(word)


def test_what_is_not_japanese_parts_words():
    assert english_for("検x索") == english_for("検 索") == (*english_for("検"), *english_for("索"))


@given(st.text() | st.text(st.sampled_from("認証検索接続プールの x、")))
def test_the_words_of_a_text_are_all_of_its_japanese(text: str):
    assert "".join(cut(text)) == "".join(re.findall(rf"[{CJK}]+", folded(text)))


def test_every_line_is_a_word_its_weight_and_its_meanings():
    for word, (weight, *meanings) in ROWS.items():
        assert 0 < int(weight) <= 100, word
        assert all(map(MEANING.fullmatch, meanings)), word
        assert len(meanings) <= MOST_MEANINGS, word
        sure = [int(meaning.rpartition(" ")[2]) for meaning in meanings]
        assert sure == sorted(sure, reverse=True), word


def test_every_key_is_japanese_in_one_run_and_in_normal_form():
    assert [key for key in ROWS if not re.fullmatch(rf"[{CJK}]+", key)] == []
    assert [key for key in ROWS if not re.search(rf"[{KANA}{KANJI}]", key)] == []
    assert [key for key in ROWS if folded(key) != key] == []


def test_every_key_stands_once_and_the_list_is_in_order():
    assert len(ROWS) == len(LINES)
    assert sorted(LINES) == LINES


def test_an_english_word_leads_back_to_japanese():
    from shirube.engine.text.glossary import japanese_for

    assert "認証" in japanese_for("Authentication")
    assert japanese_for("zyxwv") == ()


def test_the_table_is_not_read_for_english():
    glossary._glossary.cache_clear()
    assert japanese_words("how is a token made") == []
    assert glossary._glossary.cache_info().currsize == 0
