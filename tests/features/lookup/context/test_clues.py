"""Clues: what the artifacts say, what it is for, and what to search for."""

from pathlib import Path

import pytest

from shirube.errors import BadDiff
from shirube.features.lookup.context.clues import Artifacts, Clues, Locator, read_clues
from tests.cases import for_each

OUTPUTS = Path(__file__).with_name("outputs")
MYPY = 'src/shop/payment.py:20: error: Incompatible return value type (got "int", expected "str")  [return-value]'


def read(store, goal: str = "make it work", **artifacts) -> Clues:
    return read_clues(goal, Artifacts(**artifacts), Locator(store, "/home/user/shop"))


@pytest.mark.requirement("N001-BUNDLE-04")
@for_each(
    ("artifacts", "profile"),
    [
        ({}, ""),
        ({"hints": ("retry",)}, ""),
        ({"failing_tests": ("test_checkout",)}, "testfail"),
        ({"failing_tests": ("tests/test_payment.py::test_checkout_returns_a_receipt",)}, "testfail"),
        ({"hints": (MYPY,)}, "typeerror"),
        ({"hints": ((OUTPUTS / "tsc.txt").read_text("utf-8"),)}, "typeerror"),
        ({"hints": ((OUTPUTS / "traceback.txt").read_text("utf-8"),)}, "bugfix"),
        ({"hints": (MYPY,), "failing_tests": ("test_x",)}, "testfail"),
    ],
)
def test_the_artifacts_say_what_it_is_for(store, artifacts: dict, profile: str):
    assert read(store, **artifacts).profile == profile


def test_output_in_the_goal_counts_like_output_beside_it(store):
    clues = read(store, f"fix the type error\n\n{MYPY}")
    assert [(one.path, one.line) for one in clues.mentions] == [("src/shop/payment.py", 20)]
    assert clues.profile == "typeerror"
    assert clues.question.startswith("fix the type error ")
    assert "Incompatible return value" in clues.question


def test_a_test_is_cut_into_its_name_and_its_file(store):
    clues = read(store, failing_tests=("tests/test_payment.py::TestX::test_y[a-1]", "cart::tests::adds_up", "Foo#bar"))
    assert clues.tests == ("TestX.test_y", "cart.tests.adds_up", "Foo.bar")
    assert [one.path for one in clues.mentions] == ["tests/test_payment.py"]


def test_hints_are_files_names_or_words(store):
    clues = read(store, hints=("shop/retry.py", "PaymentGateway", "exponential backoff", ""))
    assert clues.files == ("src/shop/retry.py",)
    assert clues.names == ("PaymentGateway",)
    assert "exponential backoff" in clues.question


def test_what_messages_say_is_searched_for_and_their_values_are_not_all_of_it(store):
    said = "E   ValueError: " + " ".join(f"word{number}" for number in range(50))
    clues = read(store, failing_tests=(f"{said}\n",))
    assert "word5" in clues.question
    assert "word40" not in clues.question


@pytest.mark.requirement("N001-BUNDLE-02")
def test_a_diff_that_is_none_is_refused(store):
    with pytest.raises(BadDiff):
        read(store, diff="please change the login")


def test_an_empty_diff_is_no_diff(store):
    assert read(store, diff=" \n").patches == ()


PATCH = """diff --git a/shop/retry.py b/shop/retry.py
--- a/shop/retry.py
+++ b/shop/retry.py
@@ -1,1 +1,1 @@
-old
+new
"""


def test_a_diff_among_the_hints_is_a_diff(store):
    clues = read(store, hints=("retry", f"please look at this\n{PATCH}"))
    assert [patch.path for patch in clues.patches] == ["shop/retry.py"]
    assert clues.names == ("retry",)
    assert not clues.warnings


def test_what_only_looks_like_a_diff_is_read_as_output(store):
    compared = "AssertionError: not equal\n--- expected\n+++ actual\n@@ -1,1 +1,1 @@\n-1\n+2\n"
    clues = read(store, hints=(compared,))
    assert clues.patches == ()
    assert "not equal" in clues.question


def test_a_hint_whose_diff_is_cut_short_says_so(store):
    clues = read(store, hints=(PATCH.removesuffix("+new\n"),))
    assert clues.patches == ()
    assert "cut short" in clues.warnings[0]
