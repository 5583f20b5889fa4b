"""Statistics on outcomes and on the gate's refusals. Pure.

Only advise mode can show that a refusal would have been wrong: a command was advised against and then changed nothing.
A file that was refused and later allowed to the same client was a detour, not an error of the gate.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from shirube.features.map.records import Decision, Outcome, Result
from shirube.messages import Message, say

NOT_SAID = "not said"
SHOWN = 5


class Rate(Struct, frozen=True):
    """How often something took part, and how often it went wrong then."""

    total: int
    failures: int
    failure_rate: float


class SessionAnalysis(Struct, frozen=True):
    """The shape seed 003 gives the analysis of one session."""

    had_decision: bool
    had_outcome: bool
    final_outcome: Result | None
    tools_planned: tuple[str, ...]
    failure_point: str


def analyse(decision: Decision | None, outcomes: Sequence[Outcome]) -> SessionAnalysis:
    """Combine a session's decision with its outcomes; the last outcome counts."""
    last = outcomes[-1] if outcomes else None
    points = [one.analysis.failure_point or one.phase_at_outcome for one in outcomes if one.outcome != Result.SUCCESS]
    return SessionAnalysis(
        had_decision=decision is not None,
        had_outcome=last is not None,
        final_outcome=last.outcome if last else None,
        tools_planned=decision.tools_planned if decision else (),
        failure_point=next((point for point in reversed(points) if point), ""),
    )


def rates(outcomes: Iterable[Outcome], of: Callable[[Outcome], Iterable[str]]) -> dict[str, Rate]:
    """Return for each attribute of outcomes (an operation, a risk) how often it occurred and how often those failed."""
    total: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for outcome in outcomes:
        for name in dict.fromkeys(of(outcome)):
            total[name] += 1
            failed[name] += outcome.outcome == Result.FAILURE
    return {name: Rate(count, failed[name], round(failed[name] / count, 3)) for name, count in total.most_common()}


def failure_points(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Count the points where sessions failed, the most frequent first."""
    points: Counter[str] = Counter()
    for outcome in outcomes:
        if outcome.outcome == Result.FAILURE:
            points[outcome.analysis.failure_point or outcome.phase_at_outcome or NOT_SAID] += 1
    return dict(points.most_common())


def suggestions(last: Sequence[Outcome], undone: int) -> tuple[Message, ...]:
    """Return what stands out; fewer than five sessions are not enough for more than the undone successes."""
    messages = [say("insights.undone", count=undone)] if undone else []
    if len(last) < 5:
        return (*messages, say("insights.few", count=len(last)))
    whole = sum(item.outcome == Result.FAILURE for item in last) / len(last)
    for code, table in (
        ("insights.operation_fails", rates(last, lambda item: item.operations)),
        ("insights.risk_fails", rates(last, lambda item: [item.risk_level] if item.risk_level else [])),
    ):
        for name, rate in table.items():
            if rate.total >= 3 and rate.failure_rate >= whole + 0.2:
                shares = {"rate": f"{rate.failure_rate:.0%}", "whole": f"{whole:.0%}"}
                messages.append(say(code, name=name, count=rate.total, **shares))
    points = failure_points(last)
    if points and next(iter(points.values())) >= 3:
        messages.append(say("insights.most_at", point=next(iter(points))))
    return tuple(messages) or (say("insights.nothing_stands_out"),)


class GateRates(Struct, frozen=True):
    """What the gate decided; a rate that cannot be known yet is None."""

    checks: int = 0
    """Tool calls that were judged because they write, or may."""
    blocked: int = 0
    advised: int = 0
    """Let pass in advise mode; block mode would have refused them."""
    lifted: int = 0
    """Refused or advised against, and allowed to the same client later."""
    harmless: int = 0
    """Commands advised against that then changed nothing: false blocks, had they been blocks."""
    found: int = 0
    """Changes that were seen only afterwards, in the tree."""
    block_rate: float | None = None
    """Of what was judged, what was refused or advised against."""
    false_block_rate: float | None = None
    """Of the commands advised against, those that changed nothing."""
    harmless_commands: Mapping[str, int] = {}
    """The ones that did so most often; ``gate.commands`` can let them pass."""


def gate_rates(events: Iterable[Mapping[str, Any]]) -> GateRates:
    """Count what the gate recorded; events must be in order of time."""
    rows = list(events)
    asked = [row for row in rows if row.get("moment") == "before"]
    waiting: set[tuple[str, str]] = set()
    lifted = 0
    for row in asked:
        keys = {(str(row.get("client")), str(target)) for target in row.get("targets", ())}
        if row.get("verdict") == "allow":
            lifted += len(waiting & keys)
            waiting -= keys
        elif row.get("kind") == "edit":
            waiting |= keys
    blocked, advised = (sum(row.get("verdict") == verdict for row in asked) for verdict in ("block", "advise"))
    doubted = sum(row.get("verdict") == "advise" and row.get("kind") == "shell" for row in asked)
    harmless = [
        str(target) for row in rows if row.get("verdict") == "harmless" for target in row.get("targets", ())[:1]
    ]
    return GateRates(
        checks=len(asked),
        blocked=blocked,
        advised=advised,
        lifted=lifted,
        harmless=len(harmless),
        found=sum(row.get("moment") in ("after", "stop") and row.get("verdict") != "harmless" for row in rows),
        block_rate=(blocked + advised) / len(asked) if asked else None,
        false_block_rate=len(harmless) / doubted if doubted else None,
        harmless_commands=dict(Counter(harmless).most_common(SHOWN)),
    )


class WriteRates(Struct, frozen=True):
    """What sessions were told when they asked whether a file may be written."""

    allowed: int = 0
    blocked: int = 0
    lifted: int = 0
    """Refused, and allowed in the same session later, when more was understood."""


def write_rates(streams: Iterable[Iterable[Mapping[str, Any]]]) -> WriteRates:
    """Count the write checks of sessions; each stream holds the events of one session in order."""
    allowed = blocked = lifted = 0
    for stream in streams:
        waiting: set[str] = set()
        for row in stream:
            if row.get("kind") != "check" or not row.get("path"):
                continue
            path, passed = str(row["path"]), row.get("allowed") is True
            allowed, blocked, lifted = allowed + passed, blocked + (not passed), lifted + (passed and path in waiting)
            waiting = waiting - {path} if passed else waiting | {path}
    return WriteRates(allowed, blocked, lifted)


def gate_days(events: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, dict[str, int]]:
    """Count verdicts by day: allow, advise and block before a tool, and harmless after it."""
    days: dict[str, Counter[str]] = {}
    for day, row in events:
        verdict = str(row.get("verdict"))
        if row.get("moment") == "before" or verdict == "harmless":
            days.setdefault(day, Counter())[verdict] += 1
    return {day: dict(counts) for day, counts in sorted(days.items())}
