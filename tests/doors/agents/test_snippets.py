import json
import tomllib
from pathlib import Path

from shirube.doors.agents.edits import snippet
from tests.doors.agents.test_edits import ENTRY, HOOK, PIECES


def body(form: str) -> str:
    head, _, text = snippet(PIECES[form]).partition("\n")
    assert head == f"# {Path('p')}"
    return text


def test_a_snippet_is_what_an_empty_file_would_hold():
    assert json.loads(body("json")) == {"mcpServers": {"shirube": ENTRY}}
    assert json.loads(body("item")) == {"hooks": {"Stop": [HOOK]}}
    assert tomllib.loads(body("toml")) == {"mcp_servers": {"shirube": ENTRY}}
    assert body("block").startswith("<!-- shirube:begin -->\ntext\n")
    assert body("file") == "whole\n"
