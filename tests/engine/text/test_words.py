"""Words that tell nothing, and short forms."""

from tests.cases import for_each

from shirube.engine.text import glossary as words
from shirube.engine.text.glossary import other_forms, stop_words
from shirube.engine.text.stems import stem

TRADE = """
abort api assert async await base block body break bug build byte cache call case catch char check class client close
code command commit config connection const copy count create data debug default delete deploy end enum error event
exception export fail field file find fix flag format function get global handle hash header host http id import index
init input insert interface item join json key language length limit line list load lock log loop main map memory
merge message method migrate model module move name network new next node null number object open option order output
package page parse password patch path pattern plugin pool port print process promise property public queue range read
record refactor remove render replace request reset response result retry return route run save schema scope search
select self send server session set size sort source split start state static status stop stream string super switch
sync table tag task template test text thread throw time timeout token tree try type undo unit update url user
validate value variable version view wait watch write yield
"""

SHORT_FORMS = [(long, short) for long, shorts in words._lists()["short_forms"].items() for short in shorts.split()]


def test_no_word_of_the_trade_is_a_stop_word():
    assert [word for word in TRADE.split() if word in stop_words()] == []


@for_each("word", ["how", "is", "the", "where", "what", "does", "a", "of", "which", "why", "仕組み"])
def test_what_questions_are_made_of_tells_nothing(word: str):
    assert word in stop_words()


def test_stop_words_are_single_words_in_lower_case():
    assert [word for word in stop_words() if not word.isalpha() or word != word.lower()] == []


@for_each(("long", "short"), SHORT_FORMS)
def test_a_word_and_its_short_form_find_each_other(long: str, short: str):
    if stem(long) != stem(short):
        assert stem(short) in other_forms(stem(long))
        assert stem(long) in other_forms(stem(short))


def test_a_short_form_finds_every_word_it_stands_for_and_a_word_all_its_short_forms():
    assert set(other_forms("auth")) == {stem("authentication"), stem("authorization")}
    assert set(other_forms(stem("configuration"))) == {"config", "cfg", "conf"}


def test_no_form_is_another_form_of_itself():
    assert [term for term in words._forms() if term in other_forms(term)] == []


def test_a_word_that_nobody_shortens_has_no_other_form():
    assert other_forms("kettl") == ()


def test_a_short_form_is_shorter_and_in_lower_case_and_no_stop_word():
    for long, short in SHORT_FORMS:
        assert len(short) < len(long)
        assert short.isalpha()
        assert short.islower()
        assert short not in stop_words()
