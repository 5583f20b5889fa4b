from shirube import graph


def test_the_room_says_what_it_offers():
    assert all(callable(getattr(graph, name)) for name in graph.__all__)
