"""The seam between sessions and what is learned from them: a session as plain facts."""

from typing import TYPE_CHECKING, Any

from shirube.errors import UnknownName
from shirube.outcomes.facts import Confirmed, SessionFacts
from shirube.outcomes.log import SESSION, read_facts

if TYPE_CHECKING:
    from shirube.workspace import Workspace

WRITERS = ("IMPLEMENT", "MODIFY")
RAISED = "raised"


def facts(workspace: "Workspace", session_id: str) -> SessionFacts:
    """Return what is known of a session, or refuse a handle that nobody gave out."""
    found = read_facts(workspace.journal, session_id)
    if found is None:
        known = (document.key for document in workspace.journal.documents(SESSION, 50))
        raise UnknownName("session", session_id, known)
    return found


def confirm(workspace: "Workspace", session_id: str, symbols: tuple[Confirmed, ...]) -> SessionFacts:
    """Keep confirmed symbols with their session; the latest word on each counts, and doubt raises the risk."""
    document = workspace.journal.get(SESSION, session_id)
    if document is None:
        return facts(workspace, session_id)
    fresh = {(one.nl_term, one.symbol) for one in symbols}
    before = [
        one for one in document.body.get("confirmed") or () if (one.get("nl_term"), one.get("symbol")) not in fresh
    ]
    body: dict[str, Any] = {**document.body, "confirmed": [*before, *map(_body, symbols)]}
    writes = str(body.get("intent", "")).upper() in WRITERS
    if writes and any(one.get("tier") == RAISED for one in body["confirmed"]):
        body["risk"] = "HIGH"
    workspace.journal.put(SESSION, session_id, body, expect=document.revision)
    return facts(workspace, session_id)


def _body(one: Confirmed) -> dict[str, Any]:
    return {**one._asdict(), "similarity": one.similarity or 0.0, "approved": True}
