"""Judging the hits of one search by what was expected of it (seed 002: ``expectedKeywords``, ``evaluateResult``)."""

from typing import TYPE_CHECKING

from shirube.codec import pack
from shirube.errors import UnknownName
from shirube.features.plan.evaluate import Judge
from shirube.features.plan.expect import goal_words, keywords_of
from shirube.features.plan.memory import key_of
from shirube.features.plan.plan_store import ANSWERS, PLANS, Answer
from shirube.features.plan.plans import judgement
from shirube.features.plan.project_access import frequencies, matcher
from shirube.features.plan.record import Expectation, Found, PlanResult
from shirube.types import Hit, Judgement

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def judged_hits(
    workspace: "Workspace", query: str, keywords: tuple[str, ...], hits: tuple[Hit, ...], plan_id: str = ""
) -> Judgement:
    """Return what the hits are worth; for a plan's question the score is remembered with the plan."""
    if plan_id and workspace.journal.get(PLANS, plan_id) is None:
        raise UnknownName("plan", plan_id, [one.key for one in workspace.journal.documents(PLANS)])
    words = keywords or goal_words(query)
    expected = Expectation(keywords=words, given=bool(keywords))
    judge = Judge(expected, keywords_of(words, lambda terms: frequencies(workspace, terms)), matcher)
    found = Found(tuple(map(_result, hits)), tuple(_text(workspace, hit) for hit in hits))
    evaluation = judge.evaluate(found)
    if plan_id:
        answer = Answer(query, plan_id, evaluation.score, (), workspace.generation(), 0.0, ())
        workspace.journal.put(f"{ANSWERS} by hand", key_of(plan_id, query), pack(answer))
    return judgement(evaluation)


def _result(hit: Hit) -> PlanResult:
    return PlanResult(hit.path, hit.start_line, hit.end_line, hit.symbol, hit.kind, similarity=hit.similarity)


def _text(workspace: "Workspace", hit: Hit) -> str:
    lines = workspace.store.text(hit.path).split("\n")[hit.start_line - 1 : hit.end_line]
    return "\n".join([f"{hit.path} {hit.symbol}", *lines])
