"""The map page: the agreements, whether the code still matches them, conflicts, and forms to change them."""

from typing import Any

from markupsafe import Markup

from shirube import operations
from shirube.doors.web.visit import Act, Visit, WebPage
from shirube.features.map.results import AgreementView
from shirube.operation import Operation

MOST = 100
LINES = 12
"""Lines of code shown with each agreement."""
STATES = {"fresh": "good", "changed": "warn", "moved": "warn", "gone": "bad", "unbound": "quiet"}


def _show(visit: Visit) -> Markup:
    if visit.text("agreement"):
        return _agreement(visit, visit.text("agreement"))
    words = visit.words
    asked = {"query": visit.text("q"), "limit": MOST, "state": visit.text("state") or None, "preview_lines": LINES}
    found = visit.ask(operations.map.check_agreements, **asked)
    undecided = visit.ask(operations.map.list_conflicts)
    proposed = visit.ask(operations.map.list_proposals) if visit.text("proposals") else None  # it takes a second
    open_pages = {conflict.conflict for conflict in undecided.conflicts if conflict.kind == "page"}
    named = words.terms("map_state", STATES)
    shares = {term: found.states[name] for name, term in named if name in found.states}
    return visit.render(
        "map.html",
        found=found,
        undecided=undecided,
        proposed=proposed,
        listed=[view for view in found.agreements if view.agreement_file not in open_pages],
        choices=[("", words("map.any")), *((name, f"{term} ({found.states.get(name, 0)})") for name, term in named)],
        shares=shares,
        label=", ".join(f"{name} {count}" for name, count in shares.items()),
        hues={term: STATES[name] for name, term in named},
        name_of=name_of,
    )


def _agreement(visit: Visit, name: str) -> Markup:
    """Return the page of one agreement with its history."""
    past = visit.ask(operations.map.get_agreement_history, agreement=name)
    found = visit.ask(
        operations.map.check_agreements, query=name.partition(" → ")[0], limit=MOST, preview_lines=4 * LINES
    )
    listed = [view for view in found.agreements if name_of(view) == name]
    return visit.render("agreement.html", name=name, past=past, listed=listed, name_of=name_of)


def name_of(view: AgreementView) -> str:
    """Return the name that identifies this agreement."""
    pair = f"{view.nl_term} → {view.symbol}"
    return pair if view.symbol else view.agreement_file.rpartition("/")[2]


def _add(visit: Visit) -> str:
    symbols = [visit.text("symbol")] if visit.text("symbol") else []
    given = visit.texts("nl_term", "code_evidence", "path", "doc_type")
    visit.ask(operations.map.add_agreement, symbol=symbols, **given)
    return "/map?done=added"


def _change(done: str, operation: Operation[..., Any], *names: str, **given: bool) -> Act:
    """Return an act that runs an operation on an agreement with the form's fields of these names."""

    def act(visit: Visit) -> str:
        visit.ask(operation, **visit.texts("agreement", *names), **given)
        return f"/map?done={done}"

    return act


def _resolve(visit: Visit) -> str:
    result = visit.ask(operations.map.resolve_conflict, **visit.texts("conflict", "keep"))
    return f"/map?done=resolved{'#conflicts' if result.left else ''}"


def _merge(visit: Visit) -> str:
    result = visit.ask(operations.map.merge_agreements, **visit.texts("ours", "theirs", "base"))
    return "/map?done=merged" if result.clean else "/map?done=conflicts"


MAP = WebPage(
    "map",
    _show,
    acts={
        "add": _add,
        "edit": _change("edited", operations.map.edit_agreement, "symbol", "path", "code_evidence"),
        "confirm": _change("confirmed", operations.map.edit_agreement, confirm=True),
        "expire": _change("expired", operations.map.expire_agreement),
        "delete": _change("deleted", operations.map.expire_agreement, delete=True),
        "merge": _merge,
        "resolve": _resolve,
    },
)
