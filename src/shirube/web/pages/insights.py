"""Insights: how sessions turned out, where they failed, and what was learnt from it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from shirube.errors import UsageError
from shirube.web.charts import bar, share
from shirube.web.html import Html, cut, el
from shirube.web.parts import badge, empty, facts, heading, moment, notes, section, table
from shirube.web.visit import Page, Visit

LAST = 60
"""Sessions whose end is drawn, the latest last."""
HUES = {"success": "good", "partial": "warn", "failure": "bad"}


def _show(visit: Visit) -> Html:
    if visit.text("id"):
        return _one(visit, visit.ask("get_session_analysis", session_id=visit.text("id")))
    words = visit.words
    stats, found = visit.ask("get_outcome_stats"), visit.ask("get_improvement_insights")
    ended = _ended(visit)
    if not stats["total"]:
        body = empty(words("insights.empty"))
    else:
        body = el("div", _overall(visit, stats), _time(visit, ended), class_="split")
    return el(
        "div",
        heading(words("insights.title"), about=words("insights.about")),
        body,
        notes(found["suggestions"], "good"),
        el("div", _points(visit, found), _survival(visit, found), class_="split") if stats["total"] else None,
        _rates(visit, "insights.tools", found["tool_failure_correlation"]),
        _rates(visit, "insights.risks", found["risk_level_correlation"]),
        _gate(visit),
    )


def _ended(visit: Visit) -> list[tuple[dict[str, Any], str]]:
    """Return the last sessions with how they ended, the latest last; those without an end have none."""
    ended = []
    for line in visit.ask("list_sessions", limit=LAST)["sessions"]:
        visit.deadline.check()
        try:
            told = visit.ask("get_session_analysis", session_id=line["session_id"])
        except UsageError:
            continue
        ended.append((line, told["analysis"]["final_outcome"] or ""))
    return ended[::-1]


def _overall(visit: Visit, stats: dict[str, Any]) -> Html:
    words = visit.words
    rows = [(words("insights.all"), stats["by_outcome"])]
    rows += [(words.term("intent", name), counts) for name, counts in stats["by_intent"].items()]
    rows += [(words.term("semantic", name), counts) for name, counts in stats["semantic"].items()]
    shown = [(name, _share(visit, name, counts), sum(counts.values())) for name, counts in rows]
    heads = [words(f"insights.{name}") for name in ("which", "outcomes", "count")]
    title = words("insights.overall")
    about = words("insights.automatic", count=stats["automatic"], total=stats["total"])
    return section(title, _key(visit), table(heads, shown, title, (2,)), el("p", about, class_="dim"))


def _share(visit: Visit, name: str, counts: Mapping[str, int]) -> Html:
    ordered = {visit.words.term("outcome", key): counts[key] for key in HUES if counts.get(key)}
    hues = {visit.words.term("outcome", key): hue for key, hue in HUES.items()}
    told = ", ".join(f"{key} {count}" for key, count in ordered.items())
    return share(ordered, f"{name}: {told}", hues)


def _key(visit: Visit) -> Html:
    items = [el("li", badge(visit.words.term("outcome", name), hue)) for name, hue in HUES.items()]
    return el("ul", items, class_="legend")


def _time(visit: Visit, ended: list[tuple[dict[str, Any], str]]) -> Html:
    """Return one mark for each session, day by day."""
    words = visit.words
    days: dict[str, list[Html]] = {}
    for line, outcome in ended:
        label = f"{cut(line['request'], 80)}: {words.term('outcome', outcome or 'open')}"
        address = f"/insights?{urlencode({'id': line['session_id']})}"
        mark = el(
            "a", el("span", label, class_="unseen"), href=address, title=label, class_=f"dot {HUES.get(outcome, '')}"
        )
        days.setdefault(line["created_at"][:10], []).append(mark)
    rows = [el("div", el("dt", day), el("dd", marks)) for day, marks in days.items()]
    shown = el("dl", rows, class_="days") if rows else empty(words("insights.no_sessions"))
    return section(words("insights.time"), shown)


def _points(visit: Visit, found: dict[str, Any]) -> Html:
    counts = found["common_failure_points"]
    most = max(counts.values(), default=0)
    words = visit.words
    rows = [(cut(name, 120), bar(count, most, f"{name} {count}", "warn"), count) for name, count in counts.items()]
    heads = [words(f"insights.{name}") for name in ("point", "share", "count")]
    title = words("insights.points")
    return section(title, table(heads, rows, title, (2,)) if rows else empty(words("insights.no_points")))


def _survival(visit: Visit, found: dict[str, Any]) -> Html:
    words, counts = visit.words, found["survival"]
    most = max(counts.values(), default=0)
    rows = [(words.term("fate", name), bar(count, most, f"{name} {count}"), count) for name, count in counts.items()]
    heads = [words(f"insights.{name}") for name in ("fate", "share", "count")]
    shown = table(heads, rows, words("insights.survival"), (2,)) if rows else empty(words("insights.no_files"))
    return section(words("insights.survival"), shown, facts([(words("insights.learnt"), cut(found["prior"], 400))]))


def _rates(visit: Visit, key: str, rates: Mapping[str, Mapping[str, float]]) -> Html | None:
    if not rates:
        return None
    words = visit.words
    rows = [
        (
            el("code", cut(name, 80)),
            bar(rate["failure_rate"], 1.0, f"{name} {rate['failure_rate']:.0%}", "low"),
            f"{rate['failure_rate']:.0%}",
            f"{rate['failures']:.0f} / {rate['total']:.0f}",
        )
        for name, rate in sorted(rates.items(), key=lambda item: (-item[1]["failure_rate"], item[0]))
    ]
    heads = [words(f"insights.{name}") for name in ("with", "failed", "rate", "count")]
    return section(words(key), table(heads, rows, words(key), (2, 3)))


def _gate(visit: Visit) -> Html:
    """Return how often a write was refused, and how often the same file was allowed later in the same session."""
    words, tally = visit.words, Counter[str]()
    for line in visit.ask("list_sessions", limit=LAST)["sessions"]:
        visit.deadline.check()
        checks = visit.ask("get_session_status", session_id=line["session_id"])["checks"]
        tally.update(_tally(checks))
    if not tally:
        return section(words("insights.gate"), empty(words("insights.no_checks")))
    whole = tally["allowed"] + tally["blocked"]
    rows = [
        (words(f"insights.{name}"), bar(tally[name], whole, f"{name} {tally[name]}", hue), tally[name])
        for name, hue in (("allowed", "good"), ("blocked", "low"), ("later", "warn"))
    ]
    heads = [words(f"insights.{name}") for name in ("verdict", "share", "count")]
    about = el("p", words("insights.gate_about"), class_="dim")
    return section(words("insights.gate"), table(heads, rows, words("insights.gate"), (2,)), about)


def _tally(checks: list[dict[str, Any]]) -> Counter[str]:
    tally: Counter[str] = Counter("allowed" if check["allowed"] else "blocked" for check in checks)
    refused: set[str] = set()
    for check in checks:
        if not check["allowed"]:
            refused.add(check["path"])
        elif check["path"] in refused:
            refused.discard(check["path"])
            tally["later"] += 1
    return tally


def _one(visit: Visit, told: dict[str, Any]) -> Html:
    """Return what was decided in one session, how it turned out, and what became of its files."""
    words, decision = visit.words, told["decision"] or {}
    rows = [
        (
            badge(words.term("outcome", one["outcome"]), HUES.get(one["outcome"], "")),
            moment(one["timestamp"]),
            cut(one["analysis"]["failure_point"] or one["analysis"]["root_cause"], 300),
            cut(one["analysis"]["user_feedback_summary"] or one["trigger_message"], 300),
        )
        for one in told["outcomes"]
    ]
    heads = [words(f"insights.{name}") for name in ("outcomes", "when", "cause", "feedback")]
    files = [(el("code", cut(path, 300)), words.term("fate", fate)) for path, fate in told["files"].items()]
    return el(
        "div",
        el("p", el("a", f"← {words('insights.title')}", href="/insights")),
        heading(cut(decision.get("query", "") or told["session_id"], 300)),
        section(
            words("insights.decided"),
            facts(
                [
                    (words("insights.session"), _session(told["session_id"])),
                    (words("insights.intent"), words.term("intent", decision.get("intent", "")) or "–"),
                    (words("insights.planned"), ", ".join(told["analysis"]["tools_planned"]) or "–"),
                    (words("insights.point"), cut(told["analysis"]["failure_point"], 300) or "–"),
                ]
            ),
        ),
        section(words("insights.outcomes"), table(heads, rows, words("insights.outcomes"))) if rows else None,
        section(
            words("insights.files"),
            table((words("insights.file"), words("insights.fate")), files, words("insights.files")),
        )
        if files
        else None,
    )


def _session(handle: str) -> Html:
    return el("a", handle, href=f"/sessions?{urlencode({'id': handle})}")


INSIGHTS = Page(
    "insights",
    ("get_outcome_stats", "get_improvement_insights", "get_session_analysis", "list_sessions", "get_session_status"),
    _show,
)
