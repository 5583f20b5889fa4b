import re

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.tokens import CJK, LOWER, UPPER, WORD, normalise


@for_each(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("ＡＢＣ　１２３", "ABC 123"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("か\u3099", "が"),
        ("cafe\u0301", "café"),
        ("page‐agent page\u2011agent page－agent", "page-agent page-agent page-agent"),
        ("①㈱ﬁ", "1(株)fi"),
        ("\ud800", "\ud800"),
    ],
)
def test_every_spelling_of_a_character_gets_one_form(text, expected):
    assert normalise(text) == expected


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


@for_each("character", "漢々〆㐀𠮷あんアンーヴ가")
def test_japanese_chinese_and_korean_are_written_without_spaces(character):
    assert re.fullmatch(f"[{CJK}]", character)
    assert not re.fullmatch(WORD, character)


@for_each("character", "aZ9_éßжΩ")
def test_other_letters_digits_and_underscores_make_words(character):
    assert re.fullmatch(WORD, character)


@for_each("character", "、。「」・ -.$")
def test_punctuation_belongs_to_nobody(character):
    assert not re.fullmatch(f"{WORD}|[{CJK}]", character)


def test_case_is_known_for_latin_greek_and_cyrillic():
    assert re.fullmatch(f"[{UPPER}]+", "AÉΩЖ")
    assert re.fullmatch(f"[{LOWER}]+", "aéωжß")
