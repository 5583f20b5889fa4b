"""What the file of an agreement is called: readable, safe on every file system, and never shared by two agreements."""

import unicodedata
from hashlib import sha256

LONGEST = 50
"""Characters of the term, and of the symbol: 50 kanji are 150 bytes, and a name may have 255."""
ENDING = ".md"
MARK = "~"
"""Stands before the digest and nowhere else."""
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}


def file_name(nl_term: str, symbol: str) -> str:
    """Return ``{nl_term}_{symbol}.md``: ``("ログイン機能", "AuthService")`` → ``"ログイン機能_AuthService.md"``.

    Blanks of the term become hyphens. Where the name would not tell two pairs apart (another character was replaced, a
    part was cut, or the term has hyphens or underscores of its own) a digest of the pair is added.
    """
    term, name = _safe(nl_term), _safe(symbol)
    plain = f"{term}_{name}" if symbol else term
    same = (term, name) == (nl_term.replace(" ", "-"), symbol) and not {"_", "-"} & set(nl_term)
    if same and plain.casefold() not in RESERVED:
        return plain + ENDING
    return with_digest(nl_term, symbol)


def with_digest(nl_term: str, symbol: str) -> str:
    """Return the longer name, for a pair whose plain name is taken."""
    plain = "_".join(part for part in (_safe(nl_term), _safe(symbol)) if part)
    digest = sha256(f"{nl_term}\0{symbol}".encode("utf-8", "replace")).hexdigest()[:8]
    return f"{plain}{MARK}{digest}{ENDING}"


def _safe(text: str) -> str:
    """Return text that may be part of a file's name everywhere; what may not becomes a hyphen."""
    composed = unicodedata.normalize("NFC", text)
    kept = "".join(char if _may_stay(char) else "-" for char in composed)
    return kept[:LONGEST].strip("-. ")


def _may_stay(char: str) -> bool:
    return char.isalnum() or char in "_-." or unicodedata.category(char) in ("Mn", "Mc")
