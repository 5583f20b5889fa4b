import shirube.features.plan


def test_the_room_says_which_question_it_answers():
    assert (shirube.features.plan.__doc__ or "").startswith("What should we ask next?")
