"""What an agreement can be: by its code, by people, and how far it carries a session."""

from enum import StrEnum


class State(StrEnum):
    """What became of the code an agreement rests on."""

    FRESH = "fresh"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    UNBOUND = "unbound"
    """Nobody has looked yet which code it rests on: written by hand, or brought from elsewhere."""


class Standing(StrEnum):
    """What people decided about an agreement, apart from its code."""

    AGREED = "agreed"
    DEMOTED = "demoted"
    """It led to a failure: a hypothesis until it is confirmed again."""
    EXPIRED = "expired"


class Tier(StrEnum):
    """How far an agreement carries a session (seed 004 §5.2); the step itself is taken by ``submit_understanding``."""

    READY = "ready"
    VERIFICATION = "verification"
    EXPLORATION = "exploration"
