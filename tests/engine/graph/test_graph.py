from shirube.engine import graph


def test_the_room_says_which_question_it_answers():
    assert (graph.__doc__ or "").startswith("What is connected to what?")


def test_the_room_says_what_it_offers():
    assert all(callable(getattr(graph, name)) for name in graph.__all__)
