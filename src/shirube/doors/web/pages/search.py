"""Search: results while one types, each score taken apart, two ways of ranking side by side."""

import re
from collections.abc import Iterable, Sequence

from shirube import operations
from shirube.doors.web.charts import HUES, bar, stack
from shirube.doors.web.html import Html, cut, el, join
from shirube.doors.web.parts import (
    badge,
    code,
    empty,
    field,
    heading,
    marks_of,
    note,
    notes,
    place,
    reason_words,
    select,
    tried,
)
from shirube.doors.web.visit import Page, Visit
from shirube.features.lookup.results import SearchResult
from shirube.types import Hit, MapHit, Mode, Place, Reason

LIMIT = 10
MOST_REASONS = 12
ANSWERS = {"found": "good", "partial": "warn", "none": "", "unknown": "warn"}


def _show(visit: Visit) -> Html:
    words = visit.words
    found = el("div", _results(visit), id="results", aria_live="polite", aria_busy="false")
    return el("div", heading(words("search.title"), about=words("search.about")), _form(visit), found)


def _form(visit: Visit) -> Html:
    words = visit.words
    query = el(
        "input",
        type="search",
        name="q",
        value=visit.text("q"),
        autofocus=True,
        autocomplete="off",
        spellcheck="false",
        placeholder=words("search.placeholder"),
        aria_label=words("search.query"),
        class_="wide",
    )
    modes = [(mode.value, words.term("mode", mode.value)) for mode in Mode]
    narrow = el(
        "div",
        _ranking(visit, "", ""),
        select("mode", words("search.mode"), visit.text("mode", "auto"), modes),
        field("path", words("search.path"), visit.text("path"), placeholder="src/**"),
        select("lang", words("search.language"), visit.text("lang"), _languages(visit)),
        class_="row",
    )
    second = el(
        "fieldset",
        el(
            "label",
            el("input", type="checkbox", name="compare", value="1", checked=bool(visit.text("compare"))),
            el("span", words("search.compare")),
            class_="check",
        ),
        el("div", _ranking(visit, "2", words("search.second")), class_="row"),
        class_="second",
    )
    submit = el("button", words("search.go"), class_="button primary")
    line = el("div", query, submit, class_="ask")
    options = {"action": "/search", "role": "search", "data_live": "/search/part/results", "data_into": "results"}
    return el("form", line, narrow, second, method="get", class_="card", **options)


def _ranking(visit: Visit, tail: str, label: str) -> Html:
    """Return the two switches that decide the order: what for, and which files first."""
    words, config = visit.words, visit.workspace.config.search
    usual = [("", words("search.usual"))]
    profiles = usual + [(name, words.term("profile", name)) for name in config.profiles if name != "default"]
    boosts = usual + [(name, words.term("boost", name)) for name in config.boosts if name != "default"]
    return join(
        (
            select(f"profile{tail}", f"{label}{words('search.profile')}", visit.text(f"profile{tail}"), profiles),
            select(f"boost{tail}", f"{label}{words('search.boost')}", visit.text(f"boost{tail}"), boosts),
        )
    )


def _languages(visit: Visit) -> list[tuple[str, str]]:
    known = visit.workspace.store.totals().languages
    return [("", visit.words("search.any")), *((name, name) for name in sorted(known) if name)]


def _results(visit: Visit) -> Html:
    return tried(visit, _columns)


def _columns(visit: Visit) -> Html:
    if not visit.text("q"):
        return _welcome(visit)
    first = _column(visit, "")
    if not visit.text("compare"):
        return first
    return el("div", first, _column(visit, "2"), class_="columns")


def _welcome(visit: Visit) -> Html:
    words = visit.words
    keys = [("/", words("search.key_focus")), ("↓ j k", words("search.key_move")), ("Enter", words("search.key_open"))]
    rows = [el("li", el("kbd", key), " ", told) for key, told in keys]
    return el("div", el("p", words("search.welcome")), el("ul", rows, class_="keys"), class_="empty")


def _column(visit: Visit, tail: str) -> Html:
    asked = {
        "query": visit.text("q"),
        "limit": visit.number("limit", LIMIT),
        "mode": visit.text("mode", "auto") or "auto",
        "profile": visit.text(f"profile{tail}"),
        "boost_profile": visit.text(f"boost{tail}"),
        "path": visit.text("path"),
        "languages": [visit.text("lang")] if visit.text("lang") else [],
    }
    result = visit.ask(operations.search.search, **asked)
    hits = (*result.map_hits, *result.forest_hits)
    title = _name(visit, tail) if visit.text("compare") else None
    return el(
        "section",
        el("h2", title) if title else el("h2", visit.words("search.results"), class_="unseen"),
        _summary(visit, result),
        notes(visit, result.degraded),
        _stale(visit, result),
        _list(visit, hits) if hits else empty(visit.say(result.next)),
        class_="column",
    )


def _name(visit: Visit, tail: str) -> str:
    words = visit.words
    profile, boost = visit.text(f"profile{tail}"), visit.text(f"boost{tail}")
    named = [words.term("profile", profile), words.term("boost", boost)]
    return " · ".join(filter(None, named)) or words("search.usual_ranking")


def _summary(visit: Visit, result: SearchResult) -> Html:
    words = visit.words
    shown = len(result.map_hits) + len(result.forest_hits)
    parts = [badge(words.term("answer", result.answer), ANSWERS[result.answer])]
    if result.forest_hits:
        parts.append(el("span", words("search.sure", share=f"{result.confidence:.0%}")))
        parts.append(el("span", words("search.shown", shown=shown, total=f"{max(result.total, shown):,}")))
    if result.short_circuit:
        parts.append(badge(words("search.map_first"), "good"))
    return el("p", parts, class_="summary")


def _stale(visit: Visit, result: SearchResult) -> Html | None:
    stale = result.freshness.stale_files
    return note(visit.words("search.stale", files=", ".join(stale[:5]))) if stale else None


def _list(visit: Visit, hits: Sequence[Hit]) -> Html:
    most = max((hit.score for hit in hits), default=1.0)
    marks = marks_of(visit.text("q"))
    return el("ol", (_hit(visit, hit, most, marks) for hit in hits), class_="hits")


def _hit(visit: Visit, hit: Hit, most: float, marks: re.Pattern[str] | None) -> Html:
    symbol = el("code", cut(hit.symbol, 200), class_="symbol") if hit.symbol else None
    agreed = badge(visit.words("search.agreed"), "good") if isinstance(hit, MapHit) else None
    head = el(
        "div",
        el("h3", place(visit, hit.path, hit.start_line, hit.end_line)),
        el("span", agreed, badge(visit.words.term("kind", hit.kind)), symbol, class_="what"),
        class_="head",
    )
    shown = code(hit.preview, hit.start_line, marks, cut(hit.path, 200)) if hit.preview else None
    return el("li", head, shown, _score(visit, hit, most), _also(visit, hit), class_="hit", tabindex=-1)


def _score(visit: Visit, hit: Hit, most: float) -> Html:
    """Return the score as the sum it is: a bar of its parts, and each part by itself when opened."""
    reasons = sorted(hit.why, key=lambda one: -one.points)
    parts = [(one.name, one.points) for one in reasons if one.points > 0][:MOST_REASONS]
    label = visit.words("search.score", score=f"{hit.score:.3g}")
    rows = [_reason(visit, one, number, hit.score) for number, one in enumerate(reasons[:MOST_REASONS])]
    left = len(reasons) - MOST_REASONS
    rest = el("p", visit.words("search.more_reasons", count=left), class_="dim") if left > 0 else None
    summary = el("summary", el("span", label, class_="dim"), stack(parts, most, label))
    key = f"{hit.path}:{hit.start_line}"
    return el("details", summary, el("ul", rows, class_="reasons"), rest, class_="score", data_key=key)


def _reason(visit: Visit, reason: Reason, number: int, score: float) -> Html:
    told, what = reason_words(visit, reason.name)
    detail = " ".join(filter(None, (what, visit.say(reason.detail))))
    points = f"{reason.points:+.3g}"
    return el(
        "li",
        el("span", told, el("span", f" {cut(detail, 120)}", class_="dim") if detail else None),
        el("span", bar(reason.points, score, f"{told} {points}"), class_=f"h{number % HUES}"),
        el("span", points, class_="num"),
    )


def _also(visit: Visit, hit: Hit) -> Html | None:
    if not hit.also:
        return None
    return el("p", visit.words("search.also"), " ", join(_places(hit.also)), class_="also")


def _places(spots: Iterable[Place]) -> Iterable[Html]:
    for spot in spots:
        symbol = f" {cut(spot.symbol, 80)}" if spot.symbol else ""
        yield el("span", f"{spot.start_line}-{spot.end_line}{symbol}", class_="chip")


SEARCH = Page("search", _show, parts={"results": _results})
