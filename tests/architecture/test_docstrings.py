"""The first line of a package says which question it answers; ruff sees to docstrings and annotations elsewhere."""

import ast

from tests.architecture.house import modules, rooms


def test_a_room_answers_a_question() -> None:
    doors = {"cli", "codec", "mcp", "operations", "web"}
    asked = {
        module.words[0]: (ast.get_docstring(module.tree) or "").splitlines()[0]
        for module in modules()
        if len(module.words) == 2 and module.words[1] == "__init__"
    }
    assert set(asked) == set(rooms())
    assert [room for room, line in asked.items() if room not in doors and not line.endswith("?")] == []
