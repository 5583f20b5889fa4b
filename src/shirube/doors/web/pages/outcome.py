"""One session, looked back on: what was decided, how it turned out, what became of its files."""

from urllib.parse import urlencode

from shirube.doors.web.html import Html, cut, el
from shirube.doors.web.parts import badge, facts, heading, moment, section, table
from shirube.doors.web.visit import Visit
from shirube.features.guard.insight_results import AnalysisResult
from shirube.features.map.records import Decision

OUTCOMES = {"success": "good", "partial": "warn", "failure": "bad"}
"""How a session can end, and the colour of each end."""


def shown_outcome(visit: Visit, told: AnalysisResult) -> Html:
    """Return the page of one session's outcome."""
    words, decision = visit.words, told.decision or Decision(told.session_id)
    planned, point = told.analysis.tools_planned, told.analysis.failure_point
    decided = facts(
        [
            (words("ended.session"), _session(told.session_id)),
            (words("ended.intent"), words.term("intent", decision.intent) or "–"),
            (words("ended.planned"), ", ".join(planned) or "–"),
            (words("insights.point"), cut(words.term("point", point), 300) or "–"),
        ]
    )
    return el(
        "div",
        el("p", el("a", f"← {words('insights.title')}", href="/insights")),
        heading(cut(decision.query or told.session_id, 300)),
        section(words("ended.decided"), decided),
        _ends(visit, told),
        _files(visit, told.files),
    )


def _ends(visit: Visit, told: AnalysisResult) -> Html | None:
    words = visit.words
    rows = [
        (
            badge(words.term("outcome", one.outcome), OUTCOMES.get(one.outcome, "")),
            moment(one.timestamp),
            cut(one.analysis.root_cause or words.term("point", one.analysis.failure_point), 300) or "–",
            cut(one.analysis.user_feedback_summary or one.trigger_message, 300) or "–",
        )
        for one in told.outcomes
    ]
    heads = [words(key) for key in ("insights.outcomes", "insights.when", "ended.cause", "ended.feedback")]
    return section(words("insights.outcomes"), table(heads, rows, words("insights.outcomes"))) if rows else None


def _files(visit: Visit, files: dict[str, str]) -> Html | None:
    words = visit.words
    rows = [(el("code", cut(path, 300)), words.term("fate", fate)) for path, fate in files.items()]
    heads = (words("ended.file"), words("insights.fate"))
    return section(words("ended.files"), table(heads, rows, words("ended.files"))) if rows else None


def _session(handle: str) -> Html:
    return el("a", handle, href=f"/sessions?{urlencode({'id': handle})}")
