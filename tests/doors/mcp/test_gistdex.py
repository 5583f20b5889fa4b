"""Seed 002's own tools in the toolset ``compat``, over the wire."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import for_each
from tests.conftest import StateDirs
from tests.doors.mcp.client import Server


@pytest.fixture(scope="module")
def compat(served: tuple[Path, StateDirs]) -> Iterator[Server]:
    started = Server(*served, "--toolsets", "compat")
    started.initialize()
    started.call("gistdex_index")
    yield started
    started.close()


def asked(server: Server, **arguments):
    result = server.call("gistdex_query", {"query": "try again when the bank is slow", **arguments})
    assert not result["isError"], result
    return result["structuredContent"]


def reasons(found) -> set[str]:
    return {reason["name"] for hit in found["forest_hits"] for reason in hit["why"]}


@pytest.mark.requirement("002-QUERY-04")
@for_each(
    "arguments",
    [{"k": 2}, {"k": "2"}, {"limit": 2}, {"k": 2, "rerank": True, "useChain": False, "saveStructured": True}],
)
def test_k_is_how_many_come(compat: Server, arguments):
    assert len(asked(compat, **arguments)["forest_hits"]) == 2


@pytest.mark.requirement("002-QUERY-04")
def test_hybrid_asks_by_words_and_meaning_and_else_by_meaning_alone(compat: Server):
    both, meaning = asked(compat, k=3, hybrid=True), asked(compat, k=3, hybrid="false")
    assert {"text:words", "text:sense"} <= reasons(both)
    assert "text:sense" in reasons(meaning)
    assert "text:words" not in reasons(meaning)
    for mode, found in (("hybrid", both), ("dense", meaning)):
        same = compat.call("search_smart", {"query": "try again when the bank is slow", "limit": 3, "mode": mode})
        assert same["structuredContent"]["forest_hits"] == found["forest_hits"]


@pytest.mark.requirement("002-QUERY-01", "002-QUERY-02", "002-QUERY-03")
@for_each(
    ("plan", "keywords", "judge"),
    [("planId", "expectedKeywords", "evaluateResult"), ("plan_id", "expected_keywords", "evaluate_result")],
)
def test_a_search_of_a_plan_is_judged_in_both_spellings(compat: Server, plan: str, keywords: str, judge: str):
    made = compat.call("gistdex_query_plan", {"goal": "how are payments retried?", "maxIterations": 1})
    number = made["structuredContent"]["planId"]
    found = asked(compat, **{plan: number, keywords: ["retries", "zebra"], judge: True, "k": 3, "hybrid": True})
    assert found["planId"] == number
    assert found["evaluation"]["matched"] == ["retries"]
    assert found["evaluation"]["unmatched"] == ["zebra"]
    refused = compat.call("gistdex_query", {"query": "retry", plan: "nope"})
    assert refused["isError"]


@pytest.mark.requirement("002-QUERY-02")
def test_the_judgement_is_in_the_text_too(served: tuple[Path, StateDirs]):
    server = Server(*served, "--toolsets", "compat", text=True)
    try:
        server.initialize()
        arguments = {"query": "retries", "k": 1, "expectedKeywords": ["zebra"]}
        assert "\njudged 0." in server.read("gistdex_query", arguments)
        assert "Not found: zebra" in server.read("gistdex_query", arguments)
        assert "\n評価 0." in server.read("gistdex_query", {**arguments, "query": "再試行 retries"})
        assert "judged" not in server.read("gistdex_query", {"query": "retries", "k": 1})
    finally:
        server.close()


@for_each(
    ("arguments", "told"),
    [
        ({"hybrid": "maybe"}, "'hybrid' must be true or false"),
        ({"k": 0}, "must be from 1 to 100"),
        ({"hybird": True}, "did you mean 'hybrid'?"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(compat: Server, arguments, told: str):
    result = compat.call("gistdex_query", {"query": "retry", **arguments})
    assert result["isError"]
    assert told in f"{result['structuredContent']['message']} {result['structuredContent']['hint']}"


@pytest.mark.requirement("002-QUERY-04")
def test_its_own_arguments_are_listed(compat: Server):
    (tool,) = [tool for tool in compat.tools() if tool["name"] == "gistdex_query"]
    wanted = {"query", "limit", "hybrid", "plan_id", "expected_keywords", "evaluate_result"}
    assert wanted <= set(tool["inputSchema"]["properties"])


@pytest.mark.requirement("002-TOOL-02")
def test_the_others_answer_under_their_names(compat: Server):
    assert not compat.call("gistdex_index", {})["isError"]
    assert compat.call("gistdex_list", {"stats": True, "limit": 3})["structuredContent"]["files"] > 0
    goal = {
        "goal": "VitePressの設定ファイルの構造と設定方法を理解する",
        "maxIterations": 3,
        "evaluationMode": "semantic",
    }
    expected = {"keywords": ["config", "vitepress", "export default"], "minMatches": 5, "confidence": 0.8}
    plan = compat.call("gistdex_query_plan", {**goal, "expectedResults": expected})["structuredContent"]
    assert plan["status"] in ("partial", "failed")
    assert plan["finalResults"]["unmatchedExpectations"]
