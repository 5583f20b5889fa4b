from shirube.codec import replace
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.insights import get_improvement_insights
from shirube.doors.views.screen import Paint, Screen
from shirube.features.guard.results import InsightsResult
from shirube.features.map.insights import GateRates, Rate, WriteRates
from shirube.messages import say
from tests.cases import for_each
from tests.doors.cli.test_outcomes import with_session
from tests.doors.conftest import Runner

__all__ = ["with_session"]
RESULT = InsightsResult(
    total_sessions_with_outcomes=1,
    sessions_with_decisions=0,
    tool_failure_correlation={"search": Rate(2, 1, 0.5)},
    risk_level_correlation={},
    common_failure_points={"tests": 1},
    survival={"kept": 1, "uncommitted": 1},
    lines={"kept": 3, "changed": 1},
    undone=1,
    gate=GateRates(checks=4, blocked=1, advised=1, block_rate=0.5),
    gate_days={},
    writes=WriteRates(),
    map_effect={},
    prior=say("insights.off"),
    suggestions=(say("insights.undone", count=1),),
)


def text(result: InsightsResult, language: str) -> str:
    return get_improvement_insights(result, Screen(Paint(False), speech_for(None, language))).text


def test_insights_and_counts_are_shown(fresh_cli: Runner, with_session: str):
    fresh_cli("outcome", "failure", "--at", "tests")
    told = fresh_cli("outcome", "insights")
    assert "1 session with an outcome" in told.out
    assert "tests: 1" in told.out
    assert "ranking: off" in told.out
    assert "1 outcome of 1 session: 1 failure" in fresh_cli("outcome", "insights", "--stats").out
    assert "1 outcome: " in fresh_cli("outcome", "insights", "--forget").out


def test_the_gate_is_told_by_its_rates():
    told = text(RESULT, "en")
    assert "search: 1 of 2 failed (50%)" in told
    assert "gate: 4 writes judged, 1 blocked, 1 advised against (50%), 0 allowed later, 0 found afterwards" in told
    assert "false blocks: not known yet" in told
    gate = replace(RESULT.gate, false_block_rate=1.0, harmless_commands={"make\x1b": 1})
    assert "false blocks: 100%" in text(replace(RESULT, gate=gate), "en")
    assert "changed nothing: make� (1); gate.commands can let them pass" in text(replace(RESULT, gate=gate), "en")


@for_each(
    "words",
    [
        "操作",
        "2 件中 1 件失敗（50%）",
        "ゲート: 書き込み 4 件",
        "まだ不明",
        "順位: 無効",
        "成功とされたセッション 1 件",
        "未コミット: 1",
    ],
)
def test_everything_is_said_in_japanese(words: str):
    assert words in text(RESULT, "ja")
