"""One form for the forms of a word."""

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.stems import SHORTEST, stem

LATIN = st.text("abcdefghijklmnopqrstuvwxyz", max_size=24)
ENDINGS = "s es ies sses ing ed eed ational ization bility ator izer ement ance able ment ion al er ly e ll"
WORDS = LATIN | st.builds("".join, st.lists(LATIN | st.sampled_from(ENDINGS.split()), max_size=4))


@for_each(
    "family",
    [
        "handle handles handled handling",
        "handler handlers",
        "serialize serializes serialized serializing serializer serializers serialization serialisation",
        "library libraries",
        "asynchronous asynchronously",
        "stop stops stopped stopping",
        "query queries querying",
        "cache caches cached caching",
        "index indexes indexed indexing",
        "class classes",
        "process processes processed processing processor",
        "connect connects connected connecting connection connections",
        "validate validates validated validating validator validators validation",
        "configure configured configuring configuration configurations",
        "authenticate authenticated authenticator authentication",
        "delete deletes deleted deleting deletion",
        "type types typed typing",
        "map maps mapped mapping mappings",
        "set sets setting settings",
        "log logs logged logging",
        "call calls called calling",
        "cancel cancels cancelled canceled cancellation",
        "commit commits committed committing",
        "service services",
        "agree agrees agreed agreeing",
        "getuser getusers",
    ],
)
def test_the_words_of_a_family_have_one_form(family: str):
    assert len({stem(word) for word in family.split()}) == 1


@for_each(
    "family",
    [
        "add added adding",
        "alias aliases",
        "canvas canvases",
        "cookie cookies",
        "copy copied",
        "query queried",
        "retry retried",
        "create creation creator",
        "recursive recursively",
    ],
)
def test_the_words_of_these_families_should_have_one_form_too(family: str):
    assert len({stem(word) for word in family.split()}) == 1


@for_each(
    ("word", "other"),
    [
        ("handler", "handle"),
        ("parser", "parse"),
        ("user", "use"),
        ("number", "numb"),
        ("status", "state"),
        ("process", "proceed"),
        ("string", "str"),
        ("request", "require"),
    ],
)
def test_words_that_are_only_alike_stay_apart(word: str, other: str):
    """Short words keep their ``er``: what is left of ``user`` and ``number`` without it is another word."""
    assert stem(word) != stem(other)


@for_each("word", ["", "a", "is", "was", "red", "ids", "ing", "検索", "ログイン", "한국어", "naïves"])
def test_short_words_and_other_scripts_keep_their_form(word: str):
    assert stem(word) == word


@for_each("word", ["utf8s", "1234", "get_users", "page-agents", "_handlers", "v2ing"])
def test_what_is_not_letters_alone_keeps_its_form(word: str):
    assert stem(word) == word


@given(st.text() | WORDS)
def test_a_stem_is_the_word_itself_or_shorter_and_never_nothing(word: str):
    found = stem(word)
    assert found == word or (SHORTEST // 2 <= len(found) < len(word))


@given(WORDS)
def test_a_stem_begins_as_the_word_does(word: str):
    assert stem(word)[:2] == word[:2]


@given(WORDS)
def test_a_stem_is_made_of_letters_and_the_same_every_time(word: str):
    assert stem(word) == stem(word)
    assert not word or stem(word).isalpha()


@given(WORDS)
def test_stemming_again_and_again_comes_to_rest(word: str):
    for _ in range(len(word)):
        word = stem(word)
    assert stem(word) == word


def test_a_stem_of_a_stem_may_be_another_so_nothing_is_stemmed_twice():
    """It is the same for 96 of 100 names in code; ``authentication`` is one of the others."""
    assert stem("authentication") == "authentic"
    assert stem("authentic") == "authent"
