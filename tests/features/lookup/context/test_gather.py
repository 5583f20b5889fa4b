"""Gathering: every kind of evidence offers the piece it is about."""

import pytest

from shirube.engine.search import HitPage, search
from shirube.features.lookup.context.clues import Artifacts, Locator, read_clues
from shirube.features.lookup.context.gather import gather
from shirube.messages import say
from shirube.types import Mode, Query
from tests.cases import for_each
from tests.features.lookup.context.conftest import CONFIG, EMBEDDER, tools_for

NOTHING = HitPage((), False, 0, ())
DIFF = """\
--- a/src/shop/retry.py
+++ b/src/shop/retry.py
@@ -14,3 +14,3 @@
         try:
-            return action()
+            return action(attempt)
         except OSError:
"""


def gathered(store, found: HitPage = NOTHING, goal: str = "make it work", **artifacts):
    clues = read_clues(goal, Artifacts(**artifacts), Locator(store, "/home/user/shop"))
    offers, warnings = gather(clues, found, tools_for(store, clues.question))
    return {(one.path, one.symbol): one for one in offers.ranked()}, warnings


@pytest.mark.requirement("001-BUNDLE-01")
def test_what_the_search_finds_is_offered_with_its_reasons_and_further_places_for_less(store):
    found = search(Query("charge card", 10, 0, Mode.LEXICAL), store, EMBEDDER, CONFIG.search)
    offers, _ = gathered(store, found)
    first, *others = offers.values()
    assert first.path == "src/shop/payment.py"
    assert first.symbol in ("PaymentGateway", "checkout")
    assert first.score == pytest.approx(1.0)
    assert "text:words" in first.why
    assert all(one.score < 1 for one in others if one.path == first.path)


@pytest.mark.requirement("001-BUNDLE-01")
@for_each(
    ("artifacts", "place", "tag"),
    [
        (
            {"hints": ("src/shop/payment.py:20: error: bad  [arg-type]",)},
            ("src/shop/payment.py", "PaymentGateway"),
            "artifact:output:20",
        ),
        (
            {"failing_tests": ("test_checkout_returns_a_receipt",)},
            ("tests/test_payment.py", "test_checkout_returns_a_receipt"),
            "artifact:failing_test:test_checkout_returns_a_receipt",
        ),
        (
            {"failing_tests": ("tests/test_payment.py::test_checkout_returns_a_receipt",)},
            ("tests/test_payment.py", "test_checkout_returns_a_receipt"),
            "artifact:failing_test",
        ),
        ({"hints": ("PaymentError",)}, ("src/shop/payment.py", "PaymentError"), "artifact:hint:PaymentError"),
        ({"hints": ("retry.py",)}, ("src/shop/retry.py", "with_retries"), "artifact:hint"),
        ({"editing": ("web/price.ts",)}, ("web/price.ts", "formatPrice"), "artifact:editing_path"),
        ({"diff": DIFF}, ("src/shop/retry.py", "with_retries"), "artifact:diff"),
    ],
)
def test_evidence_offers_the_piece_it_is_about(store, artifacts: dict, place: tuple[str, str], tag: str):
    offers, _ = gathered(store, **artifacts)
    assert any(one.startswith(tag) for one in offers[place].why), offers


def test_the_line_that_was_named_is_what_the_offer_is_about(store):
    offers, _ = gathered(store, hints=("src/shop/payment.py:20: error: bad",))
    assert offers["src/shop/payment.py", "PaymentGateway"].focus == 20


def test_a_title_of_a_test_is_found_in_the_file_that_fails(store):
    output = " FAIL  tests/test_payment.py > shop > test_checkout_returns_a_receipt\n"
    offers, _ = gathered(store, failing_tests=(output,))
    why = offers["tests/test_payment.py", "test_checkout_returns_a_receipt"].why
    assert "artifact:failing_test:test_checkout_returns_a_receipt" in why


LOCK = "diff --git a/x.lock b/x.lock\n--- a/x.lock\n+++ b/x.lock\n@@ -1 +1 @@\n-a\n+b\n"
GONE = "diff --git a/src/shop/refund.py b/src/shop/refund.py\ndeleted file mode 100644\n"
AGAIN = say("bundle.diff_again")


@pytest.mark.requirement("N001-BUNDLE-02")
@for_each(
    ("diff", "warnings"),
    [
        (DIFF + LOCK, [say("bundle.diff_changes", path="x.lock")]),
        (LOCK, [say("bundle.diff_changes", path="x.lock"), AGAIN]),
        (DIFF + GONE, [say("bundle.diff_deletes", path="src/shop/refund.py")]),
        (GONE, [say("bundle.diff_deletes", path="src/shop/refund.py")]),
        (DIFF.replace("try:", "other:"), [say("bundle.diff_near", path="src/shop/retry.py", number=1), AGAIN]),
        (
            DIFF.replace("        ", "        not_here_"),
            [say("bundle.diff_unfit", path="src/shop/retry.py", number=1), AGAIN],
        ),
        (DIFF[: DIFF.index("+            ret")], [say("bundle.short_hunk", line=3), AGAIN]),
        ("the whole thing", [say("bundle.no_diff"), AGAIN]),
    ],
)
def test_what_cannot_be_placed_of_a_diff_is_told_with_one_next_step(store, diff: str, warnings: list[str]):
    offers, told = gathered(store, diff=diff)
    assert list(told) == warnings
    shown = {one.path for one in offers.values() if "artifact:diff" in one.reasons}
    assert shown == ({"src/shop/retry.py"} if "retry.py" in diff else set())


def test_a_stale_hunk_shows_the_function_that_its_heading_names(store):
    lost = (
        "--- a/src/shop/payment.py\n+++ b/src/shop/payment.py\n@@ -90,1 +90,1 @@ def checkout(card):\n-never\n+there\n"
    )
    offers, _ = gathered(store, goal="PaymentError", diff=lost)
    assert "artifact:diff" in offers["src/shop/payment.py", "checkout"].reasons


def test_a_file_to_be_deleted_is_shown_while_it_is_there(store):
    offers, warnings = gathered(store, diff=GONE.replace("refund", "retry"))
    assert [one.path for one in offers.values()] == ["src/shop/retry.py"]
    assert warnings == ()


def test_a_path_from_elsewhere_means_the_file_that_has_the_lines(store):
    offers, warnings = gathered(store, diff=DIFF.replace("src/shop/", "shop/"))
    assert ("src/shop/retry.py", "with_retries") in offers
    assert warnings == ()
    _, warnings = gathered(store, diff=LOCK.replace("x.lock", "retry.py"))
    assert warnings == (say("bundle.diff_changes", path="retry.py"), AGAIN)


def test_of_many_faults_the_first_are_told_and_the_others_counted(store):
    bad = "".join(f"@@ -{at} +{at} @@\n-never {at}\n+there {at}\n" for at in range(1, 50))
    _, warnings = gathered(store, diff=f"--- a/src/shop/retry.py\n+++ b/src/shop/retry.py\n{bad}")
    assert len(warnings) == 8
    assert warnings[5:] == (
        say("bundle.diff_more", count=35),
        say("bundle.diff_hunks", count=49, most=40),
        AGAIN,
    )


def test_a_diff_that_only_makes_new_files_is_no_mistake(store):
    new = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
    offers, warnings = gathered(store, diff=new)
    assert offers == {}
    assert warnings == (say("bundle.diff_changes", path="new.py"),)
