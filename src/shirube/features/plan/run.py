"""The loop of a plan: ask, compare with the expectations, ask better; the results of all turns are fused by rank."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.search.evidence import fuse
from shirube.errors import Cancelled, ShirubeError
from shirube.features.plan.evaluate import TOP, WEIGHTS, Judge, PlanSigns, goal_words, keywords_of, likelihood, tempered
from shirube.features.plan.record import (
    EvaluationMode,
    Expectation,
    InitialMode,
    Iteration,
    PlanOutcome,
    PlanResult,
    PlanStatus,
    RefinementStrategy,
    Step,
    StepResults,
    Stop,
    Tactic,
)
from shirube.features.plan.refine import MOST_FILES, Progress, ProjectAccess, next_step, read_whole, ruled
from shirube.messages import Message, say, verbatim
from shirube.settings import PlanConfig
from shirube.types import Mode

MOST_RESULTS = 30
STILL = 0.02
"""A score that changes by less is unchanged. After two such turns with the same first results a plan stops."""
SAME_FIRST = 3
ENOUGH = 0.25
"""The least share of the given expectations (rare words count more) that a successful plan must meet. One of four names
is enough, because the names in a file are not all in one place."""
OPINIONS = 4
"""How many turns a plan without informative expectations needs, once it refines, before it may stop as confident: two
fused lists are worse than the first alone, four are better (``benchmarks/plans``). Given expectations that are
informative need no such wait."""
CONVINCING = 0.5
WHOLE = 0.98
"""A plan whose score passes its threshold succeeds, however unsure it is, when no measure is below this."""
Refine = Callable[[Progress], Step | None]
Tell = Callable[[Iteration], None]


class Plan(Struct, frozen=True):
    """The goal of a plan, how to judge results, and what to ask."""

    goal: str
    judge: Judge
    own: Judge
    """Judges by the words of the goal alone, for given expectations that prove little."""
    strategy: RefinementStrategy = RefinementStrategy()
    queries: tuple[str, ...] = ()
    """Questions to ask in any case, in addition to the goal."""
    max_iterations: int = 5
    made: int = 0
    """How many of the turns an earlier run has made: it goes on behind them."""
    avoided: frozenset[tuple[str, ...]] = frozenset()
    preferred: tuple[Tactic, ...] = ()


def make_plan(
    goal: str,
    expected: Expectation,
    access: ProjectAccess,
    mode: EvaluationMode = EvaluationMode.SEMANTIC,
    weights: Mapping[str, float] = WEIGHTS,
    **options: Any,
) -> Plan:
    """Return a plan for a goal; without given keywords, those of the goal count. ``options`` are fields of ``Plan``."""

    def judge(words: tuple[str, ...]) -> Judge:
        wanted = replace(expected, keywords=words)
        return Judge(wanted, keywords_of(words, access.frequencies), access.match, mode, weights)

    own = judge(goal_words(goal))
    return Plan(goal, judge(expected.keywords) if expected.given and expected.keywords else own, own, **options)


@dataclass(slots=True)
class _State:
    """The state of a running plan."""

    progress: Progress
    turns: list[tuple[Step, StepResults]] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    confidence: float = 0.0
    still: int = 0
    refined: bool = False
    """Whether the latest question was the plan's own, and not one of the first steps."""


def run_plan(
    plan: Plan, access: ProjectAccess, config: PlanConfig, tell: Tell = lambda turn: None, refine: Refine = next_step
) -> PlanOutcome:
    """Work towards a goal until it is reached, nothing new can be asked, or time is up; return what was found."""
    started = access.clock()
    judge = plan.judge
    waiting = list(_first_steps(plan, access))
    # The rules that take part in the given questions are not tried once more.
    later = replace(plan.strategy, rules=plan.strategy.rules[len(plan.queries) :])
    progress = Progress(plan.goal, judge.expected, judge.keywords, later, access, avoided=plan.avoided)
    state = _State(replace(progress, preferred=plan.preferred))
    stopped: Stop | None = None
    while not stopped:
        state.refined = not waiting
        step = waiting.pop(0) if waiting else refine(state.progress)
        if step is None:
            stopped = Stop.NOTHING_NEW
        elif access.late():
            stopped = Stop.DEADLINE
        else:
            stopped = _turn(step, state, plan, config) or _stop(state, plan, waiting)
            ahead = waiting[0] if waiting else (refine(state.progress) if not stopped else None)
            if ahead:
                told = say("plan.because", text=ahead.text, why=ahead.why) if ahead.why else verbatim(ahead.text)
                state.iterations[-1] = replace(state.iterations[-1], refinements=(told,))
            tell(state.iterations[-1])
    return _outcome(plan, state, stopped, access.clock() - started)


def _first_steps(plan: Plan, access: ProjectAccess) -> Iterator[Step]:
    """Yield the goal, the caller's questions, and the goal with the symbols that the map has for it.

    Each of the caller's questions is also asked as the next expansion rule says.
    """
    words = plan.judge.expected.keywords if plan.judge.expected.given else ()
    specific = plan.strategy.initial_mode is InitialMode.SPECIFIC
    mode = Mode.LEXICAL if plan.judge.mode is EvaluationMode.STRICT else Mode.AUTO
    first = Step(
        " ".join([plan.goal, *words]) if specific else plan.goal, mode, tactic=Tactic.GOAL, why=say("plan.goal")
    )
    rules = chain(plan.strategy.rules, repeat(""))
    steps = [first]
    for query, rule in zip(plan.queries, rules, strict=False):
        also = ruled(query, rule, access)
        why = say("plan.given_and", rule=rule) if also else say("plan.given")
        also = replace(also, mode=mode) if also else None
        steps.append(Step(query, mode, tactic=Tactic.GIVEN, why=why, also=also))
    if terms := access.terms(plan.goal):
        steps.append(Step(f"{plan.goal} {' '.join(terms)}", mode, tactic=Tactic.MAP, why=say("plan.agreed")))
    asked = set()
    for step in steps:
        if step.meaning not in asked:
            asked.add(step.meaning)
            yield step


def _turn(step: Step, state: _State, plan: Plan, config: PlanConfig) -> Stop | None:
    """Ask one question and add its results; return a reason to stop when time ran out meanwhile."""
    access = state.progress.access
    before = access.clock()
    number = len(state.iterations) + 1
    state.progress = replace(state.progress, asked=state.progress.asked | {step.meaning})
    try:
        found = _whole(state.progress) if step.tactic is Tactic.READ else access.search(step)
    except Cancelled:
        if access.late():
            state.iterations.append(Iteration(number, step, confidence=state.confidence, error=say("plan.too_late")))
            return Stop.DEADLINE
        raise
    except ShirubeError as error:
        state.iterations.append(Iteration(number, step, confidence=state.confidence, error=cause(error)))
        return None
    previous = state.progress
    state.turns.append((step, found))
    fused = fuse_turns([found for _, found in state.turns], plan.judge)
    state.progress = replace(state.progress, found=fused, evaluation=plan.judge.evaluate(fused))
    state.confidence = _confidence(state, plan, config) if fused.results else 0.0
    state.still = state.still + 1 if number > 1 and _stands_still(previous, state.progress) else 0
    state.iterations.append(
        Iteration(
            number=number,
            step=step,
            results=found.results,
            evaluation=plan.judge.evaluate(found),
            confidence=state.confidence,
            search_confidence=found.confidence,
            cached=found.cached,
            seconds=round(access.clock() - before, 4),
        )
    )
    return None


def cause(error: ShirubeError) -> Message:
    """Return the message of an error, followed by its hint."""
    return say("parts.told", message=error.message, hint=error.hint) if error.hint else error.message


def _confidence(state: _State, plan: Plan, config: PlanConfig) -> float:
    """Return how likely the first result is right; uninformative expectations do not raise the confidence."""
    fused = state.progress.found
    agreeing = [found for _, found in state.turns if found.results and found.results[0].path == fused.results[0].path]
    sure = max((found.confidence for found in agreeing), default=0.0)
    signs = PlanSigns(sure, len(agreeing) / len(state.turns), state.progress.evaluation.first)
    if not plan.judge.expected.given:
        return likelihood(signs, config.derived)
    otherwise = likelihood(replace(signs, first=plan.own.share(fused.texts[0])), config.derived)
    asked = [found.confidence for step, found in state.turns if step.tactic in (Tactic.GOAL, Tactic.GIVEN)]
    return tempered(likelihood(signs, config.given), otherwise, max(asked, default=0.0), plan.judge.telling)


def _stands_still(before: Progress, after: Progress) -> bool:
    first, second = ([item.path for item in progress.found.results[:SAME_FIRST]] for progress in (before, after))
    return first == second and abs(after.evaluation.score - before.evaluation.score) < STILL


def _stop(state: _State, plan: Plan, waiting: list[Step]) -> Stop | None:
    count = len(state.iterations)
    if count >= plan.max_iterations:
        return (None if waiting else _reached(state, plan)) or Stop.ITERATIONS
    if count <= plan.made:
        state.still = 0
        return None
    settled = (
        (plan.judge.expected.given and plan.judge.telling >= CONVINCING)
        or not state.refined
        or len(state.turns) >= OPINIONS
    )
    if waiting or not settled:
        return None
    return _reached(state, plan) or (Stop.STAGNATION if state.still >= 2 else None)


def _reached(state: _State, plan: Plan) -> Stop | None:
    """Return how the goal is reached: surely, with enough of what is expected (if strict: all), or with all of it."""
    judge, evaluation = plan.judge, state.progress.evaluation
    if not state.progress.found.results:
        return None
    if evaluation.score >= judge.expected.confidence and evaluation.least >= WHOLE:
        return Stop.MET
    metrics, enough = evaluation.metrics, not evaluation.unmatched
    if judge.mode is not EvaluationMode.STRICT:
        enough = metrics.pattern_match >= ENOUGH and (not judge.expected.given or metrics.keyword_match >= ENOUGH)
    return Stop.CONFIDENT if enough and state.confidence >= judge.expected.confidence else None


def _outcome(plan: Plan, state: _State, stopped: Stop, seconds: float) -> PlanOutcome:
    errors = tuple(dict.fromkeys(turn.error for turn in state.iterations if turn.error))
    results = state.progress.found.results
    if _reached(state, plan) and stopped is not Stop.DEADLINE:
        status = PlanStatus.SUCCESS
    elif results or (stopped is Stop.DEADLINE and not state.turns):
        status = PlanStatus.PARTIAL
    else:
        status = PlanStatus.FAILED
    scores = [turn.evaluation.score for turn in state.iterations if not turn.error]
    best = max([*scores, state.progress.evaluation.score], default=0.0)
    return PlanOutcome(
        goal=plan.goal,
        expected=plan.judge.expected,
        status=status,
        stopped=stopped,
        iterations=tuple(state.iterations),
        results=results,
        evaluation=state.progress.evaluation,
        confidence=state.confidence,
        seconds=round(seconds, 4),
        cache_hits=sum(turn.cached for turn in state.iterations),
        improvement=round((best - scores[0]) / max(scores[0], 0.01), 4) if scores else 0.0,
        errors=errors,
    )


# --- many lists, one order ----------------------------------------------------------------------------------


def fuse_turns(turns: list[StepResults], judge: Judge | None = None) -> StepResults:
    """Return the files of all turns by reciprocal rank, each with the place found first; ties are ordered by turn.

    A place that has more of what a judge was told to expect replaces the first of its file. Further places of the same
    files come after all files, so that a small project can fill a list.
    """
    if len(turns) == 1:
        return turns[0]
    places: dict[str, tuple[PlanResult, str]] = {}
    further: dict[tuple[str, int], tuple[PlanResult, str]] = {}
    for turn in turns:
        for result, text in zip(turn.results, turn.texts, strict=True):
            known = places.setdefault(result.path, (result, text))
            if known[0].start_line == result.start_line:
                continue
            better = judge and judge.expected.given and judge.share(text) > judge.share(known[1])
            places[result.path], spare = ((result, text), known) if better else (known, (result, text))
            further.setdefault((spare[0].path, spare[0].start_line), spare)
    lists = {str(place): list(dict.fromkeys(item.path for item in turn.results)) for place, turn in enumerate(turns)}
    worth = {path: sum(shares.values()) for path, shares in fuse(lists).items()}
    order = sorted(places, key=lambda path: -round(worth[path], 9))
    firsts = [(replace(places[path][0], score=round(worth[path], 6)), places[path][1]) for path in order]
    listed = [*firsts, *further.values()]
    listed = (_in_sight(listed, judge) if judge else listed)[:MOST_RESULTS]
    confidence = max(turn.confidence for turn in turns)
    return StepResults(tuple(result for result, _ in listed), tuple(text for _, text in listed), confidence)


def _in_sight(listed: list[tuple[PlanResult, str]], judge: Judge) -> list[tuple[PlanResult, str]]:
    """Return the places with all that any of them has of the expectations among the first, else in their order."""
    needed: dict[int, set[str]] = {}
    for rank, (_, text) in enumerate(listed):
        if len(needed) < TOP - 1 and (new := judge.held(text).difference(*needed.values())):
            needed[rank] = new
    others = [rank for rank in range(len(listed)) if rank not in needed]
    room = TOP - len(needed)
    return [listed[rank] for rank in [*sorted([*needed, *others[:room]]), *others[room:]]]


def _whole(progress: Progress) -> StepResults:
    """Rerank the results by whole files, by file names, and by a search by words alone and one by meaning alone."""
    places: dict[str, tuple[PlanResult, str]] = {}
    for result, text in zip(progress.found.results, progress.found.texts, strict=True):
        places.setdefault(result.path, (result, text))
    paths = list(places)[:MOST_FILES]
    lists = []
    for mode in (Mode.LEXICAL, Mode.DENSE):
        found = progress.access.search(Step(progress.goal, mode)).results
        best = max((result.score for result in found), default=0.0) or 1.0
        lists.append({result.path: result.score / best for result in reversed(found)})
    worth = read_whole({path: progress.access.read(path) for path in paths}, progress.keywords, lists)
    order = sorted(paths, key=lambda path: -worth[path])
    results = tuple(replace(places[path][0], score=round(worth[path], 6)) for path in order)
    return StepResults(results, tuple(places[path][1] for path in order))
