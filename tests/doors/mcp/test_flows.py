import pytest

from shirube.doors.mcp.prompts import flow_prompt, flow_prompts
from shirube.doors.mcp.server import ALWAYS_LOADED
from shirube.errors import UnknownName
from shirube.features.guard.flows import FLOWS
from tests.doors.mcp.client import Server

NAMES = [flow.name for flow in FLOWS]


def test_every_flow_is_a_prompt_with_one_argument_that_may_be_left_out():
    prompts = flow_prompts()
    assert [prompt.name for prompt in prompts] == NAMES == ["code", "outcome"]
    assert [[one.required for one in prompt.arguments or []] for prompt in prompts] == [[False], [False]]


@pytest.mark.requirement("003-SKILL-02")
@pytest.mark.parametrize("words", ["ログインが遅い", "login is slow", ""])
def test_a_prompt_holds_the_words_it_was_asked_with(words: str):
    result = flow_prompt("code", {"request": words} if words else {})
    assert result is not None
    text = result.messages[0].content.text
    assert (words or "in this conversation") in text.splitlines()[0]
    assert "{{" not in text


def test_other_prompts_and_arguments_are_not_ours():
    assert flow_prompt("git_group-commit_changes", {}) is None
    with pytest.raises(UnknownName, match="argument of prompt 'outcome'"):
        flow_prompt("outcome", {"request": "x"})


def test_the_server_lists_and_renders_the_flows(server: Server):
    listed = server.ask("prompts/list")["result"]["prompts"]
    assert [prompt["name"] for prompt in listed][:2] == NAMES
    got = server.ask("prompts/get", {"name": "code", "arguments": {"request": "返金を直す"}})["result"]
    assert "返金を直す" in got["messages"][0]["content"]["text"]
    wrong = server.ask("prompts/get", {"name": "code", "arguments": {"requset": "x"}})["error"]
    assert "did you mean 'request'" in wrong["message"]


def test_the_server_marks_the_tools_to_begin_with(server: Server):
    tools = server.ask("tools/list")["result"]["tools"]
    marked = {tool["name"] for tool in tools if tool.get("_meta", {}).get("anthropic/alwaysLoad")}
    assert marked == ALWAYS_LOADED & {tool["name"] for tool in tools}
    assert "search" in marked
