"""How often did the gate refuse, and how often wrongly? Counted from what it recorded.

Whether a refusal was wrong can be seen in advise mode alone: a command that would have been refused, and then changed
nothing. A file that was refused and, once it was looked at, allowed to the same client was a detour, not a fault.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

SHOWN = 5


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
    """Count what the gate recorded, in the order in which it happened."""
    rows = list(events)
    asked = [row for row in rows if row.get("moment") == "before"]
    blocked, advised = (sum(row.get("verdict") == verdict for row in asked) for verdict in ("block", "advise"))
    doubted = sum(row.get("verdict") == "advise" and row.get("kind") == "shell" for row in asked)
    harmless = [
        str(target) for row in rows if row.get("verdict") == "harmless" for target in row.get("targets", ())[:1]
    ]
    return GateRates(
        checks=len(asked),
        blocked=blocked,
        advised=advised,
        lifted=_lifted(asked),
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
    """Count the answers of sessions, each a stream of what happened in it."""
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
    """Count verdicts by day: allow, advise and block before a tool, and what turned out harmless after it."""
    days: dict[str, Counter[str]] = {}
    for day, row in events:
        verdict = str(row.get("verdict"))
        if row.get("moment") == "before" or verdict == "harmless":
            days.setdefault(day, Counter())[verdict] += 1
    return {day: dict(counts) for day, counts in sorted(days.items())}


def _lifted(asked: Iterable[Mapping[str, Any]]) -> int:
    waiting: set[tuple[str, str]] = set()
    lifted = 0
    for row in asked:
        keys = {(str(row.get("client")), str(target)) for target in row.get("targets", ())}
        if row.get("verdict") == "allow":
            lifted += len(waiting & keys)
            waiting -= keys
        elif row.get("kind") == "edit":
            waiting |= keys
    return lifted
