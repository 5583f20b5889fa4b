from shirube.codec import replace
from shirube.features.guard.advice import for_lacks, frame_call, look_for, next_steps, semantic_call
from shirube.features.guard.phases import SEMANTIC_REASONS, SUBMISSIONS, allows
from shirube.features.guard.state import Hypothesis, Lack, Phase
from shirube.features.guard.steps import begin
from shirube.features.plan.frame import Intent
from tests.cases import for_each
from tests.features.guard.sample import REQUEST, ready_to_submit, session


@for_each("intent", Intent)
@for_each("phase", Phase)
def test_every_phase_has_a_next_call_that_it_allows(intent, phase):
    state = replace(session(intent), phase=phase, missing=("files_analyzed",), hypotheses=(Hypothesis("h1", "x"),))
    steps = next_steps(state)
    assert steps
    assert all(allows(phase, step.operation, step.arguments) for step in steps)
    own = [name for name, at in SUBMISSIONS.items() if at is phase and name != "submit_exploration"]
    assert not own or own[0] in [step.operation for step in steps]
    assert all(step.arguments["session_id"] == "s_1" for step in steps if step.operation != "start_session")


@for_each("key", SEMANTIC_REASONS)
def test_every_lack_has_a_call_that_fills_it(key):
    assert list(for_lacks(session(), (Lack(key, 0, 1),)))
    assert list(for_lacks(ready_to_submit(), (Lack(key, 0, 1),)))


def test_the_proposed_frame_is_one_that_would_be_taken():
    from shirube.features.guard.operations import SlotGiven
    from shirube.features.guard.steps import set_frame
    from shirube.features.plan.frame import Slot

    proposed = dict(frame_call(session()).arguments)
    handle = proposed.pop("session_id")
    given = {name: SlotGiven(**slot) for name, slot in proposed.items()}
    _, verdict = set_frame(session(), {name: Slot(slot.value, slot.quote) for name, slot in given.items()})
    assert handle == "s_1"
    assert verdict.accepted, verdict.errors


def test_for_a_request_nobody_can_read_no_slot_is_guessed():
    made = frame_call(begin("s", Intent.MODIFY, "???", ""))
    assert made.arguments["target_feature"] == {"value": "<what it is about>", "quote": "<its words>"}


def test_the_reason_proposed_is_one_that_fits():
    assert (
        semantic_call(replace(session(), missing=("entry_points",))).arguments["semantic_reason"]
        == "no_definition_found"
    )


def test_the_word_to_look_for_is_a_name_before_it_is_a_sentence():
    assert look_for(begin("s", Intent.MODIFY, "fix charge_card when the bank is slow", "")) == "charge_card"
    assert look_for(ready_to_submit()) == "AuthService"
    assert look_for(begin("s", Intent.MODIFY, REQUEST, "")) == REQUEST[:80]
