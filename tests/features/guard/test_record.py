import pytest

from shirube.codec import Shown, ShownPlace
from shirube.features.guard.recording import MOST, asked_words, with_shown
from shirube.features.guard.state import AgreementHit, Recorded
from shirube.features.lookup.results import SearchResult
from shirube.types import Hit, Reason
from shirube.types import MapHit as FoundHit
from tests.cases import for_each

SEARCH = Recorded("search", "search")


def test_places_are_seen_with_their_symbols_and_counted():
    shown = Shown((ShownPlace("a.py", 1, 5, "f"), ShownPlace("a.py", 7, 9), ShownPlace("b.py", 1, 2, "g")))
    made = with_shown(SEARCH, shown)
    assert (made.answer, made.hits, made.seen, made.symbols) == ("found", 3, ("a.py", "b.py"), ("f", "g"))


@pytest.mark.requirement("004-FOREST-01")
def test_what_was_shown_is_neither_listed_nor_guessed():
    shown = Shown((ShownPlace("a.py", 1, 5),), listed=("a.py", "c.py"), guessed=("a.py", "d.py", "d.py"))
    made = with_shown(SEARCH, shown)
    assert (made.seen, made.listed, made.guessed, made.hits) == (("a.py",), ("c.py",), ("d.py",), 1)


@pytest.mark.requirement("004-FOREST-01")
@for_each(
    ("names", "is_seen"),
    [
        (["text:sense", "near:src"], False),
        (["dep:src/a.py", "near:src", "boost:implementation"], False),
        (["text:words", "near:src"], True),
        (["coverage", "near:src"], True),
        (['verbatim:"a b"'], True),
        (["text:sense", "file-name"], False),
        ([], True),
    ],
)
def test_a_neighbour_of_a_guess_is_a_guess(names: list[str], is_seen: bool):
    why = tuple(Reason(name, 1.0) for name in names)
    shown = SearchResult("q", forest_hits=(Hit("b.py", 1, 2, "g", "", "", 0.9, 0.9, why, ""),)).shown()
    assert (bool(shown.places), shown.guessed) == (is_seen, () if is_seen else ("b.py",))


def test_an_operation_that_names_files_has_hits_and_shows_nothing():
    made = with_shown(Recorded("deps_closure", "symbols"), Shown(listed=("a.py", "b.py")))
    assert (made.hits, made.seen, made.listed) == (2, (), ("a.py", "b.py"))


def test_what_the_result_answers_counts_before_what_it_shows():
    assert with_shown(SEARCH, Shown(), "none").answer == "none"
    assert with_shown(SEARCH, Shown()).answer == "unknown"


@pytest.mark.requirement("004-STATE-01")
def test_an_operation_that_is_no_exploration_shows_agreements_alone():
    hit = FoundHit("a.py", 1, 2, "f", "", "", 0.9, 0.9, (), "", nl_term="till", fresh=True, files=("a.py", "b.py"))
    made = with_shown(Recorded("show_plan", "plan"), Shown((ShownPlace("a.py", 1, 2),), map_hits=(hit,)))
    assert (made.seen, made.hits) == ((), 0)
    assert made.maps == (AgreementHit("till", "f", ("a.py", "b.py"), 0.9, True),)


def test_a_call_that_names_too_much_says_nothing_of_the_rest():
    shown = Shown(tuple(ShownPlace(f"{number}.py", 1, 2, f"f{number}") for number in range(MOST + 9)))
    made = with_shown(SEARCH, shown)
    assert (len(made.seen), len(made.symbols), made.hits) == (MOST, MOST, MOST + 9)


def test_the_words_of_a_call_are_those_of_its_arguments():
    assert asked_words({"query": "a b", "session_id": "s", "list": ["c", {"d": "e"}], "limit": 3}) == "a b\nc\ne"
