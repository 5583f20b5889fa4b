"""Clues: what the artifacts say, what it is for, and what to search for."""

from pathlib import Path

import pytest

from shirube.features.lookup.context.clues import MOST_SEARCHED, Artifacts, Clues, Locator, read_clues
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


@for_each("mark", [">", "›"])
def test_a_test_of_jest_or_vitest_is_cut_into_its_titles_and_its_file(store, mark: str):
    clues = read(store, failing_tests=(f"tests/test_payment.py {mark} payment {mark} is refused twice",))
    assert clues.tests == ("payment > is refused twice",)
    assert [mention.path for mention in clues.mentions] == ["tests/test_payment.py"]


def test_what_a_compiler_quotes_is_no_phrase(store):
    clues = read(store, hints=("src/a.ts(1,2): error TS2322: Type 'string' isn't assignable to type \"number\".",))
    assert "Type string isn't assignable to type number" in " ".join(clues.question.split())


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
def test_a_diff_that_is_none_is_searched_for_by_its_words(store):
    clues = read(store, diff="please change the login")
    assert clues.question == "make it work please change the login"
    assert "is no diff" in clues.warnings[0]


@for_each(
    ("diff", "files"),
    [
        (" src/shop/retry.py | 4 ++--\n .../price.ts | 2 +-\n 2 files changed", ["src/shop/retry.py", "web/price.ts"]),
        ("M\tsrc/shop/retry.py\n", ["src/shop/retry.py"]),
        ("I have changed the attempts in `retry.py`.", ["src/shop/retry.py"]),
        ("変更はsrc/shop/retry.pyだけです", ["src/shop/retry.py"]),
        (
            "diff --git a/old.py b/src/shop/retry.py\nrename from old.py\nrename to src/shop/retry.py\n",
            ["src/shop/retry.py"],
        ),
        ("deleted file mode 100644\n--- a/src/shop/retry.py\n+++ /dev/null\n", ["src/shop/retry.py"]),
    ],
)
def test_files_that_a_text_about_a_change_names_are_files_of_the_diff(store, diff: str, files: list[str]):
    clues = read(store, diff=diff)
    assert [file for patch in clues.patches for file in patch.files] == files
    assert clues.warnings == ()
    assert clues.question == "make it work"


def test_a_new_file_is_not_one_of_the_same_name_elsewhere(store):
    (patch,) = read(store, diff="--- /dev/null\n+++ b/retry.py\n@@ -0,0 +1 @@\n+x = 1\n").patches
    assert patch.files == ()


def test_places_in_the_text_around_a_diff_are_read(store):
    clues = read(store, diff=f"It fails: src/shop/payment.py:20: error: bad\n{PATCH}")
    assert [(one.path, one.line) for one in clues.mentions] == [("src/shop/payment.py", 20)]


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
    compared = "AssertionError: not equal\nsee src/shop/retry.py\n--- expected\n+++ actual\n@@ -1,1 +1,1 @@\n-1\n+2\n"
    clues = read(store, hints=(compared,))
    assert clues.patches == ()
    assert "not equal" in clues.question


def test_a_hint_whose_diff_is_cut_short_says_so(store):
    clues = read(store, hints=(PATCH.removesuffix("+new\n"),))
    assert [patch.path for patch in clues.patches] == ["shop/retry.py"]
    assert "cut short" in clues.warnings[0]


def test_a_diff_in_the_goal_is_a_diff(store):
    clues = read(store, f"why does this fail?\n```diff\n{PATCH}```\n")
    assert [patch.files for patch in clues.patches] == [("src/shop/retry.py",)]
    assert clues.question.strip() == "why does this fail?"


LOG = [f"2024-05-01 12:00:{at % 60:02} INFO shop.web: served request {at}" for at in range(1500)]
FAULTY = [*LOG[:900], "2024-05-01 12:00:01 ERROR shop.payment: card declined by the bank, id=77", *LOG[900:]]


@pytest.mark.requirement("N001-BUNDLE-06")
def test_a_log_is_read_for_its_errors_each_once(store):
    twice = [*FAULTY, "2024-05-01 12:00:09 ERROR shop.payment: card declined by the bank, id=78"]
    for clues in (read(store, hints=("\n".join(twice),)), read(store, failing_tests=("\n".join(twice),))):
        assert clues.question == "make it work shop.payment: card declined by the bank, id=77"
    assert read(store, "\n".join(["fix this", *twice])).question == (
        "fix this shop.payment: card declined by the bank, id=77"
    )


def test_a_log_on_one_line_of_json_is_read_like_any_other(store):
    text = "\\n".join([*LOG, 'File \\"/srv/shop/src/shop/payment.py\\", line 20, in charge', "ValueError: too large"])
    clues = read(store, hints=('{"stderr": "' + text + '"}',))
    assert [(one.path, one.line) for one in clues.mentions] == [("src/shop/payment.py", 20)]
    assert clues.question.startswith("make it work ValueError: too large")


def test_of_a_log_without_errors_the_end_is_searched_for(store):
    assert read(store, hints=("\n".join(LOG),)).question.endswith("served request 1499")


def test_a_long_goal_is_searched_for_by_its_beginning_and_its_end(store):
    clues = read(store, "charge the card " + "again and again " * 5000 + "declined")
    assert clues.question.startswith("charge the card")
    assert clues.question.endswith("declined")
    assert len(clues.question) < 2100


def test_hints_and_tests_may_stand_one_on_each_line(store):
    clues = read(
        store, hints=("shop/retry.py\nPaymentGateway\nexponential backoff",), failing_tests=("test_a\ntest_b\n",)
    )
    assert (clues.files, clues.names) == (("src/shop/retry.py",), ("PaymentGateway",))
    assert clues.question == "make it work exponential backoff test_a test_b"
    assert clues.tests == ("test_a", "test_b")


def test_colours_of_a_terminal_are_not_read(store):
    clues = read(store, hints=("\x1b[1msrc/shop/payment.py:20\x1b[0m: \x1b[31merror:\x1b[0m bad",))
    assert [(one.path, one.line, one.weight) for one in clues.mentions] == [("src/shop/payment.py", 20, 1.0)]


@pytest.mark.requirement("N001-BUNDLE-06")
def test_a_text_full_of_foreign_paths_is_not_searched_for_each(store, monkeypatch):
    asked = []
    candidates = store.candidates
    monkeypatch.setattr(store, "candidates", lambda ask: asked.append(ask) or candidates(ask))
    log = "\n".join(f"other/m{at}.py:{at}: error: bad" for at in range(3000))
    clues = read(store, hints=(f"{log}\nsrc/shop/retry.py:3: error: worse",))
    assert [one.path for one in clues.mentions] == ["src/shop/retry.py"]
    assert clues.elsewhere == 3000
    assert len(asked) == MOST_SEARCHED
