"""The states of an agreement: of its code, by people's decision, and how much exploration it saves a session."""

from enum import StrEnum


class State(StrEnum):
    """What happened to the code an agreement depends on."""

    FRESH = "fresh"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    UNBOUND = "unbound"
    """Not yet bound to code: written by hand, or imported."""


class Standing(StrEnum):
    """What people decided about an agreement, apart from its code."""

    AGREED = "agreed"
    DEMOTED = "demoted"
    """It led to a failure: a hypothesis until it is confirmed again."""
    EXPIRED = "expired"


class Tier(StrEnum):
    """The phase an agreement leads to (seed 004 §5.2); ``submit_understanding`` takes the step itself."""

    READY = "ready"
    VERIFICATION = "verification"
    EXPLORATION = "exploration"
