"""Does this command line only read? A small reader of shell: whatever it does not understand is no reading.

Understood are words, quotes, simple variables, pipes, lists, subshells, command substitution and redirections. A word
whose text is only known when it runs (``$X``, ``*``, ``$(…)``) is opaque, and only programs that are harmless whatever
they are told may be given one. Comments, here-documents, background jobs, loops and functions are not understood.
"""

import re
from collections.abc import Sequence

from shirube.features.guard.programs import only_reads, words_of

LONGEST = 20_000
"""Nobody types a longer command to read something."""
DEEPEST = 8
_BLANK = " \t"
_SEPARATORS = ("\n", "&&", "||", "|&", "|", ";")
_VARIABLE = re.compile(r"\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*|[0-9?#$@*])")
_REDIRECTION = re.compile(r"(\d*|&)(<<<|>>|>\||>&|<&|<|>)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HARMLESS_ENV = re.compile(r"LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|CLICOLOR|COLUMNS|LINES")
_DISCARD = ("/dev/null", "/dev/stderr", "/dev/stdout")
_RESERVED = words_of(
    "! [[ { } if then else elif fi for select while until do done case esac in function time coproc repeat"
)


class Word:
    """One word; ``opaque`` when its text is only known when it runs."""

    def __init__(self) -> None:
        self.text, self.opaque, self.quoted = "", False, False


class Simple:
    """One program with its arguments, and the names of variables set for it."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assigned: list[str] = []


class _Unclear(Exception):
    """The reader does not understand this, so it cannot say that nothing is written."""


def is_reading(command: str, allowed: Sequence[str] = ()) -> bool:
    """Tell whether every program of a command line only reads; ``allowed`` are beginnings the user let pass."""
    programs = read_commands(command)
    return bool(programs) and all(_reads(one, allowed) for one in programs or ())


def read_commands(command: str) -> list[Simple] | None:
    """Return every program a command line starts, or None when it is not understood."""
    if len(command) > LONGEST or _CONTROL.search(command):
        return None
    reader = _Reader(command.strip())
    try:
        reader.read_list("")
    except _Unclear:
        return None
    return reader.found


def _reads(one: Simple, allowed: Sequence[str]) -> bool:
    if not one.words or not all(_HARMLESS_ENV.fullmatch(name) for name in one.assigned):
        return False
    first = one.words[0]
    if first.opaque or (first.text in _RESERVED and not first.quoted):
        return False
    arguments = [None if word.opaque else word.text for word in one.words[1:]]
    words, starts = [first.text, *arguments], [entry.split() for entry in allowed]
    is_allowed = any(words[: len(start)] == start for start in starts if start)
    return is_allowed or only_reads(first.text, arguments)


class _Reader:
    """Reads one command line from left to right; nested commands are found like outer ones."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.found: list[Simple] = []

    def read_list(self, end: str) -> None:
        """Read programs and what joins them, up to the closing bracket of this list."""
        while True:
            self._read_simple(end)
            self._skip()
            if end and self._take(end):
                return
            if self.at >= len(self.text):
                if end:
                    raise _Unclear
                return
            if not any(self._take(mark) for mark in _SEPARATORS):
                raise _Unclear
            self._skip(newlines=True)
            if not end and self.at >= len(self.text):
                return

    def _read_simple(self, end: str) -> None:
        self._skip(newlines=True)
        if self._take("("):
            self._nested(")")
            self._read_redirections()
            return
        one = Simple()
        while self.at < len(self.text) and not self._at_end(end):
            if not self._read_redirection():
                self._add(one, self._read_word(end))
            self._skip()
        if not one.words:
            raise _Unclear
        self.found.append(one)

    def _at_end(self, end: str) -> bool:
        rest = self.text[self.at :]
        if _REDIRECTION.match(rest):
            return False
        return rest.startswith(_SEPARATORS) or bool(end and rest.startswith(end))

    def _add(self, one: Simple, word: Word) -> None:
        name = _ASSIGNMENT.match(word.text) if not one.words else None
        if name:
            one.assigned.append(name[1])
        else:
            one.words.append(word)

    def _read_redirections(self) -> None:
        self._skip()
        while self._read_redirection():
            self._skip()

    def _read_redirection(self) -> bool:
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        self._skip()
        target = self._read_word("")
        kind, text = match[2], None if target.opaque else target.text
        reads = kind in ("<", "<<<") or text in _DISCARD or (kind in (">&", "<&") and (text or "").isdecimal())
        if not reads or (match[1] == "&" and text not in _DISCARD):
            raise _Unclear
        return True

    def _read_word(self, end: str) -> Word:
        word = Word()
        began = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK or char in "\n;|&<>" or (end and char == end):
                break
            self._read_piece(char, word, first=self.at == began)
        if self.at == began:
            raise _Unclear
        return word

    def _read_piece(self, char: str, word: Word, first: bool) -> None:
        if char == "'":
            self._single(word)
        elif char == '"':
            self._double(word)
        elif char == "$":
            self._dollar(word)
        elif char == "\\":
            self._escape(word)
        elif char in "()`" or (char in "#=" and first):
            raise _Unclear  # a comment, a glob that runs code, an old substitution, an expansion of another shell
        else:
            # A pattern that begins a word may become an option; braces may become anything.
            word.opaque |= char in "{}^" or (char in "*?[" and (not word.text or word.text.startswith("-")))
            word.text += char
            self.at += 1

    def _single(self, word: Word) -> None:
        close = self.text.find("'", self.at + 1)
        if close < 0:
            raise _Unclear
        word.text += self.text[self.at + 1 : close]
        word.quoted = True
        self.at = close + 1

    def _double(self, word: Word) -> None:
        word.quoted = True
        self.at += 1
        while not self._take('"'):
            char = self._char()
            if char == "$":
                self._dollar(word)
            elif char == "`":
                raise _Unclear
            elif char == "\\":
                self._escape(word, special='$`"\\\n')
            else:
                word.text += char
                self.at += 1

    def _escape(self, word: Word, special: str = "") -> None:
        self.at += 1
        char = self._char()
        self.at += 1
        if char == "\n":
            return
        word.text += char if not special or char in special else "\\" + char
        word.quoted = True

    def _dollar(self, word: Word) -> None:
        word.opaque = True
        if self.text.startswith("$((", self.at):
            raise _Unclear
        if self._take("$("):
            self._nested(")")
            return
        match = _VARIABLE.match(self.text, self.at)
        if match:
            self.at = match.end()
        elif self.text[self.at + 1 : self.at + 2] in ("", " ", '"', "/", "|", ")"):
            self.at += 1  # a lone dollar, as at the end of a pattern
            word.text += "$"
        else:
            raise _Unclear

    def _nested(self, end: str) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Unclear
        self.read_list(end)
        self.depth -= 1

    def _take(self, mark: str) -> bool:
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def _char(self) -> str:
        if self.at >= len(self.text):
            raise _Unclear
        return self.text[self.at]

    def _skip(self, newlines: bool = False) -> None:
        while self.at < len(self.text):
            if self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] in _BLANK or (newlines and self.text[self.at] == "\n"):
                self.at += 1
            else:
                return
