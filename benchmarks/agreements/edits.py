"""What people do to code, done by a program: rename, move, edit, delete, and change something beside it."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shirube.types import Symbol


@dataclass(frozen=True, slots=True)
class Subject:
    """A symbol that something is done to."""

    root: Path
    path: str
    symbol: Symbol
    number: int

    def lines(self) -> list[str]:
        return self._file().read_text("utf-8").split("\n")

    def write(self, lines: list[str]) -> None:
        self._file().write_text("\n".join(lines), "utf-8")

    def _file(self) -> Path:
        return self.root / self.path


@dataclass(frozen=True, slots=True)
class Expected:
    """What ``check_agreements`` has to say afterwards."""

    state: str
    path: str = ""
    symbol: str = ""


def rename(subject: Subject, chance: random.Random) -> Expected:
    """Give it another name, wherever the file says the old one."""
    old = subject.symbol.name
    new = f"{old}_renewed" if "_" in old or old.islower() else f"{old}Renewed"
    text = re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", new, "\n".join(subject.lines()))
    subject.write(text.split("\n"))
    return Expected("moved", subject.path, new)


def rename_and_edit(subject: Subject, chance: random.Random) -> Expected:
    """Give it another name, and change a little in it."""
    _touch(subject, chance)
    return rename(subject, chance)


def move(subject: Subject, chance: random.Random) -> Expected:
    """Cut it out and put it into a new file beside its own."""
    lines, symbol = subject.lines(), subject.symbol
    body = lines[symbol.start_line - 1 : symbol.end_line]
    subject.write([*lines[: symbol.start_line - 1], *lines[symbol.end_line :]])
    place = PurePosixPath(subject.path)
    target = place.with_name(f"moved{subject.number}{place.suffix}")
    (subject.root / target).write_text("\n".join([*_head(lines), *body, ""]), "utf-8")
    return Expected("moved", target.as_posix(), symbol.name)


def move_file(subject: Subject, chance: random.Random) -> Expected:
    """Move the whole file into another directory."""
    place = PurePosixPath(subject.path)
    target = place.parent / f"elsewhere{subject.number}" / place.name
    (subject.root / target).parent.mkdir(parents=True)
    (subject.root / place).rename(subject.root / target)
    return Expected("moved", target.as_posix(), subject.symbol.name)


def edit(subject: Subject, chance: random.Random) -> Expected:
    """Change a little in it."""
    _touch(subject, chance)
    return Expected("changed", subject.path, subject.symbol.name)


def delete(subject: Subject, chance: random.Random) -> Expected:
    """Cut it out for good."""
    lines, symbol = subject.lines(), subject.symbol
    subject.write([*lines[: symbol.start_line - 1], *lines[symbol.end_line :]])
    return Expected("gone")


def delete_file(subject: Subject, chance: random.Random) -> Expected:
    """Delete its file."""
    (subject.root / subject.path).unlink()
    return Expected("gone")


def beside(subject: Subject, chance: random.Random) -> Expected:
    """Put something above it, so that every line number is another."""
    lines = subject.lines()
    subject.write([*_head(lines), "", "", *lines[len(_head(lines)) :]])
    return Expected("fresh", subject.path, subject.symbol.name)


EDITS: dict[str, tuple[Callable[[Subject, random.Random], Expected], int]] = {
    "rename": (rename, 5),
    "rename and edit": (rename_and_edit, 3),
    "move to a new file": (move, 4),
    "move the file": (move_file, 3),
    "edit": (edit, 6),
    "delete": (delete, 5),
    "delete the file": (delete_file, 2),
    "change beside it": (beside, 4),
}
"""What is done, and how often beside the others."""


def _touch(subject: Subject, chance: random.Random) -> None:
    """Write another word for one of its own, in one line or two; never for its name, nor on its first line."""
    lines, symbol = subject.lines(), subject.symbol
    inside = [at for at in range(symbol.start_line, symbol.end_line) if _words(lines[at], symbol.name)]
    for at in chance.sample(inside, min(len(inside), chance.choice((1, 1, 2)))):
        word = chance.choice(_words(lines[at], symbol.name))
        lines[at] = re.sub(rf"\b{re.escape(word)}\b", f"{word}2", lines[at], count=1)
    subject.write(lines)


def _words(line: str, name: str) -> list[str]:
    return [word for word in re.findall(r"\b[A-Za-z_]\w{2,}\b", line) if word != name]


def can_touch(subject: Subject) -> bool:
    """Tell whether there is anything in it that could be changed."""
    lines = subject.lines()
    return any(
        _words(lines[at], subject.symbol.name) for at in range(subject.symbol.start_line, subject.symbol.end_line)
    )


def _head(lines: list[str]) -> list[str]:
    """Return what has to stay first: ``<?php``, a shebang."""
    return lines[:1] if lines and lines[0].startswith(("<?php", "#!")) else []
