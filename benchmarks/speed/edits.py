"""Edits of one file, so that the time until they are found can be measured."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def words(count: int, *, keep_time: bool) -> list[str]:
    """Return new words of one length, so that every edit but the first keeps the size of the file."""
    stem = "zqkept" if keep_time else "zqplain"
    return [stem + ALPHABET[number % 26] * 3 for number in range(count)]


def put(path: Path, word: str, *, keep_time: bool) -> None:
    """Make a word the last line of a file; with ``keep_time`` the modification time stays what it was."""
    before = path.stat()
    lines = path.read_text("utf-8").splitlines(keepends=True)
    if lines and lines[-1].startswith("# zq"):
        lines.pop()
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    path.write_text("".join([*lines, f"# {word}\n"]), "utf-8")
    if keep_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@contextmanager
def restored(path: Path) -> Iterator[None]:
    """Give a file its content back afterwards."""
    data = path.read_bytes()
    try:
        yield
    finally:
        path.write_bytes(data)
