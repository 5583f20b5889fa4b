"""What agents see of a place, of code for a task, and of what was found: in both languages, within their tokens."""

import asyncio
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from shirube.doors.mcp.server import Door, build_server
from shirube.engine.text.budget import tokens_of
from tests.cases import for_each

LINES = 1400
ABOVE = {"en": "shows what is above", "ja": "これより上は"}
REST = {"en": "shows the rest", "ja": "続きは"}
LONG = "long.py"
REQUEST = {"en": "where is the total computed?", "ja": "合計はどこで計算される？"}
"""A session is answered in the language of its request."""


@pytest.fixture
def project(tmp_path: Path, unhurried) -> Path:
    root = tmp_path / "p"
    root.mkdir()
    body = "".join(f"    total_{at} = compute({at}, scale=2)\n" for at in range(2, LINES))
    (root / LONG).write_text(f"def run(argument):\n{body}    return total_2\n")
    (root / "wide.py").write_text(f"def before():\n    return 1\n\n\nVALUES = [{'1234, ' * 20_000}]\n")
    return root


THROTTLING = '''"""Throttles."""

import re


class SimpleRateThrottle:
    def get_cache_key(self, request, view):
        """Say which requests are throttled together: those of one user, or of one address."""
        return view.scope + request.address

    def allow_request(self, request, view):
        """Implement the check to see if the request should be throttled."""
        self.history = self.cache.get(self.get_cache_key(request, view), [])
        if len(self.history) >= self.num_requests:
            return self.throttle_failure()
        return self.throttle_success()

    # The settings have a rate as text.
    # It says how many requests there may be, and in which time.
    def parse_rate(self, rate):
        num, period = rate.split("/")
        return int(num), {"s": 1, "m": 60}[period[0]]

    def throttle_success(self):
        self.history.insert(0, self.now)
        return True

    def throttle_failure(self):
        return False
'''
COMPAT = """import re
from rates import fractional, throttle_rates
from throttling import support
"""
GOAL = {
    "en": "support fractional throttle rates like 1.5/min",
    "ja": "スロットリングのレートに 1.5/min のような小数を使えるようにする",
}


@pytest.fixture
def framework(project: Path) -> Path:
    (project / "throttling.py").write_text(THROTTLING)
    (project / "compat.py").write_text(COMPAT)
    return project


def read(root: Path, language: str = "en", tool: str = "read", **arguments: Any) -> str:
    """Return what a client of the SDK gets from a server in this process."""

    async def main() -> str:
        with closing(Door(root, {"serve.toolsets": "all"})) as door:
            async with Client(build_server(door)) as client:
                asked = {"intent": "QUESTION", "query": REQUEST[language]}
                begun = (await client.call_tool("start_session", asked)).content[0].text
                arguments["session_id"] = re.search(r"s_\w+", begun)[0]
                result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.content[0].text

    return asyncio.run(main())


def numbers(text: str) -> list[int]:
    """Return the numbers of the lines that are shown of the long function."""
    return [int(found) for found in re.findall(r"^    total_(\d+) = ", text, re.M)]


@for_each("language", ["en", "ja"])
@for_each("budget", [2000, 300, 100])
@for_each("line", [40, 1322, LINES - 1])
def test_a_line_is_shown_with_what_is_around_it_however_long_its_function(
    project: Path, language: str, budget: int, line: int
):
    text = read(project, language, path=LONG, start_line=line, max_tokens=budget)
    head, *code, rest = text.split("\n")
    first, last = map(int, re.match(rf"{LONG}:(\d+)-(\d+) function run", head).groups())
    assert first <= line <= last
    assert len(code) == last - first + 1
    assert f"    total_{line} = compute({line}, scale=2)" == code[line - first]
    assert tokens_of(text) <= budget
    assert (f"start_line=1 end_line={first - 1}" in rest and ABOVE[language] in rest) == (first > 1)
    assert (f"start_line={last + 1} end_line={LINES}" in rest and REST[language] in rest) == (last < LINES)


def test_a_place_as_a_stack_trace_prints_it_is_centred_too(project: Path):
    assert 1322 in numbers(read(project, path=f"{LONG}:1322"))
    assert 1322 in numbers(read(project, tool="get_function_at_line", file_path=LONG, line=1322))


def test_lines_that_are_named_begin_with_the_first(project: Path):
    text = read(project, path=LONG, start_line=700, end_line=1300, max_tokens=200)
    assert numbers(text)[0] == 700
    assert text.endswith(f"start_line={numbers(text)[-1] + 1} end_line=1300 shows the rest")
    assert "function run" in text.split("\n")[0]


def test_numbered_lines_are_centred_too(project: Path):
    text = read(project, path=LONG, start_line=1322, include_line_numbers=True, max_tokens=200)
    assert "1322→    total_1322" in text


def test_a_line_longer_than_the_budget_is_cut(project: Path):
    text = read(project, path="wide.py", start_line=5, max_tokens=200)
    assert "VALUES = [1234, 1234" in text
    assert tokens_of(text) <= 200
    assert text.endswith("…")


def test_a_line_in_a_structured_reply_is_centred_within_its_budget(project: Path):
    async def main() -> str:
        with closing(Door(project, {"serve.structured": "true"})) as door:
            async with Client(build_server(door)) as client:
                result = await client.call_tool("read", {"path": LONG, "start_line": 1322, "max_tokens": 600})
        return result.content[0].text

    value = json.loads(asyncio.run(main()))
    assert "total_1322 = " in value["content"]
    assert value["startLine"] <= 1322 <= value["endLine"]


@for_each("language", ["en", "ja"])
@for_each("budget", [1500, 4000])
def test_a_task_brings_the_function_that_its_words_tell(framework: Path, language: str, budget: int):
    text = read(framework, language, "context", goal=GOAL[language], budget=budget)
    first = text[: text.index("def parse_rate")]
    assert re.findall(r"^(\S+):\d+-\d+ ", first, re.M) == ["throttling.py"]
    assert "int(num)" in text
    assert "compat.py" not in text


@for_each("goal", ["make parseRate exact", "parse-rate を正確にする", "`SimpleRateThrottle.parse_rate()` rounds"])
def test_a_task_brings_what_it_names_in_any_spelling(framework: Path, goal: str):
    text = read(framework, tool="context", goal=goal, budget=300)
    assert re.search(r"^    def parse_rate.*\n.*\n +return int\(num\)", text, re.M)


@for_each(("language", "query"), [("en", "where is a rate parsed?"), ("ja", "レートはどこで解析される？")])
def test_what_is_found_is_shown_with_its_indentation(framework: Path, language: str, query: str):
    text = read(framework, language, "search", query=query, path="throttling.py")
    assert re.search(r"^    def parse_rate", text, re.M)
    assert not re.search(r"^def parse_rate", text, re.M)


@for_each("language", ["en", "ja"])
def test_an_outline_has_no_numbers_without_a_name(project: Path, language: str):
    for number in range(3):
        parts = "".join(f"struct Reader{at};\nimpl Reader{at} {{}}\n" for at in range(9))
        (project / f"part{number}.rs").write_text(parts)
    text = read(project, language, "outline", path="*.rs")
    assert re.search(r"^1,2 Reader0 3,4 Reader1", text, re.M)
    assert not re.search(r"\b\d+ \d+ [A-Z]", text)
