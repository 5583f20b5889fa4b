r"""Parses a user's pattern once, then writes it for the engine that decides (RE2) and for the sieve (ripgrep).

The syntax is RE2's, which has no backtracking and so no pattern that takes forever. Every line is searched by itself:
``^`` and ``$`` are its ends, and nothing matches a line break. ``\w``, ``\d`` and ``\s`` cover all of Unicode; ``\b``
only ASCII letters, as in RE2.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from shirube.errors import BadArgument, ToolFailed
from shirube.messages import Message, say

MAX_PATTERN = 1_000
"""The longest pattern in characters; a longer one is a pasted text, for which ``search`` is better."""
_KINDS = {
    r"\w": r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}",
    r"\W": r"\p{C}\p{No}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}",
    r"\d": r"\p{Nd}",
    r"\D": r"\P{Nd}",
    r"\s": r"\s\x0b\x{85}\p{Z}",
    r"\S": r"\x00-\x08\x0e-\x1f\x7f\p{L}\p{M}\p{N}\p{P}\p{S}",
}
"""Bodies of character classes; RE2 has no negated class inside a class, so the complements are spelt out."""
_APART = r"[^\p{Lu}\p{Ll}\p{Lt}\p{M}\p{Nd}\p{Nl}\p{Pc}]"
"""What may be next to a whole word: also Japanese letters, because Japanese is written without spaces."""
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
"""Syntax that RE2 lacks and that we rewrite."""
_UNSUPPORTED = ("look", "back", "atomic", "condition", "comment", "byte")
_TELLING = re.compile(r"\\|\||\.[*+?]|^\^|\$$|\[[^\]]+\]|\w[*+?]")


class Spelling(Struct, frozen=True):
    """How to read patterns: as regular expressions, without case, as whole words."""

    regex: bool = False
    ignore_case: bool = False
    word: bool = False


class Pattern(Struct, frozen=True):
    """A compiled pattern for UTF-8 text."""

    text: str
    search: Callable[..., Any]
    """RE2's search in bytes, from a position to an end; no match crosses a line break."""
    group: int
    """The group that is the match: 1 when the expression also includes the characters next to a word."""
    size: int
    """How many steps of the engine's program a character may take at worst."""
    sieve: str
    """An expression for ripgrep that matches at least the same lines; empty when it would match any."""
    fold: bool
    """Whether the sieve has to ignore case."""
    names_return: bool
    """Whether it mentions carriage returns, so that those at line ends must not be removed."""


def compile_pattern(text: str, spelling: Spelling) -> Pattern:
    """Return a compiled pattern, or raise an error that says what is wrong, where, and what to do instead."""
    if not text:
        raise BadArgument("pattern.empty")
    if len(text) > MAX_PATTERN:
        raise BadArgument("pattern.too_long", count=len(text), most=MAX_PATTERN)
    if any(mark in text for mark in "\n\r\0"):
        raise BadArgument("pattern.line_break")
    tokens = tuple(_tokens(text)) if spelling.regex else (_Token("quoted", text, 0, text),)
    if spelling.regex:
        _refuse_unsupported(text, tokens)
    body = "".join(_for_re2(token) for token in tokens)
    whole = _as_word(body, "" if spelling.regex else text) if spelling.word else body
    compiled = _re2(whole, spelling.ignore_case)
    if isinstance(compiled, str):
        raise _explained(text, tokens, compiled)
    fold = spelling.ignore_case or any("i" in token.text for token in tokens if token.kind in ("flags", "group"))
    return Pattern(
        text=text,
        search=compiled.search,
        group=int(spelling.word),
        size=compiled.programsize,
        sieve=_sieve(tokens, fold),
        fold=fold,
        names_return=any("\r" in token.letters or r"\r" in token.text for token in tokens),
    )


def looks_like_regex(text: str) -> bool:
    """Tell whether a plain text was perhaps meant as a regular expression."""
    return _TELLING.search(text) is not None


# --- reading -----------------------------------------------------------------------------------------------


class _Token(Struct, frozen=True):
    kind: str
    text: str
    at: int
    letters: str = ""
    """The characters it stands for, if it stands for fixed ones."""


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        yield _Token(kind, match[0], match.start(), _letters(kind, match))


def _letters(kind: str, match: re.Match[str]) -> str:
    if kind in ("quoted", "plain"):
        return match[kind]
    if kind == "escape":
        return _SIGNS.get(match[0][1], match[0][1])
    if kind != "code":
        return ""
    digits = match[0].lstrip("\\xu{").rstrip("}")
    number = int(digits, 16) if match[0][1] in "xu" else int(match[0][1:], 8)
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
    """Return the values for a message about a token: the pattern, the token and its position."""
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
        return token.text.replace("{,", "{0,")  # RE2 itself would read it as literal text
    if token.kind in ("quoted", "code") and token.letters:
        return "".join(char if char.isalnum() or char == "_" else f"\\x{{{ord(char):x}}}" for char in token.letters)
    return token.text if token.kind != "quoted" else ""


def _as_word(body: str, text: str) -> str:
    """Return an expression for whole words; next to a letter without case, such as kanji, anything may follow."""
    before = "" if _is_caseless(text[:1]) else f"(?:(?m:^)|{_APART})"
    after = "" if _is_caseless(text[-1:]) else f"(?:(?m:$)|{_APART})"
    return f"{before}({body}){after}"


def _is_caseless(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in ("Lo", "Lm")


def _bracketed(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return f"\\x{{{code}}}" if code else _KINDS.get(match[0], match[0])


def _re2(expression: str, ignore_case: bool) -> Any:
    """Return the compiled expression, or RE2's error message."""
    try:
        import re2
    except ImportError:
        raise ToolFailed("pattern.no_engine") from None
    options = re2.Options()
    options.never_nl = True
    options.log_errors = False
    options.case_sensitive = not ignore_case
    re2.purge()  # its cache would keep the last hundred expressions, each with megabytes of states
    try:
        return re2.compile(expression.encode("utf-8", "replace"), options)
    except re2.error as error:
        cause = error.args[0] if error.args else ""
        return cause.decode("utf-8", "replace") if isinstance(cause, bytes) else str(cause)


def _explained(text: str, tokens: tuple[_Token, ...], complaint: str) -> BadArgument:
    """Return an error about the pattern as the user wrote it; RE2's message is about our rewritten one."""
    text, written = _ADDED.sub(lambda match: "a" * len(match[0]) if match[1] else match[0], text), text
    own = _re2(text, False)
    cause, _, part = (own if isinstance(own, str) else complaint).partition(": ")
    if not isinstance(own, str) or cause.startswith("pattern too large"):
        return BadArgument("pattern.too_large", pattern=_named(written))
    at = _place(text, tokens, own, part)
    where = say("pattern.at_character", at=at + 1) if at is not None else ""
    what = f": {part[:40]!r}" if part and part != text else ""
    return BadArgument("pattern.wrong", pattern=_named(written), cause=cause, where=where, part=what)


def _place(text: str, tokens: tuple[_Token, ...], complaint: str, part: str) -> int | None:
    if complaint.startswith(("missing )", "unexpected )")):
        return _unpaired(tokens)
    if complaint.startswith("missing ]"):
        return len(text) - len(part)
    if complaint.startswith("trailing"):
        return len(text) - 1
    low, high = 0, len(text)  # the shortest prefix with the same error ends at the fault
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _re2(text[:middle], False) == complaint else (middle + 1, high)
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

    Both engines agree on letters, but perhaps not on classes, edges and flags.
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
