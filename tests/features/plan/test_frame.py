import pytest

from shirube.features.plan.frame import (
    SLOTS,
    Certainty,
    Intent,
    QueryFrame,
    Risk,
    Slot,
    agree,
    assess_risk,
    extraction_prompt,
    frame_from,
    guidance_for,
    slot_fault,
)
from tests.cases import for_each

REQUEST = "ログイン画面でパスワードが空のときエラーになるので修正して"


def test_a_quoted_slot_is_a_fact_and_an_unquoted_one_a_hypothesis():
    frame, wrong = frame_from(
        REQUEST,
        {
            "target_feature": Slot("login screen", "ログイン画面"),
            "desired_action": Slot("show a message"),
            "observed_issue": None,
        },
    )
    assert wrong == {}
    assert frame.validated == ("target_feature",)
    assert frame.hypotheses == ("desired_action",)
    assert frame.missing == ("trigger_condition", "observed_issue")
    assert frame.value("target_feature") == "login screen"
    assert frame.value("observed_issue") == ""


@pytest.mark.requirement("003-FRAME-01")
def test_a_quote_that_is_not_in_the_request_is_refused():
    assert slot_fault(Slot("logout", "ログアウト"), REQUEST).code == "plan.not_quoted"


@pytest.mark.requirement("003-FRAME-02")
def test_a_value_that_does_not_mean_its_quote_is_refused():
    assert "nothing to do" in slot_fault(Slot("invoice totals", "ログイン画面"), REQUEST)
    assert slot_fault(Slot("password is empty", "パスワードが空"), REQUEST) == ""


def test_one_bad_slot_leaves_the_frame_empty_and_names_every_fault():
    frame, wrong = frame_from(
        REQUEST, {"target_feature": Slot("x", "nowhere"), "mood": Slot("bad"), "desired_action": Slot("y")}
    )
    assert frame.slots == {}
    assert set(wrong) == {"target_feature", "mood"}


@for_each(
    ("value", "quote", "same"),
    [
        ("login form", "ログインフォーム", True),
        ("the cache is stale", "stale cache", True),
        ("検索結果の並び順", "検索の並び", True),
        ("billing", "ログイン", False),
        ("", "ログイン", False),
    ],
)
def test_texts_agree_across_the_languages(value, quote, same):
    assert agree(value, quote) is same


ALL = {name: Slot("x", "x", Certainty.FACT) for name in SLOTS}
TARGET = {"target_feature": ALL["target_feature"]}
ISSUE = {**TARGET, "observed_issue": ALL["observed_issue"]}


@pytest.mark.requirement("003-RISK-01", "003-RISK-02", "003-RISK-03", "003-RISK-04")
@for_each(
    ("intent", "slots", "risk"),
    [
        (Intent.MODIFY, TARGET, Risk.HIGH),
        (Intent.MODIFY, {"observed_issue": ALL["observed_issue"]}, Risk.HIGH),
        (Intent.MODIFY, ISSUE, Risk.LOW),
        (Intent.MODIFY, {**ISSUE, "desired_action": Slot("guess")}, Risk.MEDIUM),
        (Intent.IMPLEMENT, TARGET, Risk.MEDIUM),
        (Intent.IMPLEMENT, {}, Risk.HIGH),
        (Intent.IMPLEMENT, ALL, Risk.LOW),
        (Intent.MODIFY, ALL, Risk.LOW),
        (Intent.INVESTIGATE, {}, Risk.LOW),
        (Intent.QUESTION, {}, Risk.LOW),
    ],
)
def test_risk_follows_the_rules_of_the_seed(intent, slots, risk):
    assert assess_risk(intent, QueryFrame("request", slots)) is risk


def test_every_slot_has_guidance():
    guidance = guidance_for(SLOTS)
    assert set(guidance) == set(SLOTS)
    assert all(one.hint and one.action and one.tools for one in guidance.values())


@pytest.mark.requirement("003-FRAME-03")
def test_the_prompt_names_the_slots_asks_for_quotes_and_holds_the_request():
    prompt = extraction_prompt(REQUEST)
    assert all(name in prompt for name in SLOTS)
    assert "word for word" in prompt
    assert REQUEST in prompt


def test_a_slot_can_be_filled_later():
    frame = QueryFrame(REQUEST, {"target_feature": Slot("login", certainty=Certainty.FACT)})
    assert frame.validated == ("target_feature",)
