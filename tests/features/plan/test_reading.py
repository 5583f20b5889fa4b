from shirube.features.plan.frame import Intent, slot_fault
from shirube.features.plan.reading import read_frame
from tests.cases import for_each


def values(text, intent=Intent.MODIFY):
    return {name: slot.value for name, slot in read_frame(text, intent).slots.items()}


def test_clauses_of_an_english_request_fill_the_slots():
    assert values("Fix the login crash when the password is empty") == {
        "target_feature": "login crash",
        "trigger_condition": "the password is empty",
        "observed_issue": "login crash",
        "desired_action": "Fix the login crash",
    }


def test_clauses_of_a_japanese_request_fill_the_slots():
    found = values("ログイン画面でパスワードが空のときエラーになるので修正して")
    assert found["target_feature"] == "ログイン画面"
    assert "パスワードが空" in found["trigger_condition"]
    assert "エラー" in found["observed_issue"]
    assert "修正" in found["desired_action"]


def test_a_name_or_a_path_is_what_the_request_is_about():
    assert values("Can you rename getUser to fetchUser")["target_feature"] == "getUser"
    assert values("the page is wrong, see app/cache.py")["target_feature"] == "app/cache.py"


def test_a_question_wishes_for_nothing():
    assert "desired_action" not in values("how do I add a plugin?", Intent.QUESTION)


def test_what_is_not_said_stays_open():
    assert read_frame("", Intent.INVESTIGATE).slots == {}
    assert read_frame("認証はどこですか", Intent.QUESTION).missing == (
        "trigger_condition",
        "observed_issue",
        "desired_action",
    )


@for_each("text", ["なぜ検索が遅いのか調べて", "If the cache is stale, the page shows an error."])
def test_every_value_is_a_quotation(text):
    frame = read_frame(text, Intent.INVESTIGATE)
    assert frame.slots
    assert [slot_fault(slot, text) for slot in frame.slots.values()] == [""] * len(frame.slots)
