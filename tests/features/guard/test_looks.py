"""What an agent saw with its own tools."""

import json
from pathlib import Path
from typing import Any

from shirube.features.guard.hook_protocol import HookEvent, read_event
from shirube.features.guard.looks import Looked, digest_of, looked_at, started_session
from tests.cases import for_each

RETRY, PAYMENT = "src/shop/retry.py", "src/shop/payment.py"
HANDLE = "s_0123456789ab"


def told(root: Path, tool: str, given: dict[str, Any], response: Any, agent: str = "claude-code") -> HookEvent:
    payload = {"session_id": "c", "cwd": str(root), "tool_name": tool, "tool_input": given, "tool_response": response}
    return read_event(json.dumps(payload), "after", agent)


def looks(root: Path, tool: str, given: dict[str, Any], response: Any = "") -> Looked:
    return looked_at(told(root, tool, given, response), root)


def test_a_reading_tool_shows_the_file_it_is_given(repository: Path):
    place = repository / RETRY
    answer = {"type": "text", "file": {"filePath": str(place), "content": place.read_text()}}
    looked = looks(repository, "Read", {"file_path": str(place), "offset": 2, "limit": 3}, answer)
    assert looked == Looked({RETRY: digest_of(place)}, (), str(place))
    assert looks(repository, "read_file", {"file_path": RETRY}).seen.keys() == {RETRY}
    assert looks(repository, "read_many_files", {"include": ["src/*"]}, f"--- {place} ---\ntext").seen.keys() == {RETRY}
    for path in ("nowhere.py", "src/shop", "/etc/hostname", "a\0b"):
        assert looks(repository, "Read", {"file_path": path}).seen == {}


def test_a_search_shows_what_it_quotes_and_lists_what_it_names(repository: Path):
    lines = f"{RETRY}:10:def with_retries\n{repository / PAYMENT}:3:from shop"
    looked = looks(repository, "Grep", {"pattern": "with_retries"}, {"mode": "content", "content": lines})
    assert (looked.seen.keys(), looked.listed, looked.asked) == ({RETRY, PAYMENT}, (), "with_retries")
    named = looks(repository, "Grep", {"pattern": "x"}, {"mode": "files_with_matches", "filenames": [RETRY, "gone.py"]})
    assert (named.seen, named.listed) == ({}, (RETRY,))
    found = looks(repository, "glob", {"pattern": "**"}, {"llmContent": f"Found 1 file(s):\n{repository / RETRY}"})
    assert (found.seen, found.listed) == ({}, (RETRY,))
    quoted = f"Found 1 match:\n---\nFile: {PAYMENT}\nL3: from shop.retry import with_retries"
    assert looks(repository, "grep_search", {"pattern": "x"}, {"llmContent": quoted}).seen.keys() == {PAYMENT}
    alone = {"mode": "content", "content": "10:def with_retries(action: Callable[[], Result]) -> Result:"}
    assert looks(repository, "Grep", {"pattern": "x", "path": RETRY}, alone).seen.keys() == {RETRY}


@for_each(
    ("command", "output", "seen"),
    [
        (f"cat {RETRY}", "ATTEMPTS = 3\n", {RETRY}),
        (f"cat -n {RETRY} | head -7", "     7\tATTEMPTS = 3\n", {RETRY}),
        ("cd src && sed -n '1,20p' shop/retry.py", "ATTEMPTS = 3\n", {RETRY}),
        (f"cat {RETRY} {PAYMENT} | head -1", '"""Trying again."""\n', {RETRY}),
        ("rg -n with_retries", f"{RETRY}:10:def with_retries\n", {RETRY}),
        ("git grep -n with_retries -- src", f"{RETRY}:10:def with_retries\n", {RETRY}),
        (f"grep -n ATTEMPTS {RETRY}", "7:ATTEMPTS = 3\n", {RETRY}),
        ("rg -l with_retries", f"{RETRY}\n", set()),
        (f"cat {RETRY} > /dev/null", "", set()),
        (f"echo {RETRY}:1:x", f"{RETRY}:1:x\n", set()),
        (f"cat {RETRY} # and more", "ATTEMPTS = 3\n", set()),
        (f"wc -l {RETRY}", f"19 {RETRY}\n", set()),
    ],
)
def test_a_command_shows_what_comes_out_of_it(repository: Path, command: str, output: str, seen: set[str]):
    assert looks(repository, "Bash", {"command": command}, {"stdout": output, "stderr": ""}).seen.keys() == seen


@for_each(
    ("tool", "given", "handle"),
    [
        ("mcp__shirube__start_session", {"intent": "MODIFY"}, HANDLE),
        ("mcp__plugin_shirube_shirube__start_session", {}, HANDLE),
        ("mcp_shirube_start_session", {}, HANDLE),
        ("MCP:start_session", {}, HANDLE),
        ("Bash", {"command": "shirube session start MODIFY 'Fix it'"}, HANDLE),
        ("Bash", {"command": "michishirube session start MODIFY 'Fix it'"}, HANDLE),
        ("Bash", {"command": "/usr/local/bin/shirube --root . call start_session --json '{}'"}, HANDLE),
        ("Bash", {"command": "/tmp/shirube session start MODIFY fix"}, ""),
        ("Bash", {"command": f"echo {HANDLE}; shirube session start MODIFY fix"}, ""),
        ("Bash", {"command": f"echo shirube session start {HANDLE}"}, ""),
        ("mcp__shirube__get_session_status", {}, ""),
        ("mcp__other__restart_session", {}, ""),
    ],
)
def test_the_session_is_read_from_the_answer_of_the_call_that_started_it(
    repository: Path, tool: str, given: dict[str, Any], handle: str
):
    assert started_session(told(repository, tool, given, [{"text": f"session_id {HANDLE} MODIFY"}])) == handle


def test_an_error_that_repeats_a_handle_starts_nothing(repository: Path):
    error = [{"type": "text", "text": f"'{HANDLE}' is no intent"}]
    assert started_session(told(repository, "mcp__shirube__start_session", {}, error)) == ""
