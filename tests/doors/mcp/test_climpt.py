"""The toolset ``climpt`` over the wire: the replies of that server, and advice that names only its tools."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any

import pytest

from shirube.operations import OPERATIONS, in_toolsets
from tests.cases import for_each
from tests.conftest import StateDirs, make_state_dirs
from tests.doors.mcp.client import Server

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "climpt"
COMMIT = {"c1": "git", "c2": "group-commit", "c3": "unstaged-changes"}
ENTRY = {"c1": "spec", "c2": "draft", "c3": "entry"}
TOOLS = ("search", "describe", "execute", "reload")
NAMES = {name for one in OPERATIONS for name in (one.name, one.tool) if name} | set(in_toolsets(["compat"]))
ELSEWHERE = re.compile(rf"\b({'|'.join(name for name in NAMES if re.search('[_A-Z]', name))})\b")
"""Tools of other toolsets; those of one plain word (``query``, ``symbol``) are words of any sentence."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StateDirs]:
    base = tmp_path_factory.mktemp("climpt")
    return Path(shutil.copytree(EXAMPLE, base / "team")).resolve(), make_state_dirs(base / "own")


@pytest.fixture(scope="module")
def climpt(place: tuple[Path, StateDirs]) -> Iterator[Server]:
    started = Server(*place, "--toolsets", "climpt", text=True)
    started.initialize()
    yield started
    started.close()


@pytest.fixture(scope="module")
def compat(place: tuple[Path, StateDirs]) -> Iterator[Server]:
    started = Server(*place, "--toolsets", "compat", text=True)
    started.initialize()
    yield started
    started.close()


def written() -> list[dict[str, Any]]:
    return json.loads((EXAMPLE / ".agent/climpt/registry.json").read_text("utf-8"))["tools"]["commands"]


def parts(word: str) -> list[str]:
    pieces = re.split(r"[-_]", word)
    return [*pieces, word] if len(pieces) > 1 else pieces


def tokens(text: str) -> list[str]:
    return [part for word in text.lower().split() for part in parts(word)]


def scores(query: list[str]) -> dict[str, float]:
    """Return the BM25 score of each command by the formula of seed 000, written down once more."""
    texts = {entry["c2"]: tokens("{c1} {c2} {c3} {description}".format(**entry)) for entry in written()}
    average = sum(map(len, texts.values())) / len(texts)
    total = dict.fromkeys(texts, 0.0)
    for term in query:
        having = sum(term in words for words in texts.values())
        idf = log((len(texts) - having + 0.5) / (having + 0.5) + 1)
        for name, words in texts.items():
            count = Counter(words)[term]
            total[name] += idf * count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * len(words) / average))
    return total


@pytest.mark.requirement("N000-CLIMPT-01", "N000-CLIMPT-05")
def test_the_tools_are_that_servers_and_speak_of_no_others(climpt: Server):
    listed = climpt.tools()
    assert tuple(tool["name"] for tool in listed) == TOOLS
    assert all("max_tokens" not in tool["inputSchema"]["properties"] for tool in listed)
    assert not ELSEWHERE.search(json.dumps(listed))


@pytest.mark.requirement("N000-CLIMPT-04", "000-RESULT-01", "000-RESULT-03", "000-OPERATION-02")
@for_each(
    ("query", "terms"),
    [
        ("group changes and write a message", ["group", "changes", "and", "write", "a", "message"]),
        ("group-commit", ["group", "commit", "group-commit"]),
        ("unstaged_changes", ["unstaged", "changes", "unstaged_changes"]),
        ("groupCommit", ["group", "commit", "groupcommit"]),
        ("commit commit", ["commit", "commit"]),
    ],
)
def test_search_is_json_with_the_score_of_the_formula(climpt: Server, query: str, terms: list[str]):
    reply = json.loads(climpt.read("search", {"query": query}))
    wanted = sorted(((-score, name) for name, score in scores(terms).items() if score > 0))[:3]
    assert list(reply) == ["results", "agent"]
    assert [one["c2"] for one in reply["results"]] == [name for _, name in wanted]
    assert [one["score"] for one in reply["results"]] == pytest.approx([-score for score, _ in wanted])
    assert all(list(one) == ["c1", "c2", "c3", "description", "score"] for one in reply["results"])


@pytest.mark.requirement("000-SAME-01")
@for_each("query", ["group changes and write a message", "specification", "groupCommit", "zyzzyva"])
def test_the_same_is_found_as_by_our_own_operation(climpt: Server, place: tuple[Path, StateDirs], query: str):
    root, dirs = place
    command = [sys.executable, "-m", "shirube", "--root", str(root), "commands", "search", query]
    command += ["--mode", "strict", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=dirs.environ(), check=False)
    ours = [(one["c1"], one["c2"], one["c3"], one["score"]) for one in json.loads(done.stdout)["results"]]
    theirs = json.loads(climpt.read("search", {"query": query}))["results"]
    assert ours == [(one["c1"], one["c2"], one["c3"], round(one["score"], 4)) for one in theirs]


@pytest.mark.requirement("000-SEARCH-01", "000-SEARCH-02", "000-RESULT-04", "000-DESCRIBE-03", "N000-CLIMPT-04")
def test_what_is_not_there_is_an_empty_list(climpt: Server, place: tuple[Path, StateDirs]):
    assert climpt.read("search", {"query": "zyzzyva"}) == '{"results":[],"agent":"climpt"}'
    assert climpt.read("search", {"query": "払い戻し"}) == '{"results":[],"agent":"climpt"}'
    assert climpt.read("describe", {**COMMIT, "c3": "x"}) == '{"commands":[],"agent":"climpt"}'
    registry = place[0] / ".agent/climpt/registry.json"
    kept = registry.read_text()
    try:
        registry.unlink()
        assert climpt.read("search", {"query": "commit"}) == '{"results":[],"agent":"climpt"}'
    finally:
        registry.write_text(kept)


@pytest.mark.requirement("000-RRF-06", "000-OPERATION-02")
def test_the_documents_own_example_of_rrf(compat: Server):
    queries = ["draft create write compose", "specification document entry"]
    reply = json.loads(compat.read("searchWithRRF", {"queries": queries, "topN": 3}))
    found = {(one["c2"], *one["ranks"]): one["score"] for one in reply["results"]}
    assert found == pytest.approx(
        {("draft", 2, 1): 1 / 62 + 1 / 61, ("write-message", 1, -1): 1 / 61, ("review", -1, 2): 1 / 62}
    )


@pytest.mark.requirement("N000-CLIMPT-04", "000-DESCRIBE-01")
def test_describe_is_the_entry_as_it_is_written(climpt: Server, compat: Server):
    for server in (climpt, compat):
        reply = json.loads(server.read("describe", COMMIT))
        assert reply == {"commands": [written()[0]], "agent": "climpt"}


@pytest.mark.requirement("N000-CLIMPT-04", "000-EXECUTE-04", "000-OPTION-01", "000-OPTION-03", "000-OPTION-04")
def test_execute_is_the_prompt_and_nothing_else(climpt: Server, place: tuple[Path, StateDirs]):
    options = ["-e=detailed", "-f=input.md", "-d=output.md"]
    assert climpt.read("execute", {**ENTRY, "agent": "climpt", "options": options}) == (
        f"# Draft a detailed entry\n\nSource: {place[0]}/input.md\n"
        f"List every case, then write the entry to {place[0]}/.agent/climpt/output.md.\n"
    )
    bare = climpt.read("execute", {**COMMIT, "options": ["-a=detailed"]})  # what is not given stays as it is written
    assert "\n\nScope: {uv-scope}\n\n" in bare
    assert bare.endswith("Write the log to {destination_path}.\n")


@pytest.mark.requirement("N000-CLIMPT-02")
def test_reload_is_its_report(climpt: Server):
    told = json.loads(climpt.read("reload", {"agent": "climpt"}))
    assert told == {"success": True, "agent": "climpt", "commandCount": 4, "message": "4 commands of 1 agent"}


@pytest.mark.requirement("N000-CLIMPT-04")
def test_structure_has_the_same_beside_the_same_text(place: tuple[Path, StateDirs], climpt: Server):
    server = Server(*place, "--toolsets", "climpt")
    try:
        server.initialize()
        for name, arguments in (("search", {"query": "commit"}), ("describe", COMMIT), ("reload", {})):
            result = server.call(name, arguments)
            (content,) = result["content"]
            assert content["text"] == climpt.read(name, arguments)
            assert result["structuredContent"] == json.loads(content["text"])
        result = server.call("execute", ENTRY)
        assert result["structuredContent"] == {"text": climpt.read("execute", ENTRY)}
        assert result["content"][0]["text"] == climpt.read("execute", ENTRY)
        refused = server.call("execute", {**ENTRY, "c3": "entri"})
        assert refused["isError"]
        assert refused["structuredContent"]["code"] == "unknown_name"
    finally:
        server.close()


MISTAKES: dict[str, tuple[str, dict[str, Any], str]] = {
    "no word": ("search", {"query": "　"}, "has no word"),
    "unknown agent": ("search", {"query": "x", "agent": "climp"}, "did you mean 'climpt'?"),
    "unknown agent of an entry": ("describe", {**COMMIT, "agent": "nobody"}, "known: climpt"),
    "unknown agent to read": ("reload", {"agent": "nobody"}, "known: climpt"),
    "unknown argument": ("search", {"qeury": "x"}, "did you mean 'query'?"),
    "missing argument": ("execute", {"c1": "git"}, "missing argument 'c2'"),
    "unknown command": (
        "execute",
        {**COMMIT, "c2": "grup-commit"},
        "did you mean 'git group-commit unstaged-changes'?",
    ),
    "unknown option": ("execute", {**COMMIT, "options": ["--editon=x"]}, "did you mean '--edition'?"),
    "option without value": ("execute", {**COMMIT, "options": ["-e"]}, "write it as --name=value"),
    "adaptation as edition": ("execute", {**COMMIT, "options": ["-e=detailed"]}, "write --adaptation=detailed"),
    "file not taken": ("execute", {**COMMIT, "options": ["-f=a.md"]}, "describe tells what it takes"),
    "variable not declared": ("execute", {**COMMIT, "options": ["--uv-scop=x"]}, "did you mean 'uv-scope'?"),
    "path that leaves": ("execute", {**COMMIT, "options": ["-d=../x"]}, "leaves the working directory"),
}


@pytest.mark.requirement("N000-CLIMPT-05", "N000-CLIMPT-06")
@for_each("mistake", MISTAKES)
def test_a_mistake_is_told_with_a_next_step_that_names_only_these_tools(climpt: Server, mistake: str):
    name, arguments, told = MISTAKES[mistake]
    text = _failed(climpt, name, arguments)
    assert told in text
    assert not ELSEWHERE.search(text), text


@pytest.mark.requirement("N000-CLIMPT-05", "N000-CLIMPT-06")
@for_each(
    ("name", "arguments"),
    [
        ("search", {"query": "検索", "agent": "だれか"}),
        ("describe", {**COMMIT, "agent": "だれか"}),
        ("execute", {**COMMIT, "c2": "まとめる"}),
        ("execute", {**COMMIT, "options": ["--範囲=x"]}),
        ("execute", {**COMMIT, "options": ["-f=資料.md"]}),
        ("execute", {**COMMIT, "options": ["-e=詳細"]}),
    ],
)
def test_so_it_is_in_japanese(climpt: Server, name: str, arguments: dict[str, Any]):
    text = _failed(climpt, name, arguments)
    assert re.search("[ぁ-ん]", text)
    assert not ELSEWHERE.search(text), text


@pytest.mark.requirement("N000-CLIMPT-05", "N000-CLIMPT-06")
@for_each(
    ("file", "text", "name", "told"),
    [
        ("registry.json", "{", "search", "registry.json is not valid JSON"),
        ("registry.json", "{", "reload", ""),
        ("config/git-user.yml", "params: {two: {directiveType: {pattern: ^x$}}}", "execute", "is rejected by"),
        ("config/git-user.yml", "params:\n\t- x", "execute", "git-user.yml cannot be read"),
        ("config/registry_config.json", "{}", "describe", "names no registries"),
        ("prompts/git/group-commit/unstaged-changes/f_default.md", None, "execute", "has no template"),
    ],
)
def test_a_broken_registry_is_told_the_same_way(climpt: Server, place, file: str, text: str | None, name: str, told):
    broken = place[0] / ".agent/climpt" / file
    kept = broken.read_text() if broken.exists() else None
    try:
        broken.write_text(text) if text is not None else broken.unlink()
        if name == "reload":
            (agent,) = json.loads(climpt.read("reload", {}))["reloadedAgents"]
            assert agent == {"agent": "climpt", "commandCount": 0, "success": False}
        else:
            failed = _failed(climpt, name, {"query": "group"} if name == "search" else COMMIT)
            assert told in failed
            assert not ELSEWHERE.search(failed), failed
    finally:
        broken.write_text(kept) if kept is not None else broken.unlink()


def _failed(server: Server, name: str, arguments: dict[str, Any]) -> str:
    """Call a tool that fails and return its text; that server wrapped it in JSON, but for ``execute``."""
    result = server.call(name, arguments)
    assert result["isError"], result
    (content,) = result["content"]
    if name == "execute":
        return content["text"]
    value = json.loads(content["text"])
    assert list(value) == ["error"]
    return value["error"]


@pytest.mark.requirement("000-ERROR-01", "000-ERROR-02", "000-EXECUTE-05", "N000-CLIMPT-05", "N000-CLIMPT-06")
@for_each(
    ("script", "told"),
    [("sleep 30", "was killed after 0.5 seconds"), ("seq 1 400 >&2; exit 3", "\n399\n400")],
)
def test_the_outside_runners_end_is_told_whole(place, tmp_path_factory, script: str, told: str):
    dirs = make_state_dirs(tmp_path_factory.mktemp("own"))
    runner = dirs.home / "runner"
    runner.write_text(f"#!/bin/sh\n{script}\n")
    runner.chmod(0o755)
    settings = f'[commands]\nexternal = true\ntimeout_seconds = 0.5\nrunner = "{runner}"\n'
    (dirs.config / "config.toml").write_text(settings)
    server = Server(place[0], dirs, "--toolsets", "climpt", text=True)
    try:
        server.initialize()
        text = _failed(server, "execute", COMMIT)
        assert told in text
        assert not ELSEWHERE.search(text), text
    finally:
        server.close()


@pytest.mark.requirement("N000-CLIMPT-05")
@for_each("name", ["command_search", "search_text", "serch", "no_such_tool", "code"])
def test_other_tools_are_neither_served_nor_named(climpt: Server, name: str):
    result = climpt.call(name, {"query": "x"})
    assert result["isError"]
    (content,) = result["content"]
    assert not ELSEWHERE.search(content["text"].replace(f"'{name}'", ""))


@pytest.mark.requirement("N000-CLIMPT-05")
def test_prompts_and_resources_name_no_other_tools_either(climpt: Server, place: tuple[Path, StateDirs]):
    profile = place[0] / ".agent/climpt/config/git-user.yml"
    kept = profile.read_text()
    try:
        profile.write_text("params: {two: {directiveType: {pattern: ^x$}}}")
        asked = [("prompts/get", {"name": "git_write-message_commit"})]
        asked += [("prompts/get", {"name": name}) for name in ("cod", "outcom", "git_write-mesage_commit")]
        asked += [("resources/read", {"uri": f"shirube://{place}"}) for place in ("file/a.py", "command/../x", "[")]
        for method, params in asked:
            told = json.dumps(climpt.ask(method, params)["error"])
            assert not ELSEWHERE.search(told), told
            assert "://file/{" not in told
            assert "did you mean 'code'" not in told
    finally:
        profile.write_text(kept)
