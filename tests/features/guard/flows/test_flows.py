import re

import pytest

from shirube.features.guard.flows import FLOWS, REQUEST, UNSAID, instructions
from tests.cases import for_each

CODE, OUTCOME = FLOWS
STEPS = {
    0: "record_outcome",
    1: "INVESTIGATE",
    2: "start_session",
    3: "set_query_frame",
    4: "submit_understanding",
    5: "submit_semantic",
    6: "submit_verification",
    7: "check_write_target",
}


def steps() -> dict[int, str]:
    found = re.split(r"^## Step (\d):", CODE.text(), flags=re.M)
    return {int(number): text for number, text in zip(found[1::2], found[2::2], strict=True)}


@pytest.mark.requirement("003-SKILL-01")
def test_code_leads_through_the_steps_in_order_each_with_its_operation():
    assert list(steps()) == list(STEPS)
    assert [number for number, operation in STEPS.items() if operation not in steps()[number]] == []
    for tool in ("search", "symbol", "confirm_symbol_relevance"):
        assert f"`{tool}`" in steps()[4]


@pytest.mark.requirement("003-SKILL-03")
def test_code_begins_by_looking_for_a_failure_in_both_languages():
    words = ("redo", "doesn't work", "crashes", "やり直し", "もう一度", "違う", "動かない", "おかしい")
    assert [word for word in words if word not in steps()[0]] == []
    assert "70 %" in steps()[0]


@pytest.mark.requirement("003-SKILL-05")
def test_code_says_what_to_do_when_a_target_is_refused():
    for operation in ("check_write_target", "add_explored_files"):
        assert operation in steps()[7]
    assert "do what\nits answer names" in steps()[7]


@pytest.mark.requirement("003-SKILL-04")
def test_outcome_reads_the_result_from_the_users_words():
    text = OUTCOME.text("惜しい")
    for outcome, words in {
        "failure": ("違う", "やり直し", "最初から", "ダメ", "間違い", "start over"),
        "partial": ("惜しい", "ほぼ", "一部違う", "almost"),
        "success": ("これでいい", "完璧", "ありがとう", "thanks"),
    }.items():
        (line,) = re.findall(rf"`{outcome}`: (.*)", text)
        assert [word for word in words if word not in line] == []
    assert "record_outcome" in text
    assert "change no file" in text


@for_each("flow", FLOWS)
def test_a_flow_speaks_both_languages_and_takes_the_request(flow):
    assert REQUEST not in flow.text()
    assert UNSAID in flow.text("  ")
    assert "$ARGUMENTS" in flow.text("$ARGUMENTS").splitlines()[0]
    for text in (flow.text(), flow.description, flow.argument_description, instructions()):
        assert re.search(r"[ぁ-んァ-ン一-龯]", text)
        assert re.search(r"[a-z]{4}", text)


def test_every_step_of_code_is_told_in_both_languages():
    assert [number for number, text in steps().items() if not re.search(r"[ぁ-ん]", text)] == []


def test_standing_instructions_are_short_and_name_the_first_tool():
    assert len(instructions()) < 1500
    assert "Begin with `search`" in instructions()
    assert len(CODE.text()) < 12_000  # the most that one of the agents takes for a command
