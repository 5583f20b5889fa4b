import pytest

from shirube.codec import replace
from shirube.features.guard.evidence import rests_on_absence
from shirube.features.guard.state import Hypothesis, Phase, Recorded
from shirube.features.guard.steps import Decided, submit_verification
from shirube.features.plan.frame import Certainty, Intent, Slot
from tests.cases import for_each
from tests.features.guard.sample import FRAME, LOOKED, FakeFacts, called, session

FACTS = FakeFacts()
ABSENT = Recorded("search_text", "search", "captcha", answer="none", number=8)
FAILED = Recorded("find_references", "symbols", "captcha", ok=False, number=9)
STATE = replace(
    session(Intent.MODIFY, *LOOKED, ABSENT, FAILED, **FRAME),
    phase=Phase.VERIFICATION,
    hypotheses=(Hypothesis("h1", "AuthService.login checks"), Hypothesis("h2", "no captcha yet")),
)
FIRST = Decided("h1", "confirmed", "find_definitions", "login", "AuthService.login is in src/auth/service.py")
SECOND = Decided("no captcha yet", "rejected", "search_text", "captcha", "nothing has it")


@pytest.mark.requirement("003-VER-01", "003-VER-02", "N003-EVID-01")
def test_every_hypothesis_decided_by_a_call_that_was_made_leads_to_ready():
    state, verdict = submit_verification(STATE, [FIRST, SECOND], FACTS)
    assert (state.phase, verdict.accepted) == (Phase.READY, True)
    assert [(one.status, one.call) for one in state.hypotheses] == [("confirmed", 1), ("rejected", 8)]
    assert verdict.message.code == "session.verified_but"
    assert "no captcha yet" in verdict.message


@for_each("tool", ["symbol", "find_definitions", "find_references"])
def test_a_call_of_symbol_is_evidence_under_each_name_it_answers_for(tool):
    asked = replace(STATE, calls=(*STATE.calls, called("symbol", "logout", "AuthService.login", number=9)))
    state, verdict = submit_verification(asked, [replace(FIRST, tool=tool, target="logout"), SECOND], FACTS)
    assert (verdict.accepted, state.hypotheses[0].call) == (True, 9)


@pytest.mark.requirement("N003-REJECT-01")
def test_all_rejected_leads_back_to_exploration():
    state, verdict = submit_verification(STATE, [replace(FIRST, status="rejected"), SECOND], FACTS)
    assert (state.phase, state.hypotheses, verdict.accepted) == (Phase.EXPLORATION, (), True)
    assert [item.status for item in state.refuted] == ["rejected", "rejected"]
    assert verdict.next


@pytest.mark.requirement("N003-EVID-02")
@for_each(
    ("wrong", "told"),
    [
        ({"tool": "find_references", "target": "captcha"}, "no call of find_references"),
        ({"target": "logout"}, "asked for 'logout'"),
        ({"tool": "search", "target": "ログイン パスワード エラー"}, "'search' is no evidence"),
        ({"tool": "divination"}, "'divination' is no evidence"),
        ({"result": " "}, "needs a target and a result"),
        ({"result": "<what it showed>"}, "needs a target and a result"),
        ({"result": "WarpDrive does it"}, "does not know: WarpDrive"),
        ({"result": "bananas"}, "'bananas' names nothing that"),
        ({"result": "it is the one"}, "quote a name or a line of it"),
        ({"result": "バナナ"}, "'バナナ' names nothing"),
        ({"files": ("src/web/forms.py",)}, "did not return src/web/forms.py"),
        ({"status": "perhaps"}, "neither confirmed nor rejected"),
        ({"hypothesis": "h7"}, "'h7' is no hypothesis"),
    ],
)
def test_evidence_that_is_not_so_changes_nothing(wrong, told):
    state, verdict = submit_verification(STATE, [replace(FIRST, **wrong), SECOND], FACTS)
    assert state == STATE
    assert told in " ".join(verdict.errors)
    assert verdict.next


def test_every_hypothesis_has_to_be_decided_once():
    assert "hypothesis h2 is not decided" in submit_verification(STATE, [FIRST], FACTS)[1].errors
    assert "'h1' is decided twice" in submit_verification(STATE, [FIRST, FIRST, SECOND], FACTS)[1].errors


def test_the_target_may_be_given_with_its_scope():
    assert submit_verification(STATE, [replace(FIRST, target="AuthService.login()"), SECOND], FACTS)[1].accepted


def test_a_slot_that_was_supposed_becomes_a_fact_or_goes():
    frame = replace(STATE.asked_frame, slots={**STATE.asked_frame.slots, "desired_action": Slot("guess")})
    slot = Hypothesis("h3", "desired_action: guess", slot="desired_action")
    state = replace(STATE, frame=frame, hypotheses=(*STATE.hypotheses, slot))
    yes = replace(FIRST, hypothesis="h3")
    kept, _ = submit_verification(state, [FIRST, SECOND, yes], FACTS)
    assert kept.asked_frame.slots["desired_action"].certainty is Certainty.FACT
    gone, _ = submit_verification(state, [FIRST, SECOND, replace(yes, status="rejected")], FACTS)
    assert "desired_action" not in gone.asked_frame.slots
    slots = {**frame.slots, "desired_action": Slot("追加", "追加", Certainty.FACT)}
    quoted = replace(state, frame=replace(frame, slots=slots))
    still, _ = submit_verification(quoted, [FIRST, SECOND, replace(yes, status="rejected")], FACTS)
    assert still.asked_frame.value("desired_action") == "追加"


@pytest.mark.requirement("N003-ABSENT-02")
def test_what_rests_on_absence_alone_is_known_as_such():
    state, _ = submit_verification(
        STATE, [replace(FIRST, status="rejected"), replace(SECOND, status="confirmed")], FACTS
    )
    assert state.phase is Phase.READY
    assert rests_on_absence(state)
    assert not rests_on_absence(submit_verification(STATE, [FIRST, SECOND], FACTS)[0])
