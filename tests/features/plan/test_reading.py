from shirube.features.plan.frame import Intent, settle
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
    assert found["observed_issue"] == "エラーになる"
    assert "desired_action" not in found  # 修正して alone says nothing


def test_a_name_or_a_path_is_what_the_request_is_about():
    assert values("Can you rename getUser to fetchUser")["target_feature"] == "getUser"
    assert values("the page is wrong, see app/cache.py")["target_feature"] == "app/cache.py"


def test_a_question_wishes_for_nothing():
    assert "desired_action" not in values("how do I add a plugin?", Intent.QUESTION)


def test_what_is_not_said_stays_open():
    assert read_frame("", Intent.INVESTIGATE).slots == {}
    assert read_frame("認証はどこですか", Intent.QUESTION).missing == ()
    assert read_frame("認証が落ちる", Intent.MODIFY).missing == ("trigger_condition", "desired_action")


@for_each(
    ("text", "target"),
    [
        ("Add a --json flag to the list command", "--json flag"),
        ("the export button does nothing", "export button"),
        ("support dark mode", "dark mode"),
        ("[Server] 検索結果の並び順を新しい順にする", "検索結果の並び順"),
        ("[Server][Utils/Twitter] 検索を直す", "Utils/Twitter"),
        ("カートの合計金額がおかしい", "カートの合計金額"),
        ("ユーザー削除時に投稿も消す", "投稿"),
        ("[PR/c0f1513c backport] Fix login page", "login page"),
        ("make retries configurable", ""),
        ("Users can't reset their password", ""),
        ("clean up", ""),
        ("add tests", ""),
        ("管理者だけが編集できるようにしたい", ""),
        ("Stricter deserialization for tuples", ""),
    ],
)
def test_a_target_is_a_name_or_nothing(text, target):
    assert values(text).get("target_feature", "") == target


@for_each(
    ("text", "issue"),
    [
        ("CSV import drops the last row", ""),
        ("Fix the login crash", "login crash"),
        ("Remove app.router error message", ""),
        ("Users can't reset their password", "Users can't reset their password"),
        ("通知が二重に届く不具合を直して", "通知が二重に届く不具合"),
        ("なぜ起動が遅いのか調べて", "起動が遅い"),
    ],
)
def test_an_issue_is_what_goes_wrong_and_not_the_wish_to_mend_it(text, issue):
    assert values(text).get("observed_issue", "") == issue


def test_a_condition_without_an_end_is_left_out():
    assert "trigger_condition" not in values("when I upload a large PNG the server returns 500")


@for_each("text", ["なぜ検索が遅いのか調べて", "If the cache is stale, the page shows an error."])
def test_every_value_is_a_quotation(text):
    frame = read_frame(text, Intent.INVESTIGATE)
    assert frame.slots
    assert all(settle(slot, text) == (slot, "") for slot in frame.slots.values())
