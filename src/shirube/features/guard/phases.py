"""Which operations each phase allows, as data (decision 20).

Whatever reads is allowed everywhere; the search by sense alone only where guesses are wanted, and each submission only
in its own phase. Operations are known by name and group, so that new ones find their place by themselves.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from shirube.features.guard.state import Phase

SUBMISSIONS: Mapping[str, Phase] = {
    "submit_understanding": Phase.EXPLORATION,
    "submit_exploration": Phase.EXPLORATION,
    "submit_semantic": Phase.SEMANTIC,
    "submit_verification": Phase.VERIFICATION,
}
FOREST = frozenset({"search_forest", "semantic_search"})
"""Guesses by sense: what they find are hypotheses, so they belong where hypotheses are made."""
FOREST_PHASES = frozenset({Phase.SEMANTIC, Phase.READY})
NAMING = frozenset({"deps_closure", "analyze_impact", "semantic_rerank", "find_path"})
"""Operations that name files without showing anything of them."""
SHOWING = frozenset({"search", "symbols"})
"""Groups whose results are exploration."""
PLANS = frozenset({"query", "query_plan"})
"""Operations of other groups whose results are, too."""


def allows(phase: Phase, operation: str, arguments: Mapping[str, Any] | None = None) -> bool:
    """Tell whether an operation may be called now; ``semantic_search`` of the map always may."""
    if operation in SUBMISSIONS:
        return SUBMISSIONS[operation] is phase
    if operation not in FOREST or phase in FOREST_PHASES:
        return True
    return operation == "semantic_search" and str((arguments or {}).get("collection", "")).lower() == "map"


def allowed_operations(phase: Phase, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the named operations that may be called now."""
    return tuple(name for name in names if allows(phase, name))


def explores(operation: str, group: str) -> bool:
    """Tell whether what an operation returns was looked at: searches, symbols, snippets, the steps of a plan."""
    return group in SHOWING or operation in PLANS
