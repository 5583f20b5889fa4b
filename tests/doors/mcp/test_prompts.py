import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube.doors.mcp.bound import PAGE
from shirube.doors.mcp.prompts import execution_of, list_prompts, named_commands
from shirube.doors.mcp.server import COMMANDS_ALONE
from shirube.errors import BadArgument
from shirube.features.commands.registry import Catalog
from tests.conftest import make_state_dirs
from tests.doors.mcp.client import Server
from tests.refusals import misspelt

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"
SCOPE = "git_group-commit_unstaged-changes"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(EXAMPLES, tmp_path)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server for a project with registries."""
    base = tmp_path_factory.mktemp("prompts")
    shutil.copytree(EXAMPLES, base / "team")
    server = Server((base / "team").resolve(), make_state_dirs(base / "own"), "--toolsets", "climpt")
    assert "procedures" in server.initialize()["result"]["instructions"]
    yield server
    server.close()


def test_every_command_of_every_agent_is_a_prompt(catalog: Catalog):
    result = list_prompts(catalog, None)
    names = [prompt.name for prompt in result.prompts]
    assert len(names) == len(set(names)) == 36
    assert (names[-1], result.next_cursor) == ("annai_review_explain-code_newcomer", None)
    prompt = next(prompt for prompt in result.prompts if prompt.name == SCOPE)
    assert prompt.title == "git group-commit unstaged-changes"
    assert [(one.name, one.required) for one in prompt.arguments] == [("uv-scope", True), ("adaptation", False)]
    assert prompt.arguments[1].description == "One of: default, detailed."


def test_many_prompts_come_in_pages(tmp_path: Path):
    commands = [{"c1": "a", "c2": "b", "c3": f"c{number}"} for number in range(PAGE + 5)]
    (tmp_path / ".agent/climpt").mkdir(parents=True)
    (tmp_path / ".agent/climpt/registry.json").write_text(json.dumps({"tools": {"commands": commands}}))
    catalog = Catalog(tmp_path, tmp_path)
    first = list_prompts(catalog, None)
    second = list_prompts(catalog, first.next_cursor)
    assert (len(first.prompts), len(second.prompts), second.next_cursor) == (PAGE, 5, None)
    with pytest.raises(BadArgument, match="cursor"):
        list_prompts(catalog, "junk")


def test_without_a_registry_there_are_no_prompts_and_a_broken_one_is_logged(tmp_path: Path, caplog):
    assert list_prompts(Catalog(tmp_path, tmp_path), None).prompts == []
    (tmp_path / ".agent/climpt/config").mkdir(parents=True)
    (tmp_path / ".agent/climpt/registry.json").write_text("{")
    with caplog.at_level(logging.WARNING, logger="shirube.doors.mcp"):
        assert named_commands(Catalog(tmp_path, tmp_path)) == {}
    assert "no prompts of agent climpt" in caplog.text
    (tmp_path / ".agent/climpt/config/registry_config.json").write_text("[]")
    with caplog.at_level(logging.WARNING, logger="shirube.doors.mcp"):
        assert named_commands(Catalog(tmp_path, tmp_path)) == {}
    assert "names no registries" in caplog.text


def test_what_a_client_gives_becomes_an_execution(catalog: Catalog):
    assert execution_of(catalog, SCOPE, {"uv-scope": "src", "adaptation": ""}) == {
        "c1": "git",
        "c2": "group-commit",
        "c3": "unstaged-changes",
        "agent": "climpt",
        "options": {"uv-scope": "src"},
        "stdin": "",
    }
    assert execution_of(catalog, "annai_docs_summarise-meeting_minutes", {"stdin": "議事"})["agent"] == "annai"


def test_a_wrong_name_a_wrong_argument_and_a_missing_one_are_refused(catalog: Catalog):
    with misspelt("git_undo-last_commit"):
        execution_of(catalog, "git_undo-lst_commit", {})
    with misspelt("uv-scope"):
        execution_of(catalog, SCOPE, {"uv-scop": "x"})
    with pytest.raises(BadArgument, match="needs uv-scope"):
        execution_of(catalog, SCOPE, {})


@pytest.mark.requirement("N000-PROMPT-01")
def test_a_client_lists_and_gets_prompts(team: Server):
    listed = team.ask("prompts/list")["result"]["prompts"]
    assert SCOPE in [prompt["name"] for prompt in listed]
    got = team.ask("prompts/get", {"name": SCOPE, "arguments": {"uv-scope": "src/{x}"}})["result"]
    (message,) = got["messages"]
    assert message["role"] == "user"
    assert "Look only at: src/{x}" in message["content"]["text"]
    minutes = team.ask(
        "prompts/get", {"name": "annai_docs_summarise-meeting_minutes", "arguments": {"stdin": "本日の会議"}}
    )
    assert "本日の会議" in minutes["result"]["messages"][0]["content"]["text"]


def test_a_wrong_prompt_is_an_error_of_the_protocol_with_the_next_step(team: Server):
    error = team.ask("prompts/get", {"name": "git_undo-lst_commit"})["error"]
    assert error["code"] == -32602
    assert "did you mean 'git_undo-last_commit'" in error["message"]
    assert "needs uv-scope" in team.ask("prompts/get", {"name": SCOPE})["error"]["message"]
    assert "cursor" in team.ask("prompts/list", {"cursor": "junk"})["error"]["message"]


@pytest.mark.requirement("N000-CLIMPT-01")
def test_the_toolset_climpt_serves_that_servers_tools(team: Server):
    tools = team.tools()
    assert [tool["name"] for tool in tools] == ["search", "describe", "execute", "reload"]
    assert all(f"`{tool['name']}`" in COMMANDS_ALONE for tool in tools)
    found = team.call("search", {"query": "undo my commit"})["structuredContent"]
    assert (found["agent"], found["results"][0]["c2"]) == ("climpt", "undo-last")
    words = {"agent": "climpt", "c1": "git", "c2": "undo-last", "c3": "commit"}
    assert "git reset --soft" in team.call("execute", {**words, "options": []})["structuredContent"]["text"]
    assert team.call("describe", words)["structuredContent"]["commands"][0]["c3"] == "commit"
    assert team.call("reload")["structuredContent"]["totalCommands"] == 36
    assert team.call("execute", {**words, "c3": "comit"})["isError"] is True


def test_the_first_lists_open_no_index(tmp_path: Path):
    shutil.copytree(EXAMPLES, tmp_path / "team")
    dirs = make_state_dirs(tmp_path / "own")
    (dirs.config / "config.toml").write_text("[index]\nsync_on_start = false\n")
    server = Server((tmp_path / "team").resolve(), dirs)
    try:
        server.initialize()
        assert server.tools()
        assert len(server.ask("prompts/list")["result"]["prompts"]) == 36  # the flows need the tools of sessions
        assert list(dirs.cache.iterdir()) == []
    finally:
        server.close()


def test_a_prompt_that_is_too_large_is_refused_and_never_cut(tmp_path: Path):
    root = shutil.copytree(EXAMPLES, tmp_path / "team")
    (page,) = root.rglob("group-commit/unstaged-changes/f_default.md")
    asked = {"c1": "git", "c2": "group-commit", "c3": "unstaged-changes", "options": ["--uv-scope=a"]}
    server = Server(root.resolve(), make_state_dirs(tmp_path / "own"), "--toolsets", "commands", text=True)
    server.initialize()
    try:
        whole = page.read_text("utf-8")
        for lines, end in ((100, "\n"), (4000, "\n"), (4000, " ")):
            page.write_text(whole + f"one more step of the procedure{end}" * lines, "utf-8")
            result = server.ask("tools/call", {"name": "command_execute", "arguments": asked})["result"]
            text = result["content"][0]["text"]
            assert result.get("isError", False) == (lines == 4000)
            assert text.count("one more step") == (lines if lines == 100 else 0)
            assert lines == 100 or "the result does not fit into 20000 tokens" in text
    finally:
        server.close()
