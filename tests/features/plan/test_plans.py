import json
from threading import Event
from time import monotonic

import pytest

from shirube import Project
from shirube.errors import BadArgument, UnknownName
from shirube.features.plan.plan_store import ANSWERS
from shirube.features.plan.run import make_plan
from shirube.operations import in_toolsets, operation_named
from tests.cases import for_each
from tests.conftest import sync


def paths(report):
    return [result.path for result in report.finalResults.data]


@pytest.mark.requirement("002-IN-01", "002-OUT-01", "002-OUT-03", "002-OUT-04", "002-OUT-06")
def test_a_goal_becomes_evaluated_results_with_everything_the_seed_asks_for(shop: Project):
    report = shop.query_plan("how is a payment retried", fresh=True)
    assert paths(report)[0] in ("src/shop/retry.py", "src/shop/payment.py")
    turn = report.iterations[0]
    assert (turn.iterationNumber, turn.query) == (1, "how is a payment retried")
    assert turn.expectedKeywords == ("payment", "retried")
    assert turn.actualResults
    assert 0 < turn.evaluationScore <= 1
    assert turn.feedback
    final = report.finalResults
    assert set(final.matchedExpectations) | set(final.unmatchedExpectations) == {"payment", "retried"}
    assert 0 <= final.confidence <= 1
    assert report.metadata.totalIterations == len(report.iterations)
    assert report.metadata.totalTime > 0
    assert report.savedAt == f"shirube plans show {report.planId}"
    assert report.next.startswith("read ")


@pytest.mark.requirement("002-FLOW-06", "002-KNOW-01")
def test_knowledge_is_saved_as_a_page_with_an_index(own: Project):
    report = own.query_plan("返金の処理を理解する")
    page = own.workspace.state_directory / "knowledge"
    assert report.structuredKnowledgePath.startswith(str(page))
    index = json.loads((page / "index.json").read_text("utf-8"))
    assert [entry["goal"] for entry in index.values()] == ["返金の処理を理解する"]
    other = own.query_plan("決済の処理を理解する").structuredKnowledgePath
    assert other != report.structuredKnowledgePath


def test_knowledge_goes_into_the_project_only_when_asked_for(own: Project):
    own.query_plan("retry policy")
    assert not (own.workspace.root / ".shirube").exists()
    report = own.query_plan("retry policy", save="project", topic="../../escape", fresh=True)
    assert report.structuredKnowledgePath.startswith(".shirube/knowledge/")
    assert (own.workspace.root / report.structuredKnowledgePath).is_file()
    assert (own.workspace.root / report.savedAt).is_file()
    assert own.query_plan("cart total", save="none").structuredKnowledgePath == ""


@pytest.mark.requirement("002-OUT-06", "002-FLOW-06", "002-FILES-01", "002-FILES-03")
def test_the_layout_of_seed_002_is_written_when_it_is_asked_for(own: Project):
    report = own.query_plan("retry policy", save="gistdex", topic="retries")
    assert report.savedAt == f".gistdex/cache/plans/{report.planId}.json"
    kept = json.loads((own.workspace.root / report.savedAt).read_text("utf-8"))
    assert (kept["planId"], kept["finalResults"]["data"][0]["path"]) == (report.planId, paths(report)[0])
    plans = json.loads((own.workspace.root / ".gistdex/cache/plans/index.json").read_text("utf-8"))
    assert plans[f"{report.planId}.json"]["goal"] == "retry policy"
    assert report.structuredKnowledgePath.startswith(".gistdex/cache/knowledge/retries")
    assert (own.workspace.root / ".gistdex/cache/knowledge/index.json").is_file()
    assert kept["savedAt"] == report.savedAt
    own.workspace.journal.remove("plan", report.planId)
    assert own.import_plans(".gistdex").plans == 1


@pytest.mark.requirement("002-FILES-04")
def test_remembered_answers_are_in_the_journal_and_settings_in_a_file_of_their_own(own: Project):
    report = own.query_plan("retry policy", save="gistdex")
    there = {path.relative_to(own.workspace.root).as_posix() for path in (own.workspace.root / ".gistdex").rglob("*")}
    assert {name for name in there if "queries" in name or "config" in name} == set()
    answers = [one.body["query"] for one in own.workspace.journal.documents(ANSWERS)]
    assert set(answers) == {turn.query for turn in report.iterations}
    cache = own.workspace.root / ".gistdex" / "cache" / "queries"
    cache.mkdir()
    (cache / "q.json").write_text(json.dumps({"version": "1.0.0", "queries": [{"query": "ルーティング"}]}))
    assert own.import_plans(".gistdex").plans == 1
    assert own.list_plans(query="ルーティング").total == 1


@pytest.mark.requirement("002-OUT-05")
def test_the_metadata_count_turns_time_hits_and_what_was_gained(own: Project):
    asked = {"expectedResults": {"keywords": ["ATTEMPTS", "OSError"], "confidence": 1}, "maxIterations": 3}
    first = own.query_plan("how does a shop work", **asked)
    scores = [turn.evaluationScore for turn in first.iterations]
    best = max(*scores, first.finalResults.evaluation.score)
    assert best > scores[0]
    assert first.metadata.improvementRate == pytest.approx((best - scores[0]) / scores[0], abs=0.01)
    assert (first.metadata.totalIterations, first.metadata.cacheHits) == (len(scores), 0)
    assert first.metadata.totalTime >= sum(turn.seconds for turn in first.iterations) > 0
    again = own.query_plan("how does a shop work", **asked)
    assert [turn.cached for turn in again.iterations] == [True] * 3 + [False] * (len(again.iterations) - 3)
    assert again.metadata.cacheHits == 3
    assert again.metadata.totalIterations == len(again.iterations) > 3
    plain = own.query_plan("retry policy", maxIterations=1, fresh=True)
    assert plain.metadata.improvementRate == 0


def test_a_remembered_plan_is_written_where_it_is_wanted_now(own: Project):
    assert own.query_plan("retry a payment", save="none").structuredKnowledgePath == ""
    assert own.query_plan("retry a payment").structuredKnowledgePath
    there = own.query_plan("retry a payment", save="project", topic="again")
    assert there.structuredKnowledgePath.startswith(".shirube/knowledge/again")
    assert (own.workspace.root / there.savedAt).is_file()
    assert own.list_plans().total == 1


@pytest.mark.requirement("002-CACHE-01", "N002-CACHE-01")
def test_the_same_goal_again_is_remembered_with_the_same_answer(own: Project):
    first = own.query_plan("How is a payment retried?")
    second = own.query_plan("payment retried")
    assert second.metadata.cacheHits == second.metadata.totalIterations > 0
    assert (second.planId, paths(second)) == (first.planId, paths(first))
    assert first.metadata.cacheHits == 0
    assert own.query_plan("payment retried", fresh=True).planId != first.planId


@pytest.mark.requirement("002-CACHE-02")
def test_after_an_edit_what_it_rests_on_is_asked_anew_and_the_rest_is_reused(own: Project):
    first = own.query_plan("payment refund receipt")
    (own.workspace.root / "web/unrelated.ts").write_text("export const zebra = 1;\n")
    sync(own.workspace)
    again = own.query_plan("payment refund receipt")
    assert again.metadata.cacheHits >= 1
    assert paths(again) == paths(first)
    (own.workspace.root / "src/shop/refunds.py").write_text(
        "def refund_receipt_of_payment():\n    '''payment refund receipt'''\n"
    )
    sync(own.workspace)
    changed = own.query_plan("payment refund receipt")
    assert changed.metadata.cacheHits == 0
    assert "src/shop/refunds.py" in paths(changed)


def test_a_file_that_was_found_and_is_gone_is_not_remembered(own: Project):
    assert "web/price.ts" in paths(own.query_plan("format price"))
    (own.workspace.root / "web/price.ts").unlink()
    sync(own.workspace)
    assert "web/price.ts" not in paths(own.query_plan("format price"))


@pytest.mark.requirement("002-IN-04", "002-IN-05", "002-IN-06", "002-IN-07", "002-IN-08")
def test_every_input_is_heeded_in_both_spellings(shop: Project):
    report = shop.query_plan(
        "how payments work",
        initial_queries=["refund receipt", "retry attempts"],
        max_iterations="3",
        evaluation_mode="strict",
        save_intermediate_results="false",
        timeout_seconds=10,
        expected_results={
            "keywords": ["receipt"],
            "min_matches": 1,
            "content_patterns": ["def \\w+"],
            "confidence": 0.1,
        },
        strategy={"initial_mode": "specific", "refinement_method": "keywords", "expansion_rules": ["python files"]},
        provider="hashed",
    )
    assert [turn.query for turn in report.iterations] == [
        "how payments work receipt",
        "refund receipt",
        "retry attempts",
    ]
    assert "def \\w+" in report.finalResults.matchedExpectations
    assert shop.show_plan(report.planId).iterations[0].actualResults == ()


@for_each(
    ("options", "error"),
    [
        ({"goal": "?!"}, BadArgument),
        ({"timeoutSeconds": 5}, BadArgument),
        ({"timeoutSeconds": 301}, BadArgument),
        ({"maxIterations": 0}, BadArgument),
        ({"expectedResults": {"confidence": 2}}, BadArgument),
        ({"expectedResults": {"contentPatterns": ["a(?=b)"]}}, BadArgument),
        ({"expectedResults": {"contentPatterns": [""]}}, BadArgument),
        ({"expectedResults": {"keyword": ["x"]}}, UnknownName),
        ({"evaluationMode": "mild"}, UnknownName),
        ({"provider": "duckdb"}, UnknownName),
        ({"db": "other.db"}, BadArgument),
        ({"db": ":memory:"}, BadArgument),
        ({"preset": "test"}, UnknownName),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_searched(shop: Project, options, error):
    with pytest.raises(error) as refused:
        shop.query_plan(options.pop("goal", "retry"), **options)
    assert refused.value.hint


@pytest.mark.requirement("002-TIME-01", "N002-TIME-02")
def test_a_store_that_hangs_leaves_a_partial_plan_with_every_finished_turn(own: Project, monkeypatch):
    store, asked, hangs, released = own.workspace.store, [], Event(), Event()
    answer = store.candidates

    def slow(ask):
        asked.extend([ask] if ask.limit > 1 else [])
        if len(asked) > 1:
            hangs.set()
            released.wait(30)  # nobody waits for it: an answer that came after all would be no error below
        return answer(ask)

    monkeypatch.setattr(store, "candidates", slow)
    monkeypatch.setattr("shirube.deadline.monotonic", lambda: monotonic() + 10 * hangs.is_set())
    report = own.query_plan("zebra or giraffe retries", timeoutSeconds=10, fresh=True)
    released.set()
    assert (report.status.value, report.stopped) == ("partial", "deadline")
    assert [bool(turn.error) for turn in report.iterations] == [False, True]


def test_an_expectation_that_everything_meets_makes_nothing_surer(shop: Project):
    goal = "how does the blockchain reach consensus"
    believed = shop.search(goal).confidence
    trivial = shop.query_plan(goal, expectedResults={"keywords": ["return"]}, fresh=True)
    assert trivial.finalResults.confidence <= max(believed, shop.query_plan(goal, fresh=True).finalResults.confidence)
    assert trivial.status.value != "success"


@pytest.mark.requirement("002-PRESET-03")
def test_a_preset_brings_keywords_patterns_and_rules(shop: Project):
    report = shop.query_plan("how is it tested", preset="tests", fresh=True)
    assert "test" in report.iterations[0].expectedKeywords
    assert "tests/test_payment.py" in paths(report)


@pytest.mark.requirement("002-LEARN-03")
def test_a_plan_that_worked_out_leaves_a_template(own: Project):
    expected = {"keywords": ["ATTEMPTS", "OSError", "with_retries"], "confidence": 0.75}
    report = own.query_plan("what happens when the bank is slow", expectedResults=expected)
    if report.status.value == "success" and len(report.iterations) > 1:
        assert any("bank is slow" in one for one in own.list_presets().templates)
    assert own.list_plans().total == 1


@pytest.mark.requirement("002-STRAT-04")
def test_the_advanced_example_of_seed_002_uses_every_rule_within_five_turns(shop: Project):
    rules = ["add file type filters for *.test.ts", "include related configuration files"]
    rules.append("search for best practices in docs")
    report = shop.query_plan(
        "プロジェクトのテスト戦略を完全に理解する",
        initialQueries=["test framework configuration", "vitest setup", "coverage requirements"],
        strategy={"initialMode": "broad", "refinementMethod": "hybrid", "expansionRules": rules},
        expectedResults={
            "keywords": ["vitest", "test", "coverage", "threshold"],
            "contentPatterns": ["describe\\(", "it\\(", "expect\\("],
            "minMatches": 10,
            "confidence": 0.9,
        },
        maxIterations=5,
        saveIntermediateResults=True,
        fresh=True,
    )
    assert len(report.iterations) <= 5
    assert [turn.why.values["rule"] for turn in report.iterations[1:4]] == rules


@pytest.mark.requirement("002-TOOL-01")
def test_it_is_in_the_toolset_of_plans_and_marked_as_writing():
    operation = operation_named("query_plan")
    assert in_toolsets(["plan"])["query_plan"] is operation
    assert not operation.tool  # one search is enough for most questions
    assert not operation.read_only


@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        ({}, ("strict", "specific", "keywords", 1, 0.4)),
        ({"evaluationMode": "semantic"}, ("semantic", "specific", "keywords", 1, 0.4)),
        ({"strategy": {"initialMode": "broad"}}, ("strict", "broad", "keywords", 1, 0.4)),
        ({"strategy": {"refinementMethod": "hybrid"}}, ("strict", "specific", "hybrid", 1, 0.4)),
        ({"expectedResults": {"keywords": ["retry"]}}, ("strict", "specific", "keywords", 1, 0.4)),
        ({"expectedResults": {"minMatches": 3, "confidence": 0.7}}, ("strict", "specific", "keywords", 3, 0.7)),
        ({"expectedResults": {"minMatches": 0, "confidence": 0}}, ("strict", "specific", "keywords", 0, 0.0)),
    ],
)
def test_what_was_sent_wins_over_a_preset_and_the_preset_over_the_defaults(own: Project, monkeypatch, sent, wanted):
    folder = own.workspace.root / ".shirube" / "presets"
    folder.mkdir(parents=True)
    lines = ['evaluation_mode = "strict"', 'initial_mode = "specific"', 'refinement_method = "keywords"']
    (folder / "mine.toml").write_text("\n".join([*lines, "min_matches = 1", "confidence = 0.4"]))
    made = []

    def spy(goal, expected, access, mode, weights, **rest):
        strategy = rest["strategy"]
        modes = (mode, strategy.initial_mode, strategy.method)
        made.append((*(one.value for one in modes), expected.min_matches, expected.confidence))
        return make_plan(goal, expected, access, mode, weights, **rest)

    monkeypatch.setattr("shirube.features.plan.plans.make_plan", spy)
    own.query_plan("retry policy", preset="mine", maxIterations=1, **sent)
    assert made == [wanted]
