"""A budget is a promise: no answer has more tokens than the call allows, counted on what the server sent."""

import random
import re
from collections.abc import Iterator
from typing import Any

from shirube.engine.text.budget import tokens_of
from tests.doors.mcp.client import Server

CALLS = 500
ERROR_TOKENS = 120
QUESTIONS = (
    "where is the login checked",
    "retry a failed payment",
    "ログイン機能はどこ",
    "cart total",
    "Session.start",
    "nothing of the kind xyzzy",
    "how are prices formatted",
)
NAMES = ("start", "Session", "login", "Cart.total", "total", "no_such_name")
WIDTHS = (5, 40, 120, 250, 550, 1000, 3000)


def random_calls(paths: list[str], count: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls of every operation that has a budget, each with a random one."""
    chance = random.Random(seed)

    def question() -> str:
        return chance.choice(QUESTIONS)

    makers = {
        "search": lambda: {"query": question(), "explain": chance.random() < 0.3, "limit": chance.randint(1, 30)},
        "search_forest": lambda: {"query": question()},
        "semantic_search": lambda: {"query": question()},
        "search_map": lambda: {"query": question()},
        "files_search": lambda: {"query": question(), "limit": chance.randint(1, 50)},
        "search_text": lambda: {"patterns": [chance.choice("aes")], "context_lines": chance.randint(0, 3)},
        "context_bundle": lambda: {"goal": question(), "past": chance.randint(0, 3)},
        "snippets_get": lambda: {"path": chance.choice(paths), "start_line": 1, "end_line": chance.randint(1, 40)},
        "past_changes": lambda: {"goal": question()},
        "symbol": lambda: {"symbol": chance.choice(NAMES)},
        "find_definitions": lambda: {"symbol": chance.choice(NAMES)},
        "find_references": lambda: {"symbol": chance.choice(NAMES)},
        "get_symbols": lambda: {"path": chance.choice([".", *paths])},
        "analyze_structure": lambda: {"path": chance.choice([".", *paths])},
        "get_function_at_line": lambda: {"file_path": chance.choice(paths), "line": 1},
        "analyze_impact": lambda: {"files": [chance.choice(paths)]},
        "deps_closure": lambda: {"path": chance.choice(paths), "direction": "both"},
        "query": lambda: {"question": question()},
        "query_plan": lambda: {"goal": question(), "maxIterations": 2},
        "list_plans": dict,
        "list_presets": dict,
        "list_agreements": dict,
        "index_status": dict,
        "list_sessions": dict,
        "get_outcome_stats": dict,
    }
    for _ in range(count):
        name = chance.choice(list(makers))
        least = 150 if name == "query_plan" else 0  # what it says at least grows with what it remembers
        yield name, {**makers[name](), "max_tokens": max(least, int(chance.choice(WIDTHS) * chance.uniform(0.7, 1.3)))}


def answer(server: Server, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """Return the text of an answer, and whether it is an error."""
    result = server.ask("tools/call", {"name": name, "arguments": arguments})["result"]
    assert "structuredContent" not in result
    (content,) = result["content"]
    return content["text"], result.get("isError", False)


def broken_promises(server: Server, paths: list[str], count: int = CALLS, seed: int = 20) -> list[str]:
    """Return what was answered with more than was allowed."""
    wrong = []
    for name, arguments in random_calls(paths, count, seed):
        text, failed = answer(server, name, arguments)
        least = re.search(r"at least (\d+)|budget here is (\d+)|(\d+) 以上|(\d+) です", text) if failed else None
        if least is not None:
            wrong += [f"{name} {arguments}: {text}"] * (tokens_of(text) > ERROR_TOKENS)
            arguments["max_tokens"] = int(next(filter(None, least.groups())))
            text, failed = answer(server, name, arguments)
        if failed or tokens_of(text) > arguments["max_tokens"]:
            wrong.append(f"{name} {arguments}: {tokens_of(text)} tokens: {text[:200]}")
    return wrong


def test_no_answer_is_larger_than_its_budget(reader: Server) -> None:
    paths = sorted(path.relative_to(reader.served).as_posix() for path in (reader.served / "src").rglob("*.py"))
    assert broken_promises(reader, paths) == []
