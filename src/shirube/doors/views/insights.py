"""Text for the statistics of outcomes."""

from functools import partial

from shirube.doors.views.screen import Screen, View, printable
from shirube.features.guard.results import ForgetResult, InsightsResult, StatsResult
from shirube.features.map.insights import GateRates, Rate

FATES = {
    "kept": "map_view.kept",
    "changed": "map_view.changed_since",
    "reverted": "map_view.reverted",
    "uncommitted": "map_view.uncommitted",
    "unknown": "map_view.not_known",
}
"""What the terminal calls that which became of written files and lines."""


def get_improvement_insights(result: InsightsResult, screen: Screen) -> View:
    """Return tables of what failed, what the gate and the ranking do, and what stands out."""
    decided = result.sessions_with_decisions
    lines = [screen.words("map_view.sessions", sessions=result.total_sessions_with_outcomes, decisions=decided)]
    for title, table in (
        ("map_view.operations", result.tool_failure_correlation),
        ("map_view.risk", result.risk_level_correlation),
    ):
        lines += _titled(title, [_failed(name, rate, screen) for name, rate in table.items()], screen)
    points = [f"  {name}: {count}" for name, count in result.common_failure_points.items()]
    lines += _titled("map_view.failed_at", points, screen)
    for title, counts in (("map_view.written_files", result.survival), ("map_view.written_lines", result.lines)):
        rows = [f"  {screen.words(FATES[name])}: {count}" for name, count in counts.items()]
        lines += _titled(title, rows, screen)
    lines += _gate(result.gate, screen) if result.gate.checks or result.gate.found else []
    lines.append(screen.words("map_view.ranking", prior=result.prior))
    return View("\n".join([*lines, *(screen.paint("line", f"· {screen.say(line)}") for line in result.suggestions)]))


def _failed(name: str, rate: Rate, screen: Screen) -> str:
    share = f"{rate.failure_rate:.0%}"
    return screen.words("map_view.failed", name=name, failures=rate.failures, total=rate.total, rate=share)


def _titled(title: str, rows: list[str], screen: Screen) -> list[str]:
    head = screen.paint("bold", screen.words(title))
    return [head, *map(partial(screen.paint, "dim"), rows)] if rows else []


def _gate(gate: GateRates, screen: Screen) -> list[str]:
    """Return the rate of blocked writes and the rate of false blocks, with the counts behind them."""
    rate = screen.words("view.none") if gate.block_rate is None else f"{gate.block_rate:.0%}"
    wrong = screen.words("map_view.not_known") if gate.false_block_rate is None else f"{gate.false_block_rate:.0%}"
    commands = [f"{name} ({times})" for name, times in gate.harmless_commands.items()]
    counts = {name: getattr(gate, name) for name in ("checks", "blocked", "advised", "lifted", "found")}
    code = "map_view.false_blocks_of" if commands else "map_view.false_blocks"
    return [screen.words("map_view.gate", rate=rate, **counts), screen.words(code, rate=wrong, commands=commands)]


def get_outcome_stats(result: StatsResult, screen: Screen) -> View:
    """Return the total, and a line for each intent, phase and use of semantic search."""
    counts = _counts(result.by_outcome) or [screen.words("view.none")]
    lines = [screen.words("map_view.stats", count=result.total, sessions=result.sessions, counts=counts)]
    for title, table in (
        ("map_view.intent", result.by_intent),
        ("map_view.phase", result.by_phase),
        ("map_view.by_sense", result.semantic),
    ):
        head = screen.paint("dim", screen.words(title))
        lines += [f"  {head} {printable(name)}: {', '.join(_counts(row))}" for name, row in table.items()]
    return View("\n".join(lines))


def _counts(row: dict[str, int]) -> list[str]:
    return [f"{count} {name}" for name, count in row.items()]


def forget_outcomes(result: ForgetResult, screen: Screen) -> View:
    """Return how many outcomes were forgotten, and what remains."""
    return View(screen.words("map_view.outcomes", count=result.outcomes, note=result.note))
