import pytest

from shirube.features.plan.frame import (
    ASKED,
    SLOTS,
    Certainty,
    Intent,
    QueryFrame,
    Risk,
    Slot,
    agree,
    assess_risk,
    extraction_prompt,
    find_quote,
    frame_from,
    guidance_for,
    settle,
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
def test_a_quote_that_is_not_in_the_request_makes_a_hypothesis():
    slot, doubt = settle(Slot("logout", "ログアウト"), REQUEST)
    assert slot.certainty is Certainty.HYPOTHESIS
    assert doubt.code == "plan.not_quoted"
    assert "ログアウト" in doubt


@pytest.mark.requirement("003-FRAME-02")
def test_a_value_that_does_not_mean_its_quote_makes_a_hypothesis():
    slot, doubt = settle(Slot("invoice totals", "ログイン画面"), REQUEST)
    assert (slot.certainty, doubt.code) == (Certainty.HYPOTHESIS, "plan.not_meant")
    slot, doubt = settle(Slot("password is empty", "パスワードが空"), REQUEST)
    assert (slot.certainty, doubt) == (Certainty.FACT, "")


def test_a_doubt_says_what_was_compared_with_what():
    _, doubt = settle(Slot("logout fails", "login fails"), "login fails since yesterday")
    assert "'logout fails' where the quote says 'login fails'" in doubt


def test_one_doubtful_slot_leaves_the_others_standing():
    sent = {
        "target_feature": Slot("login screen", "ログイン画面"),
        "observed_issue": Slot("it is slow", "遅い"),
        "mood": Slot("bad"),
        "desired_action": Slot("show a message"),
    }
    frame, doubts = frame_from(REQUEST, sent)
    assert frame.validated == ("target_feature",)
    assert frame.hypotheses == ("observed_issue", "desired_action")
    assert list(doubts) == ["mood", "observed_issue"]
    assert all(name in doubts["mood"] for name in SLOTS)


@for_each(
    ("quote", "found"),
    [
        ("Save  button", "save button"),
        ("ＳＡＶＥ button", "save button"),
        ("“save button”", "save button"),
        ("save buton does nothing", "save button does nothing"),
        ("ボタンが　反応しない", "ボタンが反応しない"),
        ("load button", ""),
        ("", ""),
        ("「」", ""),
    ],
)
def test_a_quote_is_found_but_for_spaces_widths_case_marks_and_typos(quote, found):
    assert find_quote(quote, "The save button does nothing: 保存ボタンが反応しない") == found


def test_the_quote_becomes_the_words_of_the_request():
    frame, doubts = frame_from(REQUEST, {"target_feature": Slot("ログイン画面", "ログイン 画面")})
    assert (frame.slots["target_feature"].quote, doubts) == ("ログイン画面", {})


def test_only_slots_that_an_intent_can_have_are_asked_for():
    assert "observed_issue" not in ASKED[Intent.IMPLEMENT]
    frame = QueryFrame("add a dark theme", TARGET, asked=ASKED[Intent.IMPLEMENT])
    assert frame.missing == ("trigger_condition", "desired_action")
    assert "observed_issue" not in extraction_prompt("add a dark theme", ASKED[Intent.IMPLEMENT])
    assert ASKED[Intent.MODIFY] == SLOTS
    filled = {name: ALL[name] for name in ASKED[Intent.IMPLEMENT]}
    assert assess_risk(Intent.IMPLEMENT, QueryFrame("x", filled, asked=ASKED[Intent.IMPLEMENT])) is Risk.LOW


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
