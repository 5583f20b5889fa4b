"""Where is it kept?

Everything above speaks to the ``Store`` port: entries go in, candidates come out, and no query language
leaves this room. The embedded store keeps the truth in one SQLite file and projects it into a BM25 index; the
memory store is its twin for tests and small jobs; a distributed engine can stand behind the same port.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shirube.engine.store.port import (
        Ask,
        Candidate,
        Candidates,
        Change,
        Definition,
        Entry,
        Mentions,
        Store,
        Terms,
        Totals,
        Unembedded,
    )

__all__ = [
    "Ask",
    "Candidate",
    "Candidates",
    "Change",
    "Definition",
    "Entry",
    "Mentions",
    "Store",
    "Terms",
    "Totals",
    "Unembedded",
]


def __getattr__(name: str) -> Any:
    """Load the port when it is asked for: a hook that needs the journal alone pays for the journal alone."""
    if name in __all__:
        return getattr(import_module("shirube.engine.store.port"), name)
    raise AttributeError(f"module 'shirube.engine.store' has no attribute '{name}'")
