"""One agreement: what it says, the code it rests on, what it has been through, and what to do about it."""

from urllib.parse import urlencode

from shirube import operations
from shirube.doors.web.frame import hidden_key
from shirube.doors.web.html import Html, cut, el
from shirube.doors.web.parts import area, badge, button, code, empty, facts, field, moment, place, section
from shirube.doors.web.visit import Visit
from shirube.features.map.results import AgreementEvent, AgreementView

STATES = {"fresh": "good", "changed": "warn", "moved": "warn", "gone": "bad", "unbound": ""}
STANDINGS = {"agreed": "good", "demoted": "warn", "expired": "bad"}
HAPPENED = {"learned": "accent", "success": "good", "failure": "bad", "partial": "warn"}


def shown_agreement(visit: Visit, one: AgreementView, *, alone: bool = False) -> Html:
    """Return the card of an agreement, in the list or alone; its colour tells what became of the code."""
    words = visit.words
    symbol = el("code", cut(one.symbol, 200), class_="symbol") if one.symbol else None
    badges = [
        badge(words.term("map_state", one.state), STATES.get(one.state, "")) if one.symbol else None,
        badge(words.term("standing", one.standing), STANDINGS.get(one.standing, "")),
        badge(words.term("certainty", one.certainty), "good" if one.certainty == "fact" else ""),
        badge(words.term("doc_type", one.doc_type)),
    ]
    head = el(
        "div",
        el("h2", cut(one.nl_term, 200), " → " if symbol else None, symbol),
        el("span", badges, class_="what"),
        class_="head",
    )
    acts = None if one.origin else _acts(visit, one, alone)
    kind = f"card edge-{STATES.get(one.state, '') or 'quiet'}"
    return el("section", head, _about(visit, one), _code(visit, one, alone), acts, class_=kind)


def _about(visit: Visit, one: AgreementView) -> Html:
    words = visit.words
    counts = words("agreement.counts", successes=one.successes, failures=one.failures)
    now = el("code", one.now_symbol) if one.now_symbol and one.now_symbol != one.symbol else ""
    evidence = el("blockquote", cut(one.evidence, 1200)) if one.evidence else ""
    past = el("span", words("agreement.learned"), " ", moment(one.learned_at), " · ", counts)
    where = place(visit, one.path, one.start_line, one.end_line) if one.path else ""
    return facts(
        [
            (words("agreement.why"), cut(visit.say(one.why), 400)),
            (words("agreement.where"), where),
            (words("agreement.now"), now),
            (words("agreement.evidence"), evidence),
            (words("agreement.history"), past),
            (words("agreement.used"), moment(one.last_used) if one.last_used else ""),
            (words("agreement.session"), _session(one.session_id)),
            (words("agreement.page"), el("code", cut(one.agreement_file, 300))),
            (words("agreement.origin"), cut(one.origin, 300)),
        ]
    )


def _session(handle: str) -> Html | str:
    return el("a", handle, href=f"/sessions?id={handle}") if handle.isidentifier() else cut(handle, 80)


def _code(visit: Visit, one: AgreementView, alone: bool) -> Html | None:
    """Return the lines it rests on as they are now; those of stale ones lie open, because they have to be read."""
    if not one.preview:
        return None
    lines = code(one.preview, one.start_line, None, cut(one.path, 200))
    count = one.preview.count("\n") + 1
    opened = alone or one.state not in ("fresh", "unbound")
    summary = el("summary", visit.words("agreement.lines", count=count))
    return el("details", summary, lines, class_="editing", open=opened)


def name_of(one: AgreementView) -> str:
    """Return what tells this agreement from all others."""
    pair = f"{one.nl_term} → {one.symbol}"
    return pair if one.symbol else one.agreement_file.rpartition("/")[2]


def _acts(visit: Visit, one: AgreementView, alone: bool) -> Html:
    words, name = visit.words, {"agreement": name_of(one)}
    hidden = (hidden_key(visit), el("input", type="hidden", name="agreement", value=name_of(one)))
    fields = el(
        "div",
        field("symbol", words("agreement.new_symbol"), placeholder=one.symbol),
        field("path", words("agreement.new_path"), placeholder=one.path),
        class_="row",
    )
    evidence = area("code_evidence", words("agreement.new_evidence"), rows=2)
    save = el("div", el("button", words("agreement.save"), class_="button primary"), class_="acts")
    form = el("form", hidden, fields, evidence, save, method="post", action="/map/edit", class_="stack-of")
    past = None if alone else el("a", words("agreement.past"), href=f"/map?{urlencode(name)}", class_="button")
    stale = one.symbol and (one.state != "fresh" or one.standing != "agreed")
    return el(
        "div",
        el(
            "div",
            button(visit, "/map/confirm", words("agreement.confirm"), name, "primary" if stale else ""),
            past,
            button(visit, "/map/expire", words("agreement.expire"), name) if one.standing != "expired" else None,
            button(visit, "/map/delete", words("agreement.delete"), name, "danger"),
            class_="acts",
        ),
        el("details", el("summary", words("agreement.edit")), form, class_="editing"),
        class_="stack-of",
    )


def shown_past(visit: Visit, name: str) -> Html:
    """Return what an agreement has been through, the latest first."""
    words, found = visit.words, visit.ask(operations.map.get_agreement_history, agreement=name)
    rows = [_happening(visit, one) for one in found.history]
    shown = el("ol", rows, class_="timeline") if rows else empty(words("agreement.no_past"))
    more = el("p", words("agreement.past_more"), class_="dim") if found.truncated else None
    return section(words("agreement.past_title"), shown, more)


def _happening(visit: Visit, one: AgreementEvent) -> Html:
    kind = badge(visit.words.term("happened", one.kind), HAPPENED.get(one.kind, ""))
    who = el("span", cut(one.who, 100), class_="dim")
    changes = [el("li", _change(visit, line)) for line in one.changes]
    return el(
        "li",
        el("div", el("h3", kind, " ", moment(one.at)), who, class_="head"),
        el("p", cut(one.what, 300)) if one.what else None,
        el("ul", changes, class_="plain") if changes else None,
        el("p", _session(one.session_id), class_="dim") if one.session_id else None,
    )


def _change(visit: Visit, line: str) -> list[Html | str]:
    name, colon, rest = line.partition(": ")
    return [visit.words.term("changed", name), colon, el("code", cut(rest, 200)) if rest else ""]
