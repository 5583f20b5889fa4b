import pytest

from shirube.features.guard.phases import SUBMISSIONS, allowed_operations, allows, explores
from shirube.features.guard.state import Phase
from tests.cases import for_each

READING = ["search", "files_search", "context_bundle", "snippets_get", "find_definitions", "deps_closure", "query"]
ALWAYS = ["search_map", "get_session_status", "check_write_target", "command_search", "list_agreements", "sync_index"]


@for_each("phase", Phase)
@for_each("name", [*READING, *ALWAYS, "confirm_symbol_relevance"])
def test_reading_and_upkeep_are_allowed_in_every_phase(phase: Phase, name: str):
    assert allows(phase, name)


@pytest.mark.requirement("N003-FOREST-01")
@for_each("name", ["search_forest", "semantic_search"])
def test_guessing_by_sense_is_for_the_phases_where_guesses_are_wanted(name: str):
    assert [phase for phase in Phase if allows(phase, name)] == [Phase.SEMANTIC, Phase.READY]


def test_the_map_may_be_asked_by_sense_everywhere():
    assert allows(Phase.EXPLORATION, "semantic_search", {"collection": "map"})
    assert not allows(Phase.EXPLORATION, "semantic_search", {"collection": "auto"})
    assert not allows(Phase.EXPLORATION, "search_forest", {"collection": "map"})


@pytest.mark.requirement("N003-FOREST-01")
def test_an_ordinary_search_by_sense_alone_is_one_of_them():
    dense = [phase for phase in Phase if allows(phase, "search", {"query": "q", "mode": "dense"})]
    assert dense == [Phase.SEMANTIC, Phase.READY]
    assert all(allows(phase, "search", {"query": "q", "mode": "hybrid"}) for phase in Phase)


def test_files_are_added_in_ready_alone():
    assert [phase for phase in Phase if allowed_operations(phase, ["add_explored_files"])] == [Phase.READY]


def test_every_submission_has_one_phase():
    for name, own in SUBMISSIONS.items():
        assert [phase for phase in Phase if allows(phase, name)] == [own]


def test_the_allowed_are_listed_in_the_order_they_are_known():
    assert allowed_operations(Phase.EXPLORATION, ["b", "search_forest", "submit_understanding"]) == (
        "b",
        "submit_understanding",
    )


def test_what_shows_code_explores_and_what_lists_plans_does_not():
    assert explores("snippets_get", "search")
    assert explores("query", "plan")
    assert not explores("show_plan", "plan")
    assert not explores("sync_index", "index")
