import pytest

from shirube.features.guard.phases import confirm_symbols, risk_of
from shirube.features.guard.state import Confirmed
from shirube.features.plan.frame import Intent, Risk, Slot
from tests.cases import for_each
from tests.features.guard.sample import FRAME, fact, session


@pytest.mark.requirement("003-SRISK-01", "003-SRISK-02", "003-SRISK-03", "003-SRISK-04", "N003-SRISK-01")
@for_each(
    ("intent", "slots", "risk"),
    [
        (Intent.MODIFY, {"target_feature": fact("x")}, Risk.HIGH),
        (Intent.MODIFY, {"observed_issue": fact("x")}, Risk.HIGH),
        (Intent.IMPLEMENT, {}, Risk.HIGH),
        (Intent.IMPLEMENT, {"target_feature": fact("x")}, Risk.MEDIUM),
        (Intent.INVESTIGATE, {}, Risk.LOW),
        (Intent.MODIFY, FRAME, Risk.LOW),
        (Intent.IMPLEMENT, {**FRAME, "trigger_condition": fact("x"), "desired_action": fact("y")}, Risk.LOW),
        (Intent.MODIFY, {**FRAME, "desired_action": Slot("y")}, Risk.MEDIUM),
    ],
)
def test_risk_follows_the_rules_of_the_seed(intent, slots, risk):
    assert session(intent, **slots).risk is risk


@pytest.mark.requirement("003-SRISK-05")
def test_a_symbol_of_the_middle_tier_raises_the_risk_where_something_may_be_written():
    middle = Confirmed("ログイン", "AuthService", tier="raised")
    assert confirm_symbols(session(**FRAME), middle).risk is Risk.HIGH
    assert confirm_symbols(session(Intent.INVESTIGATE), middle).risk is Risk.LOW


def test_the_latest_word_on_a_symbol_counts():
    first, later = Confirmed("x", "A", tier="raised"), Confirmed("x", "A")
    state = confirm_symbols(confirm_symbols(session(**FRAME), first), later)
    assert state.confirmed == (later,)
    assert risk_of(state) is Risk.LOW
