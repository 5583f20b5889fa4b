"""May we write yet?

A session is one request on its way to an edit: what was asked, what was looked at, what was claimed, and in which
phase it stands. State is frozen, and every step is a pure function from a session and a submission to a session and a
verdict; what the index knows is handed in, and what the server recorded counts, not what somebody says of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shirube.session.evidence import Claims
    from shirube.session.facts import Facts
    from shirube.session.phases import allowed_operations, allows
    from shirube.session.state import Confirmed, Hypothesis, MapHit, Phase, Recorded, Session
    from shirube.session.verdict import Lack, NextCall, Verdict

__all__ = [
    "Claims",
    "Confirmed",
    "Facts",
    "Hypothesis",
    "Lack",
    "MapHit",
    "NextCall",
    "Phase",
    "Recorded",
    "Session",
    "Verdict",
    "allowed_operations",
    "allows",
]
_FROM = {
    "evidence": ("Claims",),
    "facts": ("Facts",),
    "phases": ("allowed_operations", "allows"),
    "state": ("Confirmed", "Hypothesis", "MapHit", "Phase", "Recorded", "Session"),
    "verdict": ("Lack", "NextCall", "Verdict"),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for: a hook that judges a write pays for that alone."""
    for module, names in _FROM.items():
        if name in names:
            return getattr(import_module(f"shirube.session.{module}"), name)
    raise AttributeError(f"module 'shirube.session' has no attribute '{name}'")
