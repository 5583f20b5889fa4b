import pytest

from shirube.codec import replace
from shirube.features.guard.state import Phase, Recorded, Understanding
from shirube.features.guard.steps import best_map_hit, is_about, slot_hypotheses, submit_understanding
from shirube.features.plan.frame import Intent, Slot
from tests.cases import for_each
from tests.features.guard.sample import FRAME, LOOKED, FakeFacts, called, map_hit, ready_to_submit, session

FACTS = FakeFacts()
CLAIMS = Understanding(entry_points=("AuthService.login",), patterns=("as in AuthService",))


@pytest.mark.requirement("003-STEP-04", "003-STEP-05")
def test_enough_that_is_so_leads_to_ready():
    state, verdict = submit_understanding(ready_to_submit(), CLAIMS, FACTS)
    assert (state.phase, verdict.accepted, verdict.lacks) == (Phase.READY, True, ())
    assert state.understanding is not None
    assert state.understanding.entry_points == ("AuthService.login",)


@pytest.mark.requirement("003-STEP-06", "N003-HINT-01")
def test_too_little_leads_to_the_semantic_phase_with_the_reasons_that_fit():
    state, verdict = submit_understanding(ready_to_submit(), Understanding(), FACTS)
    assert (state.phase, verdict.accepted) == (Phase.SEMANTIC, True)
    assert state.missing == ("entry_points", "existing_patterns")
    assert verdict.reasons == (
        "no_definition_found",
        "no_reference_found",
        "no_similar_implementation",
        "architecture_unknown",
    )
    assert "submit_semantic" in [step.operation for step in verdict.next]


@pytest.mark.requirement("003-STEP-01")
def test_a_false_claim_changes_nothing():
    before = ready_to_submit()
    state, verdict = submit_understanding(before, replace(CLAIMS, symbols=("WarpDrive", "AuthService.login")), FACTS)
    assert state == before
    assert verdict.errors == ("symbol 'WarpDrive': nothing in this project defines it",)
    assert verdict.next[-1].operation == "submit_understanding"


def test_an_operation_that_was_not_used_is_to_be_used_and_no_reason_to_guess():
    before = session(Intent.MODIFY, LOOKED[0], LOOKED[2], **FRAME)
    state, verdict = submit_understanding(before, CLAIMS, FACTS)
    assert state == before
    assert verdict.lacks[0].detail == "find_references"
    assert verdict.next[0].operation == "symbol"


def test_looking_into_something_is_done_with_a_symbol_and_a_file():
    state, _ = submit_understanding(
        session(Intent.INVESTIGATE, called("search", "x", "AuthService")), Understanding(), FACTS
    )
    assert state.phase is Phase.READY


def mapped(similarity: float, fresh: bool = True, **more):
    call = Recorded("search", "search", asked="ログイン機能", maps=(map_hit(similarity, fresh, **more),))
    return session(Intent.MODIFY, call, **FRAME)


@pytest.mark.requirement("004-TIER-01")
def test_a_near_and_fresh_agreement_makes_ready_and_seeds_its_own_files_only():
    state, verdict = submit_understanding(mapped(0.8), Understanding(), FACTS)
    assert state.phase is Phase.READY
    assert state.explored == {"src/auth/service.py"}
    assert "agreed before" in verdict.message


@pytest.mark.requirement("004-TIER-02")
def test_an_agreement_a_little_further_away_has_to_be_confirmed():
    state, _ = submit_understanding(mapped(0.75), Understanding(), FACTS)
    assert state.phase is Phase.VERIFICATION
    assert [one.text for one in state.hypotheses] == ["'ログイン機能' is AuthService (src/auth/service.py)"]


@pytest.mark.requirement("004-TIER-03", "N004-FRESH-01")
@for_each(("similarity", "fresh", "alone"), [(0.69, True, True), (0.99, False, True), (0.99, True, False)])
def test_a_far_stale_or_merely_similar_agreement_changes_nothing(similarity, fresh, alone):
    state = mapped(similarity, fresh, alone=alone)
    after, verdict = submit_understanding(state, Understanding(), FACTS)
    assert after == state
    assert verdict.lacks


def test_an_agreement_about_something_else_is_no_short_cut():
    other = Recorded("search_map", "map", asked="支払いの返金", maps=(map_hit(1.0, term="返金処理"),))
    assert best_map_hit(session(Intent.MODIFY, other, **FRAME)) is None


@for_each(
    ("request_", "feature", "term", "asked", "about"),
    [
        ("ログイン機能を直して", "", "ログイン", "", True),
        ("fix the login: it crashes when the password is empty", "", "ログイン", "", True),
        ("fix the login form", "login form", "login", "", False),
        ("ユーザーの削除を直して", "", "ユーザー", "ユーザー", False),
        ("ユーザーの削除を直して", "ユーザーの削除", "ユーザー", "ユーザー", False),
        ("ユーザーの削除を直して", "ユーザーの削除", "delete user", "", True),
        ("ログアウトを直して", "ログアウト", "ログイン", "", False),
        ("サインオンを直して", "サインオン", "ログイン", "サインオン", True),  # the question is an alias
    ],
)
def test_a_request_is_about_a_term_that_its_feature_or_a_clause_names(request_, feature, term, asked, about):
    slots = {"target_feature": Slot(feature, feature)} if feature else {}
    state = replace(session(Intent.MODIFY, **slots), request=request_)
    assert is_about(state, map_hit(1.0, term=term), asked) is about


def test_a_slot_without_a_quote_is_verified_even_when_the_agreement_is_near():
    frame = mapped(0.9).asked_frame
    state = replace(mapped(0.9), frame=replace(frame, slots={**frame.slots, "desired_action": Slot("guess")}))
    after, _ = submit_understanding(state, Understanding(), FACTS)
    assert after.phase is Phase.VERIFICATION
    assert [one.slot for one in after.hypotheses] == ["desired_action"]
    assert slot_hypotheses(replace(state, intent=Intent.QUESTION), 1) == ()
