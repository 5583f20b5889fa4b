"""What changes something, as one story in a fixed order: a session, the map, plans, outcomes, commands."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.hostile import ANSI, ATTACK, BIDI, IMAGE
from tests.golden.calls import PAYMENT, RETRY

REQUEST = "Fix the retry of failed payments: checkout gives up too early"
JAPANESE = "支払いの再試行がおかしい。checkout がすぐ失敗するのを直して"
PATTERN = "calls that may fail are wrapped by `with_retries`, as in src/shop/payment.py"
CONFLICT = "---\nnl_term: drawer\nsymbol: checkout\n---\n# drawer\n\n<<<<<<< HEAD\nold\n=======\nnew\n>>>>>>> other\n"
PAIRS = {"version": 2, "pairs": [{"nl_term": "price tag", "symbol": "formatPrice", "similarity": 0.9}]}
OTHERS = {"version": 2, "pairs": [{"nl_term": "price tag", "symbol": "cartTotal", "similarity": 0.8}]}


@dataclass(frozen=True)
class Step:
    """One call and its name; ``keep`` remembers values of the result for later steps, which write ``@name``."""

    operation: str
    case: str
    arguments: dict[str, Any] = field(default_factory=dict)
    keep: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Write:
    """A file that somebody writes by hand between two calls."""

    path: str
    text: str
    replaces: str = ""


def slot(text: str) -> dict[str, str]:
    """Return a slot of a frame that quotes itself."""
    return {"value": text, "quote": text}


def evidence(target: str, path: str) -> dict[str, Any]:
    """Return what a recorded search for a text showed."""
    return {"tool": "search_text", "target": target, "result": f"{target} is in {path}", "files": [path]}


BEFORE: tuple[Step | Write, ...] = (
    Step("list_sessions", "none yet"),
    Step("get_session_status", "none yet"),
    Step("list_plans", "none yet"),
    Step("list_agreements", "none yet"),
    Step("check_agreements", "none yet"),
    Step("search_map", "none yet", {"query": "till"}),
    Step("list_conflicts", "none yet"),
    Step("list_proposals", "none yet"),
    Step("list_proposals", "none asked for", {"limit": 0}),
    Step("get_outcome_stats", "none yet", {"latest": 3}),
    Step("get_improvement_insights", "none yet"),
    Step("get_learning_effect", "none yet"),
    Step("export_map", "none yet"),
    Step("export_plans", "none yet"),
    Step("sync_map", "none yet"),
)
SESSION: tuple[Step | Write, ...] = (
    Step("start_session", "an unknown intent", {"intent": "DESTROY", "query": REQUEST}),
    Step("start_session", "no words", {"intent": "MODIFY", "query": ""}),
    Step("start_session", "modify", {"intent": "MODIFY", "query": REQUEST}, {"one": "session_id"}),
    Step("set_query_frame", "no quote of it", {"session_id": "@one", "target_feature": slot("the moon")}),
    Step(
        "set_query_frame",
        "filled",
        {
            "session_id": "@one",
            "target_feature": slot("retry of failed payments"),
            "observed_issue": slot("checkout gives up too early"),
        },
    ),
    Step("search", "in a session, later", {"query": "retry failed payments checkout", "session_id": "@one"}),
    Step("search_forest", "too early", {"query": "retry", "session_id": "@one"}),
    Step("semantic_search", "too early", {"query": "retry", "session_id": "@one"}),
    Step("submit_semantic", "too early", {"session_id": "@one", "hypotheses": ["x"], "semantic_reason": "x"}),
    Step("check_write_target", "too early", {"session_id": "@one", "file_path": RETRY}),
    Step("submit_understanding", "without looking things up", {"session_id": "@one"}),
    Step("find_definitions", "in a session, later", {"symbol": "with_retries", "session_id": "@one"}),
    Step("find_references", "in a session, later", {"symbol": "with_retries", "session_id": "@one"}),
    Step("submit_understanding", "too little", {"session_id": "@one"}),
    Step("semantic_search", "in a session", {"query": "retry payments", "session_id": "@one", "n_results": 3}),
    Step("search_forest", "in a session, later", {"query": "retry", "session_id": "@one", "limit": 3}),
    Step("submit_semantic", "an unknown reason", {"session_id": "@one", "hypotheses": ["x"], "semantic_reason": "why"}),
    Step(
        "submit_semantic",
        "two",
        {
            "session_id": "@one",
            "hypotheses": [
                {"text": f"with_retries in {RETRY} is the place", "confidence": "high"},
                "nothing else is to be changed",
            ],
            "semantic_reason": "architecture_unknown",
            "search_queries": ["retry"],
        },
    ),
    Step("search_text", "in a session, later", {"patterns": ["with_retries"], "session_id": "@one"}),
    Step(
        "submit_verification",
        "one left open",
        {
            "session_id": "@one",
            "verified": [
                {"hypothesis": "h1", "status": "confirmed", "evidence": evidence("with_retries", RETRY)},
            ],
        },
    ),
    Step(
        "submit_verification",
        "both",
        {
            "session_id": "@one",
            "verified": [
                {"hypothesis": "h1", "status": "confirmed", "evidence": evidence("with_retries", RETRY)},
                {"hypothesis": "h2", "status": "rejected", "evidence": evidence("with_retries", RETRY)},
            ],
        },
    ),
    Step("check_write_target", "what was explored", {"session_id": "@one", "file_path": RETRY}),
    Step("check_write_target", "a new file", {"session_id": "@one", "file_path": "src/shop/backoff.py"}),
    Step("check_write_target", "somewhere else", {"session_id": "@one", "file_path": "lib/else.py"}),
    Step("check_write_target", "outside", {"session_id": "@one", "file_path": "../else.py"}),
    Step("add_explored_files", "not returned", {"session_id": "@one", "files": ["web/cart.ts"]}),
    Step("add_explored_files", "returned", {"session_id": "@one", "files": [PAYMENT]}),
    Step("validate_symbol_relevance", "symbols", {"symbols": ["with_retries", "cartTotal"], "session_id": "@one"}),
    Step("validate_symbol_relevance", "a word", {"symbols": ["checkout", "nothing"], "target_feature": "支払い"}),
    Step("validate_symbol_relevance", "none", {"symbols": [], "target_feature": "till"}),
    Step(
        "confirm_symbol_relevance",
        "without evidence",
        {"session_id": "@one", "relevant_symbols": ["with_retries"], "code_evidence": "because I say so"},
    ),
    Step(
        "confirm_symbol_relevance",
        "with evidence",
        {
            "session_id": "@one",
            "relevant_symbols": ["with_retries"],
            "code_evidence": "`with_retries` calls the action until ATTEMPTS are used up",
            "reasoning": "checkout goes through it",
        },
    ),
    Step("get_session_status", "ready", {"session_id": "@one"}),
    Step("get_session_status", "in detail", {"session_id": "@one", "detailed": True}),
    Step("record_outcome", "nothing told", {"session_id": "@one"}),
    Step("record_outcome", "success", {"session_id": "@one", "trigger_message": "thanks, that works"}),
    Step("start_session", "in Japanese", {"intent": "MODIFY", "query": JAPANESE}, {"two": "session_id"}),
    Step(
        "set_query_frame",
        "in Japanese",
        {
            "session_id": "@two",
            "target_feature": slot("支払いの再試行"),
            "observed_issue": slot("checkout がすぐ失敗する"),
        },
    ),
    Step("search", "in Japanese, in a session", {"query": "支払い 再試行 checkout", "session_id": "@two"}),
    Step("find_definitions", "in a second session", {"symbol": "with_retries", "session_id": "@two"}),
    Step("find_references", "in a second session", {"symbol": "with_retries", "session_id": "@two"}),
    Step("search_text", "in Japanese, in a session", {"patterns": ["再試行"], "session_id": "@two"}),
    Step("snippets_get", "in a session, later", {"path": RETRY, "start_line": 10, "session_id": "@two"}),
    Step("query", "in a session, later", {"question": "who calls with_retries?", "session_id": "@two"}),
    Step("analyze_impact", "in a session, later", {"symbols": ["with_retries"], "session_id": "@two"}),
    Step(
        "submit_understanding",
        "claims that are wrong",
        {"session_id": "@two", "symbols_identified": ["moon"], "files_analyzed": ["none.py"]},
    ),
    Step(
        "submit_understanding",
        "enough",
        {
            "session_id": "@two",
            "symbols": ["with_retries"],
            "existing_patterns": [PATTERN],
            "callers": [PAYMENT],
            "notes": "見た",
        },
    ),
    Step(
        "submit_semantic",
        "hypotheses that name nothing",
        {
            "session_id": "@two",
            "hypotheses": ["somewhere"],
            "semantic_reason": "no_definition_found",
        },
    ),
    Step(
        "submit_verification",
        "too early",
        {
            "session_id": "@two",
            "verified": [{"hypothesis": "h1", "status": "confirmed", "evidence": evidence("with_retries", RETRY)}],
        },
    ),
    Step("revert_to_exploration", "keeping", {"session_id": "@two"}),
    Step("revert_to_exploration", "forgetting", {"session_id": "@two", "keep_results": False}),
    Step(
        "record_outcome",
        "failure",
        {
            "session_id": "@two",
            "outcome": "failure",
            "analysis": {"root_cause": "the caller was not read", "failure_point": "wrong_file"},
        },
    ),
    Step(
        "start_session", "question", {"intent": "QUESTION", "query": "what does checkout do?"}, {"three": "session_id"}
    ),
    Step("check_write_target", "a question", {"session_id": "@three", "file_path": RETRY}),
    Step("record_outcome", "read off Japanese words", {"session_id": "@three", "trigger_message": "まだ動きません"}),
    Step("record_outcome", "an unknown session", {"session_id": "s_0000", "outcome": "success"}),
    Step("set_query_frame", "an unknown session", {"session_id": "s_0000"}),
    Step("get_session_status", "an unknown session", {"session_id": "s_0000"}),
    Step("get_session_status", "the latest"),
    Step("list_sessions", "all"),
    Step("list_sessions", "the last", {"limit": 1}),
)
MAP: tuple[Step | Write, ...] = (
    Step("add_agreement", "a term", {"nl_term": "till", "symbol": ["checkout"], "code_evidence": "it takes the money"}),
    Step("add_agreement", "once more", {"nl_term": "till", "symbol": ["checkout"]}),
    Step("add_agreement", "in Japanese", {"nl_term": "返金", "symbol": ["PaymentGateway.refund"], "path": PAYMENT}),
    Step("add_agreement", "two symbols", {"nl_term": "price", "symbol": ["formatPrice", "cartTotal"]}),
    Step(
        "add_agreement",
        "a convention",
        {
            "nl_term": "money",
            "doc_type": "convention",
            "code_evidence": "Money is counted in whole yen.",
        },
    ),
    Step("add_agreement", "no such symbol", {"nl_term": "moon", "symbol": ["moonlight"]}),
    Step("add_agreement", "no term", {"nl_term": " ", "symbol": ["checkout"]}),
    Step("search_map", "a term", {"query": "till"}),
    Step("search_map", "in a session", {"query": "where is the till?", "session_id": "@three"}),
    Step("search_map", "in Japanese", {"query": "返金する", "limit": 2}),
    Step("search_map", "nothing", {"query": "zyxwvut"}),
    Step("search_map", "no words", {"query": ""}),
    Step("semantic_search", "the map", {"query": "till", "collection": "map"}),
    Step("semantic_search", "both", {"query": "till", "n_results": 2}),
    Step("semantic_search", "the forest", {"query": "カートの合計", "collection": "forest", "n_results": 2}),
    Step("semantic_search", "nothing", {"query": "zyxwvut", "collection": "map", "path": "web"}),
    Step("search", "with the map", {"query": "till", "limit": 2}),
    Step("search", "with the map, in a session", {"query": "till", "limit": 2, "session_id": "@three"}),
    Step("query", "with the map", {"question": "where is the till?"}),
    Step("context_bundle", "with the map", {"goal": "change the till", "limit": 2}),
    Step("list_agreements", "all", {"preview_lines": 2}),
    Step("list_agreements", "conventions", {"doc_type": "convention"}),
    Step("list_agreements", "nothing", {"query": "zyxwvut"}),
    Step("list_agreements", "the first", {"limit": 1}),
    Step("list_agreements", "an unknown state", {"state": "rotten"}),
    Write(PAYMENT, "trying twice", "trying again"),
    Step("sync_index", "a file changed"),
    Step("check_agreements", "one changed"),
    Step("check_agreements", "the changed", {"state": "changed", "preview_lines": 1}),
    Step("edit_agreement", "confirmed", {"agreement": "till → checkout", "confirm": True}),
    Step("edit_agreement", "evidence", {"agreement": "till", "code_evidence": "it returns the receipt"}),
    Step("edit_agreement", "nothing to change", {"agreement": "till"}),
    Step("edit_agreement", "not there", {"agreement": "tyll", "confirm": True}),
    Step("edit_agreement", "another symbol", {"agreement": "price → cartTotal", "symbol": "formatPrice"}),
    Step("get_agreement_history", "not committed", {"agreement": "till → checkout"}),
    Step("get_agreement_history", "not there", {"agreement": "moon"}),
    Step("expire_agreement", "marked", {"agreement": "返金"}),
    Step("expire_agreement", "deleted", {"agreement": "price → formatPrice", "delete": True}),
    Step("expire_agreement", "not there", {"agreement": "zyxwvut"}),
    Write(".shirube/agreements/merged.md", CONFLICT),
    Step("list_conflicts", "one"),
    Step("resolve_conflict", "an unknown side", {"conflict": "merged.md", "keep": "neither"}),
    Step("resolve_conflict", "both", {"conflict": "merged.md", "keep": "both"}),
    Step("resolve_conflict", "not there", {"conflict": "merged.md", "keep": "both"}),
    Write("build/ours.json", json.dumps(PAIRS)),
    Write("build/theirs.json", json.dumps(OTHERS)),
    Step("merge_agreements", "two files", {"ours": "build/ours.json", "theirs": "build/theirs.json"}),
    Step("merge_agreements", "not there", {"ours": "build/ours.json", "theirs": "build/none.json"}),
    Step("sync_map", "all"),
    Step("export_map", "returned"),
    Step("export_map", "written", {"path": "build/map.json"}),
    Step("export_map", "outside", {"path": "../map.json"}),
    Step("import_map", "a file", {"path": "build/map.json"}),
    Step("import_map", "learned pairs", {"path": "build/ours.json"}),
    Step("import_map", "no map", {"text": "{}"}),
    Step("import_map", "nothing", {}),
    Step("check_agreements", "all"),
)
PLANS: tuple[Step | Write, ...] = (
    Step(
        "query_plan",
        "a goal",
        {
            "goal": "how are failed payments retried?",
            "maxIterations": 3,
            "expectedResults": {"keywords": ["with_retries", "ATTEMPTS"], "minMatches": 2},
        },
        {"plan": "planId"},
    ),
    Step("show_plan", "not there", {"planId": "00000000"}),
    Step("query_plan", "remembered", {"goal": "how are failed payments retried?", "maxIterations": 3}),
    Step("query_plan", "in Japanese", {"goal": "返金はどこ？", "maxIterations": 2, "save": "none"}),
    Step("query_plan", "in a session", {"goal": "retry", "maxIterations": 1, "session_id": "@three"}),
    Step("query_plan", "a preset", {"goal": "the cart", "preset": "api", "maxIterations": 2}),
    Step("query_plan", "an unknown preset", {"goal": "the cart", "preset": "magic"}),
    Step("query_plan", "nothing", {"goal": "zyxwvut qqqq", "maxIterations": 1, "fresh": True}),
    Step("query_plan", "no words", {"goal": ""}),
    Step("query_plan", "another model", {"goal": "retry", "provider": "google"}),
    Step("list_plans", "all"),
    Step("list_plans", "about", {"query": "payments"}),
    Step("list_plans", "nothing", {"query": "zyxwvut"}),
    Step("list_plans", "an unknown status", {"status": "great"}),
    Step("show_plan", "one", {"planId": "@plan"}),
    Step("export_plans", "one", {"plans": ["@plan"]}),
    Step("export_plans", "written", {"path": "build/plans.json"}),
    Step("export_plans", "not there", {"plans": ["00000000"]}),
    Step("import_plans", "a file", {"path": "build/plans.json"}),
    Step("import_plans", "no plans", {"document": "[]"}),
    Step("import_plans", "nothing"),
)
AFTER: tuple[Step | Write, ...] = (
    Step("get_session_analysis", "success", {"session_id": "@one"}),
    Step("get_session_analysis", "failure", {"session_id": "@two"}),
    Step("get_session_analysis", "not there", {"session_id": "s_0000"}),
    Step("get_improvement_insights", "all"),
    Step("get_improvement_insights", "the last", {"limit": 1}),
    Step("get_outcome_stats", "all", {"latest": 5}),
    Step("get_learning_effect", "a bound", {"prior": 0.2}),
    Step("get_learning_effect", "too much", {"prior": 0.9}),
    Step("command_build", "dry", {"dry_run": True}),
    Step("command_build", "written"),
    Step("command_build", "an unknown registry", {"agent": "nobody"}),
    Write("src/shop/new.py", '"""What is new."""\n\n\ndef newcomer() -> int:\n    return 1\n'),
    Step("sync_index", "a file more"),
    Step("sync_index", "all again", {"full": True}),
    Step("sync_index", "nothing to cancel", {"cancel": True}),
    Step("index_status", "at the end"),
    Step("forget_outcomes", "all"),
    Step("get_outcome_stats", "forgotten", {"latest": 5}),
)
PAGES: tuple[Step | Write, ...] = (
    Step("search", "a first page", {"query": "retry", "limit": 2}, {"next": "next_cursor"}),
    Step("search", "a later page", {"query": "retry", "limit": 2, "cursor": "@next"}),
    Step("files_search", "a first page", {"query": "retry", "limit": 2}, {"next": "next_cursor"}),
    Step("files_search", "a later page", {"query": "retry", "limit": 2, "cursor": "@next"}),
    Step("search_text", "a first page", {"patterns": ["return"], "limit": 3}, {"next": "next_cursor"}),
    Step("search_text", "a later page", {"patterns": ["return"], "limit": 3, "cursor": "@next"}),
    Step("find_definitions", "a first page", {"symbol": "pay", "limit": 1}, {"next": "next_cursor"}),
    Step("find_definitions", "a later page", {"symbol": "pay", "limit": 1, "cursor": "@next"}),
    Step("find_references", "a first page", {"symbol": "checkout", "limit": 2}, {"next": "next_cursor"}),
    Step("find_references", "a later page", {"symbol": "checkout", "limit": 2, "cursor": "@next"}),
    Step("get_symbols", "a first page", {"path": "src", "limit": 3}, {"next": "next_cursor"}),
    Step("get_symbols", "a later page", {"path": "src", "limit": 3, "cursor": "@next"}),
    Step("analyze_structure", "a first page", {"path": "", "limit": 2}, {"next": "next_cursor"}),
    Step("analyze_structure", "a later page", {"path": "", "limit": 2, "cursor": "@next"}),
    Step("list_agreements", "unknown arguments of two", {"limti": 2, "stat": 1}),
)
ATTACKS: tuple[Step | Write, ...] = (
    Step("start_session", "an attack", {"intent": "MODIFY", "query": f"charge {ATTACK} {BIDI}"}, {"one": "session_id"}),
    Step("set_query_frame", "an attack", {"session_id": "@one", "target_feature": slot(ATTACK)}),
    Step("search", "an attack, in a session", {"query": "charge card", "session_id": "@one", "limit": 20}),
    Step("search_text", "an attack, in a session", {"patterns": ["charge_card_"], "session_id": "@one"}),
    Step("find_references", "an attack, in a session", {"symbol": "checkout", "session_id": "@one"}),
    Step("deps_closure", "an attack, in a session", {"path": PAYMENT, "direction": "inbound", "session_id": "@one"}),
    Step("submit_understanding", "an attack", {"session_id": "@one", "notes": f"{IMAGE} {ANSI}"}),
    Step(
        "check_write_target", "an attack", {"session_id": "@one", "file_path": 'src/"><img src=x onerror=alert(1)>.py'}
    ),
    Step("get_session_status", "an attack", {"session_id": "@one", "detailed": True}),
    Step("record_outcome", "an attack", {"session_id": "@one", "outcome": "partial", "trigger_message": ATTACK}),
    Step("list_conflicts", "hostile"),
    Step("list_agreements", "hostile"),
    Step("resolve_conflict", "hostile", {"conflict": "till.md", "keep": "both"}),
    Step("add_agreement", "hostile", {"nl_term": f"{IMAGE} {BIDI}", "symbol": ["checkout"], "code_evidence": ANSI}),
    Step("check_agreements", "hostile", {"preview_lines": 1}),
    Step("search_map", "hostile", {"query": IMAGE}),
    Step("export_map", "hostile"),
    Step("sync_map", "hostile"),
    Step("query_plan", "hostile", {"goal": f"charge {ATTACK}", "maxIterations": 2, "save": "none"}),
    Step("list_plans", "hostile"),
    Step("get_outcome_stats", "hostile", {"latest": 1}),
    Step("get_improvement_insights", "hostile"),
)
