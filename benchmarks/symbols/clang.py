"""clangd as a judge of C and C++: beside the protocol's symbols, the macros and the code that is not compiled here.

clangd lists no macros as symbols, but it marks them and follows them; and it marks what ``#if`` leaves out on this
system, about which it has nothing to say.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.symbols.judge import Named, Place
from benchmarks.symbols.server import Server, ServerJudge

DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)")
LEFT_OUT = "comment"
"""How clangd marks code that is not compiled; it does not mark comments themselves."""


class ClangJudge(ServerJudge):
    """clangd with the compile commands that lie in the root."""

    sees_inside = False

    def __init__(self, server: Server, root: Path, language: str) -> None:
        super().__init__("clangd", server, root, language, (".c", ".h", ".cc", ".hpp"))
        self._marks: dict[str, list[tuple[int, int, str]]] = {}

    def symbols(self, files: Sequence[str]) -> list[Named]:
        """Return what these files define, with the macros that are compiled here."""
        found = super().symbols(files)
        for file in files:
            lines = (self._root / file).read_text("utf-8", "replace").splitlines()
            for line, column, kind in self._marked(file):
                told = DEFINE.match(lines[line - 1]) if kind == "macro" and line <= len(lines) else None
                if told and told.start(1) == column - 1:
                    found.append(Named(Place(file, line, column), told[1], "macro"))
        return found

    def unread(self, files: Sequence[str]) -> dict[str, list[int]]:
        """Return the lines of which clangd says that they are not compiled."""
        return {file: sorted({line for line, _, kind in self._marked(file) if kind == LEFT_OUT}) for file in files}

    def _marked(self, file: str) -> list[tuple[int, int, str]]:
        """Return the tokens of a file as line, column and kind."""
        if file not in self._marks:
            uri = self._server.open(file, self._language)
            told = self._server.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}}) or {}
            self._server.shut(file)
            self._marks[file] = list(_decoded(told.get("data") or [], self._server.legend))
        return self._marks[file]


def _decoded(data: Sequence[int], legend: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Read the protocol's numbers: five for each token, each relative to the one before."""
    line = column = 0
    for place in range(0, len(data), 5):
        down, right, _, kind, _ = data[place : place + 5]
        line, column = line + down, (0 if down else column) + right
        yield line + 1, column + 1, legend[kind]


def clangd(root: Path, program: Path, language: str) -> ClangJudge:
    """Start clangd, with the compile commands that lie in the root."""
    libraries = ":".join(str(found.parent) for found in program.rglob("libclang-cpp.so*"))
    extra = ":".join(str(path) for path in (program / "usr/lib/x86_64-linux-gnu", program / "usr/lib/llvm-14/lib"))
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{extra}:{libraries}"}
    command = [str(program / "usr/bin/clangd-14"), "--background-index", "--limit-references=0", "-j=2"]
    return ClangJudge(Server(command, root, environment, None), root, language)
