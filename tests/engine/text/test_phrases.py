import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.query_terms import Term, TermKind, read_query


def kinds(text):
    return [(str(term.kind), term.text) for term in read_query(text).terms]


@pytest.mark.requirement("001-PHRASE-01")
@for_each(
    ("query", "phrases"),
    [
        ('"oauth-handler" authentication', ["oauth-handler"]),
        ("'oauth handler' x", ["oauth handler"]),
        ("“smart quotes” and ‘single ones’", ["smart quotes", "single ones"]),
        ("「認証 処理」と『検索』", ["認証 処理", "検索"]),
        ("｢半角｣", ["半角"]),
        ("＂全角＂", ["全角"]),
        ("'設定'を読む", ["設定"]),
        ("‘it’s fine’ he said", ["it’s fine"]),
        ("'don't panic' today", ["don't panic"]),
        ('"one" "two"', ["one", "two"]),
        ("\"\" '' 「」", []),
    ],
)
def test_quoted_text_is_a_phrase(query, phrases):
    assert list(read_query(query).of(TermKind.PHRASE)) == phrases


@for_each(
    ("query", "words"),
    [
        ('unbalanced "quote here', ["unbalanced", "quote", "here"]),
        ("don't touch users' posts", ["don't", "touch", "users", "posts"]),
        ("it’s broken and won’t start", ["it’s", "broken", "and", "won’t", "start"]),
        ("rock 'til dawn", ["rock", "til", "dawn"]),
    ],
)
def test_apostrophes_and_lone_quotes_are_plain_text(query, words):
    read = read_query(query)
    assert (list(read.of(TermKind.WORD)), read.of(TermKind.PHRASE)) == (words, ())


def test_an_unclosed_japanese_quote_is_plain_text():
    assert kinds("「閉じない") == [("cjk", "閉じない")]


@pytest.mark.requirement("001-PHRASE-03")
@for_each(
    ("query", "segments"),
    [
        ("lambda/page-agent/handler implementation", ["lambda", "page-agent", "handler"]),
        ("/lambda/foo", ["lambda", "foo"]),
        ("./src/x ../y ~/z", ["src", "x", "y", "z"]),
        ("src/auth", ["src", "auth"]),
        ("see (src/auth).", ["src", "auth"]),
        ("app/(group)/[id]/page.tsx:42:7", ["app", "(group)", "[id]", "page.tsx"]),
        ("src/**/x.py", ["src", "x.py"]),
        ("docs/設計/認証.md", ["docs", "設計", "認証.md"]),
        ("src／handlerの実装", ["src", "handler"]),
        ("これはsrc/fooです", ["src", "foo"]),
        ("handler.ts page-agent.ts .eslintrc.json", ["handler.ts", "page-agent.ts", ".eslintrc.json"]),
    ],
)
def test_a_path_is_read_as_its_segments(query, segments):
    assert list(read_query(query).segments) == segments


@for_each(
    ("query", "others"),
    [
        ("and/or", ["and", "or"]),
        ("I/O", ["I", "O"]),
        ("CI/CD", ["CI", "CD"]),
        ("read/write", ["read", "write"]),
        ("24/7", ["24", "7"]),
        ("検索/置換", ["検索", "置換"]),
        ("https://github.com/foo/bar, ok", ["https://github.com/foo/bar", "ok"]),
        ("a // b", ["a", "b"]),
    ],
)
def test_choices_and_addresses_are_not_paths(query, others):
    read = read_query(query)
    assert read.of(TermKind.PATH) == ()
    assert [term.text for term in read.terms] == others


@for_each(
    ("query", "symbol"),
    [
        ("Foo::bar", "Foo::bar"),
        ("module.func", "module.func"),
        ("module.func()", "module.func"),
        ("Array#push", "Array#push"),
        ("node->next", "node->next"),
        ("_private", "_private"),
        ("__init__", "__init__"),
        ("getUserById", "getUserById"),
        ("HTTPServer", "HTTPServer"),
        ("`getUser`", "getUser"),
        ("run()", "run"),
        ("$var", "var"),
        ("@app.route", "app.route"),
        ("console.log(x)", "console.log"),
    ],
)
def test_a_name_that_can_only_be_code_is_a_symbol(query, symbol):
    assert kinds(query)[0] == ("symbol", symbol)


@for_each("word", ["GitHub", "OAuth2", "HTTP", "Foo", "v1.2.3", "3.14", "utf8", "e.g"])
def test_words_that_look_like_symbols_stay_words(word):
    assert kinds(word) == [("word", word)]


@pytest.mark.requirement("001-PHRASE-02")
@for_each("term", ["page-agent", "user_profile", "MAX_SIZE", "utf-8"])
def test_words_joined_by_hyphen_or_underscore_are_compounds(term):
    assert kinds(term) == [("compound", term)]


def test_arithmetic_is_no_compound():
    assert kinds("x-1") == [("word", "x"), ("word", "1")]


def test_filters_are_pulled_out_and_keep_every_value():
    read = read_query('login lang:py Lang：ts path:src/** kind:class tag:x path:"my dir/ａ" 処理')
    assert read.text == "login 処理"
    assert read.filters == {
        "lang": ("py", "ts"),
        "path": ("src/**", "my dir/ａ"),
        "kind": ("class",),
        "tag": ("x",),
    }


@for_each("query", ["std:vector", "lang:", "xlang:py", "http://x.y"])
def test_other_colons_are_plain_text(query):
    assert read_query(query).filters == {}


def test_a_filter_inside_a_quotation_is_part_of_it():
    read = read_query('"see lang:py here"')
    assert (read.of(TermKind.PHRASE), read.filters) == (("see lang:py here",), {})


def test_the_terms_keep_the_order_of_a_mixed_query():
    assert kinds('getUserの処理 page-agent "exact one" src/auth _x 型 word') == [
        ("symbol", "getUser"),
        ("cjk", "の処理"),
        ("compound", "page-agent"),
        ("phrase", "exact one"),
        ("path", "src/auth"),
        ("symbol", "_x"),
        ("cjk", "型"),
        ("word", "word"),
    ]


def test_each_list_holds_the_terms_of_its_kind():
    read = read_query("getUser user_id word 検索")
    assert (read.of(TermKind.SYMBOL), read.of(TermKind.COMPOUND), read.of(TermKind.WORD), read.of(TermKind.CJK)) == (
        ("getUser",),
        ("user_id",),
        ("word",),
        ("検索",),
    )


def test_a_term_that_is_no_path_is_its_own_segment():
    assert Term(TermKind.WORD, "auth").segments == ("auth",)


@given(st.text() | st.text(st.sampled_from("a/B_-.\"'「」:().1型の #$@“”‘’")))
def test_any_text_can_be_read_and_no_term_is_empty(text):
    assert all(term.text.strip() for term in read_query(text).terms)


@given(st.text(st.sampled_from("a/B_-.\"'「」:().1型の #$@")))
def test_reading_what_was_read_changes_nothing(text):
    read = read_query(text)
    again = read_query(read.text)
    assert again.filters or again.terms == read.terms
