from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.tokens import identifier_words, split_identifier


@for_each(
    ("name", "words"),
    [
        ("getHTTPServer2", "get http server 2"),
        ("getUserById", "get user by id"),
        ("PascalCase", "pascal case"),
        ("snake_case_name", "snake case name"),
        ("kebab-case-name", "kebab case name"),
        ("SCREAMING_SNAKE", "screaming snake"),
        ("HTTPServer", "http server"),
        ("parseURLs", "parse urls"),
        ("getIDsForUser", "get ids for user"),
        ("XMLHttpRequest", "xml http request"),
        ("__init__", "init"),
        ("_private", "private"),
        ("$var", "var"),
        ("Foo::bar", "foo bar"),
        ("a.b.c", "a b c"),
        ("obj->fieldName", "obj field name"),
        ("word", "word"),
        ("", ""),
        ("___", ""),
    ],
)
def test_a_name_is_cut_by_the_convention_it_was_written_in(name, words):
    assert split_identifier(name) == tuple(words.split())


@for_each(
    ("name", "words"),
    [
        ("utf8", "utf 8"),
        ("sha256sum", "sha 256 sum"),
        ("x86_64", "x 86 64"),
        ("10px", "10px"),
        ("0xFF", "0xff"),
        ("1e5", "1e5"),
        ("404", "404"),
        ("1_000", "1 000"),
    ],
)
def test_digits_are_words_of_their_own_but_numbers_keep_their_unit(name, words):
    assert split_identifier(name) == tuple(words.split())


@for_each(
    ("name", "words"),
    [
        ("OAuthHandler", "oauth handler"),
        ("GitHubClient", "github client"),
        ("useGraphQLQuery", "use graphql query"),
        ("SQLiteStore", "sqlite store"),
        ("openSQLite", "open sqlite"),
        ("iPadding", "i padding"),
        ("JavaScripts", "java scripts"),
    ],
)
def test_a_name_with_capitals_of_its_own_stays_one_word(name, words):
    assert split_identifier(name) == tuple(words.split())


@for_each(
    ("name", "words"),
    [
        ("größeÄndern", "größe ändern"),
        ("ÉtatInitial", "état initial"),
        ("ΑρχείοΝέο", "αρχείο νέο"),
        ("новыйФайл", "новый файл"),
        ("ユーザー名_取得", "ユーザー名 取得"),
        ("getUserの処理", "get user の処理"),
        ("תפריט", "תפריט"),
    ],
)
def test_names_outside_ascii_are_cut_the_same_way(name, words):
    assert split_identifier(name) == tuple(words.split())


@for_each(
    ("name", "words"),
    [
        ("toUtf8", "to utf8 utf 8"),
        ("getHTTPServer2", "get http server2 server 2"),
        ("OAuth2Token", "oauth2 oauth 2 token"),
        ("field_1", "field 1"),
        ("plain", "plain"),
    ],
)
def test_a_word_with_digits_is_found_with_and_without_them(name, words):
    assert identifier_words(name) == tuple(words.split())


@given(st.text())
def test_every_part_is_among_the_words_and_none_is_empty(name):
    parts = split_identifier(name)
    assert all(parts)
    assert set(parts) <= set(identifier_words(name))


@given(st.from_regex(r"[A-Za-z0-9_]+", fullmatch=True))
def test_cutting_an_ascii_name_loses_no_character(name):
    assert "".join(split_identifier(name)) == name.replace("_", "").lower()
