"""Reading what the program of seed 002 left behind: ``.gistdex/cache`` with plans, queries and notes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shirube.codec import pack
from shirube.errors import BadArgument, RepoError
from shirube.features.plan.record import PlanStatus
from shirube.features.plan.results import FinalResults, PlanIteration, PlanMetadata, PlanReport
from shirube.messages import say, verbatim
from shirube.types import Judgement

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MAX_BYTES = 1 << 24
MOST_FILES = 5_000


def is_gistdex(workspace: "Workspace", path: str) -> bool:
    """Tell whether a path of the project is such a directory, or the cache in it."""
    from shirube.engine.repo.read import resolve_inside

    return (workspace.root / resolve_inside(workspace.root, path)).is_dir()


def read_gistdex(workspace: "Workspace", path: str) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """Return its plans and queries as a document that can be taken in, and its notes as pages."""
    from shirube.engine.repo.read import resolve_inside

    inside = resolve_inside(workspace.root, path)
    cache = inside if Path(inside).name == "cache" else f"{inside}/cache"
    if not (workspace.root / cache).is_dir():
        raise BadArgument("plan.no_gistdex", path=cache)
    plans = [plan for text in _files(workspace, cache, ("plans",), ".json") if (plan := _plan(text[1]))]
    queries = [query for _, text in _files(workspace, cache, ("", "queries"), ".json") for query in _queries(text)]
    pages = tuple(
        (Path(name).stem, text) for name, text in _files(workspace, cache, ("knowledge", "structured"), ".md")
    )
    return {"plans": [pack(plan) for plan in (*plans, *queries)], "templates": []}, pages


def _files(workspace: "Workspace", cache: str, folders: tuple[str, ...], ending: str) -> Iterator[tuple[str, str]]:
    from shirube.engine.repo.read import read_bytes

    for folder in folders:
        place = workspace.root / cache / folder
        for path in sorted(place.glob(f"*{ending}"))[:MOST_FILES] if place.is_dir() else ():
            try:
                name = path.relative_to(workspace.root).as_posix()
                yield name, read_bytes(workspace.root, name, MAX_BYTES).decode("utf-8", "replace")
            except RepoError:
                continue  # a link or something else that is no file of the project


def _plan(text: str) -> PlanReport | None:
    """Return one of its plans in our shape; the index file and what is no plan are left out."""
    found = _json(text)
    if not isinstance(found, dict) or not found.get("planId") or not found.get("goal"):
        return None
    final = found.get("finalResults")
    turns = [turn for turn in found.get("iterations") or () if isinstance(turn, dict)]
    return _shaped(
        str(found["planId"]),
        str(found["goal"]),
        str(found.get("status", "partial")),
        [_turn(turn, number) for number, turn in enumerate(turns, 1)],
        final if isinstance(final, dict) else {},
    )


def _queries(text: str) -> list[PlanReport]:
    """Return the queries it remembered, each as a plan of one turn."""
    from shirube.features.plan.memory import key_of

    found = _json(text)
    rows = found.get("queries") if isinstance(found, dict) else None
    kept = [row for row in rows or () if isinstance(row, dict) and isinstance(row.get("query"), str)]
    return [
        _shaped(
            f"gistdex-{key_of(row['query'], row.get('timestamp', ''))}",
            row["query"],
            "partial",
            [_turn({"query": row["query"], "feedback": str(row.get("resultSummary", ""))}, 1)],
            {},
        )
        for row in kept
    ]


def _shaped(plan_id: str, goal: str, status: str, turns: list[PlanIteration], final: Mapping[str, Any]) -> PlanReport:
    return PlanReport(
        planId=plan_id,
        goal=goal,
        status=PlanStatus(status) if status in set(PlanStatus) else PlanStatus.PARTIAL,
        stopped=say("plan.imported"),
        iterations=tuple(turns),
        finalResults=FinalResults(
            data=(),
            confidence=_number(final.get("confidence")),
            matchedExpectations=_texts(final.get("matchedExpectations")),
            unmatchedExpectations=_texts(final.get("unmatchedExpectations")),
            evaluation=_NOTHING,
        ),
        metadata=PlanMetadata(len(turns), 0.0, 0, 0.0),
        savedAt="",
    )


def _turn(turn: Mapping[str, Any], number: int) -> PlanIteration:
    return PlanIteration(
        iterationNumber=number,
        query=str(turn.get("query", "")),
        why=say("plan.imported"),
        mode="auto",
        expectedKeywords=_texts(turn.get("expectedKeywords")),
        actualResults=(),
        evaluationScore=_number(turn.get("evaluationScore")),
        evaluation=_NOTHING,
        confidence=0.0,
        feedback=verbatim(str(turn.get("feedback", ""))),
        refinements=tuple(map(verbatim, _texts(turn.get("refinements")))),
    )


_NOTHING = Judgement(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
