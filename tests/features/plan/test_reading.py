import pytest

from shirube.features.plan.frame import Intent, settle
from shirube.features.plan.reading import read_frame
from shirube.features.plan.slots import same, words_of
from tests.cases import for_each


def values(text, intent=Intent.MODIFY):
    return {name: slot.value for name, slot in read_frame(text, intent).slots.items()}


@pytest.mark.requirement("003-FRAME-04")
@for_each(
    ("intent", "text", "slots"),
    [
        (
            Intent.MODIFY,
            "The upload page shows a blank screen when the file is larger than 2 GB. Please show an error instead.",
            {
                "target_feature": "upload page",
                "trigger_condition": "the file is larger than 2 GB",
                "observed_issue": "shows a blank screen",
                "desired_action": "show an error instead",
            },
        ),
        (
            Intent.MODIFY,
            "ログイン画面で、パスワードが空の場合にエラーが表示されません。入力チェックを追加してください。",
            {
                "target_feature": "ログイン画面",
                "trigger_condition": "パスワードが空",
                "observed_issue": "エラーが表示されません",
                "desired_action": "入力チェックを追加して",
            },
        ),
        (Intent.QUESTION, "Where is the retry limit configured?", {"target_feature": "retry limit"}),
        (Intent.QUESTION, "認証トークンの更新はどこで行われますか？", {"target_feature": "認証トークンの更新"}),
    ],
)
def test_a_request_is_taken_apart(intent, text, slots):
    found = values(text, intent)
    assert set(found) == set(slots)
    assert [name for name, value in slots.items() if not same(words_of(value), words_of(found[name]))] == []


@for_each("intent", list(Intent))
def test_an_intent_has_only_the_slots_that_it_can_have(intent):
    text = "The export fails when the disk is full. Add a check to `export_all`."
    assert set(values(text, intent)) <= set(read_frame(text, intent).asked)


def test_a_name_stands_without_the_marks_around_it():
    assert values("`uart_dma_read()` returns garbage; flush the buffer first")["target_feature"] == "uart_dma_read()"


def test_what_is_not_said_stays_open():
    assert read_frame("", Intent.INVESTIGATE).slots == {}
    assert "desired_action" not in values("認証が落ちる")
    assert "trigger_condition" not in values("clean up")


@for_each("text", ["なぜ検索が遅いのか調べて", "If it is stale, the page shows an error.", "x " * 5000, "。。。", "\n"])
def test_every_value_is_a_quotation(text):
    frame = read_frame(text, Intent.INVESTIGATE)
    assert all(settle(slot, text) == (slot, "") for slot in frame.slots.values())
