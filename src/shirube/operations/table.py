"""The table of operations: defined once, shown everywhere."""

from collections.abc import Iterable
from dataclasses import replace

from shirube.errors import BadArgument, UnknownName
from shirube.operations.agreements import (
    ADD_AGREEMENT,
    CHECK_AGREEMENTS,
    EDIT_AGREEMENT,
    EXPIRE_AGREEMENT,
    LIST_AGREEMENTS,
)
from shirube.operations.bundle import CONTEXT_BUNDLE
from shirube.operations.climpt import CLIMPT, CLIMPT_NAMES
from shirube.operations.commands import COMMAND_DESCRIBE, COMMAND_RELOAD, COMMAND_SEARCH
from shirube.operations.conflicts import LIST_CONFLICTS, RESOLVE_CONFLICT
from shirube.operations.deps import DEPS_CLOSURE
from shirube.operations.effect import GET_LEARNING_EFFECT
from shirube.operations.execute import COMMAND_EXECUTE
from shirube.operations.files import FILES_SEARCH
from shirube.operations.impact import ANALYZE_IMPACT
from shirube.operations.index import INDEX_STATUS, SYNC_INDEX
from shirube.operations.insights import (
    FORGET_OUTCOMES,
    GET_IMPROVEMENT_INSIGHTS,
    GET_OUTCOME_STATS,
    GET_SESSION_ANALYSIS,
)
from shirube.operations.maps import SEARCH_MAP
from shirube.operations.model import KNOWN, Operation
from shirube.operations.outcomes import RECORD_OUTCOME
from shirube.operations.past import GET_AGREEMENT_HISTORY
from shirube.operations.plans import QUERY_PLAN
from shirube.operations.presets import LIST_PRESETS
from shirube.operations.query import QUERY
from shirube.operations.references import FIND_REFERENCES
from shirube.operations.registry import COMMAND_BUILD, COMMAND_VALIDATE
from shirube.operations.relevance import CONFIRM_SYMBOL_RELEVANCE, VALIDATE_SYMBOL_RELEVANCE
from shirube.operations.rerank import SEMANTIC_RERANK
from shirube.operations.search import SEARCH, SEARCH_FOREST, SEMANTIC_SEARCH
from shirube.operations.sessions import SESSIONS, START_SESSION
from shirube.operations.sharing import EXPORT_MAP, IMPORT_MAP, MERGE_AGREEMENTS, SYNC_MAP
from shirube.operations.shelf import EXPORT_PLANS, IMPORT_PLANS, LIST_PLANS, SHOW_PLAN
from shirube.operations.snippets import SNIPPETS_GET
from shirube.operations.structure import ANALYZE_STRUCTURE, GET_FUNCTION_AT_LINE
from shirube.operations.submissions import SUBMISSIONS, SUBMIT_EXPLORATION
from shirube.operations.symbols import FIND_DEFINITIONS, GET_SYMBOLS
from shirube.operations.text import SEARCH_TEXT
from shirube.operations.writing import CHECK_WRITE_TARGET

OPERATIONS: tuple[Operation, ...] = (
    SEARCH,
    FILES_SEARCH,
    SEARCH_TEXT,
    CONTEXT_BUNDLE,
    SNIPPETS_GET,
    SEARCH_FOREST,
    SEMANTIC_RERANK,
    QUERY,
    QUERY_PLAN,
    LIST_PLANS,
    SHOW_PLAN,
    LIST_PRESETS,
    EXPORT_PLANS,
    IMPORT_PLANS,
    DEPS_CLOSURE,
    COMMAND_SEARCH,
    COMMAND_DESCRIBE,
    COMMAND_EXECUTE,
    COMMAND_VALIDATE,
    COMMAND_BUILD,
    COMMAND_RELOAD,
    SEARCH_MAP,
    SEMANTIC_SEARCH,
    VALIDATE_SYMBOL_RELEVANCE,
    CONFIRM_SYMBOL_RELEVANCE,
    RECORD_OUTCOME,
    ADD_AGREEMENT,
    EDIT_AGREEMENT,
    EXPIRE_AGREEMENT,
    LIST_AGREEMENTS,
    CHECK_AGREEMENTS,
    SYNC_MAP,
    MERGE_AGREEMENTS,
    LIST_CONFLICTS,
    RESOLVE_CONFLICT,
    GET_AGREEMENT_HISTORY,
    EXPORT_MAP,
    IMPORT_MAP,
    GET_SESSION_ANALYSIS,
    GET_IMPROVEMENT_INSIGHTS,
    GET_OUTCOME_STATS,
    GET_LEARNING_EFFECT,
    FORGET_OUTCOMES,
    FIND_DEFINITIONS,
    FIND_REFERENCES,
    GET_SYMBOLS,
    ANALYZE_STRUCTURE,
    GET_FUNCTION_AT_LINE,
    ANALYZE_IMPACT,
    START_SESSION,
    *SUBMISSIONS,
    CHECK_WRITE_TARGET,
    *SESSIONS,
    SYNC_INDEX,
    INDEX_STATUS,
)
TOOLSETS = ("core", "all", "compat", "climpt")
GROUPS = ("search", "symbols", "plan", "session", "map", "insights", "commands", "index")
COMPAT: tuple[Operation, ...] = (
    *CLIMPT_NAMES,
    SUBMIT_EXPLORATION,
    replace(SEARCH, name="search_smart", core=False),
    replace(SEARCH, name="gistdex_query", core=False),
    replace(QUERY_PLAN, name="gistdex_query_plan", core=False),
    replace(SYNC_INDEX, name="gistdex_index", core=False),
    replace(INDEX_STATUS, name="gistdex_list", core=False),
)
"""Names of the seeds where ours differ; listed with the toolset ``compat``, understood by every door."""
_BY_NAME = {operation.name: operation for operation in (*COMPAT, *OPERATIONS)}
KNOWN.update(_BY_NAME)


def operation_named(name: str) -> Operation:
    """Return the operation of that name, or raise an error that names the nearest."""
    if name not in _BY_NAME:
        raise UnknownName("operation", name, (operation.name for operation in OPERATIONS))
    return _BY_NAME[name]


def in_toolsets(toolsets: Iterable[str]) -> tuple[Operation, ...]:
    """Return the operations of the named toolsets in the order of the table: ``core``, groups, ``all``, ``compat``.

    ``climpt`` is another server's list, with a ``search`` of its own, so it stands alone.
    """
    wanted = {name.strip() for name in toolsets if name.strip()}
    for name in wanted - {*TOOLSETS, *GROUPS}:
        raise UnknownName("toolset", name, [*TOOLSETS, *GROUPS])
    if wanted == {"climpt"}:
        return CLIMPT
    if "climpt" in wanted:
        raise BadArgument("toolset 'climpt' has a search of its own", "serve it alone, or use 'core,commands,compat'")
    chosen = tuple(
        operation
        for operation in OPERATIONS
        if "all" in wanted or operation.group in wanted or ("core" in wanted and operation.core)
    )
    return chosen + (COMPAT if "compat" in wanted else ())
