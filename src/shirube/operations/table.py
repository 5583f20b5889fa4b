"""The table of operations: defined once, shown everywhere."""

from collections.abc import Iterable

from shirube.errors import UnknownName
from shirube.operations.files import FILES_SEARCH
from shirube.operations.index import INDEX_STATUS, SYNC_INDEX
from shirube.operations.model import KNOWN, Operation
from shirube.operations.plans import QUERY_PLAN
from shirube.operations.presets import LIST_PRESETS
from shirube.operations.query import QUERY
from shirube.operations.rerank import SEMANTIC_RERANK
from shirube.operations.search import SEARCH, SEARCH_FOREST
from shirube.operations.shelf import EXPORT_PLANS, IMPORT_PLANS, LIST_PLANS, SHOW_PLAN
from shirube.operations.text import SEARCH_TEXT

OPERATIONS: tuple[Operation, ...] = (
    SEARCH,
    FILES_SEARCH,
    SEARCH_TEXT,
    SEARCH_FOREST,
    SEMANTIC_RERANK,
    QUERY,
    QUERY_PLAN,
    LIST_PLANS,
    SHOW_PLAN,
    LIST_PRESETS,
    EXPORT_PLANS,
    IMPORT_PLANS,
    SYNC_INDEX,
    INDEX_STATUS,
)
GROUPS = ("search", "symbols", "plan", "session", "map", "insights", "commands", "index")
_BY_NAME = {operation.name: operation for operation in OPERATIONS}
KNOWN.update(_BY_NAME)


def operation_named(name: str) -> Operation:
    """Return the operation of that name, or raise an error that names the nearest."""
    if name not in _BY_NAME:
        raise UnknownName("operation", name, _BY_NAME)
    return _BY_NAME[name]


def in_toolsets(toolsets: Iterable[str]) -> tuple[Operation, ...]:
    """Return the operations of the named toolsets in the order of the table: ``core``, groups, ``all``."""
    wanted = {name.strip() for name in toolsets if name.strip()}
    for name in wanted - {"core", "all", *GROUPS}:
        raise UnknownName("toolset", name, ["core", "all", *GROUPS])
    return tuple(
        operation
        for operation in OPERATIONS
        if "all" in wanted or operation.group in wanted or ("core" in wanted and operation.core)
    )
