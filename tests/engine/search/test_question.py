from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.engine.search.question import MOST_NAMES, MOST_TERMS, Phrase, Question, read_question
from shirube.engine.search.verbatim import MOST_WORDS
from shirube.engine.text.glossary import japanese_words
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, TENTHS

SIGNALS = replace(TENTHS.signals, other_forms=0.5, translation=0.8, plain_definition=0.1)


def read(text: str, tokenization: str = "phrase-aware") -> Question:
    return read_question(text, replace(TENTHS, signals=SIGNALS, tokenization=tokenization))


def test_words_are_asked_for_by_their_stems_and_what_tells_nothing_is_left_out():
    question = read("how are the sessions of users started?")
    assert question.terms == {"session": 1.0, "user": 1.0, "start": 1.0}
    assert question.words == 3


def test_words_that_tell_nothing_are_all_there_is_in_some_questions():
    assert read("to be or not to be").terms.keys() == {"to", "be", "or", "not"}


def test_a_word_said_twice_is_one_thing_asked_for():
    assert (read("retry retries retry").words, read("retry retries retry").concepts) == (1, (("retry",),))


@pytest.mark.requirement("N001-ASK-02")
def test_how_a_word_is_shortened_in_code_is_looked_for_in_names_at_less():
    question = read("database configuration")
    assert question.terms == {"databas": 1.0, "configur": 1.0}
    assert question.forms == {"db": 0.5, "config": 0.5, "cfg": 0.5, "conf": 0.5}
    assert question.concepts == (("databas", "db"), ("configur", "config", "cfg", "conf"))


def test_a_short_form_finds_the_word_and_a_form_that_was_said_is_no_other_form():
    assert read("auth").forms.keys() == {"authentic", "author"}
    assert "db" not in read("db of the database").forms


@pytest.mark.requirement("001-PHRASE-01", "001-PHRASE-02")
def test_compounds_and_quotations_are_phrases():
    assert read("page-agent user_profile handler").phrases == (
        Phrase("page-agent", ("page-agent",), quoted=False),
        Phrase("user_profile", ("user_profile",), quoted=False),
    )
    assert read('"oauth handlers" login').phrases == (Phrase("oauth handlers", ("oauth", "handler"), True, True),)
    assert read("'oauth-handler' x").phrases[0].quoted


@for_each(
    ("text", "first"),
    [('"oauth handler" x', True), ("「oauth handler」 x", True), ("'oauth handler' x", False), ("page-agent x", False)],
)
def test_files_with_a_phrase_come_first_when_it_is_in_double_quotes(text: str, first: bool):
    """Prose and messages put names into single ones."""
    assert [phrase.first for phrase in read(text).phrases] == [first]


def test_a_message_is_its_words_in_order_without_the_wrapping_of_error_output():
    assert read("2024-01-02 03:04:05 ERROR ValueError: the User is not the owner").message == (
        *("the", "user", "is", "not", "the", "owner"),
    )
    assert read("retry").message == read("Foo::bar").message == (), "a name is no message"


def test_of_a_long_pasted_text_both_ends_are_read_in_order():
    words = [f"word{number}x" for number in range(500)]
    message = read(" ".join(words)).message
    assert message == (*words[: MOST_WORDS // 2], *words[-MOST_WORDS // 2 :])


def test_a_quotation_in_wide_letters_is_sought_in_plain_ones():
    assert read("「ＯＡｕｔｈ」").phrases[0].text == "OAuth"


@pytest.mark.requirement("001-PATH-02")
def test_a_path_gives_its_segments_in_lower_case():
    assert read("lambda/Page-Agent/handler implementation").segments == ("lambda", "page-agent", "handler")
    assert read("src/auth src/web").segments == ("src", "auth", "web")
    assert read("handler.ts").segments == ("handler.ts",)


@for_each(
    ("text", "name", "scope"),
    [
        ("Foo::bar", "bar", "foo"),
        ("module.func", "func", "module"),
        ("Session->start", "start", "session"),
        ("Session#start", "start", "session"),
        ("a.b.Deep", "deep", "b"),
        ("_private", "_private", None),
        ("getUserById", "getuserbyid", None),
        ("user_profile", "user_profile", None),
        ("page-agent", "page-agent", None),
    ],
)
def test_what_can_only_be_a_name_is_surely_one(text: str, name: str, scope: str | None):
    for question in (read(text), read(f"where is {text} called")):
        assert question.names[name] == 1.0
        assert question.scopes.get(name) == scope


def test_a_plain_word_is_a_name_for_sure_only_when_it_stands_alone():
    assert (read("session").names, read("session").bare) == ({"session": 1.0}, True)
    assert (read("session start").names, read("session start").bare) == ({"session": 0.1, "start": 0.1}, False)
    assert read("where is it").names == {}


@for_each(
    ("text", "title"),
    [
        ("森と地図の違い？", "森と地図の違い"),
        ("How  code gets in", "how code gets in"),
        ("session", ""),
        ("where is PaymentGateway", ""),
        ('a "quoted" heading', ""),
        ("word " * 100, ""),
    ],
)
def test_plain_words_may_be_a_heading(text: str, title: str):
    assert read(text).title == title


def test_a_name_is_remembered_as_it_was_typed():
    assert read("where is PaymentGateway").spelled == {
        "paymentgateway": "PaymentGateway",
        "payment_gateway": "PaymentGateway",
    }


def test_a_word_that_is_also_said_as_a_name_is_surely_one():
    assert read("start of Session.start").names["start"] == 1.0


@pytest.mark.requirement("001-TOK-06")
@for_each(
    ("strategy", "terms"),
    [
        ("phrase-aware", {"page-agent"}),
        ("legacy", {"page", "agent"}),
        ("hybrid", {"page-agent", "page", "agent"}),
    ],
)
def test_the_strategy_decides_how_a_compound_is_asked_for(strategy: str, terms: set[str]):
    assert set(read("page-agent", strategy).terms) == terms


@pytest.mark.requirement("001-TOK-02")
def test_legacy_takes_no_compound_for_a_phrase():
    assert [phrase.text for phrase in read("page-agent", "phrase-aware").phrases] == ["page-agent"]
    assert read("page-agent", "legacy").phrases == ()
    assert [phrase.text for phrase in read('"page agent"', "legacy").phrases] == ["page agent"]


def test_filters_are_no_words():
    question = read("retry lang:python path:src kind:class tag:web")
    assert (question.text, set(question.terms)) == ("retry", {"retry"})


@for_each(
    ("japanese", "english"),
    [("認証", "authentic"), ("ミドルウェア", "middlewar"), ("キャッシュ", "cach"), ("設定", "set")],
)
def test_japanese_is_asked_for_as_it_is_and_by_the_english_it_stands_for(japanese: str, english: str):
    question = read(japanese)
    assert question.terms[japanese[:2]] == 1.0
    (word,) = japanese_words(japanese)
    assert question.terms[english] == pytest.approx(0.8 * sqrt(word.meanings[0][1]))
    assert question.words == 1


def test_a_less_sure_meaning_counts_less():
    terms = read("設定").terms
    assert terms["set"] > terms["configur"] > 0


def test_a_word_of_everyday_requests_counts_in_texts_but_hardly_in_names():
    question = read("認証を変更")
    assert question.terms["chang"] > 0.5
    assert question.in_names["chang"] < 0.2
    assert question.in_names["authentic"] == question.terms["authentic"]


@for_each(("text", "part"), [("認証の検索", 0.7), ("謎謎謎謎の検索", 0.3)])
def test_how_much_of_a_question_is_understood(text: str, part: float):
    assert (read(text).understood > 0.5) == (part > 0.5)
    assert read("plain words").understood == 1.0


@for_each(
    ("written", "plain"),
    [
        ("檢索の結果", "検索の結果"),
        ("ninshou no kensaku", "認証の検索"),
        ("Ｔｏｋｅｎの検証", "Tokenの検証"),
        ("ｻ－ﾊﾞ", "サーバ"),
    ],
)
def test_other_spellings_ask_for_the_same_english(written: str, plain: str):
    english = {term: worth for term, worth in read(plain).terms.items() if term.isascii()}
    assert english.items() <= read(written).terms.items()


def test_half_width_kana_ask_the_same():
    assert read("ｷｬｯｼｭ").terms == read("キャッシュ").terms


def test_a_name_inside_japanese_is_a_name_and_the_rest_is_translated():
    question = read("getUserの検索")
    assert question.names == {"getuser": 1.0, "get_user": 1.0}
    assert {"get", "user", "search", "検索"} <= set(question.terms)


def test_japanese_that_no_list_knows_is_asked_for_as_it_is():
    question = read("諸行無常")
    assert set(question.terms) == {"諸行", "行無", "無常"}
    assert question.words == 3


def test_a_pasted_text_is_read_by_its_first_words_and_names():
    text = " ".join(f"word{number}x" for number in range(500))
    assert len(read(text).terms) <= MOST_TERMS
    assert len(read(text).names) == MOST_NAMES


@for_each("text", ["", "!!! ???", "lang:python"])
def test_what_has_no_word_asks_for_nothing(text: str):
    assert (read(text).terms, read(text).concepts, read(text).words) == ({}, (), 1)


@given(st.text(max_size=80))
def test_any_text_can_be_read_and_every_worth_is_a_share(text: str):
    question = read_question(text, DEFAULTS)
    assert question.words >= 1
    assert all(0 < worth <= 1 for worth in (*question.terms.values(), *question.forms.values()))
    assert all(0 < sure <= 1 for sure in question.names.values())
    assert not question.forms.keys() & question.terms.keys()


@for_each("long", ["x" * 70 + "_" + "y" * 70, "_".join(["very"] * 20), "page-" * 20 + "agent"])
def test_a_compound_longer_than_any_term_of_the_index_is_one_term_or_no_phrase(long: str):
    """A phrase of the first word alone would give its points to every file that has that word."""
    for phrase in read(f"login {long}").phrases:
        assert phrase.terms == (long,)
