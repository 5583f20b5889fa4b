"""What a step answers: accepted or not, what is missing, and the very calls that lead on."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from shirube.messages import NOTHING, Message


class NextCall(Struct, frozen=True):
    """A call that would help, with its arguments."""

    operation: str
    arguments: Mapping[str, Any] = {}
    why: Message = NOTHING


class Lack(Struct, frozen=True):
    """A requirement that is not met: how much there is, and how much there has to be."""

    key: str
    have: int
    needed: int
    detail: str = ""


class Verdict(Struct, frozen=True):
    """The answer to a submission; a refusal leaves the session as it was."""

    accepted: bool
    message: Message = NOTHING
    errors: tuple[Message, ...] = ()
    """What was said and is not so, claim by claim."""
    lacks: tuple[Lack, ...] = ()
    reasons: tuple[str, ...] = ()
    """The reasons that ``submit_semantic`` will take for what is missing."""
    next: tuple[NextCall, ...] = ()
