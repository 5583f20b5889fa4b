"""What the models of real agents are shown: text made for reading, few tools, and JSON only where it is wanted."""

import json
from pathlib import Path

import pytest

from tests.conftest import write_sample
from tests.e2e.agents import Agent, listed, tokens, tool
from tests.e2e.node import needs_npm

pytestmark = pytest.mark.slow
AGENTS = ("claude", "codex", "gemini", "opencode")
EVERY = pytest.mark.parametrize("name", [pytest.param(name, marks=needs_npm(name)) for name in AGENTS])
THAT_SHOW_JSON = pytest.mark.parametrize("name", [pytest.param(name, marks=needs_npm(name)) for name in AGENTS[:2]])
"""The agents that show their models structured content where there is any."""


def agent(name: str, base: Path, *options: str) -> Agent:
    (base / "home").mkdir()
    made = Agent(name, write_sample(base / "shop").resolve(), base / "home", options)
    made.run("shirube", "index")
    return made


@EVERY
def test_the_model_reads_text(name: str, tmp_path: Path):
    made = agent(name, tmp_path)
    talk = made.talk(
        lambda shown: tool(name, "search", query="charge card"),
        lambda shown: tool(name, "read", path="src/shop/retry.py"),
        lambda shown: tool(name, "read", path="src/shop/none.py"),
    )
    _, searched, read, refused = talk.results
    assert "src/shop/payment.py:12-24" in searched
    assert "    def charge_card(self, amount: int) -> str:\n" in searched
    assert "forest_hits" not in searched
    assert "def with_retries(" in read
    assert "src/shop/none.py" in refused
    assert '"code"' not in refused


@THAT_SHOW_JSON
def test_the_model_reads_json_where_that_is_wanted(name: str, tmp_path: Path):
    talk = agent(name, tmp_path, "--structured").talk(lambda shown: tool(name, "search", query="charge card"))
    searched = talk.results[-1]
    value = json.loads(searched[searched.index("{") : searched.rindex("}") + 1])
    assert value["forest_hits"][0]["path"] == "src/shop/payment.py"


@THAT_SHOW_JSON
@pytest.mark.parametrize(("toolsets", "count", "most"), [("core", 8, 2000), ("core,session", 16, 3800)])
def test_the_tools_are_few(name: str, toolsets: str, count: int, most: int, tmp_path: Path):
    options = () if toolsets == "core" else ("--toolsets", toolsets)
    tools = listed(name, agent(name, tmp_path, *options).talk())
    assert 0 < len(tools) <= count
    assert sum(map(tokens, tools)) <= most
