import tomllib

import pytest

from shirube.doors.agents.jsonc import Broken
from shirube.doors.agents.toml import find, parse, put_table, take_table
from tests.cases import for_each
from tests.doors.agents.samples import CODEX, CODEX_STRINGS, crlf

NAME = ("mcp_servers", "shirube")
TABLE = {"command": "shirube", "args": ["serve", "二"], "env": {"A": "1"}}


@for_each("text", ["", "\n", "a = 1\n", CODEX, CODEX_STRINGS, crlf(CODEX), "\ufeff" + CODEX])
def test_a_table_goes_to_the_end_and_out_again(text: str):
    longer = put_table(text, NAME, TABLE)
    assert longer.startswith(text)
    assert find(longer, NAME) == TABLE
    assert take_table(longer, NAME).rstrip() == text.rstrip()
    assert ("\r\n" in longer) == ("\r\n" in text)


def test_a_table_that_is_there_is_replaced():
    longer = put_table(put_table(CODEX, NAME, {"command": "old"}), NAME, TABLE)
    assert longer == put_table(CODEX, NAME, TABLE)


def test_tables_below_and_lines_added_by_others_go_with_it_but_not_what_follows():
    text = (
        '[mcp_servers.shirube] # ours\ncommand = "s"\nrequired = true\n\n[mcp_servers.shirube.tools.search]\n'
        'approval_mode = "auto"\n\n# about tui\n[tui]\nx = 1\n'
    )
    assert take_table(text, NAME) == "\n# about tui\n[tui]\nx = 1\n"


def test_what_only_looks_like_a_table_is_left():
    text = 'a = """\n[mcp_servers.shirube]\n"""\nb = [\n[1],\n]\n' + "c = '''\n[mcp_servers.shirube]\n'''\n"
    longer = put_table(text, NAME, {"command": "s"})
    assert take_table(longer, NAME) == text


def test_an_empty_parent_with_a_header_of_its_own_stays():
    text = "[mcp_servers]\n"
    assert tomllib.loads(take_table(put_table(text, NAME, {"a": 1}), NAME)) == {"mcp_servers": {}}


@for_each(
    "text", ['mcp_servers = { a = { command = "a" } }\n', 'mcp_servers.shirube.command = "s"\n', "mcp_servers = 3\n"]
)
def test_a_form_that_cannot_be_edited_is_refused(text: str):
    with pytest.raises(Broken):
        put_table(text, NAME, {"a": 1})


def test_broken_text_is_refused():
    with pytest.raises(Broken):
        parse("a = ")
