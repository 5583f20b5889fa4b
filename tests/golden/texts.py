"""What agents read: the text of a call of every operation, as the server sends it."""

import json
from pathlib import Path
from typing import Any

from tests.doors import agreed
from tests.doors.mcp.client import Server
from tests.doors.test_doors import SHARED
from tests.golden import adapter
from tests.golden.calls import ASK, COMMIT, RETRY
from tests.golden.marks import HANDLE, PLAN, Marks
from tests.golden.projects import surroundings, write_shop
from tests.golden.protocol import REQUEST, Settled

Calls = tuple[tuple[str, dict[str, Any]], ...]
IN_SESSION = {"session_id": "@session"}
EVIDENCE = {"tool": "search_text", "target": "with_retries", "result": "it retries", "files": [RETRY]}
VERIFIED = {"hypothesis": "h1", "status": "confirmed", "evidence": EVIDENCE}
LOOKS: Calls = tuple((name, next(iter(cases.values()))) for name, cases in ASK.items())
MORE: Calls = (
    ("search", {"query": "返金処理はどこ？"}),
    ("search", {"query": "retry payment", "max_tokens": 60}),
    ("search", {"query": "retry payment", "max_tokens": 5}),
    ("search", {"query": "retry", "limit": 1, "explain": True}),
    ("search", {"query": "zyxwvut", "mode": "lexical"}),
    ("search", {"qeury": "retry"}),
    ("search_text", {"patterns": ["zyxwvut"]}),
    ("snippets_get", {"path": "../secret"}),
    ("context_bundle", {"goal": "支払いの再試行を直す", "budget": 300}),
    ("find_definitions", {"symbol": "chekout"}),
    ("no_such_tool", {}),
)
STORY: Calls = (
    ("start_session", {"intent": "MODIFY", "query": REQUEST}),
    ("set_query_frame", {**IN_SESSION, "target_feature": {"value": "retry", "quote": "retry"}}),
    ("search", {**IN_SESSION, "query": "retry failed payments"}),
    ("search", {**IN_SESSION, "query": "retry failed payments"}),
    ("search_text", {**IN_SESSION, "patterns": ["with_retries"]}),
    ("search_forest", {**IN_SESSION, "query": "retry"}),
    ("submit_understanding", IN_SESSION),
    ("submit_semantic", {**IN_SESSION, "hypotheses": ["x"], "semantic_reason": "architecture_unknown"}),
    ("submit_verification", {**IN_SESSION, "verified": [VERIFIED]}),
    ("submit_understanding", {**IN_SESSION, "symbols": ["moon"]}),
    ("submit_understanding", {**IN_SESSION, "symbols": ["with_retries"], "why": "it tries again"}),
    ("check_write_target", {**IN_SESSION, "file_path": RETRY}),
    ("check_write_target", {**IN_SESSION, "file_path": [RETRY, "web/cart.ts"]}),
    ("add_explored_files", {**IN_SESSION, "files": ["README.md"]}),
    ("get_session_status", IN_SESSION),
    ("revert_to_exploration", IN_SESSION),
    ("list_sessions", {}),
    ("query_plan", {"goal": "how are payments retried?", "max_iterations": 1}),
    ("list_plans", {}),
    ("show_plan", {"plan_id": "@plan"}),
    ("export_plans", {"path": "build/plans.json"}),
    ("import_plans", {"document": json.dumps(SHARED)}),
    *agreed.NEEDED.items(),
    ("list_proposals", {}),
    ("command_build", {"dry_run": True}),
    ("command_execute", {**COMMIT, "stdin": "renamed"}),
    ("sync_index", {}),
)


def produce(base: Path) -> dict[str, str]:
    """Return the texts by the group of their operation."""
    with surroundings(base) as dirs:
        root, marks = write_shop(base / "shop"), Marks(base)
        with adapter.project_at(root) as project:
            agreed.prepare(project)
        own = Settled(dirs.cache, dirs.state, dirs.config, dirs.home)
        server = Server(root, own, "--toolsets", "all", text=True)
        try:
            server.initialize()
            return _told(server, marks)
        finally:
            server.close()


def _told(server: Server, marks: Marks) -> dict[str, str]:
    files: dict[str, list[str]] = {}
    kept = {"@session": "", "@plan": ""}
    for name, arguments in (*LOOKS, *MORE, *STORY):
        sent = json.dumps(arguments, ensure_ascii=False)
        filled = sent.replace("@session", kept["@session"]).replace("@plan", kept["@plan"])
        text = server.read(name, json.loads(filled))
        kept |= {"@session": HANDLE.findall(text)[0]} if name == "start_session" else {}
        kept |= {"@plan": PLAN.search(text)[0]} if name == "query_plan" else {}
        told = f"{name} {sent}\n\n{marks.terminal(text)}\n"
        files.setdefault(adapter.GROUPS.get(name, "unknown"), []).append(told)
    line = "-" * 80
    return {f"texts/{group}.txt": f"\n{line}\n".join(told) for group, told in files.items()}
