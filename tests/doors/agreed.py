"""A session and a map, for operations that need one, and what these operations cannot do without."""

import json
from typing import Any

from shirube import Project
from shirube.features.map.agreement import Agreement
from shirube.features.map.page import to_page
from tests.features.mapped import session

SESSION = "session_doors"
PAGE = to_page(Agreement("cash desk", "checkout"))
TERM = {"nl_term": "cash desk", "symbol": ["checkout"]}

NEEDED: dict[str, dict[str, Any]] = {
    "search_map": {"query": "cash desk"},
    "semantic_search": {"query": "cash desk", "collection": "map"},
    "validate_symbol_relevance": {"symbols": ["checkout"], "target_feature": "cash desk"},
    "confirm_symbol_relevance": {
        "session_id": SESSION,
        "relevant_symbols": ["checkout"],
        "code_evidence": "`with_retries` charges the card",
    },
    "record_outcome": {"session_id": SESSION, "outcome": "success"},
    "add_agreement": TERM,
    "edit_agreement": {"agreement": "till → checkout", "confirm": True},
    "expire_agreement": {"agreement": "till → checkout"},
    "list_agreements": {},
    "check_agreements": {},
    "sync_map": {},
    "merge_agreements": {"ours": "ours", "theirs": "theirs"},
    "list_conflicts": {},
    "resolve_conflict": {"conflict": "merged.md", "keep": "both"},
    "get_agreement_history": {"agreement": "till → checkout"},
    "export_map": {},
    "import_map": {"text": json.dumps({"shirube_map": 1, "pages": [PAGE]})},
    "get_session_analysis": {"session_id": SESSION},
    "get_improvement_insights": {},
    "get_outcome_stats": {"latest": 5},
    "get_learning_effect": {"prior": 0.2},
    "forget_outcomes": {},
}


def prepare(project: Project) -> None:
    """Give a project a session, an agreement and two files to merge."""
    session(project, SESSION, request="change the cash desk")
    project.add_agreement("till", symbol=["checkout"], code_evidence="it takes the money")
    page = "---\nnl_term: drawer\nsymbol: checkout\n---\n<<<<<<< HEAD\nold\n=======\nnew\n>>>>>>> other\n"
    (project.workspace.root / ".shirube/agreements/merged.md").write_text(page, "utf-8")
    for name in ("ours", "theirs"):
        (project.workspace.root / name).write_text('{"version": 2, "pairs": []}', "utf-8")
    project.sync_index()
