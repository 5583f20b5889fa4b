"""The flow as it is installed, in the real agents: a request leads to an edit, the edit to an agreement.

``/code`` and ``/outcome`` are called as a user calls them. The models read with the agents' own tools, so that only the
hooks can know of it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from shirube.engine.text.budget import tokens_of
from tests.e2e.agents import tool
from tests.e2e.installed import (
    COMMAND,
    FILES,
    NEW,
    OLD,
    PAYMENT,
    RETRY,
    Installed,
    handle_in,
    install,
    read,
    replacing,
    run_command,
    step,
)
from tests.e2e.node import needs_npm
from tests.e2e.talks import Talk, Turn

pytestmark = pytest.mark.slow
EVERY = pytest.mark.parametrize("agent", [pytest.param(name, marks=needs_npm(name)) for name in ("claude", "codex")])
LANGUAGES = pytest.mark.parametrize("language", ["en", "ja"])
REQUESTS = {
    "en": ("Retry failed payments five times: with_retries gives up too early", "Retry failed payments"),
    "ja": ("失敗した決済の再試行を五回にしてください。with_retries があきらめるのが早すぎます", "失敗した決済の再試行"),
}
SAID = {
    "en": ("may be written", "learned: ", "agreed Retry failed payments"),
    "ja": ("は書き込めます", "地図に追加: ", "合意済み 失敗した決済の再試行"),
}
WHY = "with_retries loops over range(ATTEMPTS), and that is 3"
AROUND = {
    "claude": ("PreToolUse:{tool} hook error: ", ""),
    "codex": ("Command blocked by PreToolUse hook: ", ". Command: "),
}
"""What an agent itself puts before and after the words of a hook that refuses."""


def refusal(agent: str, result: str, name: str = "Edit") -> str:
    """Return our words in a refusal, which follow the agent's own at once."""
    start, end = AROUND[agent]
    start = start.format(tool=name)
    assert result.startswith(start)
    ours = result.removeprefix(start)
    return ours.partition(end)[0] if end else ours


def look(made: Installed, path: str) -> Turn:
    """Return a look with the agent's own means; Codex has only its shell for that."""
    if made.agent == "claude":
        return lambda shown: read(made.root / path)
    return lambda shown: run_command(made.agent, f"cat {path}")


def claim_of(language: str) -> dict[str, Any]:
    """Return what the model says that it understood."""
    return {"symbols": ["with_retries"], "feature": REQUESTS[language][1], "why": WHY}


def work(made: Installed, language: str) -> Talk:
    """Do what was asked for, by the steps of ``/code``, after trying to do without."""
    agent, request = made.agent, REQUESTS[language][0]
    edit: Turn = lambda shown: replacing(agent, made.root, RETRY, OLD, NEW)  # noqa: E731
    test: Turn = lambda shown: run_command(agent, "python3 -m pytest -q")  # noqa: E731
    talk = made.talk(
        COMMAND[agent].format(name="code", words=request),
        *(look(made, RETRY), edit, test),
        lambda shown: tool(agent, "start_session", intent="MODIFY", query=request),
        look(made, RETRY),
        step(agent, "submit_understanding", **claim_of(language)),
        *(edit, look(made, PAYMENT)),
        step(agent, "check_write_target", file_path=[PAYMENT]),
        lambda shown: replacing(agent, made.root, PAYMENT, "when the bank is slow", "up to five times"),
        test,
    )
    first = json.dumps(talk.asked[0], ensure_ascii=False)
    assert request in first
    assert "submit_understanding" in first
    return talk


def intrude(made: Installed, handle: str) -> list[Turn]:
    """Return what another conversation tries: to edit, to write with a shell, and to use a handle that it found."""
    agent = made.agent
    edit: Turn = lambda shown: replacing(agent, made.root, RETRY, "ATTEMPTS = 3", "ATTEMPTS = 9")  # noqa: E731
    return [
        *(look(made, RETRY), edit),
        lambda shown: run_command(agent, f"echo x >> {RETRY}"),
        lambda shown: tool(agent, "check_write_target", session_id=handle, file_path=[RETRY]),
        edit,
    ]


def assert_refused(made: Installed, results: list[str]) -> None:
    """Assert that nothing came of ``intrude``."""
    _, edited, ran, _, edited_again = results
    for name, result in (("Edit", edited), ("Bash", ran), ("Edit", edited_again)):
        assert "has no session" in refusal(made.agent, result, name)
    text = (made.root / RETRY).read_text()
    assert text == FILES[RETRY].replace(OLD, NEW)


@EVERY
@LANGUAGES
def test_a_request_leads_to_an_edit_and_the_edit_to_an_agreement(agent: str, language: str, tmp_path: Path):
    made, (request, feature), (may, learned, agreed) = install(agent, tmp_path), REQUESTS[language], SAID[language]
    talk = work(made, language)
    _, _, refused, tested, started, shown, ready, _, _, checked, _, tested_again = talk.results
    ours = refusal(agent, refused)
    assert ours.startswith("shirube: this conversation has no session yet; call start_session {")
    assert tokens_of(ours) <= 60
    for result in (tested, tested_again):
        assert "1 passed" in result
    assert f"{RETRY}:8-16 with_retries" in started
    assert f"READY: {RETRY}" in ready
    assert f"{PAYMENT} " in checked
    assert may in checked
    assert "up to five times" in (made.root / PAYMENT).read_text()
    said = json.dumps([request, claim_of(language), handle_in(talk.results)], ensure_ascii=False)
    assert sum(map(tokens_of, (said, started, shown, ready))) <= 1500

    handle = handle_in(talk.results)
    ended = made.talk(
        COMMAND[agent].format(name="outcome", words="OK"),
        *intrude(made, handle),
        lambda shown: tool(agent, "record_outcome", session_id=handle, outcome="success", trigger_message="OK"),
    )
    assert_refused(made, ended.results[1:-1])
    assert f"{learned}{feature} → with_retries" in ended.results[-1]
    (page,) = (made.root / ".shirube" / "agreements").glob("*.md")
    assert f"nl_term: {feature}\nsymbol: with_retries\n" in page.read_text("utf-8")

    other = made.talk("go on", lambda shown: tool(agent, "search", query=feature), *intrude(made, handle))
    assert agreed in other.results[1]
    assert f"{RETRY}:8-16" in other.results[1]
    assert_refused(made, other.results[2:])
