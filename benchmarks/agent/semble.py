"""The agent that asks semble, as its MCP server answers, without its model."""

import json
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

from benchmarks.agent.play import Reply, Round, Span, tokens_of
from benchmarks.agent.tree import Tree

TOP, SNIPPET = 5, 10
"""What its ``search`` returns unless told otherwise: results, and lines of each."""
MOST = 50
"""How many results are asked for where only the size of the reply is limited."""


def rounds(index: Any, tree: Tree, text: str) -> list[Round]:
    """Return what the agent does: one search, then it opens the results of which lines were left out."""
    return [Round(partial(search, index, text), tree.read)]


def rounds_with_more(index: Any, tree: Tree, text: str) -> list[Round]:
    """Return what an agent does that asks again for whole results, as its tool advises."""
    return [
        Round(partial(search, index, text), tree.read, 0),
        Round(partial(search, index, text, snippet=None), tree.read, 0),
    ]


def search(index: Any, text: str, top: int = TOP, snippet: int | None = SNIPPET) -> Reply:
    """Return the reply of its tool ``search``."""
    results = _results(index, text, top)
    return reply(text, results, [len(one.chunk.content.splitlines()[:snippet]) for one in results])


def search_within(index: Any, text: str, tokens: int, snippet: int | None) -> Reply:
    """Return as many results, and lines of the last of them, as so many tokens have room for."""
    shown: list[int] = []
    results = _results(index, text, MOST)
    for one in results:
        lines = len(one.chunk.content.splitlines()[:snippet])
        fits = next((n for n in range(lines, 0, -1) if _size(text, results, [*shown, n]) <= tokens), 0)
        shown += [fits] if fits else []
        if fits < lines:
            break
    return reply(text, results[: len(shown)], shown)


def _size(text: str, results: Sequence[Any], lines: list[int]) -> int:
    return tokens_of(reply(text, results[: len(lines)], lines).text)


@lru_cache(maxsize=8)
def _results(index: Any, text: str, top: int) -> list[Any]:
    return list(index.search(text, top_k=top, alpha=0.0))


def reply(text: str, results: Sequence[Any], lines: Sequence[int]) -> Reply:
    """Return results, so many lines of each, as its server writes them."""
    from semble.utils import format_results

    if not results:
        return Reply(json.dumps({"error": "No results found."}))
    formatted = format_results(text, list(results))
    shown, cut = list[Span](), list[Span]()
    for one, count, entry in zip(results, lines, formatted["results"], strict=True):
        chunk = one.chunk
        entry["content"] = "\n".join(chunk.content.splitlines()[:count])
        shown.append((chunk.file_path, chunk.start_line, chunk.start_line + count - 1))
        if shown[-1][2] < chunk.end_line:
            cut.append((chunk.file_path, chunk.start_line, chunk.end_line))
    return Reply(json.dumps(formatted), tuple(shown), tuple(cut))
