"""Map: what was agreed, whether the code still bears it out, what is agreed in two ways, and what to do about it."""

from markupsafe import Markup

from shirube import operations
from shirube.doors.web.visit import Page, Visit
from shirube.features.map.results import AgreementView

MOST = 100
LINES = 12
"""Lines of code that are shown with each."""
STATES = {"fresh": "good", "changed": "warn", "moved": "warn", "gone": "bad", "unbound": "quiet"}


def _show(visit: Visit) -> Markup:
    if visit.text("agreement"):
        return _one(visit, visit.text("agreement"))
    words = visit.words
    asked = {"query": visit.text("q"), "limit": MOST, "state": visit.text("state") or None, "preview_lines": LINES}
    found = visit.ask(operations.map.check_agreements, **asked)
    undecided = visit.ask(operations.map.list_conflicts)
    open_pages = {one.conflict for one in undecided.conflicts if one.kind == "page"}
    named = words.terms("map_state", STATES)
    shares = {term: found.states[name] for name, term in named if name in found.states}
    return visit.render(
        "map.html",
        found=found,
        undecided=undecided,
        listed=[one for one in found.agreements if one.agreement_file not in open_pages],
        choices=[("", words("map.any")), *((name, f"{term} ({found.states.get(name, 0)})") for name, term in named)],
        shares=shares,
        label=", ".join(f"{name} {count}" for name, count in shares.items()),
        hues={term: STATES[name] for name, term in named},
        name_of=name_of,
    )


def _one(visit: Visit, name: str) -> Markup:
    """Return one agreement with its past."""
    past = visit.ask(operations.map.get_agreement_history, agreement=name)
    found = visit.ask(
        operations.map.check_agreements, query=name.partition(" → ")[0], limit=MOST, preview_lines=4 * LINES
    )
    listed = [one for one in found.agreements if name_of(one) == name]
    return visit.render("agreement.html", name=name, past=past, listed=listed, name_of=name_of)


def name_of(one: AgreementView) -> str:
    """Return what tells this agreement from all others."""
    pair = f"{one.nl_term} → {one.symbol}"
    return pair if one.symbol else one.agreement_file.rpartition("/")[2]


def _add(visit: Visit) -> str:
    symbols = [visit.text("symbol")] if visit.text("symbol") else []
    given = visit.texts("nl_term", "code_evidence", "path", "doc_type")
    visit.ask(operations.map.add_agreement, symbol=symbols, **given)
    return "/map?done=added"


def _edit(visit: Visit) -> str:
    visit.ask(operations.map.edit_agreement, **visit.texts("agreement", "symbol", "path", "code_evidence"))
    return "/map?done=edited"


def _confirm(visit: Visit) -> str:
    visit.ask(operations.map.edit_agreement, agreement=visit.text("agreement"), confirm=True)
    return "/map?done=confirmed"


def _expire(visit: Visit) -> str:
    visit.ask(operations.map.expire_agreement, agreement=visit.text("agreement"))
    return "/map?done=expired"


def _delete(visit: Visit) -> str:
    visit.ask(operations.map.expire_agreement, agreement=visit.text("agreement"), delete=True)
    return "/map?done=deleted"


def _resolve(visit: Visit) -> str:
    result = visit.ask(operations.map.resolve_conflict, **visit.texts("conflict", "keep"))
    return f"/map?done=resolved{'#conflicts' if result.left else ''}"


def _merge(visit: Visit) -> str:
    result = visit.ask(operations.map.merge_agreements, **visit.texts("ours", "theirs", "base"))
    return "/map?done=merged" if result.clean else "/map?done=conflicts"


MAP = Page(
    "map",
    _show,
    acts={
        "add": _add,
        "edit": _edit,
        "confirm": _confirm,
        "expire": _expire,
        "delete": _delete,
        "merge": _merge,
        "resolve": _resolve,
    },
)
