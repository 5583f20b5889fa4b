"""How much a session may break: what the frame says, raised by what is only half understood."""

from shirube.codec import replace
from shirube.features.guard.state import Confirmed, Session
from shirube.features.plan.frame import Risk, assess_risk
from shirube.features.plan.intent import Intent

RAISED = "raised"
"""The tier of a symbol that is accepted although it is not near (0.3 to 0.6): it makes the risk HIGH."""


def risk_of(session: Session) -> Risk:
    """Return the risk by seed 003's rules; a symbol of the middle tier raises it where something may be written."""
    writes = session.intent in (Intent.IMPLEMENT, Intent.MODIFY)
    if writes and any(one.approved and one.tier == RAISED for one in session.confirmed):
        return Risk.HIGH
    return assess_risk(session.intent, session.asked_frame)


def confirm(session: Session, *symbols: Confirmed) -> Session:
    """Return the session with symbols that were found to be what a term means; the latest word on each counts."""
    fresh = {(one.nl_term, one.symbol) for one in symbols}
    kept = tuple(one for one in session.confirmed if (one.nl_term, one.symbol) not in fresh)
    changed = replace(session, confirmed=(*kept, *symbols))
    return replace(changed, risk=risk_of(changed))
