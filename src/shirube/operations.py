"""The list of operations: every declaration in one order, by name, and the toolsets an agent can be given."""

from collections.abc import Iterable
from typing import Any

from shirube.errors import BadArgument, UnknownName
from shirube.features.commands import climpt
from shirube.features.commands import operations as commands
from shirube.features.guard import insight_operations as insights
from shirube.features.guard import operations as session
from shirube.features.lookup import index_operations as index
from shirube.features.lookup import operations as search
from shirube.features.lookup import symbol_operations as symbols
from shirube.features.map import operations as map
from shirube.features.plan import operations as plan
from shirube.operation import Operation

__all__ = [
    "GROUPS",
    "OPERATIONS",
    "TOOLSETS",
    "AnyOperation",
    "climpt",
    "commands",
    "in_toolsets",
    "index",
    "insights",
    "map",
    "operation_named",
    "plan",
    "search",
    "session",
    "symbols",
]
AnyOperation = Operation[..., Any]
ORDER = (search, plan, symbols, commands, session, map, insights, index)
"""The modules that declare, in the order in which a reader meets them."""
OPERATIONS: tuple[AnyOperation, ...] = tuple(
    found for module in ORDER for found in vars(module).values() if isinstance(found, Operation)
)
TOOLSETS = ("core", "all", "compat", "climpt")
GROUPS = ("search", "symbols", "plan", "session", "map", "insights", "commands", "index")
COMPAT: tuple[AnyOperation, ...] = (
    *climpt.NAMES,
    session.submit_understanding.named("submit_exploration"),
    search.search.named("search_smart"),
    search.search.named("gistdex_query"),
    plan.query_plan.named("gistdex_query_plan"),
    index.sync_index.named("gistdex_index"),
    index.index_status.named("gistdex_list"),
)
"""Names of the seeds where ours differ; listed with the toolset ``compat``, understood by every door."""
_BY_NAME = {operation.name: operation for operation in (*COMPAT, *OPERATIONS)}


def operation_named(name: str) -> AnyOperation:
    """Return the operation of that name, or raise an error that names the nearest."""
    if name not in _BY_NAME:
        raise UnknownName("operation", name, (operation.name for operation in OPERATIONS))
    return _BY_NAME[name]


def in_toolsets(toolsets: Iterable[str]) -> tuple[AnyOperation, ...]:
    """Return the operations of the named toolsets in the order of the table: ``core``, groups, ``all``, ``compat``.

    ``climpt`` is another server's list, with a ``search`` of its own, so it stands alone.
    """
    wanted = {name.strip() for name in toolsets if name.strip()}
    for name in wanted - {*TOOLSETS, *GROUPS}:
        raise UnknownName("toolset", name, [*TOOLSETS, *GROUPS])
    if wanted == {"climpt"}:
        return climpt.TOOLS
    if "climpt" in wanted:
        raise BadArgument("protocol.climpt_alone")
    chosen = tuple(
        operation
        for operation in OPERATIONS
        if "all" in wanted or operation.group in wanted or ("core" in wanted and operation.core)
    )
    return chosen + (COMPAT if "compat" in wanted else ())
