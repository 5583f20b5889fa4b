"""A tree as an agent's own tools see it: grep and reading.

The files are those that ``rg`` searches (ignored, hidden and binary ones are not among them). They are searched in
memory with what ``rg -n -i -F --sort path`` prints, because each question counts the lines of all its words.
"""

import subprocess
from bisect import bisect_right
from functools import cache
from pathlib import Path

from benchmarks.agent.play import Reply, Span

COLUMNS = 500
"""A matching line that is longer is not shown, as agents' tools do."""
LARGEST = 2_000_000
"""A file with more bytes is generated or data."""
NO_CODE = (
    "*.md",
    "*.rst",
    "*.txt",
    "*.lock",
    "*.json",
    "*.svg",
    "*.html",
    "*.css",
    "*.yml",
    "*.yaml",
    "*.po",
    "CHANGE*",
)
TESTS = ("*test*/", "*spec*/", "*_test.*", "test_*", "*.test.*", "*.spec.*", "*Test*")
GLOBS = tuple(f"!{glob}" for glob in (*NO_CODE, "*.min.js", *TESTS))
"""What a competent agent leaves out when it looks for code: it finds the answer more often and pays less."""


class Tree:
    """The files below a folder."""

    def __init__(self, root: Path, globs: tuple[str, ...] = GLOBS) -> None:
        self.root = root
        self.lines = cache(self._lines)
        self.matches = cache(self._matches)
        self.paths: list[str] = []
        self.starts: list[int] = []
        texts: list[str] = []
        at = 0
        for path in self._files(globs):
            text = self._text(path)
            if "\0" not in text:
                self.paths.append(path)
                self.starts.append(at)
                texts.append(text.lower().rstrip("\n") + "\n")
                at += texts[-1].count("\n")
        self.text = "".join(texts)
        self.ends = [at for at, char in enumerate(self.text) if char == "\n"]

    def _files(self, globs: tuple[str, ...]) -> list[str]:
        command = ["rg", "--no-config", "--files", f"--max-filesize={LARGEST}", *(f"--glob={glob}" for glob in globs)]
        shown = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout
        return sorted(shown.splitlines())

    def _text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8", "replace")

    def _lines(self, path: str) -> list[str]:
        return self._text(path).split("\n")

    def _matches(self, word: str) -> frozenset[int]:
        """Return the lines, counted over all files, that have a word."""
        found = set()
        at = self.text.find(word)
        while at >= 0:
            line = bisect_right(self.ends, at - 1)
            found.add(line)
            at = self.text.find(word, max(at + 1, self.ends[line]))
        return frozenset(found)

    def place(self, line: int) -> tuple[str, int]:
        """Return the path and the number in it of a line that is counted over all files."""
        file = bisect_right(self.starts, line) - 1
        return self.paths[file], line - self.starts[file] + 1

    def read(self, span: Span) -> Reply:
        """Read some lines of a file; no numbers before them."""
        path, first, last = span
        lines = self.lines(path)
        first, last = max(1, first), min(len(lines), last)
        return Reply("\n".join(lines[first - 1 : last]), ((path, first, last),))

    def whole(self, path: str) -> Reply:
        """Read a whole file."""
        return self.read((path, 1, len(self.lines(path))))

    def has(self, path: str) -> bool:
        """Tell whether there is such a file."""
        return (self.root / path).is_file()
