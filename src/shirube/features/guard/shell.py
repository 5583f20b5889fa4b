"""Does this command line only read, or build and test? A small shell parser: what it cannot parse counts as writing.

It parses words, quotes, simple variables, pipes, lists, subshells, command substitution and redirections. A word whose
text is known only at run time (``$X``, ``*``, ``$(…)``) is opaque. Only programs that are harmless with any arguments
may take an opaque word. Comments, here-documents, background jobs, loops and functions are not parsed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import pairwise

from shirube.features.guard.programs import Globbed, is_plain, names_revisions, only_reads, words_of

LONGEST = 20_000
"""In characters; commands that only read are never longer."""
DEEPEST = 8
"""How deep subshells and substitutions may nest."""
MOST_FOLDERS = 64
"""Among how many directories a line with ``cd`` may leave us in doubt."""
_BLANK = " \t"
_SEPARATORS = ("\n", "&&", "||", "|&", "|", ";")
_VARIABLE = re.compile(r"\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*|[0-9?#$@*])")
_REDIRECTION = re.compile(r"([0-9]*|&)(<<<|>>|>\||>&|<&|<|>)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\xa0\ud800-\udfff]")
_UNSEEN = ("Cf", "Zl", "Zp")
"""Categories of characters that nobody sees: marks of direction, joiners, separators of lines."""
_FIXED_BLANKS = "\u2007\u202f"
_HARMLESS_ENV = re.compile(r"LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|CLICOLOR|COLUMNS|LINES")
_SHOWN_OPTION = re.compile(r"-[A-Za-z]|--?[A-Za-z0-9-]+=.*")
_DISCARD = ("/dev/null", "/dev/stderr", "/dev/stdout")
_SOCKETS = ("/dev/tcp/", "/dev/udp/")
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")
_RESERVED = words_of(
    "! [[ { } if then else elif fi for select while until do done case esac in function time coproc repeat"
)


class Word:
    """One word; ``opaque`` when its text is known only at run time."""

    def __init__(self) -> None:
        self.text, self.opaque, self.quoted, self.globbed = "", False, False, False
        self.inside: list[Simple] = []
        """The programs whose output becomes part of it."""

    @property
    def known(self) -> str | None:
        """Its text, None when that is known only at run time."""
        return None if self.opaque else Globbed(self.text) if self.globbed else self.text

    @property
    def shown(self) -> str | None:
        """What is known of its text: of ``-j$(nproc)`` and ``--cov=$X`` at least the option."""
        return self.text if not self.opaque or _SHOWN_OPTION.fullmatch(self.text) else None


class Simple:
    """One program with its arguments, and the variables set for it."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assigned: dict[str, str | None] = {}


class _Unclear(Exception):
    """The parser cannot read this command, so it cannot rule out a write."""


def is_reading(command: str, allowed: Sequence[str] = ()) -> bool:
    """Tell whether every program of a command line only reads; ``allowed`` has prefixes that the user permits.

    Where git is among them, ``git_trust`` has to say that the repository starts no programs of its own.
    """
    return all(_each(text, allowed, _reads) for text in _readings(command))


def is_building(command: str, allowed: Sequence[str] = ()) -> bool:
    """Tell whether every program of a command line reads, builds or tests; see ``building.toml``."""

    def builds(program: Simple) -> bool:
        if _reads(program):
            return True
        from shirube.features.guard.building import builds_or_tests

        inside = [nested.words[0].known for word in program.words for nested in word.inside]
        return builds_or_tests([word.shown for word in program.words], program.assigned, inside)

    return all(_each(text, allowed, builds) for text in _readings(command))


def git_places(command: str, allowed: Sequence[str] = ()) -> frozenset[str] | None:
    """Return where the gits of a command line may run, relative to where it runs itself; None when nobody knows."""
    programs = _judged(command, allowed)
    gits = [program for program in programs if _runs_git(program)]
    folders = _folders(command) if gits else []
    if folders is None:
        return None
    changes = [[word.text for before, word in pairwise(program.words) if before.text == "-C"] for program in gits]
    return frozenset(reduce(_joined, change, folder) for change in changes for folder in folders)


def build_places(command: str, allowed: Sequence[str] = ()) -> frozenset[str] | None:
    """Return the directories and files that what builds may run in or use, if they may lie outside the project."""
    others = [program for program in _judged(command, allowed) if not _reads(program)]
    folders = _folders(command) if others else []
    if folders is None:
        return None
    values = {word.text.rpartition("=")[2].removeprefix("-C") for program in others for word in program.words}
    outside = [value for value in values if value.startswith(("/", "~", "..")) or "/../" in value]
    return frozenset([*folders[1:], *(_joined(folder, value) for folder in folders for value in outside)])


def _folders(command: str) -> list[str] | None:
    """Return the directories that a line may be in at any time: ``cd`` may or may not have been reached."""
    folders = [""]
    for program in _flat(read_commands(command) or []):
        if program.words[0].text == "cd":
            target = program.words[1].known if len(program.words) == 2 else None
            if target is None or isinstance(target, Globbed) or target.startswith(("-", "~")):
                return None
            folders += [_joined(folder, target) for folder in folders]
            if len(folders) > MOST_FOLDERS:
                return None
    return folders


def _joined(folder: str, target: str) -> str:
    return target if target.startswith("/") or not folder else f"{folder}/{target}"


def _runs_git(program: Simple) -> bool:
    return any(word.text == "git" or word.text.endswith("/git") for word in program.words)


def _each(text: str, allowed: Sequence[str], judge: Callable[[Simple], bool]) -> bool:
    return bool(read_commands(text)) and all(map(judge, _judged(text, allowed)))


def _judged(text: str, allowed: Sequence[str]) -> list[Simple]:
    """Return the programs of a command line that the user does not permit anyway."""
    starts = [entry.split() for entry in allowed if entry.split()]
    others = (program for program in read_commands(text) or () if not _starts_with(program, starts))
    return [program for program in _flat(others) if not _starts_with(program, starts)]


def _flat(programs: Iterable[Simple], depth: int = 0) -> list[Simple]:
    """Return programs with those of a script (``bash -c '…'``) in the place of the shell that runs it."""
    found: list[Simple] = []
    for program in programs:
        words = [word.known for word in program.words]
        shell, flag, script = [None, None, *words][-3:]
        is_script = shell in _SHELLS and flag in ("-c", "-lc", "-ec") and not program.assigned
        inside = read_commands(script) if is_script and script and depth < DEEPEST else None
        if inside and len(words) > 3:  # ``uv run sh -c '…'``: the wrapper counts as well
            program.words[-3:] = [_word("mypy")]
            found.append(program)
        found += _flat(inside, depth + 1) if inside else [program]
    return found


def _word(text: str) -> Word:
    word = Word()
    word.text = text
    return word


def _readings(command: str) -> Iterable[str]:
    """Return a command as it is written and as it looks, with full-width signs as plain ones; both are judged."""
    if command.isascii():
        return (command,)
    from unicodedata import category, normalize

    if any(char in _FIXED_BLANKS or category(char) in _UNSEEN for char in command):
        return ("",)
    return dict.fromkeys((command, normalize("NFKC", command)))


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


def _starts_with(program: Simple, starts: Sequence[Sequence[str]]) -> bool:
    words = [word.known for word in program.words]
    return _sets_harmless(program) and any(words[: len(start)] == start for start in starts)


def _sets_harmless(program: Simple) -> bool:
    return all(_HARMLESS_ENV.fullmatch(name) and is_plain(value) for name, value in program.assigned.items())


def _reads(program: Simple) -> bool:
    if not _sets_harmless(program):
        return False
    first = program.words[0]
    if first.opaque or (first.text in _RESERVED and not first.quoted):
        return False
    return only_reads(first.text, [word.known for word in program.words[1:]])


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
        if self.text.startswith("((", self.at):
            raise _Unclear  # arithmetic, which can run commands
        if self._take("("):
            self._nested(")")
            self._read_redirections()
            return
        program = Simple()
        while self.at < len(self.text) and not self._at_end(end):
            if not self._read_redirection():
                start = self.at
                self._add(program, self._read_word(end), _ASSIGNMENT.match(self.text, start))
            self._skip()
        if not program.words:
            raise _Unclear
        self.found.append(program)

    def _at_end(self, end: str) -> bool:
        rest = self.text[self.at :]
        if _REDIRECTION.match(rest):
            return False
        return rest.startswith(_SEPARATORS) or bool(end and rest.startswith(end))

    def _add(self, program: Simple, word: Word, assigns: re.Match[str] | None) -> None:
        if assigns and not program.words:
            program.assigned[assigns[1]] = None if word.opaque else word.text.partition("=")[2]
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
        reads = kind == "<<<" or (kind == "<" and text is not None and not text.startswith(_SOCKETS))
        reads |= text in _DISCARD or (kind in (">&", "<&") and re.fullmatch("[0-9]+", text or "") is not None)
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
        if self.text[start : self.at] == "[":
            word.opaque = word.globbed = False  # the program of this name
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
            word.globbed |= char in "*?["
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
        if self.text.startswith("$((", self.at):
            raise _Unclear
        if self._take("$("):
            begun, was_opaque = len(self.found), word.opaque
            self._nested(")")
            inside = self.found[begun:]
            word.inside += inside
            word.opaque = was_opaque or len(inside) != 1 or not names_revisions([one.known for one in inside[0].words])
            word.text += "" if word.opaque else "HEAD"
            return
        word.opaque = True
        match = _VARIABLE.match(self.text, self.at)
        if match:
            self.at = match.end()
            if self.text.startswith("[", self.at):
                raise _Unclear  # zsh computes the subscript
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
