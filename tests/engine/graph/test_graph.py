from shirube.engine import graph


def test_the_room_says_which_question_it_answers():
    assert (graph.__doc__ or "").startswith("What is connected to what?")
