import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text import tokens
from shirube.engine.text import tokens as module
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import (
    LONGEST_TOKEN,
    Strategy,
    index_terms,
    index_tokens,
    is_compound,
    tokenize,
)

ANY_TEXT = st.text() | st.text(st.sampled_from("aZ_-9 .検索のガー型é\n")) | st.text(st.characters())
SURROGATES = st.text(st.characters(categories=["Cs", "Ll", "Lo"]))
IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,30}(-[A-Za-z0-9_]{1,12}){0,3}", fullmatch=True)


@for_each(
    ("text", "tokens"),
    [
        ("word", "word"),
        ("getUserById", "getuserbyid get user by id"),
        ("HTTPServer", "httpserver http server"),
        ("user_profile", "user_profile user profile"),
        ("page-agent", "page-agent page agent"),
        ("_meta", "_meta meta"),
        ("__init__", "__init__ init"),
        ("_get_user", "_get_user get_user get user"),
        ("utf8", "utf8 utf 8"),
        ("decodeUtf8", "decodeutf8 decode utf8 utf 8"),
        ("my-getUser", "my-getuser my getuser get user"),
        ("Foo::bar(a.b)", "foo bar a b"),
        ("x = y * 42", "x y 42"),
        ("page page", "page page"),
        ("don't", "don t"),
        ("_ __ --- !", ""),
        ("", ""),
    ],
)
def test_a_name_is_indexed_whole_and_then_by_its_words(text, tokens):
    assert index_tokens(text) == tokens.split()


@pytest.mark.requirement("N001-TEXT-01")
@for_each(
    ("text", "tokens"),
    [
        ("検索", "検索"),
        ("検索結果", "検索 索結 結果"),
        ("型", "型"),
        ("型を検索", "型を を検 検索 型"),
        ("サーバー", "サー ーバ バー"),
        ("ｻｰﾊﾞｰ", "サー ーバ バー"),
        ("getUserの処理", "getuser get user の処 処理"),
        ("検索、置換。", "検索 置換"),
        ("ｇｅｔＵｓｅｒ", "getuser get user"),
        ("한국어", "한국 국어"),
        ("page-agentを実行", "page-agent page agent を実 実行"),
        ("𠮷野家", "𠮷野 野家"),
    ],
)
def test_japanese_is_indexed_by_bigrams_and_lone_kanji(text, tokens):
    assert index_tokens(text) == tokens.split()


@pytest.mark.requirement("001-TOK-01", "001-TOK-02", "001-TOK-03")
@for_each(
    ("strategy", "tokens"),
    [
        (Strategy.PHRASE_AWARE, ["page-agent"]),
        (Strategy.LEGACY, ["page", "agent"]),
        (Strategy.HYBRID, ["page-agent", "page", "agent"]),
    ],
)
def test_the_three_strategies_cut_a_compound_as_seed_001_says(strategy, tokens):
    assert tokenize("page-agent", strategy) == tokens


@pytest.mark.requirement("001-TOK-01")
def test_the_default_strategy_keeps_phrases():
    assert tokenize("page-agent Lambda handler") == ["page-agent", "lambda", "handler"]


@for_each(
    ("text", "phrase_aware", "legacy"),
    [
        ("user_profile", "user_profile", "user profile"),
        ("MAX_SIZE", "max_size", "max size"),
        ("_get_user", "_get_user get_user", "get user"),
        ("getUser", "getuser get user", "get user"),
        ("_meta", "_meta meta", "meta"),
        ("OAuth", "oauth", "oauth"),
        ("x-1", "x 1", "x 1"),
        ("lambda/page-agent/handler", "lambda page-agent handler", "lambda page agent handler"),
        (
            "user_profileの型を確認",
            "user_profile の型 型を を確 確認 型",
            "user profile の型 型を を確 確認 型",
        ),
    ],
)
def test_compounds_stay_whole_and_camel_case_gives_whole_and_words(text, phrase_aware, legacy):
    assert tokenize(text) == phrase_aware.split()
    assert tokenize(text, Strategy.LEGACY) == legacy.split()


@for_each(
    "term",
    ["page-agent", "utf-8", "n-gram", "x-forwarded-for", "CVE-2024-1234", "objective-c", "étude-pilote"],
)
def test_a_hyphenated_word_is_a_compound(term):
    assert is_compound(term)


@for_each("term", ["x-1", "a-b", "2024-01-02", "10-len", "page", "", "w-" * 40 + "ab"])
def test_arithmetic_and_dates_are_not_compounds(term):
    assert not is_compound(term)


@for_each(
    ("text", "tokens"),
    [
        ("a - b", "a b"),
        ("self->name", "self name"),
        ("--no-cache", "no-cache no cache"),
        ("block--modifier", "block modifier"),
        ("_label-name", "label-name _label label name"),
    ],
)
def test_hyphens_that_join_nothing_are_dropped(text, tokens):
    assert index_tokens(text) == tokens.split()


@for_each(
    ("text", "tokens"),
    [
        ("d41d8cd98f00b204e9800998ecf8427e", ["d41d8cd98f00b204e9800998ecf8427e"]),
        ("550E8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]),
        ("HDymfDNbTSxfMlom2d8TiUlb1hWY", []),
        ("A1b2C3d4" * 40, []),
        ("a" * 65, []),
        ("a" * 64, ["a" * 64]),
        ("x" * 40 + "_" + "y" * 40, ["x" * 40, "y" * 40]),
    ],
)
def test_hashes_are_one_token_and_blobs_none(text, tokens):
    assert index_tokens(text) == tokens
    assert tokenize(text) == tokens


def test_long_camel_case_names_are_no_blobs():
    assert "circular" in index_tokens("M2MComplexCircular1C")


@given(ANY_TEXT | SURROGATES)
def test_no_token_is_empty_long_upper_case_or_contains_a_blank(text):
    for token in index_tokens(text):
        assert 0 < len(token) <= LONGEST_TOKEN * 2  # lower-casing may add a combining mark
        assert not any(c.isspace() or "A" <= c <= "Z" for c in token)


@given(ANY_TEXT | SURROGATES)
def test_the_same_text_gives_the_same_tokens_with_or_without_memory(text):
    tokens, terms = index_tokens(text), index_terms(text)
    for memory in (module._tokens_seen, module._terms_seen):
        memory.clear()
    assert index_tokens(text) == tokens
    assert index_terms(text) == terms


@given(ANY_TEXT | SURROGATES | IDENTIFIERS)
def test_the_terms_of_a_document_are_the_stems_of_its_tokens(text):
    assert index_terms(text) == [stem(token) for token in index_tokens(text)]


def test_a_name_is_found_whichever_form_its_words_have():
    assert index_terms("getUsers") == ["getus", "get", "user"]
    assert index_terms("getUsers") == index_terms("getUser")
    assert set(index_terms("cached queries 検索")) <= set(index_terms("query_caching 検索"))


@given(ANY_TEXT | SURROGATES | IDENTIFIERS, st.sampled_from(Strategy))
def test_whatever_is_asked_of_a_text_is_in_its_index(text, strategy):
    assert set(tokenize(text, strategy)) <= set(index_tokens(text))


@given(ANY_TEXT | IDENTIFIERS)
def test_the_hybrid_strategy_is_the_index(text):
    assert tokenize(text, Strategy.HYBRID) == index_tokens(text)


@pytest.mark.requirement("N001-TEXT-01")
@given(st.text(), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_equal_texts_in_another_normal_form_give_equal_tokens(text, form):
    assert index_tokens(unicodedata.normalize(form, text)) == index_tokens(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_fast_way_for_ascii_agrees_with_the_general_one(text):
    assert [*index_tokens(text), "検索"] == index_tokens(f"{text} 検索")


def test_a_full_memory_starts_afresh(monkeypatch):
    monkeypatch.setattr(module, "_MEMORY_SIZE", 2)
    memory = module._Memory(str.upper)
    assert [memory[word] for word in "abc"] == ["A", "B", "C"]
    assert dict(memory) == {"c": "C"}


def test_long_pieces_are_not_remembered():
    memory = module._Memory(len)
    assert memory["x" * 1000] == 1000
    assert not memory


@given(st.text(alphabet="abzAZ_9-", min_size=1, max_size=20))
def test_the_short_way_for_common_names_gives_what_the_long_way_gives(piece: str):
    plain = tokens._plain(piece)
    long_way = tuple(token for unit in tokens._UNIT.findall(piece) for token in tokens._cut(unit, Strategy.HYBRID))
    assert plain in ((), long_way)
