"""From katakana to the English words it spells."""

from importlib import resources

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.katakana import transliterated
from shirube.engine.text.stems import stem

TERMS = resources.files("shirube.engine.embed").joinpath("data/terms.txt").read_text("utf-8").strip()
FEW = "reduc\nformat\nformatt\nround\nsound"


@for_each(
    ("word", "english"),
    [
        ("ミドルウェア", "middleware"),
        ("リデューサ", "reducer"),
        ("ミューテックス", "mutex"),
        ("バックプレッシャー", "backpressure"),
        ("エクストラクタ", "extractor"),
        ("シーケンサー", "sequencer"),
        ("アナリティクス", "analytics"),
        ("レスポンシブ", "responsive"),
        ("コルーチン", "coroutine"),
        ("スロットリング", "throttling"),
        ("デバウンス", "debounce"),
        ("マイグレーション", "migration"),
        ("プリプロセッサ", "preprocessor"),
        ("チェックサム", "checksum"),
        ("ポリモーフィズム", "polymorphism"),
        ("イミュータブル", "immutable"),
        ("ワークフロー", "workflow"),
        ("ウィンドウ", "window"),
        ("ジェネレータ", "generator"),
        ("データベース", "database"),
    ],
)
def test_a_katakana_word_is_read_as_english(word: str, english: str):
    assert stem(transliterated(word, TERMS)[0][0]) == stem(english)


@for_each("word", ["ヴァリデータ", "バリデーター", "バリデータ"])
def test_other_spellings_of_a_word_are_read_alike(word: str):
    assert "valid" in dict(transliterated(word, TERMS))


@for_each("word", ["", "ー", "トコロ", "オススメ", "メモ化", "ア・イ", "ｷｰ", "認証", "xyz", "ァ"])
def test_what_is_not_surely_english_has_no_answer(word: str):
    assert transliterated(word, TERMS) == ()


def test_only_the_given_terms_are_answers():
    assert [word for word, _ in transliterated("リデューサ", FEW)] == ["reduc"]
    assert transliterated("ミューテックス", FEW) == ()
    assert transliterated("リデューサ", "") == ()


def test_terms_of_one_family_do_not_compete():
    sureness = dict(transliterated("フォーマッタ", FEW))
    assert min(sureness["format"], sureness["formatt"]) > 0.5


@given(
    st.text(
        "アイウエオカキクケコサシスセソタチツテトナニヌネノラリルレロワンガジズデドバビブパピプァィェォャュョッーヴ"
    )
)
def test_answers_are_few_sorted_and_stem_to_a_term(word: str):
    answers = transliterated(word, TERMS)
    sureness = [sure for _, sure in answers]
    assert len(answers) <= 3
    assert sureness == sorted(sureness, reverse=True)
    assert all(0 < sure <= 1 for sure in sureness)
    assert {stem(english) for english, _ in answers} <= set(TERMS.split("\n"))
