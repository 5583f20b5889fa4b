"""What is remembered of plans: the plans themselves, answers to their questions, what helped and what did not."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shirube.codec.records import replace
from shirube.plan.memory import ALIKE, goal_terms, helped, in_vain, key_of, likeness
from shirube.plan.record import Found, Ground, Outcome, PlanResult, Step
from shirube.plan.refine import World

if TYPE_CHECKING:
    from shirube.workspace import Workspace

PLANS, ANSWERS, LATEST, TEMPLATES, FAILED = "plan", "plan answer", "plan latest", "plan template", "plan failed"
MANIFESTS = "plan manifest"
MOST_FILES = 20_000
"""In a larger project every change of the index makes every answer old: what changed would be too much to keep."""
KEPT_MANIFESTS = 5
MOST_CHANGED = 200
"""After more changes than this every question is asked anew: looking at each would take longer."""


def remembering(workspace: "Workspace", world: World, fresh: bool) -> World:
    """Return the world with a search that remembers: an answer counts while nothing it rests on has changed."""
    now = workspace.generation()

    def search(step: Step) -> Found:
        kept = None if fresh else workspace.journal.get(ANSWERS, key_of(step.identity))
        if kept is not None and _holds(workspace, step, kept.body, now):
            return _restored(workspace, kept.body)
        return world.search(step)

    return replace(world, search=search)


def _holds(workspace: "Workspace", step: Step, body: Mapping[str, Any], now: str) -> bool:
    """Tell whether an answer is as good as new: nothing changed, or nothing that shares a word with the question."""
    if body["generation"] == now:
        return True
    before = workspace.journal.get(MANIFESTS, body["generation"])
    if before is None or str(body["generation"]).partition(":")[2] != now.partition(":")[2]:
        return False  # nobody knows what changed, or it is another model
    after = _manifest(workspace)
    changed = {path for path, digest in after.items() if before.body.get(path) != digest}
    gone = before.body.keys() - after.keys()
    rests_on = {result["path"] for result in body["results"]} | {step.near}
    if len(changed) > MOST_CHANGED or rests_on & (changed | gone):
        return False
    return not any(_speaks_of(workspace, path, step.text) for path in changed)


def _manifest(workspace: "Workspace") -> dict[str, str]:
    """Return the files of the index, each with the beginning of its digest."""
    return {path: record.digest[:12] for path, record in workspace.store.files().items() if record.language}


def _speaks_of(workspace: "Workspace", path: str, text: str) -> bool:
    from shirube.plan.expect import forms_of, goal_words
    from shirube.text import index_terms

    there = frozenset(index_terms(f"{path}\n{workspace.store.text(path)}"))
    return any(form <= there for word in goal_words(text) for form in forms_of(word) if form)


def _restored(workspace: "Workspace", body: Mapping[str, Any]) -> Found:
    results = tuple(PlanResult(**result) for result in body["results"])
    files: dict[str, list[str]] = {}
    texts = []
    for result in results:
        lines = files.setdefault(result.path, workspace.store.text(result.path).split("\n"))
        whole = "\n".join(lines[result.start_line - 1 : result.end_line])
        texts.append(f"{result.path} {result.symbol}\n{whole}")
    return Found(results, tuple(texts), float(body["confidence"]), cached=True)


def remember(workspace: "Workspace", plan_id: str, outcome: Outcome, confidences: Mapping[Step, float]) -> None:
    """Keep the answers of a plan, with the plan, their score and what was asked after them; and what it taught."""
    journal, now = workspace.journal, workspace.generation()
    for turn in outcome.iterations:
        if turn.cached or turn.error or turn.step.ground is Ground.READ:
            continue
        body = {
            "query": turn.step.text,
            "planId": plan_id,
            "evaluationScore": turn.evaluation.score,
            "refinementHistory": list(turn.refinements),
            "generation": now,
            "confidence": confidences.get(turn.step, 0.0),
            "results": [asdict(result) for result in turn.results],
        }
        journal.put(ANSWERS, key_of(turn.step.identity), body)
    if journal.get(MANIFESTS, now) is None and len(manifest := _manifest(workspace)) <= MOST_FILES:
        journal.put(MANIFESTS, now, manifest)
    _learn(workspace, outcome)
    most = workspace.config.plan.kept
    limits = {PLANS: most, LATEST: most, TEMPLATES: most, FAILED: most, ANSWERS: 5 * most, MANIFESTS: KEPT_MANIFESTS}
    for kind, limit in limits.items():
        for old in journal.keys(kind)[limit:]:
            journal.remove(kind, old)


def _learn(workspace: "Workspace", outcome: Outcome) -> None:
    terms = goal_terms(outcome.goal)
    if grounds := helped(outcome):
        body = {"goal": outcome.goal, "terms": terms, "grounds": [ground.value for ground in grounds]}
        queries = [turn.step.text for turn in outcome.iterations if turn.step.ground in grounds]
        workspace.journal.put(TEMPLATES, key_of(terms), {**body, "queries": queries})
    if vain := in_vain(outcome):
        steps = [{"identity": turn.step.identity, "why": turn.error or turn.evaluation.feedback} for turn in vain]
        workspace.journal.put(FAILED, key_of(terms), {"goal": outcome.goal, "terms": terms, "steps": steps})


def lessons(workspace: "Workspace", goal: str) -> tuple[tuple[Ground, ...], frozenset[tuple[str, ...]]]:
    """Return the grounds that helped with goals like this, and the questions that were in vain."""
    terms = goal_terms(goal)
    grounds: dict[Ground, None] = {}
    for one in _alike(workspace, TEMPLATES, terms):
        grounds.update(dict.fromkeys(Ground(name) for name in one["grounds"] if name in set(Ground)))
    avoided = {tuple(step["identity"]) for one in _alike(workspace, FAILED, terms) for step in one["steps"]}
    return tuple(grounds), frozenset(avoided)


def _alike(workspace: "Workspace", kind: str, terms: Sequence[str]) -> list[dict[str, Any]]:
    found = [one.body for one in workspace.journal.documents(kind)]
    near = [(likeness(body["terms"], terms), body) for body in found]
    return [body for share, body in sorted(near, key=lambda one: -one[0]) if share >= ALIKE]
