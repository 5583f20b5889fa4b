"""What is found of uses: a reference, how sure it is, and a place that a change would touch."""

from enum import StrEnum

from msgspec import Struct

from shirube.messages import Message


class How(StrEnum):
    """How a reference was found."""

    IMPORT_RESOLVED = "import_resolved"
    SAME_FILE = "same_file"
    NAME_ONLY = "name_only"


class Reference(Struct, frozen=True):
    """One use of a name."""

    file: str
    line: int
    column: int
    end_column: int
    content: str
    """The line, cut when it is very long."""
    where: str
    """code, comment, string or text (a file without a grammar)."""
    how: How
    confidence: float
    symbol: str
    """What encloses it."""
    definition: str
    """``path:line`` of what it means, when that is known."""


class Verify(Struct, frozen=True):
    """A place to look at, and why."""

    file: str
    line: int
    symbol: str
    role: str
    """What the file is for: implementation, test, doc, …"""
    reasons: tuple[Message, ...]
