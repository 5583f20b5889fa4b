import shirube.engine.repo


def test_the_room_says_what_it_is_for():
    assert (shirube.engine.repo.__doc__ or "").startswith("What is on disk?")
