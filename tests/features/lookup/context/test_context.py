from shirube.features.lookup import context


def test_the_room_says_what_it_offers():
    assert all(callable(getattr(context, name)) for name in context.__all__)
