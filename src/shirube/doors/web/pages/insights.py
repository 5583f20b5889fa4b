"""Insights: how sessions turned out, where they failed, what the gate refused, and whether learning helps."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from urllib.parse import urlencode

from shirube import operations
from shirube.doors.web.charts import bar, columns, dumbbell, share
from shirube.doors.web.html import Child, Html, cut, el
from shirube.doors.web.pages.outcome import OUTCOMES, shown_outcome
from shirube.doors.web.parts import badge, empty, facts, figures, heading, notes, section, table
from shirube.doors.web.visit import Page, Visit
from shirube.features.guard.insight_results import InsightsResult, StatsResult, ToldRate
from shirube.features.map.insights import Rate
from shirube.features.map.refusals import WriteRates

LATEST = 8
DAYS = 31
"""Days that are drawn one by one; more are gathered by month."""
VERDICTS = {"allow": "good", "advise": "warn", "block": "bad", "harmless": "quiet"}


def _show(visit: Visit) -> Html:
    if visit.text("id"):
        return shown_outcome(visit, visit.ask(operations.insights.get_session_analysis, session_id=visit.text("id")))
    words = visit.words
    stats = visit.ask(operations.insights.get_outcome_stats, latest=LATEST)
    found = visit.ask(operations.insights.get_improvement_insights)
    if not stats.total and not found.gate.checks and found.writes == WriteRates():
        body: list[Child] = [_start(visit)]
    else:
        body = [_tiles(visit, stats, found), _outcomes(visit, stats, found), _failures(visit, found)]
        body += [_guarded(visit, found), _learning(visit, found)]
    return el("div", heading(words("insights.title"), about=words("insights.about")), body)


def _start(visit: Visit) -> Html:
    """Return what to do while there is nothing to look back on."""
    steps = [el("li", visit.words(f"start.{name}")) for name in ("session", "outcome", "gate")]
    return section(visit.words("insights.empty"), el("ol", steps, class_="steps"))


def _tiles(visit: Visit, stats: StatsResult, found: InsightsResult) -> Html:
    words, gate, fates = visit.words, found.gate, found.survival
    known = sum(count for fate, count in fates.items() if fate != "unknown")
    rates = [
        ("success", stats.by_outcome.get("success", 0), stats.total),
        ("survived", fates.get("survived", 0), known),
        ("blocked_rate", gate.blocked + gate.advised, gate.checks),
    ]
    rows = [(words(f"insights.{name}"), _percent(part, whole), _of(visit, part, whole)) for name, part, whole in rates]
    wrong = "–" if gate.false_block_rate is None else f"{gate.false_block_rate:.0%}"
    unknown = words("insights.false_unknown") if gate.false_block_rate is None else words("insights.false_known")
    return figures([*rows, (words("insights.false_rate"), wrong, unknown)])


def _percent(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def _of(visit: Visit, part: int, whole: int) -> str:
    return visit.words("insights.of", part=f"{part:,}", whole=f"{whole:,}") if whole else visit.words("insights.none")


# --- outcomes ----------------------------------------------------------------------------------------------


def _outcomes(visit: Visit, stats: StatsResult, found: InsightsResult) -> Html | None:
    words = visit.words
    if not stats.total:
        return section(words("insights.time"), empty(words("start.outcome")))
    about = words("insights.automatic", count=stats.automatic, total=stats.total)
    over = section(
        words("insights.time"), _days(visit, stats.by_day, OUTCOMES, "outcome"), el("p", about, class_="dim")
    )
    rows = [(words("insights.all"), stats.by_outcome)]
    rows += [(words.term("intent", name), counts) for name, counts in stats.by_intent.items()]
    rows += [(words.term("semantic", name), counts) for name, counts in stats.semantic.items()]
    split = section(words("insights.overall"), _shares(visit, rows), notes(visit, found.suggestions, "good"))
    return el("div", el("div", over, split, class_="split"), _latest(visit, stats.latest), class_="stack-of")


def _days(visit: Visit, days: Mapping[str, Mapping[str, int]], kinds: Mapping[str, str], group: str) -> Html:
    """Return what happened day by day, or month by month where there is much of it, as a drawing and as a table."""
    words, rows = visit.words, _gathered(days)
    names = {kind: words.term(group, kind) for kind in kinds if any(kind in counts for counts in rows.values())}
    drawn = {
        words("insights.undated") if day == "unknown" else day: {names[kind]: counts.get(kind, 0) for kind in names}
        for day, counts in rows.items()
    }
    sums = {name: sum(counts[name] for counts in drawn.values()) for name in names.values()}
    label = ", ".join(f"{name} {count}" for name, count in sums.items())
    chart = columns(drawn, {names[kind]: kinds[kind] for kind in names}, label)
    heads = [words("insights.day"), *names.values()]
    listed = table(heads, [(day, *counts.values()) for day, counts in drawn.items()], label, range(1, len(heads)))
    return el("div", chart, el("details", el("summary", words("frame.as_table")), listed, class_="table"))


def _gathered(days: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Return every day from the first to the last, or the months when there are too many days to be drawn."""
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


def _shares(visit: Visit, rows: Sequence[tuple[str, Mapping[str, int]]]) -> Html:
    words = visit.words
    heads = [words(f"insights.{name}") for name in ("which", "outcomes", "success", "count")]
    shown = []
    for name, counts in rows:
        whole = sum(counts.values())
        parts = {words.term("outcome", kind): counts[kind] for kind in OUTCOMES if counts.get(kind)}
        label = f"{name}: " + ", ".join(f"{kind} {count}" for kind, count in parts.items())
        hues = {words.term("outcome", kind): hue for kind, hue in OUTCOMES.items()}
        shown.append((name, share(parts, label, hues), _percent(counts.get("success", 0), whole), whole))
    return table(heads, shown, words("insights.overall"), (2, 3))


def _latest(visit: Visit, latest: Sequence[ToldRate]) -> Html:
    words = visit.words
    rows = [
        (
            badge(words.term("outcome", one.outcome), OUTCOMES.get(one.outcome, "")),
            el("a", cut(one.request or one.session_id, 160), href=_address(one.session_id)),
            words.term("point", one.failure_point) if one.failure_point else "–",
            el("time", one.timestamp[:16].replace("T", " "), datetime=one.timestamp),
        )
        for one in latest
    ]
    heads = [words(f"insights.{name}") for name in ("outcomes", "request", "point", "when")]
    return section(words("insights.latest"), table(heads, rows, words("insights.latest")))


def _address(handle: str) -> str:
    return f"/insights?{urlencode({'id': handle})}"


# --- failures ----------------------------------------------------------------------------------------------


def _failures(visit: Visit, found: InsightsResult) -> Html:
    parts = (
        _points(visit, found.common_failure_points),
        _rates(visit, "insights.tools", found.tool_failure_correlation),
        _rates(visit, "insights.risks", found.risk_level_correlation, "risk"),
        _fates(visit, found.survival),
    )
    return el("div", parts, class_="split")


def _points(visit: Visit, counts: Mapping[str, int]) -> Html:
    words, most = visit.words, max(counts.values(), default=0)
    rows = []
    for name, count in counts.items():
        point = cut(words.term("point", name), 120)
        rows.append((point, bar(count, most, f"{point} {count}", "low"), count))
    heads = [words(f"insights.{name}") for name in ("point", "share", "count")]
    title = words("insights.points")
    return section(title, table(heads, rows, title, (2,)) if rows else empty(words("insights.no_points")))


def _rates(visit: Visit, key: str, rates: Mapping[str, Rate], group: str = "") -> Html | None:
    """Return how often it went wrong when something took part, against all."""
    if not rates:
        return None
    words = visit.words
    rows = []
    for name, rate in sorted(rates.items(), key=lambda item: (-item[1].failure_rate, -item[1].total, item[0])):
        percent = f"{rate.failure_rate:.0%}"
        called = words.term(group, name) if group else el("code", cut(name, 80))
        label = f"{name}: {percent}"
        counted = f"{rate.failures:.0f} / {rate.total:.0f}"
        rows.append((called, bar(rate.failure_rate, 1.0, label, "low"), percent, counted))
    heads = [words(f"insights.{name}") for name in ("with", "failed", "rate", "count")]
    return section(words(key), table(heads, rows, words(key), (2, 3)))


def _fates(visit: Visit, counts: Mapping[str, int]) -> Html:
    words, most = visit.words, max(counts.values(), default=0)
    hues = {"survived": "good", "edited": "", "reverted": "low", "removed": "low"}
    rows = []
    for name, count in counts.items():
        fate = words.term("fate", name)
        rows.append((fate, bar(count, most, f"{fate} {count}", hues.get(name, "quiet")), count))
    heads = [words(f"insights.{name}") for name in ("fate", "share", "count")]
    shown = table(heads, rows, words("insights.survival"), (2,)) if rows else empty(words("insights.no_files"))
    return section(words("insights.survival"), shown)


# --- what was refused --------------------------------------------------------------------------------------


def _guarded(visit: Visit, found: InsightsResult) -> Html:
    return el("div", _gate(visit, found), _writes(visit, found.writes), class_="split")


def _gate(visit: Visit, found: InsightsResult) -> Html:
    """Return what hooks of agents asked the gate, and how often it was wrong, as far as that can be seen."""
    words, gate = visit.words, found.gate
    if not gate.checks and not gate.found:
        return section(words("insights.gate"), empty(words("insights.no_gate")))
    counts = {"checks": gate.checks, "blocked": gate.blocked, "advised": gate.advised}
    counts |= {"lifted": gate.lifted, "harmless": gate.harmless, "found": gate.found}
    rows = [(words(f"gate_count.{name}"), f"{count:,}") for name, count in counts.items()]
    return section(
        words("insights.gate"),
        _days(visit, found.gate_days, VERDICTS, "verdict") if found.gate_days else None,
        facts(rows),
        el("p", words("insights.gate_about"), class_="dim"),
    )


def _writes(visit: Visit, writes: WriteRates) -> Html:
    words, whole = visit.words, writes.allowed + writes.blocked
    if not whole:
        return section(words("insights.writes"), empty(words("insights.no_checks")))
    rows = []
    counts = (
        ("allowed", writes.allowed, "good"),
        ("blocked", writes.blocked, "low"),
        ("lifted", writes.lifted, "warn"),
    )
    for name, count, hue in counts:
        label = words(f"insights.{name}")
        rows.append((label, bar(count, whole, f"{label} {count}", hue), count))
    heads = [words(f"insights.{name}") for name in ("verdict", "share", "count")]
    about = el("p", words("insights.writes_about"), class_="dim")
    return section(words("insights.writes"), table(heads, rows, words("insights.writes"), (2,)), about)


# --- learning ----------------------------------------------------------------------------------------------


def _learning(visit: Visit, found: InsightsResult) -> Html:
    words = visit.words
    rows = [(words.term("map_effect", name), counts) for name, counts in found.map_effect.items()]
    led = _shares(visit, rows) if rows else empty(words("start.outcome"))
    prior = facts([(words("insights.learnt"), visit.say(found.prior))])
    waiting = el("a", words("insights.measure"), href="/insights?measure=1", class_="button")
    later = el("div", waiting, data_later="/insights/part/learning")
    return el(
        "div",
        section(words("insights.by_map"), led, el("p", words("insights.by_map_about"), class_="dim")),
        section(words("insights.learning"), prior, _effect(visit) if visit.text("measure") else later),
        class_="split",
    )


def _effect(visit: Visit) -> Html:
    """Return past requests asked again: where their file stood without and with what was learnt before."""
    words, found = visit.words, visit.ask(operations.insights.get_learning_effect)
    counted = found.effect
    if not counted.requests:
        return el("p", visit.say(found.next), class_="dim")
    rows = [
        (
            el("a", cut(one.request, 100), href=_address(one.session_id)),
            dumbbell(one.rank_without, one.rank_with, words("insights.ranks", before=before, after=after)),
            f"{before} → {after}",
        )
        for one in found.replays
        for before, after in [(_rank(one.rank_without), _rank(one.rank_with))]
    ]
    firsts = words("insights.firsts", before=f"{counted.first_without:.0%}", after=f"{counted.first_with:.0%}")
    moved = words("insights.moved", requests=counted.requests, better=counted.better, worse=counted.worse)
    used = words("insights.in_use" if found.active else "insights.trial", bound=f"{found.prior:.0%}")
    heads = [words(f"insights.{name}") for name in ("request", "rank", "from_to")]
    lines = [el("p", line) for line in (firsts, moved)]
    return el(
        "div",
        lines,
        table(heads, rows, words("insights.learning"), (2,)),
        el("p", used, class_="dim"),
        class_="stack-of",
    )


def _rank(rank: int) -> str:
    return str(rank) if rank else "–"


INSIGHTS = Page(
    "insights",
    _show,
    parts={"learning": _effect},
)
