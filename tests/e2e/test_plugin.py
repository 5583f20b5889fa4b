"""The plugin in the real Claude Code, with a model that says what the test wrote down."""

import json
from pathlib import Path

import pytest

from tests.conftest import write_sample
from tests.e2e.clients import Desk
from tests.e2e.models import Script, model, use
from tests.e2e.node import needs_npm

pytestmark = [pytest.mark.slow, needs_npm("claude")]
PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
TOOL = "mcp__plugin_shirube_shirube__"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "home").mkdir()
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return Desk(write_sample(tmp_path / "shop").resolve(), tmp_path / "home")


def claude(desk: Desk, script: Script, prompt: str) -> list[dict]:
    """Let Claude Code work through a script with the plugin, and return what it reported."""
    with model(script) as address:
        said = desk.run(
            *("env", f"ANTHROPIC_BASE_URL={address}", "ANTHROPIC_API_KEY=none", "IS_SANDBOX=1"),
            *("claude", "-p", prompt, "--plugin-dir", str(PLUGIN), "--dangerously-skip-permissions"),
            *("--output-format", "stream-json", "--verbose"),
        )
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def test_claude_code_has_the_flow_the_instructions_and_the_first_tool(desk: Desk):
    # The first call goes through the shell: Claude Code does not wait for servers before its first turn.
    script = Script([use("Bash", command="shirube search charge_card"), use(f"{TOOL}search", query="refund")])
    told = claude(desk, script, "/shirube:code 返金を直す")
    (start,) = [one for one in told if one.get("subtype") == "init"]  # the hook at the start is told of before
    assert {"shirube:code", "shirube:outcome"} <= set(start["slash_commands"])
    assert "shirube:shirube" in start["skills"]
    assert "shirube:scout" in start["agents"]
    assert "src/shop/payment.py" in script.results()[0]
    assert "src/shop/payment.py" in script.results()[1]
    last = json.dumps(script.seen[-1], ensure_ascii=False)
    assert "Request / 依頼: 返金を直す" in last
    assert "## Step 7: READY" in last
    assert "ask it before you read or edit files" in last
    assert f"{TOOL}search" in {tool["name"] for tool in script.seen[-1]["tools"]}


def test_in_advise_mode_nothing_is_blocked(desk: Desk):
    script = Script([use("Write", file_path=f"{desk.root}/new.py", content="x")])
    claude(desk, script, "go")
    assert (desk.root / "new.py").read_text() == "x"
