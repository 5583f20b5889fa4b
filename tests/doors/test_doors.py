"""One question, every door: library, command line, protocol and web give the same answer."""

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from shirube import Project, open_workspace
from shirube.codec import shown_json
from shirube.doors.cli import main
from shirube.doors.loopback import Seat
from shirube.doors.views.search import SEARCH_TOKENS
from shirube.doors.web.site import build_site
from shirube.engine.text.budget import tokens_of
from shirube.errors import ShirubeError
from shirube.operations import OPERATIONS
from tests.cases import for_each
from tests.conftest import StateDirs, isolate, make_state_dirs, write_sample
from tests.doors import agreed
from tests.doors.mcp.client import Server
from tests.golden.calls import ASK

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Door = Callable[[str, dict[str, Any]], dict[str, Any]]

MEASURES = ("score", "keywordMatch", "patternMatch", "semanticSimilarity", "coverage", "precision", "recall")
SHARED = {
    "format": "shirube-plans",
    "version": 1,
    "plans": [
        {
            **{
                "planId": "shared-plan",
                "goal": "retry policy",
                "status": "success",
                "stopped": "imported",
                "savedAt": "",
            },
            "iterations": [],
            "finalResults": {
                **{"data": [], "confidence": 0.5, "matchedExpectations": [], "unmatchedExpectations": []},
                "evaluation": dict.fromkeys(MEASURES, 0.0),
            },
            "metadata": {"totalIterations": 0, "totalTime": 0.0, "cacheHits": 0, "improvementRate": 0.0},
        }
    ],
}
"""A plan that every door can show."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, StateDirs]]:
    base = tmp_path_factory.mktemp("doors")
    root, dirs = write_sample(base / "shop").resolve(), make_state_dirs(base / "own")
    with pytest.MonkeyPatch.context() as patch:
        isolate(dirs, patch)
        shutil.copytree(EXAMPLES / "registry" / ".agent", root / ".agent")
        with open_workspace(root) as project:
            project.sync_index()
            agreed.prepare(project)
            project.import_plans(document=json.dumps(SHARED))
        yield root, dirs


@pytest.fixture(scope="module")
def library(place: tuple[Path, StateDirs]) -> Iterator[Door]:
    with open_workspace(place[0]) as project:

        def ask(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
            try:
                return json.loads(json.dumps(shown_json(project.call(name, **arguments))))
            except ShirubeError as error:
                return error.as_dict()

        yield ask


@pytest.fixture(scope="module")
def terminal(place: tuple[Path, StateDirs]) -> Door:
    def ask(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        with redirect_stdout(io.StringIO()) as out:
            code = main(["--root", str(place[0]), "call", name, "--json", json.dumps(arguments)])
        result = json.loads(out.getvalue())
        assert code == (2 if set(result) == {"error"} else 0)
        return result.get("error", result)

    return ask


@pytest.fixture(scope="module")
def protocol(place: tuple[Path, StateDirs], library: Door) -> Iterator[Door]:
    server = Server(*place, "--toolsets", "all")
    server.initialize()

    def ask(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = server.call(name, arguments)["structuredContent"]
        return _in_english(answer, library(name, arguments), arguments)

    yield ask
    server.close()


@pytest.fixture(scope="module")
def agent(place: tuple[Path, StateDirs]) -> Iterator[Server]:
    """Return a server that answers in text, as agents get it."""
    server = Server(*place, "--toolsets", "all", text=True)
    server.initialize()
    server.call("sync_index")
    yield server
    server.close()


def _in_english(answer: dict[str, Any], library: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the library's sentences where the protocol says them in the request's Japanese."""
    if not japanese(arguments):
        return answer
    said = {key for key in ("next", "degraded", "warnings", "message", "hint", "problems") if answer.get(key)}
    told = {key for key in said if japanese(answer[key])}
    assert told or not said & {"next", "message"}
    return {**answer, **{key: library[key] for key in told}}


def japanese(value: object) -> bool:
    """Tell whether there is Japanese in a value."""
    return re.search("[぀-ヿ一-鿿]", json.dumps(value, ensure_ascii=False)) is not None


@pytest.fixture(scope="module")
def endpoint(place: tuple[Path, StateDirs]) -> Iterator[Door]:
    with open_workspace(place[0]) as project:
        guard = build_site(project.workspace, Seat(7777, "key", place[0] / "token"))
        client = TestClient(guard, "http://127.0.0.1:7777")
        client.get("/enter", params={"key": "key"}, follow_redirects=False)
        own = {"origin": "http://127.0.0.1:7777", "x-shirube-form": guard.form_key}

        def ask(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
            answer = client.post(f"/api/{name}", json=arguments, headers=own).json()
            return answer.get("error", answer) if set(answer) == {"error"} else answer

        yield ask


@pytest.fixture(scope="module")
def doors(library: Door, terminal: Door, protocol: Door, endpoint: Door) -> dict[str, Door]:
    return {"library": library, "terminal": terminal, "protocol": protocol, "web": endpoint}


def without_clock(result: dict[str, Any]) -> dict[str, Any]:
    """Return the answer without its moments: each door looks for changes by itself, and says when."""
    freshness = dict(result.get("freshness", {}))
    for moment in ("checked_at", "indexed_at"):
        assert freshness.pop(moment, "Z").endswith("Z")
    rest = {key: value for key, value in result.items() if key not in ("seconds", "freshness")}
    return {**rest, "freshness": freshness}


def settled(door: Door, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Ask a door; where a look at the tree took long, it answers before the next is done and says so: ask again then.

    On a busy machine that may happen to one door and not to the others. A sync waits, and measures that anew.
    """
    for _ in range(TRIES):
        result = door(name, arguments)
        if not any("may miss what changed" in note for note in result.get("degraded", ())):
            break
        door("sync_index", {})
    return without_clock(shown_json(result))  # over the protocol the seeds' own tools send scores with all digits


TRIES = 20
ENGLISH = {"found": "found (", "partial": "unsure (", "unknown": "unknown: ", "none": "none: "}
JAPANESE = {"found": "見つかりました（確度 ", "partial": "不確か（確度 ", "unknown": "unknown: ", "none": "none: "}
"""How the text for agents begins, by how sure the answer is."""
QUESTIONS = [
    {"query": "retry policy"},
    {"query": "再試行", "limit": 1},
    {"query": "charge card", "mode": "hybrid", "limit": 3},
    {"query": "cart total", "mode": "dense"},
    {"query": "payment", "languages": ["python"], "kinds": ["class"]},
    {"query": "price", "path": "web/**", "response_format": "detailed"},
    {"query": "zyzzyva"},
    {"query": "retry payment", "topK": "2", "language": '["python"]'},
    {"query": "payment test", "profile": "testfail", "boost_profile": "balanced"},
    {"query": "retry", "editing": ["src/shop/payment.py"]},
    {"query": "再試行 lang:python path:src"},
]

MISTAKES = [
    {},
    {"query": ""},
    {"query": "x", "limti": 3},
    {"query": "x", "limit": 0},
    {"query": "x", "languages": ["pyhton"]},
    {"query": "x", "path": "../.."},
    {"query": "x", "cursor": "junk"},
    {"query": "x", "mode": "dens"},
    {"query": "x", "profile": "bugfx"},
    {"query": "x", "boost_profile": "dosc"},
    {"query": "x kind:clas"},
    {"query": "x path:src path:web"},
    {"query": "x", "editing": ["../x"]},
]

TEXTS = [
    {"patterns": ["with_retries", "再試行"]},
    {"pattern": r"def \w+", "regex": True, "path": "src/**", "context_lines": 1, "limit": 2},
    {"pattern": "CARTTOTAL", "case_sensitive": "false", "file_type": "ts"},
    {"pattern": "zyzzyva", "word": True},
]

WRONG_TEXTS = [
    {},
    {"pattern": ""},
    {"pattern": "a(?=b)", "regex": True},
    {"patterns": ["a", "b", "c", "d", "e", "f"]},
    {"pattern": "x", "path": "../.."},
    {"pattern": "x", "cursor": "junk"},
]

OTHERS = [
    ("files_search", {"query": "payment", "lang": "python", "path_prefix": "src", "limit": 2}),
    ("files_search", {"query": "retry policy", "boost_profile": "docs", "compact": False}),
    ("files_search", {"query": "x", "ext": "*"}),
    ("search_forest", {"query": "charge card", "limit": 1}),
    ("semantic_rerank", {"text": "charge card", "candidates": [{"path": "web/cart.ts", "score": 1}], "k": 1}),
    ("semantic_rerank", {"text": "charge card", "candidates": '[{"path": "web/cart.ts"}, {"path": "gone.ts"}]'}),
    ("semantic_rerank", {"text": "charge card", "candidates": []}),
    ("semantic_rerank", {"text": "charge card", "candidates": ["web/cart.ts"]}),
    ("search", {"query": "retry", "expectedKeywords": ["ATTEMPTS", "zebra"], "evaluate_result": "true"}),
    ("show_plan", {"plan_id": "shared"}),
    ("show_plan", {"id": "nowhere"}),
    ("list_presets", {}),
    ("query_plan", {"goal": "retry", "timeoutSeconds": 1}),
    ("query_plan", {"goal": "retry", "expected_results": {"content_patterns": ["("]}}),
    ("import_plans", {"document": "{}"}),
    ("command_search", {"queries": ["undo revert", "commit"], "limit": 2}),
    ("command_search", {"query": "議事録をまとめる", "agent": "annai"}),
    ("command_search", {"query": "x", "agent": "climp"}),
    ("command_describe", {"c1": "git", "c2": "undo-last", "c3": "nothing"}),
    ("command_execute", {"c1": "test", "c2": "run-specific", "c3": "target", "options": {"uv": {"target": "a;b"}}}),
    ("command_execute", {"c1": "test", "c2": "run-specific", "c3": "target", "options": '["--uv-target=a|b"]'}),
    ("command_execute", {"c1": "git", "c2": "undo-lst", "c3": "commit"}),
    ("command_execute", {"c1": "review", "c2": "check-error", "c3": "handling", "options": ["-f=../../x"]}),
    ("command_validate", {"agent": "annai"}),
    ("command_build", {"dry_run": True}),
    ("command_reload", {"agent": "climpt"}),
    ("searchWithRRF", {"queries": ["undo", "commit"]}),
    ("describe", {"c1": "git", "c2": "undo-last", "c3": "commit"}),
    ("find_definitions", {"name": "PaymentGateway.charge_card"}),
    ("find_definitions", {"symbol": "PaymentGatway"}),
    ("find_references", {"symbol": "checkout", "limit": 1}),
    ("find_references", {"symbol": "checkout", "cursor": "junk"}),
    ("get_symbols", {"path": "src", "kind": "class"}),
    ("analyze_structure", {"file_path": "web/cart.ts"}),
    ("get_function_at_line", {"file_path": "src/shop/payment.py", "line_number": 17}),
    ("get_function_at_line", {"file_path": "src/shop/payment.py", "line": 999}),
    ("analyze_impact", {"target_files": ["src/shop/payment.py"]}),
    ("deps_closure", {"path": "tests/test_payment.py", "direction": "both", "depth": 2, "format": "mermaid"}),
    ("deps_closure", {"path": "payment.py"}),
    ("deps_closure", {"path": "web/cart.ts", "direction": "sideways"}),
    ("context_bundle", {"goal": "charge the card", "artifacts": {"editing_path": "web/cart.ts"}, "budget": 300}),
    ("context_bundle", {"goal": "返金", "hints": ["retry.py"], "compact": True}),
    ("context_bundle", {"goal": "charge the card", "budget": 2}),
    ("context_bundle", {"goal": "x", "last_diff": "none"}),
    ("snippets_get", {"path": "src/shop/payment.py", "line": 18}),
    ("snippets_get", {"path": "src/shop/payment.py", "start_line": 99}),
]

NEEDED = {
    **agreed.NEEDED,
    "search_text": {"pattern": "retry"},
    "query_plan": {"goal": "retry policy"},
    "show_plan": {"planId": "shared-plan"},
    "import_plans": {"document": json.dumps(SHARED)},
    "command_search": {"query": "undo my commit"},
    "command_describe": {"c1": "git", "c2": "undo-last", "c3": "commit"},
    "command_execute": {"c1": "git", "c2": "undo-last", "c3": "commit"},
}
"""What an operation cannot do without, where the first of its golden calls will not do in this project."""


def needed(name: str) -> dict[str, Any]:
    """Return arguments with which an operation answers."""
    return NEEDED.get(name) or next(iter(ASK.get(name, {}).values()), {})


def in_session(ask: Door, name: str) -> dict[str, Any]:
    """Return what an operation of a session needs, with a session that has come far enough."""
    handle = ask("start_session", {"intent": "MODIFY", "query": "why does retry stop"})["session_id"]
    if name in ("submit_semantic", "submit_verification"):
        ask("search", {"query": "retry", "session_id": handle})
        assert ask("submit_understanding", {"session_id": handle})["phase"] == "SEMANTIC"
    guess = {"hypotheses": ["retry.py stops it"], "semantic_reason": "architecture_unknown"}
    if name == "submit_verification":
        assert ask("submit_semantic", {"session_id": handle, **guess})["accepted"]
    evidence = {"tool": "search_text", "target": "retry", "result": "retry is there"}
    own: dict[str, dict[str, Any]] = {
        "start_session": {"intent": "QUESTION", "query": "where is retry"},
        "list_sessions": {},
        "set_query_frame": {"target_feature": {"value": "retry", "quote": "retry"}},
        "submit_semantic": guess,
        "submit_verification": {"verified": [{"hypothesis": "h1", "status": "rejected", "evidence": evidence}]},
        "check_write_target": {"file_path": "README.md"},
        "add_explored_files": {"files": ["README.md"]},
    }
    return own[name] if name in ("start_session", "list_sessions") else {"session_id": handle, **own.get(name, {})}


@for_each("arguments", QUESTIONS)
def test_a_question_has_the_same_answer_through_every_door(doors: dict[str, Door], arguments: dict[str, Any]):
    library, terminal, protocol, web = (settled(door, "search", arguments) for door in doors.values())
    assert library["query"] == arguments["query"]
    assert terminal == library
    assert protocol == library
    assert web == library


@for_each("arguments", MISTAKES)
def test_a_mistake_is_told_in_the_same_words_through_every_door(doors: dict[str, Door], arguments: dict[str, Any]):
    library, terminal, protocol, web = (door("search", arguments) for door in doors.values())
    assert set(library) == {"code", "message", "hint"}
    assert terminal == library
    assert protocol == library
    assert web == library


@for_each("arguments", QUESTIONS)
def test_a_question_has_the_same_places_in_the_text_for_agents(library: Door, agent: Server, arguments: dict[str, Any]):
    found = settled(library, "search", arguments)
    hits = found["map_hits"] if found["short_circuit"] else found["forest_hits"]
    places = [f"{hit['path']}:{hit['start_line']}-{hit['end_line']}" for hit in hits]
    text = agent.read("search", arguments)
    assert tokens_of(text) <= SEARCH_TOKENS
    told = re.findall(r"^(?:agreed .*? )?(\S+:\d+-\d+)(?= |$)", text, re.M)
    assert told[:1] == places[:1]
    # Text shows several places of a good file, so those of other files may come later than in JSON.
    every = settled(library, "search", {**{k: v for k, v in arguments.items() if k != "topK"}, "limit": 100})
    assert {place.rpartition(":")[0] for place in told} <= {hit["path"] for hit in every["forest_hits"]} | {
        hit["path"] for hit in every["map_hits"]
    }
    shown = (JAPANESE if japanese(arguments) else ENGLISH)[found["answer"]]
    assert text.startswith(shown)


@for_each("arguments", MISTAKES)
def test_a_mistake_is_told_in_the_same_words_in_the_text_for_agents(
    library: Door, agent: Server, arguments: dict[str, Any]
):
    told = library("search", arguments)
    assert agent.read("search", arguments) == f"{told['message']}\n{told['hint']}"


@for_each("arguments", TEXTS)
def test_a_text_is_found_alike_through_every_door(doors: dict[str, Door], arguments: dict[str, Any]):
    library, terminal, protocol, web = (settled(door, "search_text", arguments) for door in doors.values())
    assert library["answer"] == ("none" if arguments.get("pattern") == "zyzzyva" else "found")
    assert terminal == library
    assert protocol == library
    assert web == library


@for_each("arguments", WRONG_TEXTS)
def test_a_wrong_text_is_refused_in_the_same_words_through_every_door(
    doors: dict[str, Door], arguments: dict[str, Any]
):
    library, terminal, protocol, web = (door("search_text", arguments) for door in doors.values())
    assert set(library) == {"code", "message", "hint"}
    assert terminal == library
    assert protocol == library
    assert web == library


@for_each(("name", "arguments"), OTHERS)
def test_every_way_to_ask_is_answered_or_refused_alike_through_every_door(
    doors: dict[str, Door], name: str, arguments: dict[str, Any]
):
    library, terminal, protocol, web = (settled(door, name, arguments) for door in doors.values())
    assert terminal == library
    assert protocol == library
    assert web == library


@for_each("door", ["library", "terminal", "protocol", "web"])
@for_each("operation", OPERATIONS)
def test_every_operation_is_reachable_through_every_door(doors: dict[str, Door], operation, door: str):
    in_one = operation.group == "session" and operation.name not in NEEDED
    arguments = in_session(doors[door], operation.name) if in_one else needed(operation.name)
    result = doors[door](operation.name, arguments)
    fields = {one.encode_name for one in msgspec.structs.fields(operation.result)}
    assert set(result) == fields, f"{result}: give it arguments in NEEDED"


def test_a_plan_made_through_one_door_is_remembered_by_the_others(doors: dict[str, Door]):
    first = doors["terminal"]("query_plan", {"goal": "how is the cart total formatted", "fresh": True})
    for name in ("library", "protocol", "web"):
        again = doors[name]("query_plan", {"goal": "cart total formatted"})
        assert again["planId"] == first["planId"]
        assert again["finalResults"] == first["finalResults"]
        assert again["metadata"]["cacheHits"] == len(again["iterations"])


@for_each("name", ["index_status", "sync_index"])
def test_the_index_is_the_same_through_every_door(doors: dict[str, Door], name: str):
    library, terminal, protocol, web = (without_clock(door(name, {})) for door in doors.values())
    for result in (library, terminal, protocol, web):
        result.pop("disk_bytes", None)
        result.pop("job", None)  # of the process, not of the index
    assert terminal == library
    assert protocol == library
    assert web == library


@for_each("door", ["library", "terminal", "protocol", "web"])
def test_an_unknown_operation_is_told_by_its_nearest_name_through_every_door(doors: dict[str, Door], door: str):
    error = doors[door]("serch", {})
    assert error["code"] == "unknown_name"
    assert error["hint"] == "did you mean 'search'?"


def test_what_one_door_indexes_another_finds(doors: dict[str, Door], place: tuple[Path, StateDirs]):
    new = place[0] / "fresh_module.py"
    new.write_text("def quokka_finder():\n    return 1\n")
    try:
        for name in ("terminal", "protocol", "library", "web"):
            doors[name]("sync_index", {})
            assert doors[name]("search", {"query": "quokka_finder"})["forest_hits"][0]["path"] == "fresh_module.py"
    finally:
        new.unlink()
        for door in doors.values():
            door("sync_index", {})


def test_every_operation_has_a_method_in_the_library():
    assert all(getattr(Project, operation.name) is operation for operation in OPERATIONS)
