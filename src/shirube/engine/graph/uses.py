"""A use of a name, how it was found and how sure that is; and a page of such uses."""

from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

from shirube.engine.graph.found import How, Reference
from shirube.engine.parse.mentions import CODE, COMMENT, STRING, TEXT
from shirube.messages import Message

CONFIDENCE = {How.SAME_FILE: 0.98, How.IMPORT_RESOLVED: 0.98, How.NAME_ONLY: 0.1}
"""Shares that a compiler or language server agreed with, rounded (benchmarks/symbols): 0.973 to 1 for the sure ones."""
ELSEWHERE = {COMMENT: 0.05, STRING: 0.05, TEXT: 0.05}
"""A guess, not measured, for a name in a comment, a string or prose, which may still break when it is renamed."""


TURNS = 3


def turn_of(one: Reference) -> int:
    """Return when a use is told: what is sure first, then what else is code, then comments, strings and prose."""
    if one.where != CODE:
        return 2
    return 1 if one.how == How.NAME_ONLY else 0


class Mark(NamedTuple):
    """Where a page begins: after this column of a line of a file, in one of the passes."""

    turn: int
    file: str
    line: int
    column: int


@dataclass(slots=True)
class Uses:
    """A page of references, and what was done for it."""

    items: list[Reference] = field(default_factory=list)
    next: Mark | None = None
    """Where the next page begins, when there is more."""
    files: int = 0
    """Files that have the name, …"""
    read: set[str] = field(default_factory=set)
    """… and those that were read for this page."""
    definitions: int = 0
    locals: int = 0
    """Places left out because they are the definition itself, or a local variable of the same name."""
    others: int = 0
    """Places left out because they surely mean another definition of the name."""
    unparsed: dict[str, int] = field(default_factory=dict)
    """Files looked at without a grammar, for each language."""
    degraded: tuple[Message, ...] = ()


class Page(Struct, frozen=True):
    """What part of an answer is wanted."""

    limit: int
    after: Mark | None = None
    prose: bool = True
    """Whether comments, strings and plain text belong to it."""
