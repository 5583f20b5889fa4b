"""Plans: each as a timeline of questions with its six measures, two side by side, templates and presets."""

from collections.abc import Sequence
from urllib.parse import urlencode

from shirube import operations
from shirube.doors.web.charts import bar, lines, radar
from shirube.doors.web.html import Html, cut, el
from shirube.doors.web.parts import badge, empty, facts, field, heading, moment, notes, place, section, select, table
from shirube.doors.web.visit import Page, Visit
from shirube.features.plan.record import PlanResult
from shirube.features.plan.results import PlanIteration, PlanReport
from shirube.types import Judgement

MOST = 100
STATUS = {"success": "good", "partial": "warn", "failed": "bad"}


def _show(visit: Visit) -> Html:
    if visit.text("id") and visit.text("with"):
        return _compared(visit, visit.text("id"), visit.text("with"))
    if visit.text("id"):
        return _one(visit, visit.ask(operations.plan.show_plan, planId=visit.text("id")))
    words = visit.words
    return el(
        "div",
        heading(words("plans.title"), about=words("plans.about")),
        _filter(visit),
        _list(visit),
        _presets(visit),
    )


def _filter(visit: Visit) -> Html:
    words = visit.words
    known = [("", words("plans.any")), *((name, words.term("plan_status", name)) for name in STATUS)]
    line = el(
        "div",
        field("q", words("plans.query"), visit.text("q")),
        select("status", words("plans.status"), visit.text("status"), known),
        el("button", words("plans.filter"), class_="button"),
        class_="row",
    )
    return el("form", line, method="get", action="/plans", class_="card", role="search")


def _list(visit: Visit) -> Html:
    words = visit.words
    found = visit.ask(operations.plan.list_plans, query=visit.text("q"), status=visit.text("status"), limit=MOST)
    if not found.plans:
        return empty(words("plans.empty"))
    rows = [
        (
            el(
                "input",
                type="radio",
                name="id",
                value=one.planId,
                aria_label=words("plans.left"),
                checked=number == 0,
            ),
            el(
                "input",
                type="radio",
                name="with",
                value=one.planId,
                aria_label=words("plans.right"),
                checked=number == 1,
            ),
            el("a", cut(one.goal, 200), href=f"/plans?{urlencode({'id': one.planId})}"),
            badge(words.term("plan_status", one.status), STATUS.get(one.status, "")),
            f"{one.confidence:.0%}",
            one.iterations,
            el("code", cut(one.first, 160)),
            moment(one.madeAt),
        )
        for number, one in enumerate(found.plans)
    ]
    names = ("left", "right", "goal", "status", "confidence", "turns", "first", "made")
    shown = table([words(f"plans.{name}") for name in names], rows, words("plans.list"), (4, 5))
    compare = el("div", el("button", words("plans.compare"), class_="button"), class_="acts") if len(rows) > 1 else None
    return section(words("plans.list"), el("form", shown, compare, method="get", action="/plans", class_="stack-of"))


def _one(visit: Visit, plan: PlanReport) -> Html:
    words = visit.words
    turns = [_turn(visit, turn) for turn in plan.iterations]
    return el(
        "div",
        el("p", el("a", f"← {words('plans.title')}", href="/plans")),
        heading(cut(plan.goal, 400)),
        _summary(visit, plan),
        notes(visit, (*plan.errors, *plan.degraded)),
        el(
            "div",
            section(words("plans.course"), _course(visit, plan)),
            section(words("plans.end"), _end(visit, [plan])),
            class_="split",
        ),
        _expected(visit, plan),
        section(words("plans.turns"), el("ol", turns, class_="timeline")),
        section(words("plans.results"), _results(visit, plan.finalResults.data)),
    )


def _summary(visit: Visit, plan: PlanReport) -> Html:
    words, what = visit.words, plan.metadata
    return el(
        "p",
        badge(words.term("plan_status", plan.status), STATUS.get(plan.status, "")),
        el("span", words("plans.sure", share=f"{plan.finalResults.confidence:.0%}")),
        el("span", words("plans.took", turns=what.totalIterations, seconds=f"{what.totalTime:.2f}")),
        el("span", words("plans.remembered", count=what.cacheHits)),
        el("span", words("plans.better", share=f"{what.improvementRate:+.0%}")),
        el("span", cut(visit.say(plan.stopped), 200)),
        class_="summary",
    )


def _measures(visit: Visit, judged: Judgement) -> dict[str, float]:
    measured = {
        "keywordMatch": judged.keywordMatch,
        "patternMatch": judged.patternMatch,
        "semanticSimilarity": judged.semanticSimilarity,
        "coverage": judged.coverage,
        "precision": judged.precision,
        "recall": judged.recall,
    }
    return {visit.words.term("measure", name): value for name, value in measured.items()}


def _course(visit: Visit, plan: PlanReport) -> Html:
    """Return how the six measures went from turn to turn."""
    turns = [_measures(visit, turn.evaluation) for turn in plan.iterations]
    if not turns:
        return empty(visit.words("plans.no_turns"))
    return lines({name: [turn[name] for turn in turns] for name in turns[0]}, visit.words("plans.course"))


def _end(visit: Visit, plans: list[PlanReport]) -> Html:
    shapes = {cut(plan.goal, 60): _measures(visit, plan.finalResults.evaluation) for plan in plans}
    return radar(shapes, visit.words("plans.end"))


def _expected(visit: Visit, plan: PlanReport) -> Html:
    words, final = visit.words, plan.finalResults
    met = [badge(cut(text, 100), "good") for text in final.matchedExpectations]
    unmet = [badge(cut(text, 100), "bad") for text in final.unmatchedExpectations]
    rows = [(words("plans.met"), met or "–"), (words("plans.unmet"), unmet or "–")]
    rows += (
        [(words("plans.page"), el("code", cut(plan.structuredKnowledgePath, 300)))]
        if plan.structuredKnowledgePath
        else []
    )
    return section(words("plans.expected"), facts(rows))


def _turn(visit: Visit, turn: PlanIteration) -> Html:
    words = visit.words
    score = f"{turn.evaluationScore:.2f}"
    head = el(
        "div",
        el("h3", el("b", f"{turn.iterationNumber}. "), cut(turn.query, 300)),
        el(
            "span",
            badge(words.term("mode", turn.mode)),
            badge(words("plans.cached")) if turn.cached else None,
            class_="what",
        ),
        class_="head",
    )
    first = turn.actualResults[0] if turn.actualResults else None
    refined = el("ul", (el("li", cut(visit.say(text), 300)) for text in turn.refinements), class_="plain")
    return el(
        "li",
        head,
        bar(turn.evaluationScore, 1.0, words("plans.score", score=score)),
        notes(visit, [turn.error], "bad"),
        facts(
            [
                (words("plans.why"), cut(visit.say(turn.why), 300)),
                (words("plans.scored"), f"{score} · {words('plans.sure', share=f'''{turn.confidence:.0%}''')}"),
                (words("plans.feedback"), cut(visit.say(turn.feedback), 600)),
                (words("plans.refined"), refined if turn.refinements else ""),
                (
                    words("plans.best"),
                    place(visit, first.path, first.start_line, first.end_line) if first else "",
                ),
            ]
        ),
    )


def _results(visit: Visit, results: Sequence[PlanResult]) -> Html:
    words = visit.words
    rows = [
        (
            place(visit, one.path, one.start_line, one.end_line),
            el("code", cut(one.symbol, 120)),
            f"{one.score:.3g}",
        )
        for one in results
    ]
    heads = [words(f"plans.{name}") for name in ("place", "symbol", "points")]
    return table(heads, rows, words("plans.results"), (2,)) if rows else empty(words("plans.no_results"))


def _compared(visit: Visit, left: str, right: str) -> Html:
    """Return two plans side by side, their ends in one drawing."""
    words = visit.words
    plans = [visit.ask(operations.plan.show_plan, planId=one) for one in (left, right)]
    columns = [
        el(
            "section",
            el("h2", el("a", cut(plan.goal, 200), href=f"/plans?{urlencode({'id': plan.planId})}")),
            _summary(visit, plan),
            _course(visit, plan),
            _results(visit, plan.finalResults.data[:10]),
            class_="card",
        )
        for plan in plans
    ]
    return el(
        "div",
        el("p", el("a", f"← {words('plans.title')}", href="/plans")),
        heading(words("plans.compared")),
        section(words("plans.end"), _end(visit, plans)),
        el("div", columns, class_="split"),
    )


def _presets(visit: Visit) -> Html:
    words, found = visit.words, visit.ask(operations.plan.list_presets)
    rows = [
        (
            el("code", one.name),
            el(
                "div",
                cut(visit.say(one.description), 300),
                el("small", ", ".join(one.weights), class_="dim"),
                class_="wide-cell",
            ),
            [el("span", cut(word, 60), class_="chip") for word in (*one.keywords, *one.contentPatterns)],
            words("plans.at_least", count=one.minMatches, share=f"{one.confidence:.0%}"),
            cut(visit.say(one.source), 120),
        )
        for one in found.presets
    ]
    names = ("preset", "description", "expects", "enough", "source")
    taught = el("ul", (el("li", cut(text, 300)) for text in found.templates), class_="plain")
    return el(
        "div",
        section(
            words("plans.presets"),
            notes(visit, found.unusable, "bad"),
            table([words(f"plans.{name}") for name in names], rows, words("plans.presets")),
        ),
        section(words("plans.templates"), taught if found.templates else empty(words("plans.no_templates"))),
        class_="column",
    )


PLANS = Page("plans", _show)
