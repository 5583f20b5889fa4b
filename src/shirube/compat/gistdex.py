"""What the program of seed 002 left in ``.gistdex/cache``: plans and queries, in the shape of our own export."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from shirube.codec import pack, read_json
from shirube.messages import say
from shirube.types import Judgement

STATUSES = ("success", "partial", "failed")


def read_plan(text: str) -> dict[str, Any] | None:
    """Return one of its plans; None for the index file and for what is no plan."""
    found = read_json(text)
    if not isinstance(found, dict) or not found.get("planId") or not found.get("goal"):
        return None
    final = found.get("finalResults")
    turns = [turn for turn in found.get("iterations") or () if isinstance(turn, dict)]
    status = found.get("status") if found.get("status") in STATUSES else "partial"
    return _plan(str(found["planId"]), str(found["goal"]), status, turns, final if isinstance(final, dict) else {})


def read_queries(text: str) -> list[dict[str, Any]]:
    """Return the queries it remembered, each as a plan of one turn."""
    found = read_json(text)
    rows = found.get("queries") if isinstance(found, dict) else None
    plans = []
    for row in rows or ():
        if isinstance(row, dict) and isinstance(query := row.get("query"), str):
            key = sha256(repr((query, row.get("timestamp", ""))).encode("utf-8", "replace")).hexdigest()[:24]
            turn = {"query": query, "feedback": row.get("resultSummary", "")}
            plans.append(_plan(f"gistdex-{key}", query, "partial", [turn], {}))
    return plans


def _plan(
    plan_id: str, goal: str, status: Any, turns: Sequence[Mapping[str, Any]], final: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "planId": plan_id,
        "goal": goal,
        "status": status,
        "stopped": pack(say("plan.imported")),
        "iterations": [_turn(turn, number) for number, turn in enumerate(turns, 1)],
        "finalResults": {
            "data": [],
            "confidence": _number(final.get("confidence")),
            "matchedExpectations": _texts(final.get("matchedExpectations")),
            "unmatchedExpectations": _texts(final.get("unmatchedExpectations")),
            "evaluation": _not_judged(),
        },
        "metadata": {"totalIterations": len(turns), "totalTime": 0.0, "cacheHits": 0, "improvementRate": 0.0},
        "savedAt": "",
    }


def _turn(turn: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        "iterationNumber": number,
        "query": str(turn.get("query", "")),
        "why": pack(say("plan.imported")),
        "mode": "auto",
        "expectedKeywords": _texts(turn.get("expectedKeywords")),
        "actualResults": [],
        "evaluationScore": _number(turn.get("evaluationScore")),
        "evaluation": _not_judged(),
        "confidence": 0.0,
        "feedback": str(turn.get("feedback", "")),
        "refinements": _texts(turn.get("refinements")),
    }


def _not_judged() -> Any:
    return pack(Judgement(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _texts(value: Any) -> list[str]:
    return list(map(str, value)) if isinstance(value, list) else []
