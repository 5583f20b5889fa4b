import shirube.search
from shirube.search.pipeline import search


def test_the_room_offers_what_searches_and_what_goes_in_and_out_of_it():
    assert shirube.search.__all__ == ["Around", "Found", "Similarity", "search"]
    assert shirube.search.search is search


def test_the_room_says_which_question_it_answers():
    assert (shirube.search.__doc__ or "").startswith("How does an answer get out?")
