"""Records of what is found: a reference with its confidence, and a place that a change would affect."""

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
    """The text of the line, cut when it is very long."""
    where: str
    """code, comment, string or text (a file without a grammar)."""
    how: How
    confidence: float
    symbol: str
    """The symbol that encloses it."""
    definition: str
    """``path:line`` of the definition it refers to, when known."""


class Verify(Struct, frozen=True):
    """A place to check after a change, and why."""

    file: str
    line: int
    symbol: str
    role: str
    """What the file is for: implementation, test, doc, …"""
    reasons: tuple[Message, ...]
