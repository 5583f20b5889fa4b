import shirube.graph


def test_the_room_says_which_question_it_answers():
    assert shirube.graph.__doc__
    assert shirube.graph.__doc__.startswith("What is connected to what?")
