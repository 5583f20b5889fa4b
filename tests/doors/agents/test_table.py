import re

from shirube.config import agent_directories
from shirube.doors.agents.table import AGENTS, ALIASES, DEFAULT_KINDS, EVENTS, KINDS, SCOPES, SERVER, SESSION_KINDS


def places():
    for agent in AGENTS:
        rows = [agent.mcp.places, agent.instructions]
        rows += [part.places for part in (agent.commands, agent.hooks, agent.scout) if part]
        yield from ((agent, scope, place) for row in rows for scope in row for place in row[scope])


def test_names_are_told_apart():
    names = [agent.name for agent in AGENTS]
    assert len(names) == len(set(names))
    assert set(ALIASES.values()) <= set(names)
    assert not set(ALIASES) & set(names)


def test_a_project_s_places_are_in_the_project_and_a_user_s_are_not():
    for agent, scope, place in places():
        assert scope in SCOPES, agent.name
        assert place.startswith("{root}/") == (scope == "project"), place


def test_every_place_begins_with_a_known_directory():
    known = {*agent_directories({"HOME": "/h"}), "root"}
    named = {re.match(r"\{(\w+)\}/", place)[1] for _, _, place in places()}
    signs = {re.match(r"\{(\w+)\}", sign)[1] for agent in AGENTS for sign in agent.signs if sign.startswith("{")}
    assert named | signs <= known


def test_hooks_cover_what_happens_before_after_and_at_the_end():
    assert [agent.name for agent in AGENTS if agent.hooks] == ["claude-code", "codex", "gemini", "cursor"]
    for agent in AGENTS:
        if agent.hooks:
            assert tuple(agent.hooks.events) in (EVENTS, EVENTS[:-1])


def test_what_needs_more_tools_or_runs_by_itself_is_not_installed_by_default():
    assert set(KINDS) - set(DEFAULT_KINDS) == {*SESSION_KINDS, "scout"}


def test_the_server_s_name_leaves_room_for_the_names_of_tools():
    assert len(SERVER) <= 16
