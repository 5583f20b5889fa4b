"""The library as mypy sees it in a caller's code; ``make lint`` reads this, and nobody runs it.

An ignore that is not needed is an error, so each of them proves that the mistake in its line is found.
"""

from typing import assert_type

from shirube import Project
from shirube.features.lookup.results import SearchResult
from shirube.features.lookup.symbol_results import DefinitionsResult


def right(project: Project) -> None:
    """Call operations as they are declared."""
    assert_type(project.search("retry", limit=3), SearchResult)
    assert_type(project.find_definitions(symbol="Session.start", exact_match=True), DefinitionsResult)
    assert_type(project.in_session("s_1").search("retry"), SearchResult)


def wrong(project: Project) -> None:
    """Make the usual mistakes."""
    project.search("retry", limt=3)  # type: ignore[call-arg]
    project.search()  # type: ignore[call-arg]
    project.search("retry", limit="three")  # type: ignore[arg-type]
    project.find_definitions("x").definition  # type: ignore[attr-defined]  # noqa: B018
