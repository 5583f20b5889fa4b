import shirube.repo


def test_the_room_says_what_it_is_for_and_offers_what_it_names():
    assert shirube.repo.__doc__.startswith("What is on disk?")
    assert all(hasattr(shirube.repo, name) for name in shirube.repo.__all__)
