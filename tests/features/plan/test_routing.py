import pytest

from shirube import Project
from shirube.errors import BadArgument, UnknownName
from shirube.features.map.records import DECISIONS
from tests.cases import for_each


@pytest.mark.requirement("003-ROUTE-11", "003-DEC-01", "N003-ROUTE-03")
def test_a_question_is_planned_run_and_recorded(shop: Project):
    before = len(shop.workspace.journal.events(DECISIONS))
    handle = shop.start_session("QUESTION", "where are failed payments retried?").session_id
    found = shop.query("where are failed payments retried?", session_id=handle)
    assert found.intent == "QUESTION"
    assert [step.tool for step in found.plan] == ["search"]
    assert found.results[0].path in ("src/shop/retry.py", "src/shop/payment.py", "README.md")
    assert found.results[0].start_line > 0
    assert found.results[0].content
    assert found.total_results == len(found.results)
    decision = shop.workspace.journal.events(DECISIONS)[before].body
    assert (decision["query"], decision["session_id"], decision["tools_planned"]) == (
        found.question,
        handle,
        ["search"],
    )
    assert decision["record_id"].startswith(f"decision_{handle}_")


def test_a_task_runs_what_would_fill_its_open_slots_and_one_that_fails_does_not_stop_the_rest(shop: Project):
    found = shop.query("Fix with_retries when the bank is slow", intent="modify")
    assert found.risk_level in ("HIGH", "MEDIUM", "LOW")
    tools = {output.tool: output.status for output in found.step_outputs}
    assert tools["search"] == "ok"
    assert set(tools.values()) <= {"ok", "empty", "unavailable", "failed"}
    assert len({(hit.path, hit.start_line) for hit in found.results}) == len(found.results)


def test_a_frame_that_is_sent_comes_before_what_the_words_tell(shop: Project):
    frame = {"target_feature": {"value": "payment gateway", "quote": "gateway"}}
    found = shop.query("the gateway is slow", frame=frame)
    assert "target_feature: payment gateway" in found.slots
    found = shop.query("the gateway is slow", frame={"target_feature": {"value": "x", "quote": "nowhere"}})
    assert "target_feature: x" in found.slots
    assert any("'nowhere' is not in the request" in note for note in found.degraded)


def test_the_plan_can_be_left_out(shop: Project):
    found = shop.query("retry policy", show_plan=False)
    assert (found.plan, found.decision_log, found.reasoning) == ((), None, "")


def test_a_japanese_question_is_routed_too(shop: Project):
    found = shop.query("返金の処理はどこですか？")
    assert found.intent == "QUESTION"
    assert "src/shop/payment.py" in [hit.path for hit in found.results]


def test_mistakes_are_told(shop: Project):
    with pytest.raises(BadArgument):
        shop.query("  ")
    with pytest.raises(UnknownName):
        shop.query("x", intent="BUILD")


@pytest.mark.requirement("003-ROUTE-12")
@for_each(
    ("question", "name", "path"),
    [
        ("Fix with_retries: it gives up when the bank is slow", "with_retries", "src/shop/retry.py"),
        ("the payment gateway charges twice, please fix", "PaymentGateway", "src/shop/payment.py"),
        ("返金の処理で金額が合わないので直して", None, "src/shop/payment.py"),
        ("src/shop/retry.py の回数がおかしいので直して", None, "src/shop/retry.py"),
    ],
)
def test_names_go_to_symbols_sentences_to_the_search_and_files_to_their_structure(shop: Project, question, name, path):
    found = shop.query(question, intent="IMPLEMENT")
    asked = {step.tool: step.arguments for step in found.plan}
    assert asked["search"]["query"] == question
    assert " " not in asked["find_definitions"]["symbol"]
    assert asked["find_definitions"] == asked["find_references"]
    assert name in (None, asked["find_definitions"]["symbol"])
    assert asked["get_symbols"]["path"] == asked["analyze_structure"]["path"] == path
    assert len(asked["search_text"]["patterns"]) < len(question)
    statuses = {output.tool: output.status for output in found.step_outputs}
    assert {statuses[tool] for tool in ("search", "find_definitions", "get_symbols", "analyze_structure")} == {"ok"}


def test_how_a_place_is_built_counts_as_found(shop: Project):
    found = shop.query("look into the gateway", intent="INVESTIGATE", file_path="src/shop/payment.py")
    (built,) = [output for output in found.step_outputs if output.tool == "analyze_structure"]
    assert (built.status, built.reason.code) == ("ok", "plan.how_built")
    assert built.found > 0


@for_each("question", ["where are failed payments retried?", "返金の処理はどこですか？"])
def test_a_session_is_shown_every_place(shop: Project, question: str):
    places = shop.query(question).shown().places
    assert [place.path for place in places] == [hit.path for hit in shop.query(question).results] != []
    plan = shop.query_plan(question, fresh=True)
    results = [*(one for turn in plan.iterations for one in turn.actualResults), *plan.finalResults.data]
    symbols = ["" if one.kind in ("section", "key", "module") else one.symbol for one in results]
    shown = [(place.path, place.start_line, place.end_line) for place in plan.shown().places]
    assert shown == [(one.path, one.start_line, one.end_line) for one in results]
    assert [place.symbol for place in plan.shown().places] == symbols


def test_a_symbol_or_a_file_that_is_given_is_looked_up_whatever_is_asked(shop: Project):
    found = shop.query("explain", intent="QUESTION", symbol="with_retries", file_path="src/shop/retry.py")
    statuses = {output.tool: output.status for output in found.step_outputs}
    assert {tool: statuses[tool] for tool in ("find_definitions", "analyze_structure")} == {
        "find_definitions": "ok",
        "analyze_structure": "ok",
    }


def test_what_cannot_be_searched_for_is_told_by_its_step(shop: Project):
    found = shop.query("x" * 5000, intent="QUESTION", file_path="src/shop/retry.py")
    statuses = {output.tool: output.status for output in found.step_outputs}
    assert (statuses["search"], statuses["analyze_structure"]) == ("failed", "ok")
