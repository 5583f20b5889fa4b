"""Diffs: what git prints, what people and models make of it, and what does not fit any longer."""

from pathlib import Path

import pytest

from shirube.features.lookup.context.patch import (
    MOST_FILES,
    FilePatch,
    LineSpan,
    paths_in,
    place_hunk,
    read_diff,
)
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
    return [line.rstrip() for line in text.split("\n")]


def read_patch(text: str) -> list[FilePatch]:
    """Read a diff with which nothing is wrong."""
    reading = read_diff(text)
    assert reading.faults == ()
    return list(reading.patches)


def changed_spans(patch: FilePatch, text: list[str]) -> list[LineSpan]:
    """Return where the hunks are, all of which fit."""
    places = [place_hunk(hunk, [line.rstrip() for line in text]) for hunk in patch.hunks]
    assert all(place is not None and place[1] for place in places)
    return [place[0] for place in places if place is not None]


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
def test_a_hunk_that_no_longer_fits_is_placed_where_most_of_its_lines_are():
    hunk = read_patch(REAL)[0].hunks[1]
    changed = CART.replace("        return 1.0 - rate", "        return max(0.0, 1.0 - rate)").replace(
        "if rate > 1", "if rate > 2"
    )
    assert place_hunk(hunk, lines("# new\n" * 30 + changed)) == (LineSpan(46, 48), False)


@for_each("text", ["", "nothing\nof\nit\n", "}\n}\n}\n", "two\n" + "x\n" * 5])
def test_a_hunk_whose_lines_are_gone_has_no_place(text: str):
    (patch,) = read_patch(SMALL.replace("two", "def two").replace("four", "return four"))
    assert place_hunk(patch.hunks[0], lines(text)) is None


@pytest.mark.requirement("N001-BUNDLE-02")
@for_each(
    ("text", "fault", "read"),
    [
        ("@@ -1 +1 @@\n-a\n+b\n", "the hunk at line 1 of the diff names no file", [("", "-+")]),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "cut short", [("x", " ")]),
        (
            "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n",
            "cut short",
            [("x", " -"), ("y", "-+")],
        ),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n+c\n", "line 3 of the diff has more lines", [("x", "-++")]),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n```\nThat is all.\n", "cut short", [("x", " -+")]),
    ],
)
def test_a_diff_with_a_fault_is_read_as_far_as_it_goes(text: str, fault: str, read: list[tuple[str, str]]):
    reading = read_diff(text)
    assert fault in " ".join(reading.faults)
    assert [(patch.path, hunk.marks) for patch in reading.patches for hunk in patch.hunks] == read


@for_each("text", ["hello", "", "--- expected", "@@ nothing @@", "- a list\n+ of things\n", "diff --git", "\n" * 50])
def test_what_is_no_diff_is_left_as_text(text: str):
    reading = read_diff(text)
    assert reading.patches == ()
    assert reading.rest == text.strip("\n")


MERGE = """\
diff --cc app/cart.py
index 1a2b3c4,5d6e7f8..9a8b7c6
--- a/app/cart.py
+++ b/app/cart.py
@@@ -1,3 -1,3 +1,4 @@@ class Cart
  two
- three
 -drei
++THREE
++more
  four
"""


def test_a_merge_is_read_by_its_result():
    (patch,) = read_patch(MERGE)
    assert (patch.path, patch.hunks[0].heading) == ("app/cart.py", "class Cart")
    assert changed_spans(patch, ["one", "two", "THREE", "more", "four"]) == [LineSpan(3, 4)]


EDIT = """\
*** Begin Patch
*** Update File: app/cart.py
@@ def discount(self, rate: float) -> float:
         if rate > 1:
-            raise ValueError(f"rate {rate} is above 1")
+            raise ValueError("too much")
*** Add File: app/new.py
+x = 1
*** Delete File: app/old.py
*** End Patch
"""


def test_a_diff_without_line_numbers_is_placed_by_its_lines():
    cart, new, old = read_patch(EDIT)
    assert changed_spans(cart, lines(CART)) == [LineSpan(18, 18)]
    assert (new.old, new.new, new.hunks[0].after) == ("", "app/new.py", ("x = 1",))
    assert (old.old, old.new) == ("app/old.py", "")


@for_each(
    "wrapped",
    [
        f"Please review:\n\n```diff\n{SMALL}```\nThanks.",
        "> " + SMALL.replace("\n", "\n> "),
        "1. do this:\n" + "".join(f"    {line}\n" for line in SMALL.split("\n")),
        f"From 1a2b Mon Sep 17\nSubject: [PATCH] more\n\n---\n x.py | 3 ++-\n\n{SMALL}-- \n2.39.0\n",
        SMALL.replace("\n", "\r\n"),
        SMALL.replace("--- a/x.py", "diff --git i/x.py w/x.py\nindex 1a..2b 100644\n--- i/x.py").replace("b/x", "w/x"),
        SMALL.replace("a/x.py", "x.py\t2024-05-01 12:00:00").replace("b/x.py", "x.py\t2024-05-01 12:00:01"),
    ],
)
def test_a_diff_is_read_out_of_what_it_comes_in(wrapped: str):
    (patch,) = read_patch(wrapped)
    assert (patch.old, patch.new) == ("x.py", "x.py")
    assert changed_spans(patch, ["one", "two", "three", "four"]) == [LineSpan(3, 3)]


def test_the_text_around_a_diff_is_kept():
    assert read_diff(f"It fails in b.py:3\n```diff\n{SMALL}```\nThanks.\n").rest == "It fails in b.py:3\nThanks."


def test_removed_lines_without_context_are_looked_for_before_the_number_is_believed():
    (patch,) = read_patch("--- a/x\n+++ b/x\n@@ -9,1 +8,0 @@\n-gone\n")
    assert changed_spans(patch, ["a", "gone", "c"]) == [LineSpan(2, 2)]
    assert changed_spans(patch, ["a", "c"]) == [LineSpan(2, 2)]


@for_each(
    ("text", "paths"),
    [
        (
            " src/shop/retry.py | 4 ++--\n Makefile | 2 +-\n 2 files changed, 3 insertions(+)",
            ["src/shop/retry.py", "Makefile"],
        ),
        (" .../shop/retry.py         |  4 ++--", ["shop/retry.py"]),
        (
            " src/{old => new}/a.py | 0\n src/{ => deep}/b.py | 1 +\n x.py => y.py | 2 +-",
            ["src/new/a.py", "src/deep/b.py", "y.py"],
        ),
        (" logo.png | Bin 0 -> 12 bytes", ["logo.png"]),
        ("M\tsrc/a.py\nR100\told.py\tnew.py", ["src/a.py", "old.py", "new.py"]),
        (r' "app/\346\227\245.py" | 2 +-', ["app/日.py"]),
        (r'M	"app/\346\227\245.py"'.replace(r"\t", "\t"), ["app/日.py"]),
        ("I changed `src/a.py`, (b.ts) and https://example.org/c.html.", ["src/a.py", "b.ts"]),
        ("version 1.2.3 and so on", []),
    ],
)
def test_paths_are_read_out_of_lists_and_prose(text: str, paths: list[str]):
    assert paths_in(text) == paths


def test_a_path_inside_japanese_is_found():
    assert "app/cart.py" in paths_in("変更はapp/cart.pyです")
    assert "app/日本.py" in paths_in("app/日本.py を直した")


def test_a_huge_diff_is_read_in_part_and_told():
    many = "".join(f"--- a/f{at}.py\n+++ b/f{at}.py\n@@ -1 +1 @@\n-a\n+b\n" for at in range(MOST_FILES + 5))
    reading = read_diff(many)
    assert len(reading.patches) == MOST_FILES
    assert f"changes {MOST_FILES + 5} files" in reading.faults[0]


@for_each(
    "text",
    [
        "@@ -" + "9" * 9999 + " +1 @@\n-a\n",
        "--- a/x\n+++ b/x\n@@@@@@@@@@ -1 -1 -1 +1 @@@@\n a\n",
        "diff --git " + 'a/" "b/' * 5000,
        "--- \n+++ \n@@ -0,0 +0,0 @@\n",
        "rename from a\nrename to b\ndeleted file mode 1\n",
        "\\ No newline at end of file\n@@ -1 +1 @@\n\\\n",
        "*** Update File: \n*** Update File: x\n@@\n",
        "*** Update File: x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n\x00\ud800\n",
    ],
)
def test_nothing_that_resembles_a_diff_breaks_the_reader(text: str):
    reading = read_diff(text)
    for patch in reading.patches:
        assert all(place_hunk(hunk, lines(CART)) is None or hunk.marks for hunk in patch.hunks)


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
