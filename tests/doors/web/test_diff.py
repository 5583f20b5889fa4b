"""What one text has and another has not."""

from shirube.doors.web.diff import LONGEST, only_here


def test_words_the_other_lacks_are_marked():
    assert only_here("it takes money", "it gives money") == 'it <mark class="only">takes</mark> money'
    assert only_here("same <b>", "same <b>") == "same &lt;b&gt;"
    assert only_here("<i>", "") == '<mark class="only">&lt;i&gt;</mark>'


def test_japanese_is_compared_character_by_character():
    assert only_here("お金を受け取る", "お金を返す") == 'お金を<mark class="only">受け取る</mark>'


def test_very_long_texts_are_shown_as_they_are():
    assert "<mark" not in only_here("a " * LONGEST, "b")
