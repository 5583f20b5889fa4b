"""Every room says in a sentence what it is for; ruff asks the same of every public name."""

import ast

from tests.architecture.house import modules


def test_a_room_says_what_it_is_for() -> None:
    said = {module.name: ast.get_docstring(module.tree) or "" for module in modules() if module.words[-1] == "__init__"}
    assert [name for name, words in said.items() if not words.partition("\n")[0].endswith(("?", "."))] == []
