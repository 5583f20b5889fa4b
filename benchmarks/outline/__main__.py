"""``python -m benchmarks.outline DIRECTORY``: outlines of files drawn at random, as a server sends them.

Draws files of programming languages that define something from all directories below, lays them out as one project,
asks a server for the outline of each, and counts the tokens of the reply against those of the file. A symbol is in an
outline when its name stands behind the line it begins on.
"""

import argparse
import asyncio
import os
import random
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from mcp.client import Client
from mcp_types import TextContent

from shirube.doors.mcp.server import Door, build_server
from shirube.doors.views.outline import SHARE
from shirube.doors.views.screen import printable
from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import language_of, language_row
from shirube.engine.text.budget import tokens_of
from shirube.types import Symbol

NO_CODE = frozenset({"json", "yaml", "toml", "html", "css", "markdown", "xml", "scheme"})
LARGEST = 500_000
"""Bytes of a file that is not drawn."""
WHOLE = 100_000
"""A budget that cuts no outline."""


class Outlined(NamedTuple):
    """One file and its outline."""

    path: str
    language: str
    tokens: int
    symbols: int
    sent: int
    missing: int
    cut: bool
    """Whether the budget that a server has by default leaves something out."""

    @property
    def share(self) -> float:
        """The outline's part of the file."""
        return self.sent / self.tokens


def main() -> None:
    """Draw, ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, help="a directory of repositories")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        os.environ |= {"SHIRUBE_CACHE_DIR": f"{base}/cache", "SHIRUBE_STATE_DIR": f"{base}/state"}
        drawn = draw(options.root.resolve(), options.files, options.seed)
        for path in drawn:
            copy = Path(base, "project", path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(options.root / path, copy)
        for line in table(asyncio.run(ask(Path(base, "project"), drawn))):
            print(line)


def draw(root: Path, count: int, seed: int) -> list[str]:
    """Return files drawn at random."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    code = [path for path in paths if is_code(path) and "/.git/" not in path]
    random.Random(seed).shuffle(code)
    drawn: list[str] = []
    for path in code:
        data = (root / path).read_bytes()
        if len(data) <= LARGEST and parse_file(data, language_of(path)).symbols:
            drawn.append(path)
        if len(drawn) == count:
            break
    return drawn


def is_code(path: str) -> bool:
    """Tell whether a file is of a programming language with a grammar."""
    language = language_of(path)
    return bool(language_row(language).grammar) and language not in NO_CODE


async def ask(project: Path, drawn: list[str]) -> list[Outlined]:
    """Return what a server sends for each file."""
    door = Door(project, {"serve.max_result_tokens": WHOLE})
    outlined = []
    async with Client(build_server(door)) as client:
        await client.call_tool("sync_index", {})
        for path in drawn:
            symbols = door.workspace().store.symbols(path)
            whole = await sent(client, path=path, max_tokens=WHOLE)
            usual = await sent(client, path=path)
            text = (project / path).read_text("utf-8", errors="replace")
            missing = sum(not stands_in(symbol, whole) for symbol in symbols)
            cut = any(not stands_in(symbol, usual) for symbol in symbols)
            sizes = tokens_of(text), len(symbols), tokens_of(whole)
            outlined.append(Outlined(path, language_of(path), *sizes, missing, cut))
    door.close()
    return outlined


async def sent(client: Client, **arguments: Any) -> str:
    """Return the text of an outline."""
    (content,) = (await client.call_tool("outline", arguments)).content
    assert isinstance(content, TextContent)
    return content.text


def stands_in(symbol: Symbol, text: str) -> bool:
    """Tell whether a symbol's name stands behind its line."""
    name = re.escape(printable(symbol.name))
    return re.search(rf"(?m)(?<!\d){symbol.start_line}(?!\d).*{name}", text) is not None


def table(outlined: list[Outlined]) -> Iterator[str]:
    """Return the results for each language and for all."""
    yield "| language | files | of at most 20 % | median | largest | symbols | missing | cut at the usual budget |"
    yield "|---|---|---|---|---|---|---|---|"
    for language in sorted({one.language for one in outlined}):
        yield row(language, [one for one in outlined if one.language == language])
    yield row("**all**", outlined)
    yield ""
    for one in sorted(outlined, key=lambda one: -one.share):
        if one.share > 1 / SHARE:
            yield f"- {one.path}: {one.share:.1%} of {one.tokens} tokens, {one.symbols} symbols"


def row(name: str, outlined: list[Outlined]) -> str:
    """Return one row of the table."""
    shares = [one.share for one in outlined]
    small = sum(share <= 1 / SHARE for share in shares) / len(shares)
    symbols, missing = sum(one.symbols for one in outlined), sum(one.missing for one in outlined)
    cut = sum(one.cut for one in outlined)
    counts = f"{symbols} | {missing} | {cut}"
    return f"| {name} | {len(shares)} | {small:.1%} | {median(shares):.1%} | {max(shares):.1%} | {counts} |"


if __name__ == "__main__":
    main()
