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
    """What people made of an agreement, whatever the code does."""

    AGREED = "agreed"
    DEMOTED = "demoted"
    """It led to a failure: an idea again, until it is confirmed anew."""
    EXPIRED = "expired"


class Tier(StrEnum):
    """How far an agreement carries a session (seed 004 §5.2); the step itself is taken by ``submit_understanding``."""

    READY = "ready"
    VERIFICATION = "verification"
    EXPLORATION = "exploration"
