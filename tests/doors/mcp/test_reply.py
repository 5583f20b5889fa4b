"""What agents read: text, in their language, within its budget, and nothing beside it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from shirube.doors.views.search import SEARCH_TOKENS
from shirube.engine.text.budget import tokens_of
from shirube.operations import OPERATIONS
from tests.cases import for_each
from tests.doors.mcp.client import Server

PLACE = re.compile(r"^(\S+):(\d+)-(\d+)(?: |$)", re.M)
RESULT_TOKENS, MAX_RESULT_TOKENS = 4000, 20_000


def test_the_list_says_nothing_of_what_comes_back(reader: Server, server: Server):
    tools = reader.tools()
    assert [tool["name"] for tool in tools] == [operation.name for operation in OPERATIONS]
    assert not any("outputSchema" in tool for tool in tools)
    whole = {tool["name"]: tool["inputSchema"] for tool in server.tools()}
    for tool in tools:
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["properties"].keys() <= whole[tool["name"]]["properties"].keys()


@for_each(
    ("name", "arguments"),
    [
        ("search", {"query": "retry"}),
        ("grep", {"patterns": ["retry"]}),
        ("context", {"goal": "retry payments"}),
        ("read", {"path": "README.md"}),
        ("symbol", {"symbol": "checkout"}),
        ("outline", {"path": "src"}),
        ("impact", {"symbols": ["checkout"]}),
    ],
)
def test_a_short_name_is_answered_like_the_long_one(reader: Server, name: str, arguments: dict[str, object]):
    (operation,) = (row for row in OPERATIONS if row.tool == name)
    text = reader.read(name, arguments)
    assert text == reader.read(operation.name, arguments)
    assert not text.startswith("{")
    assert re.search(r"(README\.md|src/shop/\w+\.py|tests/\w+\.py)\b", text)


def test_the_places_are_those_of_the_structured_answer(reader: Server, server: Server):
    hits = server.call("search", {"query": "retry payment cart"})["structuredContent"]["forest_hits"]
    text = reader.read("search", {"query": "retry payment cart"})
    places = PLACE.findall(text)
    assert places[0] == (hits[0]["path"], str(hits[0]["start_line"]), str(hits[0]["end_line"]))
    files = list(dict.fromkeys(path for path, _, _ in places))
    assert files == list(dict.fromkeys(hit["path"] for hit in hits))[: len(files)]
    assert tokens_of(text) <= SEARCH_TOKENS


def test_scores_and_reasons_are_sent_only_when_asked_for(reader: Server):
    assert "text:words" not in reader.read("search", {"query": "cartTotal"})
    assert "text:words +" in reader.read("search", {"query": "cartTotal", "explain": True})


def test_code_is_sent_as_it_is_in_the_file(reader: Server):
    source = (reader.served / "src/shop/payment.py").read_text()
    head, *lines = reader.read("read", {"path": "src/shop/payment.py", "start_line": 27, "end_line": 29}).split("\n")
    assert head.startswith("src/shop/payment.py:27-29")
    assert lines == source.split("\n")[26:29]


def test_an_answer_that_holds_back_says_how_to_go_on(reader: Server):
    asked = {"query": "retry payment cart", "max_tokens": 150}
    first = reader.read("search", asked)
    (skip,) = re.findall(r"^more: skip (\d+)$", first, re.M)
    second = reader.read("search", {**asked, "skip": int(skip)})
    assert second.startswith("further places:\n")
    shown = PLACE.findall(first)[: int(skip)]
    assert shown
    assert not set(shown) & set(PLACE.findall(second))


@for_each(
    ("arguments", "words"),
    [
        ({"query": "x", "limti": 9}, "did you mean 'limit'?"),
        ({"query": "x", "limit": 0}, "from 1 to 100"),
        ({"query": ""}, "for example"),
        (None, "missing argument 'query'"),
        ({"query": "x", "languages": ["pyhton"]}, "did you mean 'python'?"),
        ({"query": "x", "path": "../.."}, "leads out"),
        ({"query": "x", "cursor": "junk"}, "cursor"),
        ({"query": "retry", "max_tokens": 2}, "at least"),
    ],
)
def test_a_bad_call_is_told_with_the_next_step_below_it(reader: Server, arguments: object, words: str):
    result = reader.call("search", arguments)
    assert result["isError"] is True
    message, hint = result["content"][0]["text"].split("\n")
    assert message
    assert hint
    assert words in message + hint
    assert "structuredContent" not in result


def test_an_unknown_tool_is_told_and_the_nearest_named(reader: Server):
    assert "search" in reader.read("serch", {"query": "x"}).split("\n")[1]


def test_a_request_in_japanese_is_answered_in_japanese(reader: Server):
    assert re.match(r"(見つかりました|不確か)（確度 \d+%）:\n", reader.read("search", {"query": "支払いの再試行"}))
    assert re.match(r"(found \(\d+% sure\)|unsure \(\d+%\)):\n", reader.read("search", {"query": "retry"}))
    message, hint = reader.read("search", {"query": "再試行", "profile": "zzz"}).split("\n")
    assert message == "目的設定「zzz」はありません"
    assert hint.startswith("使えるもの: ")


def test_a_session_is_answered_in_the_language_of_its_request(reader: Server):
    begun = reader.read("start_session", {"intent": "INVESTIGATE", "query": "再試行はどこで決まる？"})
    (handle,) = set(re.findall(r"\bs_[0-9a-f]{12}\b", begun))
    assert re.match(r"(見つかりました|不確か)", reader.read("search", {"query": "with_retries", "session_id": handle}))


def test_a_large_result_stays_within_its_budget_and_its_cursor_goes_on(start: Callable[..., Server]):
    program = start("--toolsets", "all", text=True)
    program.initialize()
    files: list[Path] = []
    for number in range(120):
        text = "".join(f"def retry_number_{number}_{line}(value): return value\n" for line in range(5))
        files.append(program.served / f"many{number}.py")
        files[-1].write_text(text)
    program.call("sync_index")
    text = program.read("grep", {"patterns": ["def retry_number_"], "limit": 500})
    assert tokens_of(text) <= RESULT_TOKENS
    wide = program.read("grep", {"patterns": ["def retry_number_"], "limit": 500, "max_tokens": 9000})
    assert tokens_of(text) < tokens_of(wide) <= 9000
    most = program.read("get_symbols", {"path": "", "limit": 2000, "max_tokens": 1_000_000})
    assert tokens_of(most) <= MAX_RESULT_TOKENS
    seen: list[str] = []
    cursor = ""
    cut = program.read("grep", {"patterns": ["def retry_number_"], "limit": 100})
    assert re.search(r"^… \d+ more: raise max_tokens$", cut, re.M)
    assert "cursor" not in cut  # it would lead behind what is left out
    while True:
        asked = {"patterns": ["def retry_number_"], "limit": 100, "max_tokens": 9000, "cursor": cursor}
        page = program.read("grep", asked)
        seen += re.findall(r"def (retry_number_\d+_\d+)", page)
        onward = re.search(r"cursor`? (\S+)", page)
        if onward is None:
            break
        assert cursor != onward[1]
        cursor = onward[1]
    assert len(seen) == len(set(seen)) == 600
    for file in files:
        file.unlink()


@pytest.mark.requirement("001-BUNDLE-05")
def test_a_bundle_says_its_tokens_first_and_its_reasons_on_request(reader: Server):
    short = reader.read("context", {"goal": "retry payments"})
    long = reader.read("context", {"goal": "retry payments", "includeWhy": True})
    assert re.fullmatch(r"[\d,]+ of 4,000 tokens:", short.split("\n")[0])
    assert len(re.findall(r"^    \d+ tokens  \S", long, re.M)) == len(PLACE.findall(short))
    assert "text:words" in long
    assert "text:words" not in short


def test_a_budget_without_room_is_named_as_the_caller_named_it(reader: Server):
    assert reader.read("context", {"goal": "xyzzy plugh", "budget": 5}).startswith("budget=5 is too small")
    assert reader.read("search", {"query": "retry", "max_tokens": 5}).startswith("max_tokens=5 is too small")
