"""Map: what was agreed, whether the code still bears it out, and what to do about it."""

from typing import Any

from shirube.web.frame import hidden_key
from shirube.web.html import Html, cut, el
from shirube.web.parts import (
    area,
    badge,
    button,
    done,
    empty,
    facts,
    field,
    heading,
    moment,
    notes,
    place,
    section,
    select,
)
from shirube.web.visit import Page, Visit

MOST = 200
STATES = {"fresh": "good", "changed": "warn", "moved": "warn", "gone": "bad", "unbound": ""}
STANDINGS = {"agreed": "good", "demoted": "warn", "expired": "bad"}


def _show(visit: Visit) -> Html:
    words = visit.words
    asked = {"query": visit.text("q"), "limit": MOST, "state": visit.text("state") or None}
    found = visit.ask("check_agreements", **asked)
    cards = [_card(visit, one) for one in found["agreements"]]
    return el(
        "div",
        heading(words("map.title"), about=words("map.about")),
        done(visit),
        notes(found["degraded"]),
        notes((words("map.problem", text=text) for text in found["problems"]), "bad"),
        _filter(visit, found),
        el("div", cards, class_="stack-of") if cards else empty(found["next"] or words("map.empty")),
        el("p", words("map.more", count=len(cards)), class_="dim") if found["truncated"] else None,
        el("div", _add(visit), _merge(visit), class_="split"),
    )


def _filter(visit: Visit, found: dict[str, Any]) -> Html:
    words = visit.words
    states = [("", words("map.any"))]
    states += [(name, f"{words.term('map_state', name)} ({found['states'].get(name, 0)})") for name in STATES]
    line = el(
        "div",
        field("q", words("map.query"), visit.text("q")),
        select("state", words("map.state"), visit.text("state"), states),
        el("button", words("map.filter"), class_="button"),
        class_="row",
    )
    told = el("p", words("map.count", total=found["total"], facts=found["facts"]), class_="summary")
    return el("form", line, told, method="get", action="/map", class_="card", role="search")


def _card(visit: Visit, one: dict[str, Any]) -> Html:
    words = visit.words
    symbol = el("code", cut(one["symbol"], 200), class_="symbol") if one["symbol"] else None
    badges = [
        badge(words.term("map_state", one["state"]), STATES.get(one["state"], "")),
        badge(words.term("standing", one["standing"]), STANDINGS.get(one["standing"], "")),
        badge(words.term("certainty", one["certainty"]), "good" if one["certainty"] == "fact" else ""),
        badge(words.term("doc_type", one["doc_type"])),
    ]
    head = el(
        "div",
        el("h2", cut(one["nl_term"], 200), " → " if symbol else None, symbol),
        el("span", badges, class_="what"),
        class_="head",
    )
    return el("section", head, _about(visit, one), None if one["origin"] else _acts(visit, one), class_="card")


def _about(visit: Visit, one: dict[str, Any]) -> Html:
    words = visit.words
    counts = words("map.counts", successes=one["successes"], failures=one["failures"])
    now = el("code", one["now_symbol"]) if one["now_symbol"] and one["now_symbol"] != one["symbol"] else ""
    evidence = el("blockquote", cut(one["evidence"], 1200)) if one["evidence"] else ""
    return facts(
        [
            (words("map.why"), cut(one["why"], 400)),
            (words("map.where"), place(visit, one["path"], one["start_line"], one["end_line"]) if one["path"] else ""),
            (words("map.now"), now),
            (words("map.evidence"), evidence),
            (words("map.history"), el("span", words("map.learned"), " ", moment(one["learned_at"]), " · ", counts)),
            (words("map.used"), moment(one["last_used"]) if one["last_used"] else ""),
            (words("map.session"), _session(one["session_id"])),
            (words("map.page"), el("code", cut(one["agreement_file"], 300))),
            (words("map.origin"), cut(one["origin"], 300)),
        ]
    )


def _session(handle: str) -> Html | str:
    return el("a", handle, href=f"/sessions?id={handle}") if handle.isidentifier() else cut(handle, 80)


def _name(one: dict[str, Any]) -> str:
    """Return what tells this agreement from all others."""
    pair = f"{one['nl_term']} → {one['symbol']}"
    return pair if one["symbol"] else one["agreement_file"].rpartition("/")[2]


def _acts(visit: Visit, one: dict[str, Any]) -> Html:
    words, name = visit.words, {"agreement": _name(one)}
    hidden = (hidden_key(visit), el("input", type="hidden", name="agreement", value=_name(one)))
    fields = el(
        "div",
        field("symbol", words("map.new_symbol"), placeholder=one["symbol"]),
        field("path", words("map.new_path"), placeholder=one["path"]),
        class_="row",
    )
    evidence = area("code_evidence", words("map.new_evidence"), rows=2)
    save = el("button", words("map.save"), class_="button primary")
    form = el("form", hidden, fields, evidence, save, method="post", action="/map/edit", class_="stack-of")
    return el(
        "div",
        el(
            "div",
            button(visit, "/map/confirm", words("map.confirm"), name, "primary" if one["state"] != "fresh" else ""),
            button(visit, "/map/expire", words("map.expire"), name) if one["standing"] != "expired" else None,
            button(visit, "/map/delete", words("map.delete"), name, "danger"),
            class_="acts",
        ),
        el("details", el("summary", words("map.edit")), form, class_="editing"),
        class_="stack-of",
    )


def _add(visit: Visit) -> Html:
    words = visit.words
    kinds = [(kind, words.term("doc_type", kind)) for kind in ("agreement", "convention")]
    form = el(
        "form",
        hidden_key(visit),
        field("nl_term", words("map.term"), required=True),
        el(
            "div",
            field("symbol", words("map.symbol")),
            field("path", words("map.path")),
            select("doc_type", words("map.kind"), "agreement", kinds),
            class_="row",
        ),
        area("code_evidence", words("map.new_evidence"), rows=3),
        el("div", el("button", words("map.add"), class_="button primary"), class_="acts"),
        method="post",
        action="/map/add",
        class_="stack-of",
    )
    return section(words("map.add_title"), form)


def _merge(visit: Visit) -> Html:
    words = visit.words
    form = el(
        "form",
        hidden_key(visit),
        el("p", words("map.merge_about"), class_="dim"),
        field("ours", words("map.ours"), required=True),
        field("theirs", words("map.theirs"), required=True),
        field("base", words("map.ancestor")),
        el("div", el("button", words("map.merge"), class_="button"), class_="acts"),
        method="post",
        action="/map/merge",
        class_="stack-of",
    )
    return section(words("map.merge_title"), form)


def _do_add(visit: Visit) -> str:
    symbols = [visit.text("symbol")] if visit.text("symbol") else []
    given = {name: visit.text(name) for name in ("nl_term", "code_evidence", "path", "doc_type")}
    visit.ask("add_agreement", symbol=symbols, **given)
    return "/map?done=added"


def _do_edit(visit: Visit) -> str:
    given = {name: visit.text(name) for name in ("agreement", "symbol", "path", "code_evidence")}
    visit.ask("edit_agreement", **given)
    return "/map?done=edited"


def _do_confirm(visit: Visit) -> str:
    visit.ask("edit_agreement", agreement=visit.text("agreement"), confirm=True)
    return "/map?done=confirmed"


def _do_expire(visit: Visit) -> str:
    visit.ask("expire_agreement", agreement=visit.text("agreement"))
    return "/map?done=expired"


def _do_delete(visit: Visit) -> str:
    visit.ask("expire_agreement", agreement=visit.text("agreement"), delete=True)
    return "/map?done=deleted"


def _do_merge(visit: Visit) -> str:
    result = visit.ask("merge_agreements", **{name: visit.text(name) for name in ("ours", "theirs", "base")})
    return "/map?done=merged" if result["clean"] else "/map?done=conflicts"


MAP = Page(
    "map",
    ("check_agreements", "add_agreement", "edit_agreement", "expire_agreement", "merge_agreements"),
    _show,
    acts={
        "add": _do_add,
        "edit": _do_edit,
        "confirm": _do_confirm,
        "expire": _do_expire,
        "delete": _do_delete,
        "merge": _do_merge,
    },
)
