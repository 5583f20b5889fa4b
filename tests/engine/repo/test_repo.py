import shirube.engine.repo


def test_the_room_says_what_it_is_for_and_offers_what_it_names():
    assert shirube.engine.repo.__doc__.startswith("What is on disk?")
    assert all(hasattr(shirube.engine.repo, name) for name in shirube.engine.repo.__all__)
