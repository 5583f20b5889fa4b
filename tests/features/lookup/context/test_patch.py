"""Diffs: what git prints, names that need quoting, and what cannot be read or does not fit."""

from pathlib import Path

import pytest

from shirube.errors import BadDiff
from shirube.features.lookup.context.patch import LineSpan, changed_spans, read_patch
from tests.cases import for_each

REAL = Path(__file__).with_name("outputs").joinpath("git.diff").read_text("utf-8")

CART = '''\
"""The cart."""


class Cart:
    """Things to buy."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def add(self, price: int) -> None:
        self.items.append(price)

    def total(self, rate: float) -> int:
        return round(sum(self.items) * self.discount(rate))

    def discount(self, rate: float) -> float:
        if rate > 1:
            raise ValueError(f"rate {rate} is above 1")
        return 1.0 - rate
'''
BEFORE = CART.replace("The cart", "A cart").replace("1.0 - rate", "1 - rate")

SMALL = """\
--- a/x.py
+++ b/x.py
@@ -2,3 +2,4 @@ def f():
 two
-three
+THREE
+more
 four
"""


def lines(text: str) -> list[str]:
    return text.split("\n")


def test_what_git_prints_is_read_with_renames_new_and_deleted_files_and_quoted_names():
    assert [(patch.old, patch.new, len(patch.hunks)) for patch in read_patch(REAL)] == [
        ("app/cart.py", "app/cart.py", 2),
        ("", "app/new_日本.py", 1),
        ("app/bad.py", "app/price.py", 0),
        ("c/l.c", "", 1),
    ]


@for_each("text", [CART, BEFORE])
def test_a_diff_fits_the_file_as_it_was_and_as_it_is_to_be(text: str):
    cart = read_patch(REAL)[0]
    assert changed_spans(cart, lines(text)) == [LineSpan(1, 1), LineSpan(19, 19)]


def test_a_diff_whose_lines_have_moved_is_followed():
    moved = lines("# new\n# lines\n" + CART)
    assert changed_spans(read_patch(REAL)[0], moved) == [LineSpan(3, 3), LineSpan(21, 21)]


def test_only_the_lines_that_change_are_meant():
    (patch,) = read_patch(SMALL)
    assert changed_spans(patch, ["one", "two", "THREE", "more", "four"]) == [LineSpan(3, 4)]
    assert changed_spans(patch, ["one", "two", "three", "four"]) == [LineSpan(3, 3)]


def test_windows_line_ends_and_trailing_blanks_do_not_matter():
    (patch,) = read_patch(SMALL.replace("\n", "\r\n"))
    assert changed_spans(patch, ["one", "two ", "three\r", "four"]) == [LineSpan(3, 3)]


@pytest.mark.requirement("N001-BUNDLE-02")
def test_a_diff_that_does_not_fit_is_refused_with_the_file():
    (patch,) = read_patch(SMALL)
    with pytest.raises(BadDiff, match=r"does not fit x\.py") as refused:
        changed_spans(patch, ["one", "two", "drei", "four"])
    assert refused.value.code == "bad_diff"
    assert "git diff" in refused.value.hint


@for_each(
    ("text", "cause"),
    [
        ("hello", "no unified diff"),
        ("", "no unified diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "no hunk of a file"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "cut short"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n+c\n", "more lines"),
        ("diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n", "a merge"),
    ],
)
def test_what_is_no_diff_is_refused(text: str, cause: str):
    with pytest.raises(BadDiff, match=cause):
        read_patch(text)


def test_a_file_that_ends_without_a_line_break_is_no_trouble():
    text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    assert changed_spans(read_patch(text)[0], ["b"]) == [LineSpan(1, 1)]


def test_lines_that_only_go_are_told_by_their_place():
    text = "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n a\n-gone\n c\n"
    assert changed_spans(read_patch(text)[0], ["a", "c"]) == [LineSpan(1, 1)]


def test_a_line_of_dashes_inside_a_hunk_is_no_header():
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n"
    (patch,) = read_patch(text)
    assert patch.hunks[0].before == ("-- old", "same")
    assert patch.hunks[0].after == ("++ new", "same")
