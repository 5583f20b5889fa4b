import re

import pytest

from shirube.codec import Record, inputs
from shirube.errors import BadArgument, UnknownName
from shirube.operation import Operation
from shirube.operations import COMPAT, GROUPS, OPERATIONS, in_toolsets, operation_named
from tests.cases import for_each
from tests.refusals import refusal

ALL = for_each("operation", OPERATIONS)


def names(toolsets: str) -> list[str]:
    return list(in_toolsets(toolsets.split(",")))


@ALL
def test_a_row_is_complete(operation: Operation):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", operation.name)
    assert operation.group in GROUPS
    assert issubclass(operation.request, Record)
    assert issubclass(operation.result, Record)
    assert operation.summary
    assert not (operation.read_only and operation.destructive)
    assert len(operation.summary) <= 1500


@ALL
def test_every_spelling_means_one_argument(operation: Operation):
    spellings = [word for one in inputs(operation.request) for word in (one.name, *one.arg.also.split())]
    assert len(set(spellings)) == len(spellings)
    assert all(one.arg.help for one in inputs(operation.request))


@ALL
def test_an_operation_is_found_by_its_name(operation: Operation):
    assert operation_named(operation.name) is operation


def test_names_are_unique():
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


def test_the_operations_of_this_step_are_there():
    wanted = "search files_search search_text search_forest semantic_rerank sync_index index_status"
    assert set(wanted.split()) <= {operation.name for operation in OPERATIONS}


def test_an_unknown_operation_is_refused_and_the_nearest_named():
    with pytest.raises(UnknownName) as caught:
        operation_named("sarch")
    assert caught.value.nearest == "search"


def test_core_lists_few_operations_by_their_short_names():
    assert names("core") == [operation.tool for operation in OPERATIONS if operation.tool]
    assert {"search", "grep", "context", "read", "outline", "impact"} <= set(names("core"))
    assert "sync_index" not in names("core")


def test_every_door_takes_the_short_name_and_the_long_one():
    for tool, operation in in_toolsets(["core"]).items():
        assert operation_named(tool) is operation_named(operation.name) is operation


def test_a_group_adds_its_operations_in_the_order_of_the_table():
    index = [row.name for row in OPERATIONS if row.group == "index"]
    assert names("core,index") == names("index,core") == [*names("core"), *index]
    assert names(" index , ") == index == ["sync_index", "index_status"]


def test_an_operation_is_listed_once_even_if_two_toolsets_have_it():
    both = in_toolsets(["core", "search"])
    assert len(set(map(id, both.values()))) == len(both)
    assert "grep" in both
    assert "search_text" not in both


def test_what_a_group_does_not_list_is_in_all():
    for operation in OPERATIONS:
        assert (operation.name in names(operation.group)) is operation.listed
        assert operation.name in names("all")


def test_the_group_of_search_holds_every_way_to_ask():
    wanted = """
        search files_search search_text context_bundle snippets_get past_changes search_forest semantic_rerank
        search_map semantic_search
    """
    assert names("search") == wanted.split()


def test_all_lists_everything():
    assert names("all") == [operation.name for operation in OPERATIONS]


@pytest.mark.requirement("N000-CLIMPT-01")
def test_climpt_alone_lists_exactly_that_servers_tools():
    assert names("climpt") == ["search", "describe", "execute", "reload"]
    assert names(" climpt ,") == names("climpt")
    with refusal(BadArgument, "protocol.climpt_alone"):
        names("core,climpt")


def test_compat_adds_the_names_of_the_seeds():
    assert {"searchWithRRF", "describe"} <= set(names("compat"))
    assert names("core,compat")[: len(names("core"))] == names("core")
    assert all(operation_named(name).name == name for name in names("compat"))


def test_no_name_of_the_seeds_hides_one_of_ours():
    assert not {operation.name for operation in COMPAT} & {operation.name for operation in OPERATIONS}


def test_no_toolset_lists_nothing():
    assert names("") == []


def test_an_unknown_toolset_is_refused_and_the_nearest_named():
    with pytest.raises(UnknownName) as caught:
        names("core,indx")
    assert caught.value.nearest == "index"


def test_only_what_changes_something_is_not_read_only():
    writing = {operation.name for operation in OPERATIONS if not operation.read_only}
    assert {"sync_index", "command_build", "start_session", "submit_understanding", "check_write_target"} <= writing
    looking = {"list_agreements", "check_agreements", "list_conflicts", "list_proposals", "get_agreement_history"}
    assert {row.name for row in OPERATIONS if row.group == "map"} - writing == looking
    assert {"record_outcome", "confirm_symbol_relevance", "forget_outcomes"} <= writing
    assert not {"search", "command_search", "command_execute", "command_reload"} & writing


def test_compat_has_the_names_of_the_seeds():
    names_there = set(in_toolsets(["compat"]))
    assert names_there == {
        *("searchWithRRF", "describe", "submit_exploration", "search_smart", "contextBundle", "filesSearch"),
        *("gistdex_query", "gistdex_query_plan", "gistdex_index", "gistdex_list"),
    }
