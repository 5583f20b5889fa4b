import shirube.engine.search
from shirube.engine.search.pipeline import search


def test_the_room_offers_what_searches_and_what_goes_in_and_out_of_it():
    assert shirube.engine.search.__all__ == ["Around", "HitPage", "Similarity", "search"]
    assert shirube.engine.search.search is search


def test_the_room_says_which_question_it_answers():
    assert (shirube.engine.search.__doc__ or "").startswith("How does an answer get out?")
