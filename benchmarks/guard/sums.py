"""What was played, in numbers."""

import re
from collections.abc import Callable, Iterable, Sequence
from statistics import median, quantiles
from typing import Any

from benchmarks.guard.agents import Outcome
from benchmarks.guard.judge import summary
from benchmarks.guard.measure import Played
from shirube.engine.text.budget import estimate_tokens

HIGH, EVER_HIGH = "risk HIGH at READY", "risk HIGH on the way"
LIMITS = {"one file": (3, 1500), HIGH: (6, 4000), EVER_HIGH: (6, 4000)}
"""Calls and tokens until READY: the medians that we want."""
LEAST = 3
"""The calls of a careful agent where all is well: begin, look, claim; one more for a file that it did not claim."""


def numbers(played: Played) -> dict[str, Any]:
    """Return everything the report tells."""
    wrong = {**_hasty_wrong(played), **_by_agent(played.lost, _is_prevented)}
    warned = _by_agent([one for one in played.lost if not _is_prevented(one)], lambda one: one.warned)
    total = [sum(one) for one in zip(*wrong.values(), strict=True)] if wrong else [0, 0]
    return {
        "changes": len(played.careful),
        "japanese": sum(one.change.japanese for one in played.careful),
        "sizes": {name: cost(rows) for name, rows in groups(played.careful).items()},
        "wrong": wrong,
        "wrong_total": total,
        "warned": warned,
        "right": _right(played.careful),
        "hasty_right": _hasty_right(played),
        "checks": middle_and_high([tokens for one in played.careful for _, tokens in one.checks]),
        "lies": _lies(played.lies),
        "old_lies": _lies(played.old_lies),
        "dead_ends": [f"{one.change.name}: {one.dead_end}" for one in played.careful if one.dead_end],
        "unlisted": sorted({f"{one.change.name}: {text}" for one in played.careful for text in one.unlisted}),
        "turned_down": [f"{one.change.name}: {text}" for one in played.careful for text in one.turned_down],
        "refusals": {**summary(played.refusals), "sentences": _sentences(played)},
        "gate_refusals": _gate_refusals([*played.hasty, *played.lost, *played.careful]),
        "foreign": played.foreign,
        "rows": [row(one) for one in played.careful],
        "lost_through": [
            {"change": one.change.name, "agent": one.agent, "calls": one.calls, "file": next(iter(one.written))}
            for one in played.lost
            if not _is_prevented(one)
        ],
    }


def groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return the changes by size and by the risk that the server named."""
    one = [each for each in outcomes if each.change.size == "one file"]
    return {
        "one file": one,
        "one file, risk never HIGH": [each for each in one if each.highest != "HIGH"],
        "several files": [each for each in outcomes if each.change.size != "one file"],
        HIGH: [each for each in outcomes if each.risk == "HIGH"],
        EVER_HIGH: [each for each in outcomes if each.highest == "HIGH"],
        "all": list(outcomes),
    }


def cost(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return calls and tokens until READY of those that came there."""
    ready = [one for one in outcomes if one.ready]
    return {
        "changes": len(outcomes),
        "ready": len(ready),
        "calls": middle_and_high([one.ready for one in ready]),
        "tokens": middle_and_high([one.tokens for one in ready]),
        "helped": sum(one.helped for one in outcomes),
        "to_write": middle_and_high([one.calls for one in ready if all(one.written.values())]),
    }


def middle_and_high(values: Sequence[int]) -> list[float]:
    """Return the median and the ninetieth percentile."""
    if not values:
        return []
    high = quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]
    return [round(median(values), 1), round(high, 1)]


def row(one: Outcome) -> dict[str, Any]:
    """Return a change as a row of the report."""
    return {
        "change": one.change.name,
        "request": one.change.request,
        "files": len(one.change.targets),
        "risk": one.highest,
        "ready": one.ready,
        "tokens": one.tokens,
        "calls": one.calls,
        "all_tokens": one.talk.tokens,
        "written": sum(one.written.values()),
        "dead_end": one.dead_end,
        "helped": one.helped,
    }


def _is_prevented(one: Outcome) -> bool:
    return not any(one.written.values())


def _by_agent(outcomes: Iterable[Outcome], good: Callable[[Outcome], bool]) -> dict[str, list[int]]:
    counted: dict[str, list[int]] = {}
    for one in outcomes:
        row = counted.setdefault(one.agent, [0, 0])
        row[0] += good(one)
        row[1] += 1
    return counted


def _hasty_wrong(played: Played) -> dict[str, list[int]]:
    wrong = [one for one in played.hasty if not set(one.written) & set(one.change.paths)]
    return _by_agent(wrong, _is_prevented)


def _hasty_right(played: Played) -> dict[str, list[int]]:
    """Return how many right files were refused that were written without looking; that is a delay, and meant."""
    right = [one for one in played.hasty if set(one.written) & set(one.change.paths)]
    return _by_agent(right, _is_prevented)


def _right(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    files = [(one, path) for one in outcomes for path in one.change.paths]
    refused = [(one, path) for one, path in files if not one.written.get(path)]
    done = [one for one in outcomes if one.written and all(one.written.values())]
    return {
        "files": len(files),
        "refused": len(refused),
        "refused_files": [f"{one.change.name}: {path}" for one, path in refused],
        "extra_calls": middle_and_high([max(0, one.calls - LEAST) for one in done]),
        "delayed": sum(one.calls > LEAST for one in done),
        "changes_done": len(done),
        "asked_user": [one.change.name for one in outcomes if one.asked_user],
        "check_and_gate_differ": [
            f"{one.change.name}: {path}"
            for one in outcomes
            for path, said in one.checked.items()
            if said != one.written.get(path)
        ],
    }


def _lies(told: Sequence[tuple[str, str, bool]]) -> dict[str, Any]:
    believed = [f"{what} ({name})" for what, name, was in told if was]
    return {"told": len(told), "kinds": len({what for what, _, _ in told}), "believed": believed}


def _sentences(played: Played) -> list[dict[str, Any]]:
    """Return each kind of sentence once, the untrue ones all."""
    kinds: dict[str, dict[str, Any]] = {}
    for one in played.refusals:
        kind = re.sub(r"'[^']*'|`[^`]*`|\([^)]*\)|\d+|\S*/\S+", "…", one.sentence)
        key = f"{one.change} {one.sentence}" if one.verdict.startswith("untrue") else kind
        found = kinds.setdefault(key, {"times": 0, "verdict": one.verdict, "tool": one.tool, "example": one.sentence})
        found["times"] += 1
        found["change"] = one.change
    return sorted(kinds.values(), key=lambda one: (not one["verdict"].startswith("untrue"), -one["times"]))


def _gate_refusals(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    texts = [text for one in outcomes for text in one.refusals if text]
    longest = max(texts, key=estimate_tokens, default="")
    return {
        "count": len(texts),
        "tokens": middle_and_high([estimate_tokens(text) for text in texts]),
        "longest": longest,
        "longest_tokens": estimate_tokens(longest),
    }
