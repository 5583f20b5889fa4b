"""Map: what was agreed, whether the code still bears it out, what is agreed in two ways, and what to do about it."""

from shirube import operations
from shirube.doors.web.charts import share
from shirube.doors.web.frame import hidden_key
from shirube.doors.web.html import Html, cut, el, join
from shirube.doors.web.pages.agreement import STATES, name_of, shown_agreement, shown_past
from shirube.doors.web.pages.conflict import shown_conflicts
from shirube.doors.web.parts import area, done, empty, field, heading, note, notes, section, select
from shirube.doors.web.visit import Page, Visit
from shirube.features.map.results import AgreementsResult

MOST = 100
LINES = 12
"""Lines of code that are shown with each."""
HUES = {**STATES, "unbound": "quiet"}


def _show(visit: Visit) -> Html:
    words = visit.words
    if visit.text("agreement"):
        return _one(visit, visit.text("agreement"))
    asked = {"query": visit.text("q"), "limit": MOST, "state": visit.text("state") or None, "preview_lines": LINES}
    found = visit.ask(operations.map.check_agreements, **asked)
    undecided = visit.ask(operations.map.list_conflicts)
    open_pages = {one.conflict for one in undecided.conflicts if one.kind == "page"}
    listed = [one for one in found.agreements if one.agreement_file not in open_pages]
    cards = [shown_agreement(visit, one) for one in listed]
    return el(
        "div",
        heading(words("map.title"), about=words("map.about")),
        done(visit),
        notes(visit, found.degraded),
        join(note(words("map.problem", text=visit.say(text)), "bad") for text in found.problems),
        shown_conflicts(visit, undecided),
        _filter(visit, found),
        el("div", cards, class_="stack-of") if cards else empty(visit.say(found.next) or words("map.empty")),
        el("p", words("map.more", count=len(cards)), class_="dim") if found.truncated else None,
        el("div", _add(visit), _merge(visit), class_="split"),
    )


def _one(visit: Visit, name: str) -> Html:
    """Return one agreement with its past."""
    words = visit.words
    past = shown_past(visit, name)
    found = visit.ask(
        operations.map.check_agreements, query=name.partition(" → ")[0], limit=MOST, preview_lines=4 * LINES
    )
    cards = [shown_agreement(visit, one, alone=True) for one in found.agreements if name_of(one) == name]
    back = el("p", el("a", f"← {words('map.title')}", href="/map"))
    return el("div", back, heading(cut(name.removesuffix(".md"), 300)), cards, past)


def _filter(visit: Visit, found: AgreementsResult) -> Html:
    words = visit.words
    states = [("", words("map.any"))]
    states += [(name, f"{words.term('map_state', name)} ({found.states.get(name, 0)})") for name in STATES]
    line = el(
        "div",
        field("q", words("map.query"), visit.text("q")),
        select("state", words("map.state"), visit.text("state"), states),
        el("button", words("map.filter"), class_="button"),
        class_="row",
    )
    told = el("p", words("map.count", total=found.total, facts=found.facts), class_="summary")
    return el(
        "form", line, told, _states(visit, found.states), method="get", action="/map", class_="card", role="search"
    )


def _states(visit: Visit, states: dict[str, int]) -> Html | None:
    """Return how much of the map the code still bears out, as one bar."""
    if not states:
        return None
    named = {visit.words.term("map_state", name): states[name] for name in STATES if name in states}
    hues = {visit.words.term("map_state", name): hue for name, hue in HUES.items()}
    return share(named, ", ".join(f"{name} {count}" for name, count in named.items()), hues)


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
    visit.ask(operations.map.add_agreement, symbol=symbols, **given)
    return "/map?done=added"


def _do_edit(visit: Visit) -> str:
    given = {name: visit.text(name) for name in ("agreement", "symbol", "path", "code_evidence")}
    visit.ask(operations.map.edit_agreement, **given)
    return "/map?done=edited"


def _do_confirm(visit: Visit) -> str:
    visit.ask(operations.map.edit_agreement, agreement=visit.text("agreement"), confirm=True)
    return "/map?done=confirmed"


def _do_expire(visit: Visit) -> str:
    visit.ask(operations.map.expire_agreement, agreement=visit.text("agreement"))
    return "/map?done=expired"


def _do_delete(visit: Visit) -> str:
    visit.ask(operations.map.expire_agreement, agreement=visit.text("agreement"), delete=True)
    return "/map?done=deleted"


def _do_resolve(visit: Visit) -> str:
    result = visit.ask(operations.map.resolve_conflict, conflict=visit.text("conflict"), keep=visit.text("keep"))
    return f"/map?done=resolved{'#conflicts' if result.left else ''}"


def _do_merge(visit: Visit) -> str:
    result = visit.ask(
        operations.map.merge_agreements, **{name: visit.text(name) for name in ("ours", "theirs", "base")}
    )
    return "/map?done=merged" if result.clean else "/map?done=conflicts"


MAP = Page(
    "map",
    _show,
    acts={
        "add": _do_add,
        "edit": _do_edit,
        "confirm": _do_confirm,
        "expire": _do_expire,
        "delete": _do_delete,
        "merge": _do_merge,
        "resolve": _do_resolve,
    },
)
