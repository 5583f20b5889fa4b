"""Context: what to read for a goal, how it fills the budget, and what had to stay out."""

import re

from shirube import operations
from shirube.doors.web.charts import bar
from shirube.doors.web.frame import hidden_key
from shirube.doors.web.html import Html, cut, el
from shirube.doors.web.parts import (
    area,
    badge,
    code,
    empty,
    field,
    heading,
    marks_of,
    notes,
    place,
    reason_words,
    section,
    select,
    table,
    tried,
)
from shirube.doors.web.visit import Page, Visit
from shirube.features.lookup.results import BundleResult, ContextItem

BUDGET = 4000
ANSWERS = {"found": "good", "partial": "warn", "none": "", "unknown": "warn"}


def _show(visit: Visit) -> Html:
    words = visit.words
    found = tried(visit, _bundle) if visit.text("goal") else empty(words("context.empty"))
    return el("div", heading(words("context.title"), about=words("context.about")), _form(visit), found)


def _form(visit: Visit) -> Html:
    words, config = visit.words, visit.workspace.config.search
    profiles = [("", words("context.by_artifacts"))]
    profiles += [(name, words.term("profile", name)) for name in config.profiles if name != "default"]
    return el(
        "form",
        hidden_key(visit),
        area("goal", words("context.goal"), visit.text("goal"), 2, words("context.goal_hint")),
        el(
            "details",
            el("summary", words("context.artifacts")),
            el(
                "div",
                area("editing", words("context.editing"), visit.text("editing"), 2, "src/…"),
                area("tests", words("context.tests"), visit.text("tests"), 3),
                area("diff", words("context.diff"), visit.raw("diff"), 4),
                area("hints", words("context.hints"), visit.text("hints"), 2),
                class_="split",
            ),
            open=any(visit.text(name) for name in ("editing", "tests", "diff", "hints")),
        ),
        el(
            "div",
            field("budget", words("context.budget"), str(visit.number("budget", BUDGET)), inputmode="numeric"),
            select("profile", words("context.profile"), visit.text("profile"), profiles),
            el("button", words("context.go"), class_="button primary"),
            class_="row",
        ),
        method="post",
        action="/context/ask",
        class_="card",
    )


def _bundle(visit: Visit) -> Html:
    tests = visit.text("tests")
    result = visit.ask(
        operations.search.context_bundle,
        goal=visit.text("goal"),
        editing_path=visit.lines("editing"),
        failing_tests=[tests] if tests else [],
        last_diff=visit.raw("diff"),
        hints=visit.lines("hints"),
        budget=visit.number("budget", BUDGET),
        profile=visit.text("profile"),
    )
    marks = marks_of(visit.text("goal"))
    items = [_item(visit, item, marks, result.budget) for item in result.context]
    return el(
        "div",
        _summary(visit, result),
        notes(visit, result.warnings),
        el("ol", items, class_="hits") if items else empty(visit.say(result.next)),
        _omitted(visit, result),
        class_="column",
    )


def _summary(visit: Visit, result: BundleResult) -> Html:
    words, used, budget = visit.words, result.tokens_estimate, result.budget
    told = words("context.used", used=f"{used:,}", budget=f"{budget:,}", count=len(result.context))
    line = el(
        "p",
        badge(words.term("answer", result.answer), ANSWERS.get(result.answer, "")),
        badge(words.term("profile", result.profile)),
        el("span", told),
        class_="summary",
    )
    return el("section", el("h2", words("context.bundle")), line, bar(used, budget, told), class_="card")


def _item(visit: Visit, item: ContextItem, marks: re.Pattern[str] | None, budget: int) -> Html:
    words, (start, end) = visit.words, item.range
    symbol = el("code", cut(item.symbol, 200), class_="symbol") if item.symbol else None
    part = None if item.whole else badge(words("context.part"), "warn")
    head = el(
        "div",
        el("h3", place(visit, item.path, start, end)),
        el("span", badge(words.term("kind", item.kind)), symbol, part, class_="what"),
        class_="head",
    )
    tokens = words("context.tokens", count=f"{item.tokens:,}")
    cost = el("div", el("span", tokens, class_="dim"), bar(item.tokens, budget, tokens), class_="cost")
    why = el(
        "p",
        (el("span", cut(" ".join(reason_words(visit, tag)).strip(), 80), class_="chip") for tag in item.why),
        class_="also",
    )
    shown = code(item.preview, start, marks, cut(item.path, 200)) if item.preview else None
    return el("li", head, why, shown, cost, class_="hit", tabindex=-1)


def _omitted(visit: Visit, result: BundleResult) -> Html | None:
    if not result.omitted:
        return None
    words = visit.words
    rows = [
        (
            place(visit, item.path, *item.range),
            el("code", cut(item.symbol, 120)),
            f"{item.tokens:,}",
            words.term("omitted", item.reason),
        )
        for item in result.omitted
    ]
    heads = [words(f"context.{name}") for name in ("place", "symbol", "cost", "reason")]
    title = words("context.omitted", count=result.omitted_total)
    return section(title, table(heads, rows, title, (2,)))


CONTEXT = Page("context", _show, acts={"ask": _show})
