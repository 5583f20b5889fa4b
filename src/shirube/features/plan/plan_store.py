"""What is remembered of plans: the plans themselves, answers to their questions, what helped and what did not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from shirube.codec import Record, pack, replace, unpack
from shirube.features.plan.memory import ALIKE, goal_terms, helped, in_vain, key_of, likeness
from shirube.features.plan.record import Found, Ground, Outcome, PlanResult, Step
from shirube.features.plan.refine import World
from shirube.messages import Message

if TYPE_CHECKING:
    from shirube.workspace import Workspace

PLANS, ANSWERS, LATEST, TEMPLATES, FAILED = "plan", "plan answer", "plan latest", "plan template", "plan failed"
MANIFESTS = "plan manifest"
MOST_FILES = 20_000
"""In a larger project every change of the index makes every answer old: what changed would be too much to keep."""
KEPT_MANIFESTS = 5
MOST_CHANGED = 200
"""After more changes than this every question is asked anew: looking at each would take longer."""


class Answer(Record):
    """What a question brought, the plan it was asked for, and what was asked after it."""

    query: str
    planId: str  # noqa: N815
    evaluationScore: float  # noqa: N815
    refinementHistory: tuple[Message, ...]  # noqa: N815
    generation: str
    confidence: float
    results: tuple[PlanResult, ...]


class Template(Record):
    """A goal that worked out, and what helped."""

    goal: str
    terms: tuple[str, ...]
    grounds: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


class VainStep(Record):
    """A question that was in vain, and why."""

    identity: tuple[str, ...]
    why: Message


class Vain(Record):
    """What was in vain for a goal."""

    goal: str
    terms: tuple[str, ...]
    steps: tuple[VainStep, ...]


Lesson = TypeVar("Lesson", Template, Vain)


def remembering(workspace: "Workspace", world: World, fresh: bool) -> World:
    """Return the world with a search that remembers: an answer counts while nothing it rests on has changed."""
    now = workspace.generation()

    def search(step: Step) -> Found:
        kept = None if fresh else workspace.journal.get(ANSWERS, key_of(step.identity))
        answer = unpack(Answer, kept.body) if kept is not None else None
        if answer is not None and _holds(workspace, step, answer, now):
            return _restored(workspace, answer)
        return world.search(step)

    return replace(world, search=search)


def _holds(workspace: "Workspace", step: Step, answer: Answer, now: str) -> bool:
    """Tell whether an answer is as good as new: nothing changed, or nothing that shares a word with the question."""
    if answer.generation == now:
        return True
    before = workspace.journal.get(MANIFESTS, answer.generation)
    if before is None or answer.generation.partition(":")[2] != now.partition(":")[2]:
        return False  # nobody knows what changed, or it is another model
    after = _manifest(workspace)
    changed = {path for path, digest in after.items() if before.body.get(path) != digest}
    gone = before.body.keys() - after.keys()
    rests_on = {result.path for result in answer.results} | {step.near}
    if len(changed) > MOST_CHANGED or rests_on & (changed | gone):
        return False
    return not any(_speaks_of(workspace, path, step.text) for path in changed)


def _manifest(workspace: "Workspace") -> dict[str, str]:
    """Return the files of the index, each with the beginning of its digest."""
    return {path: record.digest[:12] for path, record in workspace.store.files().items() if record.language}


def _speaks_of(workspace: "Workspace", path: str, text: str) -> bool:
    from shirube.engine.text.tokens import index_terms
    from shirube.features.plan.expect import forms_of, goal_words

    there = frozenset(index_terms(f"{path}\n{workspace.store.text(path)}"))
    return any(form <= there for word in goal_words(text) for form in forms_of(word) if form)


def _restored(workspace: "Workspace", answer: Answer) -> Found:
    files: dict[str, list[str]] = {}
    texts = []
    for result in answer.results:
        lines = files.setdefault(result.path, workspace.store.text(result.path).split("\n"))
        whole = "\n".join(lines[result.start_line - 1 : result.end_line])
        texts.append(f"{result.path} {result.symbol}\n{whole}")
    return Found(answer.results, tuple(texts), answer.confidence, cached=True)


def remember(workspace: "Workspace", plan_id: str, outcome: Outcome, confidences: Mapping[Step, float]) -> None:
    """Keep the answers of a plan, with the plan, their score and what was asked after them; and what it taught."""
    journal, now = workspace.journal, workspace.generation()
    for turn in outcome.iterations:
        if turn.cached or turn.error or turn.step.ground is Ground.READ:
            continue
        answer = Answer(
            query=turn.step.text,
            planId=plan_id,
            evaluationScore=turn.evaluation.score,
            refinementHistory=turn.refinements,
            generation=now,
            confidence=confidences.get(turn.step, 0.0),
            results=turn.results,
        )
        journal.put(ANSWERS, key_of(turn.step.identity), pack(answer))
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
        queries = tuple(turn.step.text for turn in outcome.iterations if turn.step.ground in grounds)
        workspace.journal.put(TEMPLATES, key_of(terms), pack(Template(outcome.goal, terms, grounds, queries)))
    if vain := in_vain(outcome):
        steps = tuple(VainStep(turn.step.identity, turn.error or turn.evaluation.feedback) for turn in vain)
        workspace.journal.put(FAILED, key_of(terms), pack(Vain(outcome.goal, terms, steps)))


def lessons(workspace: "Workspace", goal: str) -> tuple[tuple[Ground, ...], frozenset[tuple[str, ...]]]:
    """Return the grounds that helped with goals like this, and the questions that were in vain."""
    terms = goal_terms(goal)
    grounds: dict[Ground, None] = {}
    for one in _alike(workspace, TEMPLATES, Template, terms):
        grounds.update(dict.fromkeys(Ground(name) for name in one.grounds if name in set(Ground)))
    avoided = {step.identity for one in _alike(workspace, FAILED, Vain, terms) for step in one.steps}
    return tuple(grounds), frozenset(avoided)


def _alike(workspace: "Workspace", kind: str, lesson: type[Lesson], terms: Sequence[str]) -> Iterator[Lesson]:
    found = [unpack(lesson, one.body) for one in workspace.journal.documents(kind)]
    near = [(likeness(one.terms, terms), one) for one in found]
    return (one for share, one in sorted(near, key=lambda pair: -pair[0]) if share >= ALIKE)
