import pytest

from shirube.codec import replace
from shirube.features.guard.state import Hypothesis, Phase
from shirube.features.guard.steps import submit_semantic
from shirube.features.plan.frame import Slot
from tests.cases import for_each
from tests.features.guard.sample import ready_to_submit

STATE = replace(ready_to_submit(), phase=Phase.SEMANTIC, missing=("entry_points",))
GUESS = [Hypothesis("", "AuthService.login checks the password", "high")]


@pytest.mark.requirement("003-SEM-01", "003-SEM-02", "003-SEM-03")
def test_hypotheses_for_a_fitting_reason_lead_to_verification():
    state, verdict = submit_semantic(STATE, GUESS, "no_reference_found", ())
    assert (state.phase, state.semantic_reason) == (Phase.VERIFICATION, "no_reference_found")
    assert [(one.id, one.confidence, one.status) for one in state.hypotheses] == [("h1", "high", "open")]
    assert verdict.next[-1].operation == "submit_verification"


def test_what_was_refuted_keeps_its_number_and_nothing_else_gets_it():
    refuted = (Hypothesis("h1", "it is elsewhere", status="rejected"), Hypothesis("h2", "or not", status="rejected"))
    state, verdict = submit_semantic(replace(STATE, refuted=refuted), GUESS, "no_reference_found", ())
    assert [one.id for one in state.hypotheses] == ["h3"]
    assert verdict.accepted


@for_each("reason", ["architecture_unknown", "context_fragmented", "because", ""])
def test_a_reason_that_does_not_fit_is_refused_with_those_that_do(reason):
    state, verdict = submit_semantic(STATE, GUESS, reason, ())
    assert state == STATE
    assert verdict.reasons == ("no_definition_found", "no_reference_found")
    assert verdict.next


@for_each(
    "supposed",
    [
        [],
        [Hypothesis("", " ")],
        [Hypothesis("", "<what>")],
        GUESS * 2,
        [Hypothesis("", "x", "sure")],
        [Hypothesis("", f"x{n}") for n in range(21)],
    ],
)
def test_hypotheses_that_say_nothing_are_refused(supposed):
    state, verdict = submit_semantic(STATE, supposed, "no_reference_found", ())
    assert state == STATE
    assert verdict.errors


def test_searches_that_were_not_made_are_refused():
    assert submit_semantic(STATE, GUESS, "no_reference_found", ("login",))[1].accepted
    _, verdict = submit_semantic(STATE, GUESS, "no_reference_found", ("never asked",))
    assert verdict.errors == ("search query 'never asked': no call of this session asked it",)


def test_slots_without_a_quote_are_hypotheses_too():
    slots = {**STATE.asked_frame.slots, "desired_action": Slot("guess")}
    state = replace(STATE, frame=replace(STATE.asked_frame, slots=slots))
    scaled = replace(state, scaled=True)
    assert len(submit_semantic(scaled, GUESS, "no_reference_found", ())[0].hypotheses) == len(GUESS)
    state, _ = submit_semantic(state, GUESS, "no_reference_found", ())
    assert [(one.id, one.slot, one.text) for one in state.hypotheses][1] == (
        "h2",
        "desired_action",
        "desired_action: guess",
    )
