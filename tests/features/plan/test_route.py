import pytest

from shirube.features.plan.anchor import Anchor
from shirube.features.plan.frame import SLOTS, Certainty, Intent, QueryFrame, Slot
from shirube.features.plan.routing import ALL_TOOLS, RouteContext, create_plan, select_tools
from tests.cases import for_each

KNOWN = {name: Slot("login", "login", Certainty.FACT) for name in SLOTS}


def without(*names):
    return QueryFrame("fix the login", {name: slot for name, slot in KNOWN.items() if name not in names})


@pytest.mark.requirement("003-ROUTE-01", "003-ROUTE-02", "003-ROUTE-03", "003-ROUTE-04")
@for_each(
    ("slot", "tools"),
    [
        ("target_feature", {"find_definitions", "get_symbols"}),
        ("trigger_condition", {"search_text"}),
        ("observed_issue", {"search_text", "search"}),
        ("desired_action", {"find_references", "analyze_structure"}),
    ],
)
def test_an_open_slot_asks_for_the_operations_that_fill_it(slot, tools):
    assert tools <= set(select_tools(without(slot), Intent.MODIFY))


@pytest.mark.requirement("003-ROUTE-05", "003-ROUTE-06", "003-ROUTE-07", "003-ROUTE-08", "N003-ROUTE-01")
def test_the_intent_decides_what_comes_first_and_how_much():
    assert set(select_tools(without(), Intent.IMPLEMENT)) == set(ALL_TOOLS)
    assert select_tools(without(), Intent.MODIFY)[0] == "find_references"
    assert select_tools(without(), Intent.INVESTIGATE)[:2] == ("search", "analyze_structure")
    assert select_tools(without(*SLOTS), Intent.QUESTION) == ("search",)


@pytest.mark.requirement("003-ROUTE-09")
def test_the_plan_says_everything_the_seed_asks_for():
    plan = create_plan(without("observed_issue"), Intent.MODIFY, RouteContext(session_id="s1"), "2026-01-01T00:00:00Z")
    assert plan.decision_log.missing_slots == ("observed_issue",)
    assert plan.decision_log.risk_level == "HIGH"
    assert "Open: observed_issue" in plan.reasoning
    log = plan.decision_log
    assert (log.query, log.intent, log.session_id, log.timestamp) == (
        "fix the login",
        "MODIFY",
        "s1",
        "2026-01-01T00:00:00Z",
    )
    assert log.required_phases[0] == "EXPLORATION"
    assert log.tools_planned == tuple(dict.fromkeys(step.tool for step in plan.steps))


@pytest.mark.requirement("003-ROUTE-10")
@for_each(
    ("frame", "context", "reason"),
    [
        (without(), RouteContext(indexed=False), "index"),
        (without("target_feature"), RouteContext(), "target is unknown"),
        (without("target_feature"), RouteContext(explored=True), ""),
        (without("target_feature"), RouteContext(symbol="Login"), ""),
        (without(), RouteContext(), ""),
    ],
)
def test_looking_around_comes_first_where_the_index_or_the_target_is_missing(frame, context, reason):
    plan = create_plan(frame, Intent.MODIFY, context)
    assert plan.decision_log.needs_bootstrap is bool(reason)
    assert reason in plan.decision_log.bootstrap_reason


@pytest.mark.requirement("N003-ROUTE-02")
def test_every_step_has_the_arguments_its_operation_needs():
    plan = create_plan(QueryFrame("where is it"), Intent.IMPLEMENT, RouteContext())
    assert [step.tool for step in plan.steps] == ["search"]  # nothing else could be asked without a target
    anchor = Anchor("Login.check", "src/login.py", "wrong password")
    plan = create_plan(QueryFrame("where is it"), Intent.IMPLEMENT, RouteContext(anchor=anchor))
    assert {step.tool: list(step.arguments.values()) for step in plan.steps} == {
        "search": ["where is it"],
        "find_definitions": ["Login.check"],
        "find_references": ["Login.check"],
        "get_symbols": ["src/login.py"],
        "search_text": ["wrong password"],
        "analyze_structure": ["src/login.py"],
    }
