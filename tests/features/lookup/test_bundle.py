"""context_bundle through the library: the seed's shape, every spelling, evidence, budgets, mistakes."""

import json

import pytest

from shirube import Project
from shirube.codec import shown_json
from shirube.errors import BadArgument, ShirubeError, SmallBudget, UnknownFile, UnknownName
from shirube.types import Answer
from tests.cases import for_each
from tests.refusals import refusal

TEST_RUN = """\
=================================== FAILURES ===================================
_______________________ test_checkout_returns_a_receipt ________________________
src/shop/payment.py:29: in checkout
    return with_retries(lambda: gateway.charge_card(amount))
src/shop/retry.py:15: in with_retries
    return action()
E   OSError: the bank is slow
=========================== short test summary info ============================
FAILED tests/test_payment.py::test_checkout_returns_a_receipt - OSError: the bank is slow
"""
DIFF = """\
--- a/src/shop/retry.py
+++ b/src/shop/retry.py
@@ -14,3 +14,3 @@
         try:
-            return action()
+            return action(attempt)
         except OSError:
"""


@pytest.mark.requirement("001-BUNDLE-05")
def test_the_answer_has_the_shape_of_seed_001_and_of_the_contract(shop: Project):
    found = shown_json(shop.context_bundle("charge the card"))
    assert {"context", "tokens_estimate", "omitted", "warnings", "next"} <= set(found)
    first = found["context"][0]
    assert {"path", "range", "preview", "why", "score", "tokens"} <= set(first)
    start, end = first["range"]
    assert first["preview"].count("\n") == end - start
    assert all(isinstance(tag, str) for tag in first["why"])
    assert found["tokens_estimate"] == sum(item["tokens"] for item in found["context"]) <= found["budget"] == 4000


@pytest.mark.requirement("N001-BUNDLE-05")
@for_each(
    "arguments",
    [
        {
            "artifacts": {
                "editing_path": "web/cart.ts",
                "failing_tests": ["test_x"],
                "last_diff": DIFF,
                "hints": ["retry"],
            }
        },
        {"artifacts": {"editingPath": ["web/cart.ts"], "failingTests": "test_x", "lastDiff": DIFF, "hints": "retry"}},
        {"editing": "web/cart.ts", "failing_tests": '["test_x"]', "diff": DIFF, "hint": "retry"},
        {
            "editing_path": ["web/cart.ts"],
            "artifacts": {"failing_test": "test_x", "last_diff": DIFF, "hints": ["retry"]},
        },
    ],
)
def test_every_spelling_means_the_same(shop: Project, arguments: dict):
    plain = shop.context_bundle(
        "retry", editing_path=["web/cart.ts"], failing_tests=["test_x"], last_diff=DIFF, hints=["retry"]
    )
    again = shop.context_bundle("retry", includeTokensEstimate=True, metadata_filters={}, **arguments)
    assert again.context == plain.context
    assert plain.profile == again.profile == "testfail"


def test_artifacts_may_be_a_json_string_and_must_be_an_object(shop: Project):
    sent = json.dumps({"hints": ["PaymentError"]})
    assert any("artifact:hint:PaymentError" in item.why for item in shop.context_bundle("x", artifacts=sent).context)
    for wrong in ("retry", ["retry"], 3, "[1]"):
        with pytest.raises(BadArgument, match="'artifacts' must be an object"):
            shop.context_bundle("x", artifacts=wrong)
    with pytest.raises(UnknownName, match="unknown argument 'hintz'"):
        shop.context_bundle("x", artifacts={"hintz": ["a"]})
    with refusal(BadArgument, "arguments.twice_inside"):
        shop.context_bundle("x", hints=["a"], artifacts={"hints": ["b"]})


@pytest.mark.requirement("001-BUNDLE-01", "N001-BUNDLE-04")
def test_a_failing_run_brings_the_place_it_failed_at_and_the_test(shop: Project):
    found = shop.context_bundle("make the tests pass", failing_tests=[TEST_RUN])
    assert found.profile == "testfail"
    assert (found.answer, found.confidence) == (Answer.FOUND, 0.9)
    paths = [item.path for item in found.context]
    assert set(paths[:2]) == {"src/shop/retry.py", "tests/test_payment.py"}
    assert "src/shop/payment.py" in paths


def test_a_profile_that_is_given_wins(shop: Project):
    assert shop.context_bundle("x", failing_tests=["test_x"], profile="feature").profile == "feature"


@pytest.mark.requirement("001-BUNDLE-06")
def test_the_docs_profile_puts_documents_first(shop: Project):
    assert shop.context_bundle("retry policy", boost_profile="docs").context[0].path == "README.md"


@pytest.mark.requirement("001-BUNDLE-03")
def test_meaning_takes_no_part_without_a_trained_model(shop: Project):
    tags = [tag for item in shop.context_bundle("charge the card").context for tag in item.why]
    assert not any(tag.startswith("text:sense") for tag in tags)


def test_compact_leaves_the_lines_out_and_keeps_the_cost(shop: Project):
    full, compact = shop.context_bundle("charge the card"), shop.context_bundle("charge the card", compact=True)
    assert {item.preview for item in compact.context} == {""}
    assert compact.tokens_estimate == full.tokens_estimate


def test_a_small_budget_says_what_it_leaves_out_and_what_would_hold_it(shop: Project):
    found = shop.context_bundle("charge the card", budget=120)
    assert found.tokens_estimate <= 120
    assert found.omitted_total >= len(found.omitted) > 0
    assert all(one.reason == "budget" and one.tokens > 0 for one in found.omitted)


def test_a_limit_holds(shop: Project):
    found = shop.context_bundle("retry payment", limit=1)
    assert len(found.context) == 1
    assert {one.reason for one in found.omitted} == {"limit"}
    assert (found.next.code, found.next.values["limit"]) == ("bundle.would_show", ("limit", 2))


@pytest.mark.requirement("001-BUNDLE-05")
@for_each(
    "arguments",
    [
        {"goal": "explain the retry policy of the shop to a new colleague"},
        {"goal": "make the tests pass", "failing_tests": [TEST_RUN]},
        {"goal": "x", "last_diff": DIFF, "editing_path": ["web/cart.ts"]},
        {"goal": "支払いの再試行", "boost_profile": "docs"},
    ],
)
def test_every_snippet_says_why(shop: Project, arguments: dict):
    found = shop.context_bundle(**arguments)
    assert found.context
    assert all(item.why for item in found.context)


def test_tags_and_paths_narrow_it(shop: Project):
    assert {item.path.split("/")[0] for item in shop.context_bundle("price total", path="web").context} == {"web"}
    assert shop.context_bundle("retry", tags=["nope"]).context == ()


def test_nothing_found_is_told_with_what_it_means(shop: Project):
    found = shop.context_bundle("zyzzyva")
    assert (found.context, found.answer) == ((), Answer.NONE)
    assert found.next


@for_each(
    ("arguments", "kind"),
    [
        ({"goal": "  "}, BadArgument),
        ({"goal": "x", "editing_path": ["gone.py"]}, UnknownFile),
        ({"goal": "charge card", "budget": 3}, SmallBudget),
        ({"goal": "x", "budget": 0}, BadArgument),
        ({"goal": "x", "profile": "bugfx"}, UnknownName),
        ({"goal": "x" * 400_001}, BadArgument),
    ],
)
def test_a_mistake_is_told_with_the_next_step(shop: Project, arguments: dict, kind: type[ShirubeError]):
    with pytest.raises(kind) as refused:
        shop.call("context_bundle", **arguments)
    assert refused.value.hint


def test_a_long_log_is_taken_where_a_question_would_be_too_long(shop: Project):
    log = "noise\n" * 10_000 + TEST_RUN
    assert "src/shop/retry.py" in [item.path for item in shop.context_bundle("fix", failing_tests=[log]).context[:2]]


@for_each(
    ("diff", "first", "said"),
    [
        ("no diff", "src/shop/payment.py", "last_diff is no diff"),
        (DIFF.replace("try:", "other:"), "src/shop/retry.py", "no longer fits"),
        (DIFF[: DIFF.index("\n+  ")], "src/shop/retry.py", "cut short"),
        ("see `web/price.ts`", "web/price.ts", ""),
        (" src/shop/retry.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n", "src/shop/retry.py", ""),
    ],
)
def test_any_text_about_a_change_gives_a_bundle(shop: Project, diff: str, first: str, said: str):
    found = shop.context_bundle("charge the card", last_diff=diff)
    assert first in [item.path for item in found.context[:2]]
    assert any(said in warning for warning in found.warnings) if said else not found.warnings
    assert "git diff" in "".join(found.warnings) if said else True


@pytest.mark.requirement("N001-BUNDLE-06")
@for_each("argument", ["failing_tests", "hints"])
def test_one_long_word_is_read_at_once(shop: Project, argument: str):
    """Every letter was tried as the beginning of a path, to the end of the word."""
    assert shop.context_bundle("charge the card", **{argument: ["a." * 199_000]}).context
    assert shop.context_bundle("charge the card", **{argument: ["\n" * 100_000 + "error" + " " * 200_000]}).context


def test_a_name_in_the_goal_is_looked_up_below_the_path_asked_for(shop: Project):
    def places(**asked: str) -> set[str]:
        return {item.path for item in shop.context_bundle("make chargeCard() faster", **asked).context}

    assert "src/shop/payment.py" in places()
    assert all(path.startswith("web/") for path in places(path="web"))
