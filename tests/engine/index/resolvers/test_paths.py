from tests.cases import for_each

from shirube.engine.index.resolvers.toolkit import ancestors, contains, join, nearest, parent, shared, sole, under


@for_each(
    ("directory", "relative", "expected"),
    [
        ("a/b", "../c.py", "a/c.py"),
        ("a/b", "./c", "a/b/c"),
        ("", "a//b", "a/b"),
        ("a", "../..", None),
        ("", "../x", None),
        ("a", "..", ""),
    ],
)
def test_a_relative_path_is_joined_and_never_leaves_the_project(directory, relative, expected):
    assert join(directory, relative) == expected


def test_the_root_is_the_empty_string():
    assert parent("a.py") == ""
    assert under("", "a") == "a"
    assert under("a", "") == "a"
    assert ancestors("a/b") == ("a/b", "a", "")
    assert ancestors("") == ("",)


def test_shared_segments_are_whole_segments():
    assert shared("src/app", "src/application") == 1
    assert shared("", "src") == 0
    assert contains("src", "src/a")
    assert contains("", "x")
    assert not contains("src", "srcx/a")


def test_the_nearest_candidate_shares_the_most_segments_then_is_the_shallower():
    assert nearest("a/b", ["x/f.h", "a/c/f.h", "f.h"]) == "a/c/f.h"
    assert nearest("z", ["a/b/f.h", "c/f.h"]) == "c/f.h"
    assert nearest("z", ["b/f.h", "a/f.h"]) == "a/f.h"
    assert nearest("z", []) is None


def test_a_tie_has_no_sole_winner():
    assert sole("z", ["a/f.h", "b/f.h"]) is None
    assert sole("a/x", ["a/f.h", "b/f.h"]) == "a/f.h"
    assert sole("z", []) is None
