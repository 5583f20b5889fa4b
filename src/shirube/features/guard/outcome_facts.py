"""The seam between sessions and what is learned from them: a session as plain facts."""

from typing import TYPE_CHECKING

from shirube.features.guard.risk import confirm as confirm_in
from shirube.features.guard.session_store import change_session, load_session
from shirube.features.guard.state import Confirmed as Held
from shirube.features.guard.verdict import Verdict
from shirube.features.map.facts import Confirmed, SessionFacts
from shirube.features.map.log import read_facts

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def facts(workspace: "Workspace", session_id: str) -> SessionFacts:
    """Return what is known of a session, however old; refuse a handle that nobody gave out."""
    found = read_facts(workspace.journal, session_id)
    if found is None:
        load_session(workspace, session_id)  # says so, and what to do
        raise AssertionError("a session that is there has facts")
    return found


def confirm(workspace: "Workspace", session_id: str, symbols: tuple[Confirmed, ...]) -> SessionFacts:
    """Keep confirmed symbols with their session; the latest word on each counts, and doubt raises the risk."""
    held = tuple(
        Held(one.nl_term, one.symbol, one.path, one.evidence, one.similarity or 0.0, one.tier) for one in symbols
    )
    change_session(workspace, session_id, lambda session: (confirm_in(session, *held), Verdict(True)))
    return facts(workspace, session_id)
