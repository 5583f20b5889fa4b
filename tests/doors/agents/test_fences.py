import pytest

from shirube.doors.agents.edits import BEGIN, END, has_block, put_block, take_block
from shirube.doors.agents.jsonc import Broken
from tests.cases import for_each


@for_each("text", ["", "a\n", "a\n\nb\n\n", "a\r\nb\r\n", "\ufeff# a\n", "一\n"])
def test_a_block_goes_to_the_end_and_out_again(text: str):
    longer = put_block(text, "one\ntwo\n")
    assert longer.startswith(text)
    assert has_block(longer)
    assert not has_block(text)
    assert put_block(longer, "one\ntwo") == longer
    assert ("\r\n" in longer) == ("\r\n" in text)
    assert take_block(longer) == text


def test_what_was_written_after_the_block_stays():
    longer = put_block("a\n", "x") + "\nb\n"
    assert take_block(longer) == "a\n\nb\n"
    assert put_block(longer, "y") == longer.replace("x", "y")


@for_each("text", [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}", f"{BEGIN}{BEGIN}{END}{END}"])
def test_marks_that_do_not_pair_are_refused(text: str):
    for edit in (has_block, take_block, lambda broken: put_block(broken, "x")):
        with pytest.raises(Broken):
            edit(text)
