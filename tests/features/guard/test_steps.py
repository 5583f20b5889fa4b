import pytest

from shirube.codec import replace
from shirube.features.guard.phases import confirm_symbols
from shirube.features.guard.state import Confirmed, Phase, Recorded
from shirube.features.guard.steps import add_files, begin, revert, set_frame
from shirube.features.plan.frame import Intent, Risk, Slot
from tests.cases import for_each
from tests.features.guard.sample import FRAME, REQUEST, FakeFacts, ready_to_submit, session

FOLDERS = (".", "src", "src/auth").__contains__


@pytest.mark.requirement("003-GATE-08")
def test_a_question_is_ready_at_once_and_everything_else_begins_by_looking():
    phases = {intent: begin("s", intent, "x", "").phase for intent in Intent}
    assert phases.pop(Intent.QUESTION) is Phase.READY
    assert set(phases.values()) == {Phase.EXPLORATION}


@pytest.mark.requirement("003-FRAMES-01", "003-FRAMES-02")
def test_a_doubtful_slot_becomes_a_hypothesis_and_the_others_stand():
    good, bad = Slot("ログイン", "ログイン機能"), Slot("x", "not in the request")
    changed, verdict = set_frame(session(), {"target_feature": good, "observed_issue": bad})
    assert verdict.accepted
    assert [error.partition(":")[0] for error in verdict.errors] == ["observed_issue"]
    assert "the quote 'not in the request' is not in the request" in verdict.errors[0]
    assert changed.asked_frame.validated == ("target_feature",)
    assert changed.asked_frame.hypotheses == ("observed_issue",)
    assert changed.risk is Risk.HIGH  # what is only supposed is no known issue
    assert verdict.next[0].operation == "set_query_frame"
    plain = replace(session(), scaled=True, risk=Risk.LOW)
    _, verdict = set_frame(plain, {"target_feature": good, "observed_issue": bad})
    assert "set_query_frame" not in [step.operation for step in verdict.next]


def test_at_high_risk_the_first_call_settles_what_is_only_supposed():
    changed, verdict = set_frame(session(), {"desired_action": Slot("remove the check", "バリデーションを追加して")})
    assert changed.risk is Risk.HIGH
    first = verdict.next[0]
    assert first.operation == "set_query_frame"
    slot = first.arguments["desired_action"]
    assert slot == {"value": "バリデーションを追加して", "quote": "バリデーションを追加して"}
    settled, verdict = set_frame(changed, {"desired_action": Slot(**slot)})
    assert (verdict.errors, settled.asked_frame.hypotheses) == ((), ())


def test_an_unknown_slot_is_refused_with_the_names_of_the_known_ones():
    kept, verdict = set_frame(session(), {"mood": Slot("bad")})
    assert (kept, verdict.accepted) == (session(), False)
    assert "target_feature" in verdict.errors[0]


def test_a_frame_with_nothing_in_it_is_refused():
    assert not set_frame(session(), {"target_feature": Slot("<fill in>")})[1].accepted
    assert not set_frame(session(), {})[1].accepted


def test_slots_are_kept_until_they_are_given_again_and_the_risk_follows():
    first, _ = set_frame(session(), {"target_feature": FRAME["target_feature"]})
    assert first.risk is Risk.HIGH
    second, _ = set_frame(first, {"observed_issue": FRAME["observed_issue"]})
    assert second.risk is Risk.LOW
    assert set(second.asked_frame.slots) == {"target_feature", "observed_issue"}


def test_what_was_understood_is_not_reframed_in_silence():
    ready = replace(session(), phase=Phase.READY)
    kept, verdict = set_frame(ready, {"target_feature": FRAME["target_feature"]})
    assert kept == ready
    assert verdict.next[0].operation == "revert_to_exploration"


@pytest.mark.requirement("003-BACK-03", "003-BACK-05", "003-BACK-06")
def test_going_back_keeps_what_was_explored():
    ready = replace(ready_to_submit(), phase=Phase.READY, added=("src/auth/users.py",))
    back, verdict = revert(ready, True, 3)
    assert (back.phase, verdict.accepted) == (Phase.EXPLORATION, True)
    assert (back.explored, back.frame, back.since) == (ready.explored, ready.frame, 0)


@pytest.mark.requirement("003-BACK-04", "N003-RESET-01")
def test_going_back_without_results_really_forgets_everything():
    ready = replace(
        confirm_symbols(ready_to_submit(), Confirmed("x", "A", tier="raised")), phase=Phase.READY, added=("a.py",)
    )
    back, _ = revert(ready, False, 9)
    fresh = begin("s_1", Intent.MODIFY, REQUEST, ready.created_at)
    assert back == replace(fresh, since=9)
    assert back.explored == frozenset()


@pytest.mark.requirement("003-BACK-01", "003-BACK-02")
def test_a_file_that_a_call_named_can_be_added_in_ready():
    named = Recorded("deps_closure", "symbols", listed=("src/auth/users.py",))
    ready = replace(session(Intent.MODIFY, named), phase=Phase.READY)
    changed, verdict = add_files(ready, ("src/auth/users.py", "src/auth"), FakeFacts(), FOLDERS)
    assert verdict.accepted
    assert {"src/auth/users.py", "src/auth"} <= changed.explored


@for_each("path", ["src/web/forms.py", "gone.py", "src", "users.py"])
def test_a_file_that_no_call_named_cannot_be_added(path):
    ready = replace(session(), phase=Phase.READY)
    kept, verdict = add_files(ready, (path,), FakeFacts(), FOLDERS)
    assert kept == ready
    assert len(verdict.errors) == 1
    assert verdict.next


def test_before_ready_only_looking_makes_a_file_explored():
    kept, verdict = add_files(ready_to_submit(), ("src/auth/users.py",), FakeFacts(), FOLDERS)
    assert kept == ready_to_submit()
    assert verdict.next[0].operation == "snippets_get"
    assert not add_files(replace(session(), phase=Phase.READY), (), FakeFacts(), FOLDERS)[1].accepted
