import ast
from pathlib import Path

import pytest
from shirube.cli.spoken import COMMANDS, said, spoken, typed

import shirube
from shirube.cli.main import build_parser
from shirube.operations.results.search import SearchResult
from shirube.operations.table import OPERATIONS, operation_named

ROOMS = ("operations", "knowledge", "context", "plan", "session", "commands", "outcomes")


@pytest.mark.parametrize(
    ("sentence", "typed_so"),
    [
        ("sync_map binds them", "'shirube map sync' binds them"),
        (
            "then edit_agreement(agreement='会計 → checkout', confirm=true)",
            "then shirube map edit '会計 → checkout' --confirm",
        ),
        (
            "snippets_get path=src/a.py start_line=5 shows all of fit",
            "'shirube at src/a.py:5' shows all of fit",
        ),
        ("search finds by meaning, search_text by exact text", "search finds by meaning, 'shirube grep' by exact text"),
        ("see revert_to_exploration", "see 'shirube call revert_to_exploration'"),
        ("say which one is meant with 'path'", "say which one is meant with --path"),
        ("budget=1200 would also hold a.py:1-2", "--budget 1200 would also hold a.py:1-2"),
        ("no operation here", "no operation here"),
        ("run 'shirube call check_write_target'", "run 'shirube call check_write_target'"),
        ("command_execute c1=git c2=undo c3=commit; then", "'shirube commands execute git undo commit'; then"),
    ],
)
def test_a_sentence_names_what_a_person_would_type(sentence: str, typed_so: str):
    assert said(sentence) == typed_so


def test_every_command_of_the_table_is_one_and_stands_for_an_operation():
    for name, pattern in COMMANDS.items():
        operation_named(name)
        words = pattern.split(" {")[0].split()
        parser = build_parser()
        for word in (word for word in words if not word.startswith("-")):
            (choices,) = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
            assert word in choices, pattern
            parser = choices[word]
        assert all(word in parser.option_names() for word in pattern.split() if word.startswith("-")), pattern


def test_no_sentence_of_the_program_names_an_operation_to_a_person():
    """Every text in the rooms that has a blank and the name of an operation is translated."""
    names = {operation.name for operation in OPERATIONS if "_" in operation.name}
    root = Path(shirube.__file__).parent
    texts = [
        node.value
        for room in ROOMS
        for path in (root / room).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]
    named = [text for text in texts if any(name in text.split() for name in names)]
    assert len(named) > 20
    for text in named:
        rest = said(text)
        for name in names:
            assert name not in rest.replace(f"shirube call {name}", "").split(), text


def test_only_advice_is_translated_and_data_is_not():
    result = SearchResult(query="sync_map", next="sync_map", degraded=("see index_status",))
    told = spoken(result)
    assert (told.query, told.next, told.degraded) == ("sync_map", "'shirube map sync'", ("see 'shirube status'",))


def test_a_call_without_a_command_is_typed_as_a_call():
    assert typed("get_function_at_line", {"file_path": "a b.py", "line": 3}) == "shirube at 'a b.py':3"
    assert (
        typed("check_write_target", {"file_path": "a"})
        == """shirube call check_write_target --json '{"file_path": "a"}'"""
    )
    assert typed("find_definitions", {}) == "shirube defs"
    in_session = typed("find_definitions", {"symbol": "a", "session_id": "s_1"})
    assert in_session == """shirube call find_definitions --json '{"symbol": "a", "session_id": "s_1"}'"""
