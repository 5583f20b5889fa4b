"""Text for plans: each turn on stderr as it ends, then the results and the six measures."""

from collections.abc import Callable, Iterable

from shirube.doors.views.screen import Screen, View, columns, cut_text, printable, span
from shirube.doors.views.search import cut_code, kept_lines
from shirube.features.plan.record import PlanResult, PlanStatus
from shirube.features.plan.results import (
    PlanExport,
    PlanImport,
    PlanIteration,
    PlanList,
    PlanReport,
    PresetList,
    QueryResult,
)
from shirube.messages import say
from shirube.types import Judgement

MEASURES = {
    "keyword": "keywordMatch",
    "pattern": "patternMatch",
    "sense": "semanticSimilarity",
    "coverage": "coverage",
    "precision": "precision",
    "recall": "recall",
}
STYLES = {PlanStatus.SUCCESS: "good", PlanStatus.PARTIAL: "line", PlanStatus.FAILED: "bad"}
LONGEST = 72
CODE_PLACES = 2
"""How many places of a routed question are shown with their code."""
CODE_LINES = 15


def query_plan(report: PlanReport, screen: Screen) -> View:
    """Return a plan: the places, the turns with their measures, how it ended."""
    if screen.model:
        return _brief(report, screen)
    data = report.finalResults.data
    places = _places(data, screen)
    parts = [*places, *([""] if places else []), *_turns(report, screen), *_end(report, screen)]
    return View("\n".join(parts), (), bool(data))


def show_plan(report: PlanReport, screen: Screen) -> View:
    """Return a plan that was made before; to a model every turn whole."""
    shown = _brief(report, screen, _whole_turn) if screen.model else query_plan(report, screen)
    return shown._replace(found=True)


def _brief(report: PlanReport, screen: Screen, turn_text: Callable[[PlanIteration, Screen], str] | None = None) -> View:
    """Return what was asked and how sure the answer is, the places, each turn in a line, and the next step."""
    final = report.finalResults
    share = f"{final.confidence:.0%}"
    head = screen.words(
        "plan_view.brief", status=say(f"plan_view.{report.status.value}"), share=share, goal=report.goal
    )
    places = _places(final.data, screen)
    turns = [(turn_text or _brief_turn)(turn, screen) for turn in report.iterations]
    notes = [screen.say(note) for note in (*report.degraded, report.memory) if note]
    if final.unmatchedExpectations:
        notes.append(screen.words("plan_view.not_found", words=final.unmatchedExpectations))
    if cursor := getattr(report, "next_cursor", ""):
        notes.append(screen.further("cursor", cursor))
    notes += [screen.words("plan_view.plan", id=report.planId), screen.words("plan_view.next", next=report.next)]
    return View(head, tuple(notes), bool(final.data), (*places, *turns))


def _brief_turn(turn: PlanIteration, screen: Screen) -> str:
    number = screen.words("plan_view.turn_number", number=turn.iterationNumber)
    told = screen.words("plan_view.failed_turn", error=turn.error) if turn.error else f"{turn.evaluationScore:.2f}"
    return f"{number} {told} {_question(turn, screen)}"


def _whole_turn(turn: PlanIteration, screen: Screen) -> str:
    """Return all that is known of a turn: question, measures, feedback, what follows from it, and its places."""
    number = screen.words("plan_view.turn_number", number=turn.iterationNumber)
    head = f"{number} {turn.evaluationScore:.2f} {turn.confidence:.0%} {turn.mode} {_asked(turn, screen)}"
    if turn.error:
        return f"{head}\n{screen.words('plan_view.failed_turn', error=turn.error)}"
    measures = [
        f"{screen.words(f'plan_view.{name}')} {getattr(turn.evaluation, field):.2f}" for name, field in MEASURES.items()
    ]
    parts = [head, " ".join(measures), screen.say(turn.feedback)]
    parts += [screen.words("plan_view.expected", words=turn.expectedKeywords)] if turn.expectedKeywords else []
    parts += [screen.words("plan_view.then", next=step) for step in turn.refinements]
    return "\n".join([*parts, *_places(turn.actualResults, screen)])


def _places(results: Iterable[PlanResult], screen: Screen) -> list[str]:
    return [span(one.path, (one.start_line, one.end_line), (one.kind, one.symbol), screen.paint) for one in results]


def _asked(turn: PlanIteration, screen: Screen) -> str:
    return screen.words("plan.because", text=turn.query, why=turn.why) if turn.why else printable(turn.query)


def _question(turn: PlanIteration, screen: Screen) -> str:
    """Return what a turn asked and why, cut to a line."""
    return cut_text(_asked(turn, screen), LONGEST)


def _turns(report: PlanReport, screen: Screen) -> list[str]:
    """Return the table of turns: score, confidence, the six measures, and the query."""
    heads = [("turn", 4), ("score", 7), ("sure", 6), *((name, 10) for name in MEASURES)]
    titles = "".join(_right(screen.words(f"plan_view.{name}"), width) for name, width in heads)
    final = report.finalResults
    whole = _right(screen.words("plan_view.all"), 4)
    numbers = _numbers(final.evaluation, final.evaluation.score, final.confidence)
    return [
        screen.paint("dim", titles),
        *(_turn(turn, screen) for turn in report.iterations),
        screen.paint("bold", f"{whole}{numbers}"),
    ]


def _right(text: str, width: int) -> str:
    return text.rjust(width - columns(text) + len(text))


def _numbers(judged: Judgement, score: float, sure: float) -> str:
    measures = "".join(f"{getattr(judged, name):>10.2f}" for name in MEASURES.values())
    return f"{score:>7.2f}{sure:>6.0%}{measures}"


def _turn(turn: PlanIteration, screen: Screen) -> str:
    asked, number = _question(turn, screen), f"{turn.iterationNumber:>4}"
    if turn.error:
        return f"{number}  {screen.words('plan_view.failed_turn', error=turn.error)}\n      {asked}"
    mark = screen.words("plan_view.remembered") if turn.cached else ""
    return f"{number}{_numbers(turn.evaluation, turn.evaluationScore, turn.confidence)}\n      {asked}{mark}"


def _end(report: PlanReport, screen: Screen) -> list[str]:
    paint, meta, final = screen.paint, report.metadata, report.finalResults
    status = paint(STYLES[report.status], screen.words(f"plan_view.{report.status.value}"))
    end = screen.words(
        "plan_view.end",
        share=f"{final.confidence:.0%}",
        stopped=report.stopped,
        seconds=f"{meta.totalTime:.2f}",
        cached=meta.cacheHits,
        turns=meta.totalIterations,
    )
    lines = [f"{status}: {end}"]
    if final.unmatchedExpectations:
        lines.append(paint("bad", screen.words("plan_view.not_found", words=final.unmatchedExpectations)))
    lines += screen.warn(report.degraded)
    lines += [screen.say(report.memory)] if report.memory else []
    if report.structuredKnowledgePath:
        lines.append(paint("dim", screen.words("plan_view.page", path=report.structuredKnowledgePath)))
    lines.append(paint("dim", screen.words("plan_view.plan", id=report.savedAt or report.planId)))
    return [*lines, screen.words("plan_view.next", next=report.next)]


def query(result: QueryResult, screen: Screen) -> View:
    """Return how the question was read, and the places, the best with their code."""
    blocks = []
    for number, hit in enumerate(result.results):
        lines = hit.content.split("\n") if hit.content and number < CODE_PLACES else []
        code = cut_code(lines, hit.start_line, kept_lines(len(lines), 0, CODE_LINES))
        head = span(hit.path, (hit.start_line, hit.end_line), ("", hit.symbol), screen.paint)
        blocks.append("\n".join([head, *code]))
    notes = (*map(screen.say, result.degraded), screen.words("plan_view.next", next=result.next))
    return View(screen.say(result.reasoning), notes, bool(blocks), tuple(blocks))


def list_plans(found: PlanList, screen: Screen) -> View:
    """Return the list of plans, a line each."""
    if not found.plans:
        return View(screen.words("plan_view.no_plans", next=found.next), (), False)
    lines = []
    for plan in found.plans:
        status = screen.words(f"plan_view.{plan.status}")
        painted = screen.paint(STYLES[PlanStatus(plan.status)], status + " " * (7 - columns(status)))
        goal = f"{plan.confidence:>4.0%}  {printable(plan.goal)}  {screen.paint('path', plan.first)}"
        lines.append(f"{plan.planId[:8]}  {plan.madeAt}  {painted} {goal}")
    if found.truncated:
        more = screen.words("plan_view.more", shown=len(lines), total=found.total)
        lines.append(screen.further("cursor", found.next_cursor) if screen.model else more)
    return View("\n".join(lines))


def list_presets(found: PresetList, screen: Screen) -> View:
    """Return the presets, a line each."""
    lines = [f"{screen.paint('bold', one.name)}  {screen.say(one.description)}" for one in found.presets]
    return View("\n".join(lines))


def export_plans(made: PlanExport, screen: Screen) -> View:
    """Return what was written, and where to; or what can be handed on, whole."""
    code = "plan_view.exported" if made.document else "plan_view.written"
    words = screen.words(code, plans=made.plans, templates=made.templates, path=made.path)
    return View(f"{words}\n{made.document}" if made.document else words)


def import_plans(taken: PlanImport, screen: Screen) -> View:
    """Return how much was imported, and what was refused."""
    counts = {"plans": taken.plans, "templates": taken.templates, "pages": taken.pages, "known": taken.known}
    return View("\n".join([screen.words("plan_view.taken", **counts), *map(screen.say, taken.refused)]))
