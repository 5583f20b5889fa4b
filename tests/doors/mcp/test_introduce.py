import re
from pathlib import Path

import pytest

from shirube.doors.agents.plugin import plugin_files
from shirube.doors.mcp.server import ALWAYS_LOADED, SENTENCES, Door, introduce, tool_of
from shirube.doors.views.compose import tokens_of
from shirube.features.guard.flows import FLOWS, SCOUT_TOOLS, instructions, scout
from shirube.operations import COMPAT, OPERATIONS, in_toolsets
from tests.conftest import StateDirs

EVERY = {name for needed, _ in SENTENCES for name in needed}
KNOWN = {name for one in (*OPERATIONS, *COMPAT) for name in (one.name, one.tool) if name}
WORDS = {"query"}
"""Names of operations that a text uses for something else: ``query`` is an argument of ``start_session``."""


def named_in(text: str) -> set[str]:
    """Return the operations that a text tells an agent to call, by whatever name."""
    return {word for word in re.findall(r"`([a-z_]+)`", text) if word in KNOWN} - WORDS


def listed(toolsets: str) -> set[str]:
    return set(in_toolsets(toolsets.split(",")))


def test_the_first_sentence_says_when_to_come_and_where_to_begin():
    first = introduce(EVERY).split(". ")[0:2]
    assert "before you read or edit files" in first[0]
    assert first[1].startswith("Begin with `search`")


def test_only_tools_that_are_listed_are_named():
    told = introduce({"search", "symbol"})
    assert "`search`" in told
    assert "grep" not in told
    assert "start_session" not in told
    assert introduce(()) == ""


@pytest.mark.parametrize("toolsets", ["core", "core,session", "core,session,commands", "all"])
def test_the_introduction_names_what_is_listed_in_few_words(toolsets: str):
    told = introduce(listed(toolsets))
    assert named_in(told) <= listed(toolsets)
    assert tokens_of(told) <= 200


def test_what_is_always_installed_names_the_tools_of_every_day():
    assert named_in(instructions()) == {"search", "symbol", "grep", "outline", "read", "impact"}
    assert named_in(instructions()) <= listed("core")
    assert named_in(scout()) == set(SCOUT_TOOLS) == listed("core")
    assert all(operation.read_only for operation in in_toolsets(["core"]).values())


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_a_flow_names_what_is_listed_where_it_is_installed(flow):
    assert named_in(flow.text()) <= listed("core,session")


def test_the_flow_teaches_the_map():
    assert "confirm_symbol_relevance" in named_in(FLOWS[0].text())


def test_the_plugin_names_what_its_server_lists():
    for name, text in plugin_files().items():
        assert named_in(text) <= listed("core,session"), name


def test_a_server_without_sessions_offers_no_flow_that_needs_them(tmp_path: Path, state_dirs: StateDirs):
    assert not Door(tmp_path, {"serve.toolsets": "core"}).has_flows
    assert Door(tmp_path, {"serve.toolsets": "core,session"}).has_flows


def test_the_lists_are_as_small_as_promised(tmp_path: Path, state_dirs: StateDirs):
    for toolsets, most_tools, most_tokens in (("core", 8, 2000), ("core,session", 16, 3800)):
        door = Door(tmp_path, {"serve.toolsets": toolsets})
        tools = [tool_of(name, operation, door) for name, operation in door.tools.items()]
        texts = [tool.model_dump_json(by_alias=True, include={"name", "description", "input_schema"}) for tool in tools]
        assert len(tools) <= most_tools
        assert sum(map(len, texts)) / 4 <= most_tokens


def test_two_or_three_tools_are_always_loaded():
    assert "search" in ALWAYS_LOADED
    assert 2 <= len(ALWAYS_LOADED) <= 3
