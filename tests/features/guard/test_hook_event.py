"""What hooks tell."""

import json

import pytest

from shirube.errors import BadArgument
from shirube.features.guard.hook_protocol import HookEvent, ToolKind, read_event
from tests.cases import for_each


def read(**told: object) -> HookEvent:
    return read_event(json.dumps(told), "before", "claude-code")


def test_an_editor_tool_names_its_file():
    event = read(session_id="c", cwd="/p", tool_name="Write", tool_input={"file_path": "/p/a.py", "content": "x"})
    assert (event.client, event.cwd, event.kind, event.targets) == ("c", "/p", ToolKind.EDIT, ("/p/a.py",))
    assert read(tool_name="NotebookEdit", tool_input={"notebook_path": "n.ipynb"}).targets == ("n.ipynb",)


def test_a_patch_names_every_file_it_touches():
    patch = (
        "*** Begin Patch\n*** Add File: a b.py\n+x\n*** Update File: c.py\n*** Move to: d.py\n*** Delete File: e.py\n"
    )
    event = read(tool_name="apply_patch", tool_input={"command": patch})
    assert event.targets == ("a b.py", "c.py", "d.py", "e.py")
    assert read(tool_name="apply_patch", tool_input=patch).targets == event.targets


@for_each("blanks", [" ", "\t  ", "\u3000"])
def test_a_header_after_blanks_is_a_header(blanks: str):
    patch = f"*** Begin Patch\n{blanks}*** Update File: c.py \n{blanks}***  Move to : d.py\r\n*** End Patch"
    assert read(tool_name="apply_patch", tool_input={"command": patch}).targets == ("c.py", "d.py")


def test_a_shell_tool_names_its_command():
    assert read(tool_name="Bash", tool_input={"command": "ls"}).command == "ls"
    assert read(tool_name="run_shell_command", tool_input={"command": "ls"}).kind is ToolKind.SHELL
    assert read(command="ls", cwd="/p").command == "ls"
    assert read(tool_name="shell", tool_input={"command": ["bash", "-lc", "ls; rm x"]}).command == "ls; rm x"
    assert read(tool_name="shell", tool_input={"command": ["cat", "a b"]}).command == "cat 'a b'"


def test_other_tools_are_none_of_ours():
    assert read(tool_name="mcp__other__write", tool_input={"path": "a"}).kind is ToolKind.OTHER


def test_other_agents_name_their_session_and_project_otherwise():
    event = read(conversation_id="k", workspace_roots=["/w"], tool_name="Write", tool_input={"path": "a"})
    assert (event.client, event.cwd, event.targets) == ("k", "/w", ("a",))
    assert read(stop_hook_active=True).again
    assert not read(stop_hook_active=False).again


@for_each("text", ["", "no", "[]", "1", '{"a"', "[" * 100_000])
def test_what_is_no_object_is_refused(text: str):
    with pytest.raises(BadArgument):
        read_event(text, "before", "codex")


def test_values_of_the_wrong_kind_are_taken_for_missing():
    event = read(session_id=3, cwd=[], tool_name={}, tool_input=7)
    assert (event.client, event.cwd, event.tool, event.kind) == ("", "", "", ToolKind.OTHER)
    assert read(tool_name="Write", tool_input={"file_path": 3}).targets == ()
