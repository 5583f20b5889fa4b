"""What an agreement is: words people use, the symbol they mean, what that rests on, and how it fared."""

from msgspec import Struct

from shirube.engine.text.tokens import normalise, split_identifier
from shirube.features.map.states import Standing

AGREEMENT, CONVENTION = "agreement", "convention"
FAILURE_WEIGHT = 2
"""A failure says more against an agreement than one success says for it."""


class Agreement(Struct, frozen=True):
    """One file of the map; a convention has no symbol."""

    nl_term: str
    symbol: str = ""
    doc_type: str = AGREEMENT
    path: str = ""
    """The file that defines the symbol, …"""
    line: int = 0
    """… where it began when the agreement was made, …"""
    digest: str = ""
    """… what was written there (``binding.fingerprint``), …"""
    sketch: str = ""
    """… a rough picture of it, to know it again under another name, …"""
    commit: str = ""
    """… and the commit the work tree stood at."""
    similarity: float | None = None
    session_id: str = ""
    intent: str = ""
    learned_at: str = ""
    last_used: str = ""
    successes: int = 0
    failures: int = 0
    standing: Standing = Standing.AGREED
    body: str = ""
    """The Markdown below the front matter, as people wrote it."""
    extra: tuple[str, ...] = ()
    """Lines of front matter that are not ours: kept as they are."""
    file: str = ""
    """The name of its file."""
    origin: str = ""
    """The extra map it comes from; empty for the project's own."""

    @property
    def is_convention(self) -> bool:
        """Tell whether it is a rule of the project rather than the meaning of a word."""
        return self.doc_type == CONVENTION

    @property
    def key(self) -> tuple[str, str]:
        """What makes it this agreement and no other: the term in one spelling, and the symbol."""
        return plain_term(self.nl_term), self.symbol

    @property
    def label(self) -> str:
        """What it is called where others are: the term, and the symbol it means."""
        return f"{self.nl_term} → {self.symbol}" if self.symbol else self.nl_term

    @property
    def symbol_normalized(self) -> str:
        """The symbol as words: ``AuthService`` → ``auth service``."""
        return " ".join(split_identifier(self.symbol))

    @property
    def confidence(self) -> float:
        """How far it is to be trusted by how it fared, from 0 to 1: it rises with successes and falls with failures."""
        good, bad = self.successes, FAILURE_WEIGHT * self.failures
        return round((good + 2) / (good + bad + 3), 3)


def plain_term(term: str) -> str:
    """Return a term as it is compared: one form of each character, small letters, single blanks."""
    return " ".join(normalise(term).casefold().split())


def plain_symbol(symbol: str) -> str:
    """Return a symbol as the index names it: ``AuthService::login()`` → ``AuthService.login``."""
    name = normalise(symbol).strip().removesuffix("()")
    for mark in ("::", "->", "#", "\\"):
        name = name.replace(mark, ".")
    return name.strip(".")


def is_expired(agreement: Agreement, used: str, cutoff: str) -> bool:
    """Tell whether nobody used it since ``cutoff``; moments are ISO 8601, an agreement without any does not expire."""
    if agreement.standing == Standing.EXPIRED:
        return True
    last = max(agreement.learned_at, agreement.last_used, used)
    return bool(last and cutoff) and last < cutoff
