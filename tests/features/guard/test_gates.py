import pytest

from shirube.codec import replace
from shirube.features.guard.phases import SEMANTIC_REASONS, Needs, blocking_slots, lacks_of, needs_of, semantic_reasons
from shirube.features.guard.state import Recorded, Understanding
from shirube.features.plan.frame import Intent, Risk, Slot
from tests.cases import for_each
from tests.features.guard.sample import FRAME, FakeFacts, called, fact, ready_to_submit, session

MANY = FakeFacts({f"Name{n}": f"src/f{n}.py" for n in range(20)})


@pytest.mark.requirement("003-GATE-01", "003-GATE-02", "003-GATE-03", "003-GATE-04", "003-GATE-05", "N003-GATE-01")
@for_each("intent", [Intent.IMPLEMENT, Intent.MODIFY])
def test_a_change_needs_what_the_seed_says_and_more_at_high_risk(intent):
    state = session(intent, **FRAME)
    tools = ("find_definitions", "find_references")
    assert needs_of(replace(state, risk=Risk.LOW), MANY) == Needs(3, 1, 2, 1, tools)
    assert needs_of(replace(state, risk=Risk.MEDIUM), MANY) == Needs(3, 1, 2, 1, tools, ("target_feature",))
    high = Needs(5, 2, 4, 2, tools, ("target_feature", "observed_issue"))
    assert needs_of(replace(state, risk=Risk.HIGH), MANY) == high


@pytest.mark.requirement("003-GATE-06", "003-GATE-07", "N003-TOOLS-01")
def test_looking_into_something_needs_a_symbol_and_a_file_and_no_tool():
    assert needs_of(session(Intent.INVESTIGATE), MANY) == Needs(1, 0, 1, 0)


@pytest.mark.requirement("003-GATE-08")
def test_a_question_needs_nothing():
    assert needs_of(session(Intent.QUESTION), MANY) == Needs()


def test_nothing_is_needed_that_the_project_does_not_have():
    small = FakeFacts({"main": "main.py"}, operations=frozenset({"search"}))
    assert needs_of(replace(session(**FRAME), risk=Risk.HIGH), small) == Needs(
        1, 1, 1, 1, (), ("target_feature", "observed_issue")
    )


def test_a_wish_for_something_new_has_no_issue_so_what_is_wished_counts():
    state = replace(session(Intent.IMPLEMENT, target_feature=fact("x"), desired_action=fact("y")), risk=Risk.HIGH)
    assert needs_of(state, MANY).slots == ("target_feature", "desired_action")


@pytest.mark.requirement("003-STEP-02")
def test_what_is_there_is_counted_against_what_is_needed():
    state = session(Intent.MODIFY, called("find_definitions", "login", "AuthService"), **FRAME)
    lacks = lacks_of(state, Understanding(("AuthService",), files=("src/auth/service.py",)), FakeFacts())
    assert {lack.key: (lack.have, lack.needed) for lack in lacks} == {
        "symbols_identified": (1, 3),
        "entry_points": (0, 1),
        "files_analyzed": (1, 2),
        "existing_patterns": (0, 1),
        "required_tools": (1, 2),
        "nl_symbol_mapping": (0, 1),
    }


@pytest.mark.requirement("N003-TOOLS-02")
def test_symbol_is_both_required_tools_and_keeps_them_required_where_it_alone_is_listed():
    asked = session(Intent.MODIFY, called("symbol", "login", "AuthService"), **FRAME)
    assert "required_tools" not in {lack.key for lack in lacks_of(asked, Understanding(), FakeFacts())}
    alone = FakeFacts(operations=frozenset({"search", "symbol"}))
    assert needs_of(session(Intent.MODIFY, **FRAME), alone).tools == ("find_definitions", "find_references")
    lacks = lacks_of(session(Intent.MODIFY, **FRAME), Understanding(), alone)
    assert {lack.key: lack.detail for lack in lacks}["required_tools"] == "find_definitions, find_references"


@pytest.mark.requirement("N003-SLOTS-02")
def test_enough_that_was_looked_at_lacks_nothing_even_at_medium_risk():
    state = replace(ready_to_submit(), risk=Risk.MEDIUM)
    enough = Understanding(state.symbols, ("AuthService.login",), tuple(state.explored), ("as in AuthService",))
    assert lacks_of(state, enough, FakeFacts()) == ()


def test_a_slot_without_a_quote_blocks_by_the_seeds_counts_and_at_high_risk():
    state = session(Intent.INVESTIGATE, called("search", "x", "AuthService"), observed_issue=Slot("guess"))
    assert blocking_slots(replace(state, scaled=True)) == ()
    assert blocking_slots(replace(state, scaled=True, risk=Risk.HIGH)) == ("observed_issue",)
    (lack,) = lacks_of(state, Understanding(("AuthService",), files=("a.py",)), FakeFacts())
    assert (lack.key, lack.detail) == ("hypothesis_slots", "observed_issue")


def test_a_feature_proven_absent_needs_no_symbol():
    absent = Recorded("find_definitions", asked="ログイン機能", answer="none")
    state = replace(session(Intent.IMPLEMENT, absent, **FRAME), risk=Risk.LOW)
    assert "nl_symbol_mapping" not in [lack.key for lack in lacks_of(state, Understanding(), FakeFacts())]


@pytest.mark.requirement("003-REASON-01", "003-REASON-02", "003-REASON-03", "003-REASON-04", "N003-REASON-01")
def test_reasons_are_those_of_the_seed():
    assert SEMANTIC_REASONS["symbols_identified"] == ("no_definition_found", "architecture_unknown")
    assert SEMANTIC_REASONS["entry_points"] == ("no_definition_found", "no_reference_found")
    assert SEMANTIC_REASONS["existing_patterns"] == ("no_similar_implementation", "architecture_unknown")
    assert SEMANTIC_REASONS["files_analyzed"] == ("context_fragmented", "architecture_unknown")
    assert semantic_reasons(("entry_points", "symbols_identified")) == (
        "no_definition_found",
        "no_reference_found",
        "architecture_unknown",
    )
    assert semantic_reasons(("required_tools",)) == ()


def test_everything_that_leads_to_the_semantic_phase_has_a_reason():
    assert [key for key, reasons in SEMANTIC_REASONS.items() if not reasons] == ["required_tools"]
