"""The pages, in the order in which they are shown; graph, map and insights have modules of their own."""

from typing import Any

from markupsafe import Markup
from msgspec import Struct

from shirube import operations
from shirube.doors.web.graph import GRAPH
from shirube.doors.web.html import cut
from shirube.doors.web.insights import INSIGHTS
from shirube.doors.web.map import MAP
from shirube.doors.web.rendering import marks_of
from shirube.doors.web.visit import Visit, WebPage
from shirube.errors import UsageError
from shirube.features.lookup.results import SearchResult
from shirube.features.plan.results import PlanReport
from shirube.types import Judgement, Mode

HITS, PAST, BUDGET, SKIPS, MOST = 10, 3, 4000, 200, 100
ANSWERS = {"found": "good", "partial": "warn", "none": "", "unknown": "warn"}
STATUS = {"success": "good", "partial": "warn", "failed": "bad"}
RISKS = {"HIGH": "bad", "MEDIUM": "warn", "LOW": "good"}
STATES = {"complete": "good", "building": "warn", "empty": "bad"}
MEASURES = ("keywordMatch", "patternMatch", "semanticSimilarity", "coverage", "precision", "recall")


class Ranking(Struct, frozen=True):
    """The result of one way of ranking, with a title where two are compared."""

    title: str
    result: SearchResult


def _search(visit: Visit) -> Markup:
    search = visit.workspace.config.search
    return visit.render(
        "search.html",
        modes=[mode.value for mode in Mode],
        profiles=[name for name in search.profiles if name != "default"],
        boosts=[name for name in search.boosts if name != "default"],
        languages=sorted(filter(None, visit.workspace.store.totals().languages)),
        **_search_values(visit),
    )


def _search_results(visit: Visit) -> Markup:
    return visit.render("search_results.html", **_search_values(visit))


def _search_values(visit: Visit) -> dict[str, Any]:
    """Return the results of one or two ways of ranking, or the error that prevented the search."""
    rankings: list[Ranking] = []
    past, error = None, None
    tails = ("", "2") if visit.text("compare") else ("",)
    try:
        rankings = [_ranking(visit, tail) for tail in tails if visit.text("q")]
        if rankings:  # past commits like the question, or the one that was chosen
            given = visit.texts("path", "commit")
            found = visit.ask(operations.search.past_changes, goal=visit.text("q"), limit=PAST, **given)
            past = found if found.changes else None
    except UsageError as refused:
        error = refused
    return {"columns": rankings, "past": past, "error": error, "marks": marks_of(visit.text("q")), "answers": ANSWERS}


def _ranking(visit: Visit, tail: str) -> Ranking:
    words, profile, boost = visit.words, visit.text(f"profile{tail}"), visit.text(f"boost{tail}")
    result = visit.ask(
        operations.search.search,
        query=visit.text("q"),
        limit=visit.number("limit", HITS),
        mode=visit.text("mode", "auto") or "auto",
        profile=profile,
        boost_profile=boost,
        path=visit.text("path"),
        languages=[visit.text("lang")] if visit.text("lang") else [],
    )
    named = filter(None, (words.term("profile", profile), words.term("boost", boost)))
    title = " · ".join(named) or words("search.usual_ranking")
    return Ranking(title if visit.text("compare") else "", result)


def _context(visit: Visit) -> Markup:
    result, error, budget = None, None, visit.number("budget", BUDGET)
    try:
        if visit.text("goal"):
            result = visit.ask(
                operations.search.context_bundle,
                goal=visit.text("goal"),
                editing_path=visit.lines("editing"),
                failing_tests=[visit.text("tests")] if visit.text("tests") else [],
                last_diff=visit.raw("diff"),
                hints=visit.lines("hints"),
                budget=budget,
                profile=visit.text("profile"),
            )
    except UsageError as refused:
        error = refused
    return visit.render(
        "context.html",
        result=result,
        error=error,
        budget=budget,
        profiles=[name for name in visit.workspace.config.search.profiles if name != "default"],
        marks=marks_of(visit.text("goal")),
        answers=ANSWERS,
    )


def _plans(visit: Visit) -> Markup:
    wanted = [visit.text(name) for name in ("id", "with") if visit.text("id") and visit.text(name)]
    if wanted:
        return _plan(visit, [visit.ask(operations.plan.show_plan, plan_id=handle, limit=MOST) for handle in wanted])
    found = visit.ask(operations.plan.list_plans, query=visit.text("q"), status=visit.text("status"), limit=MOST)
    known = visit.ask(operations.plan.list_presets)
    return visit.render("plans.html", plans=list(enumerate(found.plans)), known=known, status=STATUS)


def _plan(visit: Visit, plans: list[PlanReport]) -> Markup:
    """Return the page of one plan, or of two side by side with their final measures in one chart."""

    def measures(judged: Judgement) -> dict[str, float]:
        return {visit.words.term("measure", name): getattr(judged, name) for name in MEASURES}

    courses = []
    for plan in plans:
        turns = [measures(turn.evaluation) for turn in plan.iterations]
        courses.append({name: [turn[name] for turn in turns] for name in turns[0]} if turns else {})
    ends = {cut(plan.goal, 60): measures(plan.finalResults.evaluation) for plan in plans}
    return visit.render("plan.html", plans=plans, courses=courses, ends=ends, status=STATUS)


def _sessions(visit: Visit) -> Markup:
    if not visit.text("id"):
        return _sessions_list(visit, "sessions.html")
    one = visit.ask(operations.session.get_session_status, session_id=visit.text("id"), detailed=True)
    slots = [*one.slots.items(), *((name, None) for name in one.missing_slots)]
    return visit.render("session.html", one=one, slots=slots, numbered=list(enumerate(one.calls, 1)), risks=RISKS)


def _sessions_list(visit: Visit, template: str = "sessions_list.html") -> Markup:
    sessions = visit.ask(operations.session.list_sessions, limit=MOST).sessions
    return visit.render(template, sessions=sessions, risks=RISKS)


def _index(visit: Visit) -> Markup:
    status = visit.ask(operations.index.index_status, limit=SKIPS, look=bool(visit.text("look")))
    return visit.render("index.html", status=status, states=STATES)


def _index_live(visit: Visit) -> Markup:
    status = visit.ask(operations.index.index_status, limit=0, look=False)
    return visit.render("index_live.html", status=status, states=STATES)


def _index_fresh(visit: Visit) -> Markup:
    """Return whether the index matches the disk; a separate part, because checking every file may take long."""
    return visit.render("index_fresh.html", status=visit.ask(operations.index.index_status, limit=0))


def _sync(visit: Visit) -> str:
    visit.ask(operations.index.sync_index, full=visit.text("full") == "true", wait=False)
    return "/index?done=sync"


def _stop(visit: Visit) -> str:
    visit.ask(operations.index.sync_index, cancel=True)
    return "/index?done=stop"


PAGES: tuple[WebPage, ...] = (
    WebPage("search", _search, parts={"results": _search_results}),
    WebPage("context", _context, acts={"ask": _context}),
    GRAPH,
    WebPage("plans", _plans),
    WebPage("sessions", _sessions, parts={"list": _sessions_list}),
    MAP,
    INSIGHTS,
    WebPage("index", _index, parts={"live": _index_live, "fresh": _index_fresh}, acts={"sync": _sync, "stop": _stop}),
)
