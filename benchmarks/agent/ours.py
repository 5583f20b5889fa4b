"""The agent that asks shirube: the text that its MCP server sends, read as an agent reads it."""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from benchmarks.agent.play import Reply, Round, Span
from benchmarks.agent.tree import Tree

MORE = 2000
"""How many tokens an agent allows that goes on with the search instead of opening places."""
_HEAD = re.compile(r"(\S.*?):(\d+)-(\d+)(?:[ ,].*)?")
_FURTHER = re.compile(r", (\d+)(?:-(\d+))?(?: [^\W\d]|(?=,|$))")
_SKIP = re.compile(r"skip (\d+)$")
_GAP = re.compile(r"… (\d+)-(\d+)")


class Shirube:
    """A project served over MCP."""

    def __init__(self, tree: Tree) -> None:
        from shirube.doors.mcp.server import Door

        self.tree, self.door = tree, Door(tree.root, {})
        self.search = cache(self._search)

    def call(self, tool: str, **arguments: Any) -> Reply:
        """Return what a tool of the server replies."""
        from mcp_types import TextContent

        from shirube.doors.mcp.reply import answer_call
        from shirube.operation import Call

        (content,) = answer_call(self.door, tool, arguments, Call(lasting=False)).content
        if not isinstance(content, TextContent):
            raise TypeError(content)
        return read_reply(content.text, self.tree, self._end_of)

    def _end_of(self, path: str, line: int) -> int:
        """Return where that ends which ``read`` shows for a line."""
        return last_read(self.door.workspace().store, path, line)

    def _search(self, text: str, tokens: int = 0, skip: int = 0) -> Reply:
        """Return the reply to a question, of the usual size or of so many tokens at most."""
        more = {"max_tokens": tokens} if tokens else {}
        return self.call("search", query=text, **more, **({"skip": skip} if skip else {}))

    def go_on(self, text: str) -> Reply:
        """Return what follows after the first reply, if it says how to go on."""
        skip = _SKIP.search(self.search(text).text)
        return self.search(text, MORE, int(skip[1]) if skip else 0)

    def read(self, span: Span) -> Reply:
        """Return the lines of a place that was listed."""
        path, first, last = span
        return self.call("read", path=path, start_line=first, end_line=last)

    def close(self) -> None:
        """Let go of the index."""
        self.door.close()


def last_read(store: Any, path: str, line: int) -> int:
    """Return the last line that ``read`` shows for a line: of its symbol, or of a piece, as a comment above one."""
    from shirube.features.lookup.context.fit import SourceFiles, innermost

    around = innermost(store.symbols(path), line) or SourceFiles(store).piece_at(path, line)
    return around.end_line if around else line


def rounds(shirube: Shirube, text: str, tokens: int = 0) -> list[Round]:
    """Return what the agent does: one search, then it opens the places that were only named."""
    return [Round(partial(shirube.search, text, tokens), shirube.read)]


def rounds_with_more(shirube: Shirube, text: str) -> list[Round]:
    """Return what an agent does that goes on with the search instead of opening places."""
    return [
        Round(partial(shirube.search, text), shirube.read, 0),
        Round(partial(shirube.go_on, text), shirube.read, 0),
    ]


def read_reply(text: str, tree: Tree, end_of: Callable[[str, int], int]) -> Reply:
    """Find the places in a reply: ``path:start-end`` and below it lines as they stand in the file.

    A line counts as shown only if it is the line of the file. Other places are listed: first those that only have a
    name (``path:1-9 def f(), 12 g``: those a line begins with before the others), then those with lines left out.
    """
    shown, named, further, cut = list[Span](), list[Span](), list[Span](), list[Span]()
    for span, rest, lines in _sections(text, tree):
        numbers = list(_numbers(span, lines, tree))
        shown += [(span[0], number, number) for number in numbers]
        if not numbers:
            named.append(span)
            for start, end in _FURTHER.findall(rest):
                further.append((span[0], int(start), int(end) if end else end_of(span[0], int(start))))
        elif len(numbers) <= span[2] - span[1]:
            cut.append(span)
    return Reply(text, tuple(shown), (*named, *further, *cut))


def _sections(text: str, tree: Tree) -> Iterator[tuple[Span, str, list[str]]]:
    """Yield each place with its line and the lines below it."""
    span, rest, lines = ("", 0, 0), "", list[str]()
    for line in text.split("\n"):
        head = _HEAD.fullmatch(line)
        if head and tree.has(head[1]):
            if rest:
                yield span, rest, lines
            span, rest, lines = (head[1], int(head[2]), int(head[3])), line, []
        else:
            lines.append(line)
    if rest:
        yield span, rest, lines


def _numbers(span: Span, lines: list[str], tree: Tree) -> Iterator[int]:
    """Yield the numbers of the lines of a file that stand below its place."""
    known = tree.lines(span[0])
    number = span[1]
    for line in lines:
        if gap := _GAP.fullmatch(line):
            number = int(gap[2]) + 1
            continue
        if number <= min(span[2], len(known)) and line.rstrip() == known[number - 1].rstrip():
            yield number
        number += 1
