r"""What a user's pattern means: read once, then written for the engine that decides and for the one that sieves.

The syntax is RE2's, which has no backtracking and so no pattern that takes for ever. Every line is searched by
itself: ``^`` and ``$`` are its ends, and nothing matches a line break. ``\w``, ``\d`` and ``\s`` know all of
Unicode; ``\b`` knows ASCII letters only, because RE2's does.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from shirube.errors import BadArgument, ToolFailed
from shirube.messages import Message, say

MAX_PATTERN = 1_000
"""Characters of a pattern; a longer one is a pasted text, which is asked with ``search``."""
_KINDS = {
    r"\w": r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}",
    r"\W": r"\p{C}\p{No}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}",
    r"\d": r"\p{Nd}",
    r"\D": r"\P{Nd}",
    r"\s": r"\s\x0b\x{85}\p{Z}",
    r"\S": r"\x00-\x08\x0e-\x1f\x7f\p{L}\p{M}\p{N}\p{P}\p{S}",
}
"""Bodies of character classes; RE2 has no class inside a class, so the opposites are spelt out."""
_APART = r"[^\p{Lu}\p{Ll}\p{Lt}\p{M}\p{Nd}\p{Nl}\p{Pc}]"
"""What may stand beside a whole word: Japanese is written without spaces, so its letters part words too."""
_EDGES = {"^": "(?m:^)", r"\A": "(?m:^)", "$": "(?m:$)", r"\z": "(?m:$)", r"\Z": "(?m:$)"}
_SIGNS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}

_TOKEN = re.compile(
    r"""
      \\Q(?P<quoted>.*?)(?:\\E|\Z)
    | (?P<code>\\[xu]\{[0-9A-Fa-f]{1,6}\} | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4} | \\0[0-7]{0,2} | \\[1-7][0-7]{1,2})
    | (?P<back>\\[1-9] | \\[gk][<{'] | \(\?P=)
    | (?P<look>\(\?<?[=!])
    | (?P<atomic>\(\?>)
    | (?P<comment>\(\?\#)
    | (?P<condition>\(\?\()
    | (?P<byte>\\C)
    | (?P<edge>\\[bBAzZ] | [$^])
    | (?P<kind>\\[dDsSwW])
    | (?P<property>\\[pP](?:\{[^}]*\} | .))
    | (?P<escape>\\.)
    | (?P<bracket>\[\^?\]?(?:\[:[^\]:]*:\] | \\. | [^\]\\])*\])
    | (?P<group>\(\?(?:P?<[^>]*>|[imsU-]*:) | \((?!\?))
    | (?P<flags>\(\?[imsU-]+\))
    | (?P<close>\))
    | (?P<either>\|)
    | (?P<repeat>[*+?]\?? | \{\d+(?:,\d*)?\}\?? | \{,\d+\}\??)
    | (?P<dot>\.)
    | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_BRACKET = re.compile(r"\\u\{([0-9A-Fa-f]+)\}|\\u([0-9A-Fa-f]{4})|\\.", re.DOTALL)
_ADDED = re.compile(r"(\\u\{[0-9A-Fa-f]+\}|\\u[0-9A-Fa-f]{4}|\\Z)|\\.", re.DOTALL)
"""What RE2 does not know and we write otherwise."""
_UNSUPPORTED = ("look", "back", "atomic", "condition", "comment", "byte")
_TELLING = re.compile(r"\\|\||\.[*+?]|^\^|\$$|\[[^\]]+\]|\w[*+?]")


class Spelling(Struct, frozen=True):
    """How patterns are meant."""

    regex: bool = False
    ignore_case: bool = False
    word: bool = False


class Pattern(Struct, frozen=True):
    """A pattern, ready to be looked for in UTF-8."""

    text: str
    search: Callable[..., Any]
    """RE2's search in bytes, from a position to an end; nothing it finds crosses a line."""
    group: int
    """The group that is the match: 1 when what stands beside a word belongs to the expression."""
    size: int
    """How many steps of the engine's program a character may cost at worst."""
    sieve: str
    """An expression for ripgrep that matches at least the same lines; empty when it would match any."""
    fold: bool
    """Whether the sieve has to ignore case."""
    names_return: bool
    """Whether it speaks of carriage returns, so that those at the ends of lines count."""


def compile_pattern(text: str, spelling: Spelling) -> Pattern:
    """Return a pattern ready for use, or say what is wrong with it, where, and what to do instead."""
    _check(text)
    tokens = tuple(_tokens(text)) if spelling.regex else (_Token("quoted", text, 0, text),)
    if spelling.regex:
        _refuse_unsupported(text, tokens)
    body = "".join(_for_re2(token) for token in tokens)
    whole = _as_word(body, "" if spelling.regex else text) if spelling.word else body
    found = _re2(whole, spelling.ignore_case)
    if isinstance(found, str):
        raise _explained(text, tokens, found)
    fold = spelling.ignore_case or any("i" in token.text for token in tokens if token.kind in ("flags", "group"))
    return Pattern(
        text=text,
        search=found.search,
        group=int(spelling.word),
        size=found.programsize,
        sieve=_sieve(tokens, fold),
        fold=fold,
        names_return=any("\r" in token.letters or r"\r" in token.text for token in tokens),
    )


def looks_like_regex(text: str) -> bool:
    """Tell whether a plain text was perhaps meant as an expression."""
    return _TELLING.search(text) is not None


def _check(text: str) -> None:
    if not text:
        raise BadArgument("pattern.empty")
    if len(text) > MAX_PATTERN:
        raise BadArgument("pattern.too_long", count=len(text), most=MAX_PATTERN)
    if any(mark in text for mark in "\n\r\0"):
        raise BadArgument("pattern.line_break")


# --- reading -----------------------------------------------------------------------------------------------


class _Token(Struct, frozen=True):
    kind: str
    text: str
    at: int
    letters: str = ""
    """What it stands for, when that is certain characters."""


def _tokens(text: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text):
        kind = str(found.lastgroup)
        yield _Token(kind, found[0], found.start(), _letters(kind, found))


def _letters(kind: str, found: re.Match[str]) -> str:
    if kind in ("quoted", "plain"):
        return found[kind]
    if kind == "escape":
        return _SIGNS.get(found[0][1], found[0][1])
    if kind != "code":
        return ""
    digits = found[0].lstrip("\\xu{").rstrip("}")
    number = int(digits, 16) if found[0][1] in "xu" else int(found[0][1:], 8)
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else ""


def _refuse_unsupported(text: str, tokens: tuple[_Token, ...]) -> None:
    for token in tokens:
        if token.kind in _UNSUPPORTED:
            what, instead = say(f"pattern.{token.kind}"), say(f"pattern.instead_{token.kind}")
            raise BadArgument("pattern.not_possible", instead, what=what, **_at(text, token))
        if "\n" in token.letters:
            raise BadArgument("pattern.never_matches", **_at(text, token))
        if not text.isascii() and token.text in (r"\b", r"\B"):
            raise BadArgument("pattern.ascii_edge", **_at(text, token))


def _at(text: str, token: _Token) -> dict[str, Any]:
    """Return where in a pattern something is wrong."""
    return {"pattern": _named(text), "token": repr(token.text), "at": token.at + 1}


def _named(text: str) -> Message:
    return say("pattern.named", text=repr(text) if len(text) <= 80 else f"{text[:80]!r}…")


# --- the engine that decides -------------------------------------------------------------------------------


def _for_re2(token: _Token) -> str:
    if token.kind == "edge":
        return _EDGES.get(token.text, token.text)
    if token.kind == "kind":
        return f"[{_KINDS[token.text]}]"
    if token.kind == "bracket":
        return _IN_BRACKET.sub(_bracketed, token.text)
    if token.kind == "repeat":
        return token.text.replace("{,", "{0,")  # RE2 alone would take it for a text
    if token.kind in ("quoted", "code") and token.letters:
        return "".join(map(_escaped, token.letters))
    return token.text if token.kind != "quoted" else ""


def _as_word(body: str, text: str) -> str:
    """Return an expression for whole words; a plain text that ends in a letter without case needs no gap there."""
    before = "" if _is_caseless(text[:1]) else f"(?:(?m:^)|{_APART})"
    after = "" if _is_caseless(text[-1:]) else f"(?:(?m:$)|{_APART})"
    return f"{before}({body}){after}"


def _is_caseless(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in ("Lo", "Lm")


def _bracketed(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return f"\\x{{{code}}}" if code else _KINDS.get(found[0], found[0])


def _escaped(char: str) -> str:
    return char if char.isalnum() or char == "_" else f"\\x{{{ord(char):x}}}"


def _re2(expression: str, ignore_case: bool) -> Any:
    """Return the compiled expression, or what RE2 has against it."""
    try:
        import re2
    except ImportError:
        raise ToolFailed("pattern.no_engine") from None
    options = re2.Options()
    options.never_nl = True
    options.log_errors = False
    options.case_sensitive = not ignore_case
    re2.purge()  # it would keep the last hundred expressions, each with megabytes of states
    try:
        return re2.compile(expression.encode("utf-8", "replace"), options)
    except re2.error as error:
        return _words(error)


def _words(error: Exception) -> str:
    cause = error.args[0] if error.args else ""
    return cause.decode("utf-8", "replace") if isinstance(cause, bytes) else str(cause)


def _explained(text: str, tokens: tuple[_Token, ...], told: str) -> BadArgument:
    """Return the error about the pattern as it was written: RE2 speaks of what we made of it."""
    text, written = _ADDED.sub(lambda found: "a" * len(found[0]) if found[1] else found[0], text), text
    own = _re2(text, False)
    cause, _, part = (own if isinstance(own, str) else told).partition(": ")
    if not isinstance(own, str) or cause.startswith("pattern too large"):
        return BadArgument("pattern.too_large", pattern=_named(written))
    at = _place(text, tokens, own, part)
    where = say("pattern.at_character", at=at + 1) if at is not None else ""
    what = f": {part[:40]!r}" if part and part != text else ""
    return BadArgument("pattern.wrong", pattern=_named(written), cause=cause, where=where, part=what)


def _place(text: str, tokens: tuple[_Token, ...], told: str, part: str) -> int | None:
    if told.startswith(("missing )", "unexpected )")):
        return _unpaired(tokens)
    if told.startswith("missing ]"):
        return len(text) - len(part)
    if told.startswith("trailing"):
        return len(text) - 1
    low, high = 0, len(text)  # the shortest beginning that has the same fault ends with it
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _re2(text[:middle], False) == told else (middle + 1, high)
    return low - len(part) if text[:low].endswith(part) else None


def _unpaired(tokens: tuple[_Token, ...]) -> int | None:
    opened: list[int] = []
    for token in tokens:
        if token.kind == "group":
            opened.append(token.at)
        elif token.kind == "close":
            if not opened:
                return token.at
            opened.pop()
    return opened[-1] if opened else None


# --- the engine that sieves --------------------------------------------------------------------------------


def _sieve(tokens: tuple[_Token, ...], fold: bool) -> str:
    """Return an expression that matches at least the same lines: letters stay, every class becomes a dot.

    Both engines agree on letters; on what a class holds, on edges and on flags they need not.
    """
    parts = [_loosened(token, fold) for token in tokens]
    certain = any(not fold or char.isascii() for token in tokens for char in token.letters)
    return "".join(parts) if certain else ""


def _loosened(token: _Token, fold: bool) -> str:
    if token.letters:
        return "".join("." if fold and not char.isascii() else _rust(char) for char in token.letters)
    if token.kind == "group":
        return "(?:"
    if token.kind == "repeat":
        return token.text.replace("{,", "{0,")
    if token.kind in ("close", "either"):
        return token.text
    return "(?:)" if token.kind in ("edge", "flags", "quoted") else "."


def _rust(char: str) -> str:
    return char if char.isascii() and char.isalnum() else f"\\x{{{ord(char):x}}}"
