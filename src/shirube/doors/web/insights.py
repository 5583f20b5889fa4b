"""The insights page: how sessions ended, where they failed, what the gate refused, and whether learning helps."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from markupsafe import Markup
from msgspec import Struct

from shirube import operations
from shirube.doors.web.visit import Visit, WebPage
from shirube.features.map.insights import Rate, WriteRates
from shirube.features.map.records import Decision

LATEST = 8
DAYS = 31
"""The most days to draw one by one; longer periods are drawn by month."""
OUTCOMES = {"success": "good", "partial": "warn", "failure": "bad"}
"""The outcomes of a session, and the colour of each."""
VERDICTS = {"allow": "good", "advise": "warn", "block": "bad", "harmless": "quiet"}


class Days(Struct, frozen=True):
    """Counts by day, or by month for a long period, under names in the reader's language."""

    rows: Mapping[str, Mapping[str, int]]
    kinds: Mapping[str, str]
    """The colour of each kind."""
    heads: Mapping[str, str]
    label: str


class Share(Struct, frozen=True):
    """The outcomes of a group of sessions, under names in the reader's language."""

    name: str
    parts: Mapping[str, int]
    label: str
    success: int
    whole: int


def _show(visit: Visit) -> Markup:
    if visit.text("id"):
        told = visit.ask(operations.insights.get_session_analysis, session_id=visit.text("id"))
        decision = told.decision or Decision(told.session_id)
        return visit.render("outcome.html", told=told, decision=decision, colours=OUTCOMES)
    words = visit.words
    stats = visit.ask(operations.insights.get_outcome_stats, latest=LATEST)
    found = visit.ask(operations.insights.get_improvement_insights)
    rows = [(words("insights.all"), stats.by_outcome)]
    rows += [(words.term("intent", name), counts) for name, counts in stats.by_intent.items()]
    rows += [(words.term("semantic", name), counts) for name, counts in stats.semantic.items()]
    led = [(words.term("map_effect", name), counts) for name, counts in found.map_effect.items()]
    return visit.render(
        "insights.html",
        is_empty=not stats.total and not found.gate.checks and found.writes == WriteRates(),
        stats=stats,
        found=found,
        known_lines=sum(found.lines.values()),
        by_day=_days(visit, stats.by_day, OUTCOMES, "outcome"),
        gate_days=_days(visit, found.gate_days, VERDICTS, "verdict"),
        overall=_shares(visit, rows),
        led=_shares(visit, led),
        tools=_worst_first(found.tool_failure_correlation),
        risks=_worst_first(found.risk_level_correlation),
        colours=OUTCOMES,
        hues={words.term("outcome", kind): hue for kind, hue in OUTCOMES.items()},
        learned=visit.ask(operations.insights.get_learning_effect) if visit.text("measure") else None,
    )


def _learning(visit: Visit) -> Markup:
    return visit.render("insights_learning.html", learned=visit.ask(operations.insights.get_learning_effect))


def _days(visit: Visit, days: Mapping[str, Mapping[str, int]], kinds: Mapping[str, str], group: str) -> Days:
    words, rows = visit.words, gathered(days)
    names = {kind: words.term(group, kind) for kind in kinds if any(kind in counts for counts in rows.values())}
    drawn = {
        words("insights.undated") if day == "unknown" else day: {names[kind]: counts.get(kind, 0) for kind in names}
        for day, counts in rows.items()
    }
    sums = {name: sum(counts[name] for counts in drawn.values()) for name in names.values()}
    return Days(
        rows=drawn,
        kinds={names[kind]: kinds[kind] for kind in names},
        heads={"": words("insights.day"), **{name: name for name in names.values()}},
        label=", ".join(f"{name} {count}" for name, count in sums.items()),
    )


def gathered(days: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Return the counts of every day from the first to the last, or of months when there are too many days."""
    dated = [date.fromisoformat(day) for day in days if day[:1].isdigit()]
    span = (max(dated) - min(dated)).days + 1 if dated else 0
    if span <= DAYS:
        every = [str(min(dated) + timedelta(number)) for number in range(span)]
        return {day: dict(days.get(day, {})) for day in (*(day for day in days if not day[:1].isdigit()), *every)}
    months: dict[str, dict[str, int]] = {}
    for day, counts in days.items():
        month = months.setdefault(day[:7] if day[:1].isdigit() else day, {})
        for name, count in counts.items():
            month[name] = month.get(name, 0) + count
    return dict(list(months.items())[-DAYS:])


def _shares(visit: Visit, rows: Iterable[tuple[str, Mapping[str, int]]]) -> list[Share]:
    shares = []
    for name, counts in rows:
        parts = {visit.words.term("outcome", kind): counts[kind] for kind in OUTCOMES if counts.get(kind)}
        label = f"{name}: " + ", ".join(f"{kind} {count}" for kind, count in parts.items())
        shares.append(Share(name, parts, label, counts.get("success", 0), sum(counts.values())))
    return shares


def _worst_first(rates: Mapping[str, Rate]) -> list[tuple[str, Rate]]:
    return sorted(rates.items(), key=lambda item: (-item[1].failure_rate, -item[1].total, item[0]))


INSIGHTS = WebPage("insights", _show, parts={"learning": _learning})
