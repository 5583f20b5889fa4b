"""What a client of the protocol gets: the handshake, the lists, calls of tools, resources, prompts, completions."""

import json
from pathlib import Path
from typing import Any

from tests.conftest import StateDirs
from tests.doors.mcp.client import Server
from tests.golden import adapter
from tests.golden.calls import COMMIT, PAYMENT, RETRY
from tests.golden.marks import Marks, as_json
from tests.golden.projects import SETTLED, surroundings, write_shop

TOOLSETS = ("all", "core", "compat", "climpt")
REQUEST = "Fix the retry of failed payments: checkout gives up too early"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"query": "retry policy", "limit": 2}),
    ("search", {"query": "返金処理", "limit": 1}),
    ("search", {"query": "zyxwvut", "mode": "lexical"}),
    ("search", {"qeury": "retry"}),
    ("search", {"query": "retry", "mode": "magic"}),
    ("search_text", {"patterns": ["with_retries"], "limit": 2}),
    ("context_bundle", {"goal": "try again when the bank is slow", "budget": 300}),
    ("snippets_get", {"path": RETRY}),
    ("snippets_get", {"path": "../secret"}),
    ("find_definitions", {"symbol": "checkout"}),
    ("find_references", {"symbol": "with_retries"}),
    ("get_symbols", {"path": "", "limit": 400}),
    ("analyze_structure", {"path": "web"}),
    ("deps_closure", {"path": PAYMENT}),
    ("start_session", {"intent": "MODIFY", "query": REQUEST}),
    ("search", {"query": "retry failed payments", "limit": 1, "session_id": "@session"}),
    ("search_forest", {"query": "retry", "session_id": "@session"}),
    ("submit_semantic", {"session_id": "@session", "hypotheses": ["x"], "semantic_reason": "x"}),
    ("submit_understanding", {"session_id": "@session"}),
    ("submit_understanding", {"session_id": "@session", "symbols": ["with_retries"], "why": "it tries again"}),
    ("get_session_status", {"session_id": "@session"}),
    ("check_write_target", {"session_id": "@session", "file_path": RETRY}),
    ("record_outcome", {"session_id": "@session", "outcome": "partial"}),
    ("add_agreement", {"nl_term": "till", "symbol": ["checkout"], "code_evidence": "it takes the money"}),
    ("search_map", {"query": "till"}),
    ("list_agreements", {}),
    ("query_plan", {"goal": "how are payments retried?", "maxIterations": 1}),
    ("command_execute", {**COMMIT, "stdin": "renamed"}),
    ("index_status", {"look": False, "limit": 2}),
    ("no_such_tool", {}),
)
OTHERS: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "compat": (
        ("search_smart", {"query": "retry", "limit": 1}),
        ("gistdex_query", {"query": "retry", "k": "1", "hybrid": False, "expectedKeywords": ["ATTEMPTS"]}),
        ("gistdex_list", {}),
        ("submit_exploration", {"session_id": "s_0000"}),
        ("searchWithRRF", {"queries": ["undo revert", "commit"], "topN": 1}),
    ),
    "climpt": (
        ("search", {"query": "commit message"}),
        ("describe", COMMIT),
        ("execute", {**COMMIT, "agent": "climpt"}),
        ("execute", {**COMMIT, "options": ["-f=a.md"]}),
        ("search", {"query": "commit", "agent": "nobody"}),
        ("reload", {}),
    ),
}
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": f"shirube://file/{RETRY}"}),
    ("resources/read", {"uri": "shirube://file/nowhere.py"}),
    ("resources/read", {"uri": "shirube://symbol/checkout"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "code", "arguments": {"request": "fix it"}}),
    ("prompts/get", {"name": "nothing"}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "shirube://file/{+path}"},
            "argument": {"name": "path", "value": "src/shop/p"},
        },
    ),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "shirube://symbol/{name}"},
            "argument": {"name": "name", "value": "check"},
        },
    ),
    ("no/such/method", {}),
)


class Settled(StateDirs):
    """Directories whose servers look at the tree only when told to."""

    def environ(self) -> dict[str, str]:
        return {**super().environ(), **SETTLED}


def produce(base: Path) -> dict[str, str]:
    """Return every golden reply by its name."""
    files: dict[str, Any] = {}
    with surroundings(base) as dirs:
        root, marks = write_shop(base / "shop"), Marks(base)
        with adapter.project_at(root):
            pass
        known: dict[str, Any] = {}
        for toolset in TOOLSETS:
            server = Server(root, Settled(dirs.cache, dirs.state, dirs.config, dirs.home), "--toolsets", toolset)
            try:
                files[f"protocol/{toolset}/initialize.json"] = _stable(server.initialize()["result"])
                tools = {tool["name"]: tool for tool in server.tools()}
                files[f"protocol/{toolset}/tools.json"] = [
                    name if known.get(name) == tool else tool for name, tool in tools.items()
                ]
                known = known or tools
                files |= _called(server, toolset, marks)
                if toolset == "all":
                    files["protocol/asked.json"] = [
                        {"method": method, "params": params, "reply": _reply(server.ask(method, params), marks)}
                        for method, params in ASKED
                    ]
            finally:
                server.close()
    return {name: as_json(value) for name, value in files.items()}


def _called(server: Server, toolset: str, marks: Marks) -> dict[str, Any]:
    kept, told = "", []
    for name, arguments in CALLS if toolset == "all" else OTHERS.get(toolset, ()):
        sent = {key: kept if value == "@session" else value for key, value in arguments.items()}
        reply = server.ask("tools/call", {"name": name, "arguments": sent})
        told.append({"tool": name, "arguments": arguments, "reply": _reply(reply, marks)})
        if name == "start_session":
            kept = reply["result"]["structuredContent"]["session_id"]
    return {f"protocol/{toolset}/calls.json": told} if told else {}


def _reply(reply: dict[str, Any], marks: Marks) -> Any:
    """Return a reply with marks; a text that says just what the structure says is not written twice."""
    result = reply.get("result", {})
    for part in result.get("content", ()):
        if part.get("text") == json.dumps(result.get("structuredContent"), ensure_ascii=False):
            part["text"] = "<as structuredContent>"
    return marks.value({key: value for key, value in reply.items() if key not in ("id", "jsonrpc")})


def _stable(handshake: dict[str, Any]) -> dict[str, Any]:
    return {**handshake, "serverInfo": {**handshake["serverInfo"], "version": "<version>"}}
