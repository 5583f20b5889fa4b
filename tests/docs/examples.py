"""Reading the examples of a page, and running one as a reader would.

What the fence of a block says decides how it is tested:

- ``console``: each ``$ command`` is run, and what it prints is compared with the lines below it;
- ``sh``: each line is run and has to succeed;
- ``python``: is executed; a ``text`` block right after it is what it prints;
- ``toml``: settings, which the program has to accept; ``json``: has to be JSON;
- ``text``: is not an example, unless it follows ``python``.

In what is compared, a line ``…`` stands for any lines and ``…`` inside a line for any text. Identifiers, times and
durations are alike whatever they are, and the reader's home is ``/home/you``.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shirube.doors.cli.main import build_parser, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*map(ROOT.joinpath, ("README.md", "README.ja.md", "CONTRIBUTING.md", "examples/README.md"))]
    + [page for page in (ROOT / "docs").glob("*.md") if page.name != "reference.md"]
)
KINDS = ("console", "sh", "python", "toml", "json", "text")
OUTSIDE = ("claude", "make", "uv", "pipx", ".venv/bin/pip", "pip")
"""Programs that are not run: ours are tested elsewhere, the others are somebody else's."""
STAYING = {"ui", "--watch", "--http", "--jobs", "--team", "trial"}
"""With one of these words a command stays until it is stopped; it is only parsed."""
ALIKE = (
    (re.compile(r"\bs_[0-9a-f]{12}\b"), "s_ID"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"^[0-9a-f]{8}(?=  \d{4}-)", re.M), "ID"),
    (re.compile(r"-[0-9a-f]{8,16}\b"), "-ID"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\d+\.\d+( s\b| 秒)"), "TIME"),
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Example:
    """A command, and what it is said to print."""

    command: str
    shown: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    text = page.read_text("utf-8")
    fences = re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.S | re.M)
    return [Block(text.count("\n", 0, fence.start()) + 1, fence[1], fence[2]) for fence in fences]


def examples(block: Block) -> Iterator[Example]:
    """Yield the commands of a ``console`` or ``sh`` block; a line that ends with a backslash goes on."""
    text = block.text.replace("\\\n", "")
    if block.kind == "sh":
        yield from (Example(line, "") for line in text.splitlines() if shlex.split(line, comments=True))
        return
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield Example(command, shown)


def columns(line: str) -> int:
    """Return how wide a line is in a terminal: a Japanese character takes two columns."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def matches(shown: str, printed: str) -> bool:
    """Return whether a text is what an example shows."""
    lines = [re.escape(line.rstrip()).replace("…", ".*") + r"\n" for line in shown.strip("\n").splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if line == r".*\n" else line for line in lines)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed.strip("\n").splitlines())) is not None


class Reader:
    """Somebody who types the examples of one page in a fresh copy of ``examples``."""

    def __init__(self, base: Path) -> None:
        """Give the reader a home with the examples, and put the program on the PATH by both names."""
        self.home = base / "you"
        shutil.copytree(ROOT / "examples", self.home, dirs_exist_ok=True)
        programs = base / "bin"
        programs.mkdir()
        for name in ("shirube", "michishirube"):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shirube "$@"\n')
            (programs / name).chmod(0o755)
        (base / "lib" / "python3" / "site-packages" / "michishirube-0.1.0.dist-info").mkdir(parents=True)
        self.path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.stands_for = {str(self.home): "/home/you"}
        """What is printed here → what the page shows."""

    def run(self, command: str) -> tuple[int, str]:
        """Run a command line and return its exit status and all it printed."""
        words = shlex.split(command, comments=True)
        if words[0] in OUTSIDE:
            parse_registration(words)
            return 0, ""
        if words[0] == "cd":
            os.chdir(self.home / words[1].removeprefix("~/"))
            return 0, ""
        if words[0] == "git" and shutil.which("git") is None:
            return 0, ""
        if words[0] == "shirube" and STAYING.intersection(words):
            build_parser().parse_args(words[1:])
            return 0, ""
        if words[0] != "shirube" or _needs_shell(command):
            return self._in_shell(command)
        return self._in_process(words[1:])

    def alike(self, text: str) -> str:
        """Return a text without what differs from run to run."""
        for here, shown in self.stands_for.items():
            text = text.replace(here, shown)
        text = text.replace("~", "/home/you")
        for pattern, mark in ALIKE:
            text = pattern.sub(mark, text)
        return text

    def _in_process(self, words: Sequence[str]) -> tuple[int, str]:
        with _captured() as printed:
            words = [str(self.home / word[2:]) if word.startswith("~/") else word for word in words]
            code = main(words)
        return code, printed.getvalue()

    def _in_shell(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command],
            env={**os.environ, "PATH": self.path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout


def execute(source: str) -> str:
    """Run a Python example and return what it printed."""
    with _captured() as printed:
        exec(compile(source, "example", "exec"), {"__name__": "example"})
    return printed.getvalue()


def parse_registration(words: Sequence[str]) -> None:
    """See that what another program is told to call is a command of ours: ``claude mcp add … -- shirube serve``."""
    if "--" in words:
        build_parser().parse_args(words[words.index("--") + 2 :])


def _needs_shell(command: str) -> bool:
    """Return whether a command line has a pipe or a redirection, or names standard input."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.commenters = "#"
    return bool({"|", "<", ">", ">>", "&&", "-", "serve"}.intersection(lexer))


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed
