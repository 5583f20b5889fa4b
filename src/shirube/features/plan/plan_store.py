"""Stores plans, the answers to their questions, and the lessons: what helped and what did not."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from shirube.codec import Record, pack, replace, unpack
from shirube.engine.text.tokens import index_terms
from shirube.features.plan.evaluate import forms_of, goal_words
from shirube.features.plan.record import Iteration, PlanOutcome, PlanResult, PlanStatus, Step, StepResults, Tactic
from shirube.features.plan.refine import ProjectAccess
from shirube.features.plan.results import PlanReport
from shirube.messages import Message, say

if TYPE_CHECKING:
    from shirube.workspace import Workspace

PLANS, ANSWERS, LATEST, TEMPLATES, FAILED = "plan", "plan answer", "plan latest", "plan template", "plan failed"
MANIFESTS = "plan manifest"
KNOWLEDGE = "knowledge"
"""The folder of pages for people, in the state directory or in the project."""
MOST_FILES = 20_000
"""A larger project gets no manifest, so every change of the index makes every stored answer stale."""
KEPT_MANIFESTS = 5
MOST_CHANGED = 200
"""After more changed files than this every question is asked again: checking each file would take longer."""
ALIKE = 0.5
"""Goals that share this part of their words are similar; upstream logged such goals and never used them."""
HELPED = 0.01
"""A turn helped if it raised the confidence by at least this much."""
FAILED_SHARE = 0.5
"""A question failed when its score is below this share of the best score."""


def goal_terms(goal: str) -> tuple[str, ...]:
    """Return the index terms of a goal, independent of wording: ``"How does routing work?"`` → ``("rout",)``."""
    return tuple(sorted({term for word in goal_words(goal) for term in forms_of(word)[0]}))


def key_of(*parts: object) -> str:
    """Return a short key for some values."""
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:24]


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the share of two goals' terms that both have (Jaccard)."""
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left | right else 0.0


class StoredAnswer(Record):
    """The results of a question, the plan it belongs to, and the questions that followed."""

    query: str
    planId: str
    evaluationScore: float
    refinementHistory: tuple[Message, ...]
    generation: str
    confidence: float
    results: tuple[PlanResult, ...]


class Template(Record):
    """A goal that was reached, and what helped: the rule that similar goals may follow."""

    goal: str
    terms: tuple[str, ...]
    grounds: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    planId: str = ""
    """The run it was learned from."""
    gain: float = 0.0
    """How much surer its best turn made that run."""

    @property
    def rule(self) -> Message:
        """What helped, with which goal, in which run, and how much."""
        return say(
            "plan.template", goal=self.goal, tactics=self.grounds, plan=self.planId[:8], gain=f"{self.gain:+.2f}"
        )


class FailedStep(Record):
    """A question that failed, and why."""

    identity: tuple[str, ...]
    why: Message


class FailedGoal(Record):
    """The questions that failed for a goal."""

    goal: str
    terms: tuple[str, ...]
    steps: tuple[FailedStep, ...]


Learnt = TypeVar("Learnt", Template, FailedGoal)


class PlanLesson(Struct, frozen=True):
    """What earlier runs teach about a goal."""

    templates: tuple[Template, ...] = ()
    avoided: frozenset[tuple[str, ...]] = frozenset()
    """The questions that failed for similar goals."""

    @property
    def preferred(self) -> tuple[Tactic, ...]:
        """The tactics that helped, the ones of the most similar goal first."""
        helped = [name for template in self.templates for name in template.grounds]
        return tuple(dict.fromkeys(Tactic(name) for name in helped if name in set(Tactic)))

    @property
    def key(self) -> str:
        """What tells it from another lesson."""
        return key_of(self.preferred, sorted(self.avoided))


class Latest(Record):
    """The latest plan of a request."""

    key: str
    lesson: str
    """What earlier runs taught when it was made."""
    planId: str = ""
    generation: str = ""
    done: bool = False
    """Whether nothing is left to ask."""


class EarlierPlan(Struct, frozen=True):
    """An earlier run of the same request."""

    report: PlanReport
    latest: Latest

    def is_final(self, generation: str, lesson: PlanLesson) -> bool:
        """Tell whether there is nothing to add: the same index, and success, or nothing left to ask or to apply."""
        settled = self.latest.done and self.latest.lesson == lesson.key
        return generation == self.latest.generation and (settled or self.report.status is PlanStatus.SUCCESS)


def latest(workspace: "Workspace", key: str) -> EarlierPlan | None:
    """Return the latest run of a request, if it is still kept."""
    found = workspace.journal.get(LATEST, key)
    if found is None:
        return None
    told = unpack(Latest, {"key": key, "lesson": "", **found.body})
    kept = workspace.journal.get(PLANS, told.planId)
    return EarlierPlan(unpack(PlanReport, kept.body), told) if kept is not None else None


def remembering(workspace: "Workspace", access: ProjectAccess, fresh: bool) -> ProjectAccess:
    """Return access whose search uses stored answers, as long as nothing they depend on has changed."""
    now = workspace.generation()
    known: dict[tuple[str, ...], StepResults] = {}

    def search(step: Step) -> StepResults:
        if step.identity in known:
            return known[step.identity]
        document = None if fresh else workspace.journal.get(ANSWERS, key_of(step.identity))
        answer = unpack(StoredAnswer, document.body) if document is not None else None
        if answer is not None and _holds(workspace, step, answer, now):
            found = StepResults(answer.results, texts_of(workspace, answer.results), answer.confidence, cached=True)
        else:
            found = access.search(step)
        return known.setdefault(step.identity, found)

    return replace(access, search=search)


def _holds(workspace: "Workspace", step: Step, answer: StoredAnswer, now: str) -> bool:
    """Tell whether a stored answer is still valid: nothing changed, or no changed file has a word of the question."""
    if answer.generation == now:
        return True
    before = workspace.journal.get(MANIFESTS, answer.generation)
    if before is None or answer.generation.partition(":")[2] != now.partition(":")[2]:
        return False  # it is unknown what changed, or the model differs
    after = _manifest(workspace)
    changed = {path for path, digest in after.items() if before.body.get(path) != digest}
    gone = before.body.keys() - after.keys()
    rests_on = {result.path for result in answer.results} | {step.near}
    if len(changed) > MOST_CHANGED or rests_on & (changed | gone):
        return False
    forms = [form for word in goal_words(step.text) for form in forms_of(word) if form]
    there = (frozenset(index_terms(f"{path}\n{workspace.store.text(path)}")) for path in changed)
    return not any(form <= terms for terms in there for form in forms)


def _manifest(workspace: "Workspace") -> dict[str, str]:
    """Return the files of the index, each with the first characters of its digest."""
    return {path: record.digest[:12] for path, record in workspace.store.files().items() if record.language}


def texts_of(workspace: "Workspace", results: Iterable[PlanResult]) -> tuple[str, ...]:
    """Return the whole texts behind results, each with its path and symbol before it."""
    files: dict[str, list[str]] = {}
    texts = []
    for result in results:
        if result.path not in files:
            files[result.path] = workspace.store.text(result.path).split("\n")
        lines = files[result.path][result.start_line - 1 : result.end_line]
        texts.append("\n".join([f"{result.path} {result.symbol}", *lines]))
    return tuple(texts)


def remember(workspace: "Workspace", plan_id: str, outcome: PlanOutcome) -> None:
    """Store the answers of a plan with their scores and follow-up questions, and the lessons from it."""
    journal, now = workspace.journal, workspace.generation()
    for turn in outcome.iterations:
        if turn.cached or turn.error or turn.step.tactic is Tactic.READ:
            continue
        answer = StoredAnswer(
            query=turn.step.text,
            planId=plan_id,
            evaluationScore=turn.evaluation.score,
            refinementHistory=turn.refinements,
            generation=now,
            confidence=turn.search_confidence,
            results=turn.results,
        )
        journal.put(ANSWERS, key_of(turn.step.identity), pack(answer))
    if journal.get(MANIFESTS, now) is None and len(manifest := _manifest(workspace)) <= MOST_FILES:
        journal.put(MANIFESTS, now, manifest)
    terms = goal_terms(outcome.goal)
    if gains := helpful_tactics(outcome):
        queries = tuple(turn.step.text for turn in outcome.iterations if turn.step.tactic in gains)
        template = Template(outcome.goal, terms, tuple(gains), queries, plan_id, max(gains.values()))
        journal.put(TEMPLATES, key_of(terms), pack(template))
    if failed := failed_turns(outcome):
        steps = tuple(FailedStep(turn.step.identity, turn.error or turn.evaluation.feedback) for turn in failed)
        journal.put(FAILED, key_of(terms), pack(FailedGoal(outcome.goal, terms, steps)))
    most = workspace.config.plan.kept
    limits = {PLANS: most, LATEST: most, TEMPLATES: most, FAILED: most, ANSWERS: 5 * most, MANIFESTS: KEPT_MANIFESTS}
    for kind, limit in limits.items():
        for old in journal.keys(kind)[limit:]:
            journal.remove(kind, old)


def helpful_tactics(outcome: PlanOutcome) -> dict[Tactic, float]:
    """Return the tactics of the turns that raised a successful plan's confidence, with how much, the best first."""
    if outcome.status is not PlanStatus.SUCCESS:
        return {}
    gains: dict[Tactic, float] = {}
    for before, after in zip(outcome.iterations, outcome.iterations[1:], strict=False):
        gain = round(after.confidence - before.confidence, 4)
        if gain >= HELPED and after.step.tactic not in (Tactic.GIVEN, Tactic.MAP):
            gains[after.step.tactic] = max(gain, gains.get(after.step.tactic, 0.0))
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def failed_turns(outcome: PlanOutcome) -> tuple[Iteration, ...]:
    """Return the refinements that failed, found nothing, or scored far below the best turn."""
    best = max((turn.evaluation.score for turn in outcome.iterations), default=0.0)
    return tuple(
        turn
        for turn in outcome.iterations[1:]
        if turn.error or not turn.results or turn.evaluation.score < FAILED_SHARE * best
    )


def lesson(workspace: "Workspace", goal: str) -> PlanLesson:
    """Return what helped with similar goals, and the questions that failed for them."""
    terms = goal_terms(goal)
    avoided = {step.identity for failed in _alike(workspace, FAILED, FailedGoal, terms) for step in failed.steps}
    return PlanLesson(tuple(_alike(workspace, TEMPLATES, Template, terms)), frozenset(avoided))


def _alike(workspace: "Workspace", kind: str, kept_as: type[Learnt], terms: Sequence[str]) -> Iterator[Learnt]:
    learnt = [unpack(kept_as, document.body) for document in workspace.journal.documents(kind)]
    near = [(likeness(item.terms, terms), item) for item in learnt]
    return (item for share, item in sorted(near, key=lambda pair: (-pair[0], pair[1].goal)) if share >= ALIKE)
