"""The agreement record: words people use, the symbol they mean, its code, and successes and failures."""

from msgspec import Struct

from shirube.engine.text.tokens import normalise, split_identifier
from shirube.features.map.states import Standing

AGREEMENT, CONVENTION = "agreement", "convention"
FAILURE_WEIGHT = 2
"""How many successes one failure outweighs."""


class Agreement(Struct, frozen=True):
    """One file of the map; a convention has no symbol."""

    nl_term: str
    symbol: str = ""
    doc_type: str = AGREEMENT
    path: str = ""
    """The file that defined the symbol when the agreement was bound."""
    line: int = 0
    """The symbol's first line then."""
    digest: str = ""
    """The digest of its code then (``check.fingerprint``)."""
    sketch: str = ""
    """A sketch of its code, which recognises it after edits and renames."""
    commit: str = ""
    """The commit that was checked out then."""
    similarity: float | None = None
    session_id: str = ""
    intent: str = ""
    learned_at: str = ""
    imported_at: str = ""
    """When it was taken in from elsewhere; from then on it counts as used."""
    last_used: str = ""
    successes: int = 0
    failures: int = 0
    standing: Standing = Standing.AGREED
    body: str = ""
    """The Markdown below the front matter, as people wrote it."""
    extra: tuple[str, ...] = ()
    """Unknown lines of front matter, preserved as they are."""
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
        """What identifies it: the term in normal form, and the symbol."""
        return plain_term(self.nl_term), self.symbol

    @property
    def label(self) -> str:
        """Its name in messages and lists: the term, and the symbol it means."""
        return f"{self.nl_term} → {self.symbol}" if self.symbol else self.nl_term

    @property
    def symbol_normalized(self) -> str:
        """The symbol as words: ``AuthService`` → ``auth service``."""
        return " ".join(split_identifier(self.symbol))

    @property
    def confidence(self) -> float:
        """The trust in it, from 0 to 1: it rises with successes and falls with failures."""
        good, bad = self.successes, FAILURE_WEIGHT * self.failures
        return round((good + 2) / (good + bad + 3), 3)


def plain_term(term: str) -> str:
    """Return a term in the form used for comparison: normalised characters, lower case, single spaces."""
    return " ".join(normalise(term).casefold().split())


def plain_symbol(symbol: str) -> str:
    """Return a symbol as the index names it: ``AuthService::login()`` → ``AuthService.login``."""
    name = normalise(symbol).strip().removesuffix("()")
    for mark in ("::", "->", "#", "\\"):
        name = name.replace(mark, ".")
    return name.strip(".")


def is_expired(agreement: Agreement, used: str, cutoff: str) -> bool:
    """Tell whether it was not used since ``cutoff``; times are ISO 8601, and an agreement without any never expires."""
    if agreement.standing == Standing.EXPIRED:
        return True
    last = max(agreement.learned_at, agreement.imported_at, agreement.last_used, used)
    return bool(last and cutoff) and last < cutoff
