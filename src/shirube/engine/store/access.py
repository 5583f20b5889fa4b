"""Who may ask what of a server that machines share: the records, and what a request may see.

The tables are behind ``AccessTables``. What a request may see belongs to its thread of control, as its deadline does;
the database is told it with every question.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from msgspec import Struct


class Token(Struct, frozen=True):
    """A token as the owner of the database sees it; its secret is nowhere."""

    token: str
    """Its name, in lists and logs."""
    holder: str
    repositories: tuple[str, ...]
    """Names of repositories; an asterisk stands for anything."""
    requests: int
    """How many calls a minute it may make."""
    words: int
    """How many tokens of text a minute it may be given."""
    expires: str = ""
    """When it expires, in UTC."""
    made: str = ""
    revoked: str = ""


class Holder(Struct, frozen=True):
    """Whom a token belongs to that can be used now, and what it grants."""

    token: str
    holder: str
    requests: int
    words: int
    patterns: tuple[str, ...]


class AccessTables(Protocol):
    """The tokens and grants on one server; the first six are for its owner, the others for a server for many."""

    def make(self, token: Token, hashed: bytes, days: float) -> Token:
        """Keep a new token, by the hash of its secret; return it with its times."""

    def tokens(self) -> tuple[Token, ...]:
        """Return every token, the oldest first."""

    def revoke(self, token: str) -> bool:
        """Let a token be refused from now on; tell whether there is one of that name that was not revoked yet."""

    def make_database(self, name: str) -> None:
        """Make a database on this server, unless there is one of that name."""

    def make_role(self, role: str, password: str) -> None:
        """Make a role that owns nothing, or give it another password."""

    def let_serve(self, role: str) -> str:
        """Give a role what a server for many needs, and no more; return what only a superuser can do beside it."""

    def holder(self, hashed: bytes) -> Holder | None:
        """Return whom a token belongs to; None for one that is unknown, expired or revoked."""

    def granted(self, patterns: Sequence[str], wanted: Sequence[str], most: int) -> dict[str, int]:
        """Return the numbers of the repositories that are granted and wanted, by name in order, so many at most."""

    def branch(self, repo: int, form: str, preferred: Sequence[str]) -> str:
        """Return the first of some branches that a repository has, else the one written last; empty without any."""

    def close(self) -> None:
        """Close the connections."""


_VISIBLE: ContextVar[tuple[int, ...]] = ContextVar("visible", default=())


def visible() -> tuple[int, ...]:
    """Return the numbers of the repositories that this request may see; none where nothing was decided."""
    return _VISIBLE.get()


@contextmanager
def seeing(repositories: Sequence[int]) -> Iterator[None]:
    """Let this request see some repositories for the length of the ``with`` block."""
    before = _VISIBLE.set(tuple(repositories))
    try:
        yield
    finally:
        _VISIBLE.reset(before)
