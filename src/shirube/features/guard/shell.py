"""Does this command line only read? A small shell parser: a command it cannot parse counts as writing.

It parses words, quotes, simple variables, pipes, lists, subshells, command substitution and redirections. A word whose
text is known only at run time (``$X``, ``*``, ``$(…)``) is opaque. Only programs that are harmless with any arguments
may take an opaque word. Comments, here-documents, background jobs, loops and functions are not parsed.
"""

import re
from collections.abc import Sequence

from shirube.features.guard.programs import only_reads, words_of

LONGEST = 20_000
"""In characters; commands that only read are never longer."""
DEEPEST = 8
"""How deep subshells and substitutions may nest."""
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
    """One word; ``opaque`` when its text is known only at run time."""

    def __init__(self) -> None:
        self.text, self.opaque, self.quoted = "", False, False


class Simple:
    """One program with its arguments, and the names of variables set for it."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assigned: list[str] = []


class _Unclear(Exception):
    """The parser cannot read this command, so it cannot rule out a write."""


def is_reading(command: str, allowed: Sequence[str] = ()) -> bool:
    """Tell whether every program of a command line only reads; ``allowed`` has prefixes that the user permits."""
    programs = read_commands(command)
    return bool(programs) and all(_reads(program, allowed) for program in programs or ())


def read_commands(command: str) -> list[Simple] | None:
    """Return every program a command line starts, or None when it cannot be parsed."""
    if len(command) > LONGEST or _CONTROL.search(command):
        return None
    reader = _Reader(command.strip())
    try:
        reader.read_list("")
    except _Unclear:
        return None
    return reader.found


def _reads(program: Simple, allowed: Sequence[str]) -> bool:
    if not program.words or not all(_HARMLESS_ENV.fullmatch(name) for name in program.assigned):
        return False
    first = program.words[0]
    if first.opaque or (first.text in _RESERVED and not first.quoted):
        return False
    arguments = [None if word.opaque else word.text for word in program.words[1:]]
    words, starts = [first.text, *arguments], [entry.split() for entry in allowed]
    is_allowed = any(words[: len(start)] == start for start in starts if start)
    return is_allowed or only_reads(first.text, arguments)


class _Reader:
    """Parses one command line from left to right; nested commands are collected like outer ones."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.found: list[Simple] = []

    def read_list(self, end: str) -> None:
        """Read programs and their separators, up to the closing bracket ``end`` (empty: up to the end of the line)."""
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
        program = Simple()
        while self.at < len(self.text) and not self._at_end(end):
            if not self._read_redirection():
                self._add(program, self._read_word(end))
            self._skip()
        if not program.words:
            raise _Unclear
        self.found.append(program)

    def _at_end(self, end: str) -> bool:
        rest = self.text[self.at :]
        if _REDIRECTION.match(rest):
            return False
        return rest.startswith(_SEPARATORS) or bool(end and rest.startswith(end))

    def _add(self, program: Simple, word: Word) -> None:
        name = _ASSIGNMENT.match(word.text) if not program.words else None
        if name:
            program.assigned.append(name[1])
        else:
            program.words.append(word)

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
        start = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK or char in "\n;|&<>" or (end and char == end):
                break
            self._read_piece(char, word, first=self.at == start)
        if self.at == start:
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
            raise _Unclear  # a comment, a zsh glob that runs code, a backquote substitution, zsh's ``=command``
        else:
            # A glob at the start of a word may expand to an option, and braces may expand to anything.
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
