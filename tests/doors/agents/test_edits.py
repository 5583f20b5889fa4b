from pathlib import Path

import pytest

from shirube.doors.agents.edits import ABSENT, OTHER, SAME, current, is_empty, is_ours, look, missing, put, take
from shirube.doors.agents.jsonc import Broken
from shirube.doors.agents.pieces import Piece, hook_command
from tests.cases import for_each

PATH = Path("p")
ENTRY = {"command": "shirube", "args": ["serve"]}
HOOK = {"hooks": [{"type": "command", "command": hook_command("/opt/shirube", "codex", "stop", "advise")}]}
PIECES = {
    "json": Piece("a", "mcp", PATH, "json", ENTRY, ("mcpServers", "shirube")),
    "toml": Piece("a", "mcp", PATH, "toml", ENTRY, ("mcp_servers", "shirube")),
    "item": Piece("a", "hooks", PATH, "item", HOOK, ("hooks", "Stop")),
    "block": Piece("a", "instructions", PATH, "block", "text"),
    "file": Piece("a", "commands", PATH, "file", "whole\n"),
}
OLD = {"json": '{"a": 1}', "toml": "a = 1\n", "item": '{"a": 1}', "block": "a\n", "file": ""}
FORMS = for_each("form", PIECES)


@FORMS
def test_every_form_is_looked_for_put_in_and_taken_out(form: str):
    piece, text = PIECES[form], OLD[form]
    assert look(text, piece) == (ABSENT, None)
    longer = put(text, piece)
    assert look(longer, piece)[0] == SAME
    assert is_ours(piece, current(longer, piece))
    assert put(longer, piece) == longer
    assert take(longer, piece, missing(text, piece)) == text


def test_something_else_in_the_place_is_told():
    assert look('{"mcpServers": {"shirube": 1}}', PIECES["json"]) == (OTHER, 1)
    assert look("[mcp_servers.shirube]\na = 1\n", PIECES["toml"]) == (OTHER, {"a": 1})
    assert look("mine\n", PIECES["file"]) == (OTHER, "mine\n")
    assert look(put("", PIECES["block"]).replace("text", "older"), PIECES["block"])[0] == OTHER


def test_an_older_hook_of_ours_is_replaced_and_others_stay():
    old = '{"hooks": {"Stop": [{"command": "other"}, {"command": "shirube gate --hook stop --old"}]}}'
    assert look(old, PIECES["item"])[0] == OTHER
    assert current(put(old, PIECES["item"]), PIECES["item"]) == [HOOK]
    assert '"other"' in put(old, PIECES["item"])
    assert take(old, PIECES["item"], 0) == '{"hooks": {"Stop": [{"command": "other"}]}}'


def test_a_list_that_is_none_is_refused():
    with pytest.raises(Broken):
        look('{"hooks": {"Stop": {}}}', PIECES["item"])


@for_each(
    ("found", "ours"),
    [
        ({"command": "/opt/bin/shirube"}, True),
        ({"command": ["shirube", "serve"]}, True),
        ({"command": "/opt/bin/michishirube"}, True),
        ({"command": "michishirube.exe"}, True),
        ({"command": "mishirube"}, False),
        ({"command": "C:\\venv\\shirube.exe"}, True),
        ({"command": "docker"}, False),
        ({"command": []}, False),
        ({"url": "http://127.0.0.1/mcp"}, False),
        ("text", False),
    ],
)
def test_an_entry_is_ours_by_its_program(found, ours: bool):
    assert is_ours(PIECES["json"], found) is ours


def test_what_is_left_of_a_file_can_be_nothing():
    assert is_empty("\ufeff{}\r\n", PIECES["json"])
    assert is_empty(" \n", PIECES["block"])
    assert not is_empty("{}", PIECES["block"])
    assert not is_empty('{"a": 1}', PIECES["json"])


def test_containers_to_be_made_are_counted():
    assert missing("", PIECES["json"]) == 1
    assert missing('{"mcpServers": {}}', PIECES["json"]) == 0
    assert missing("{}", PIECES["item"]) == 2
    assert missing("", PIECES["toml"]) == 0
