"""What a user types becomes the arguments of the operation."""

from argparse import Namespace

import pytest

from shirube.doors.cli.options import search, symbols
from shirube.errors import BadArgument


def test_patterns_of_both_kinds_are_combined() -> None:
    given = {"patterns": ["a"], "regex": True}
    assert search.typed_search_text(Namespace(more=["b"]), given) == {"patterns": ["a", "b"], "regex": True}


@pytest.mark.parametrize("typed", ["src/app.py:42", "src/app.py:42:7", "src/app.py:42:", "src/app.py:42-50"])
def test_a_place_as_compilers_and_answers_print_it(typed: str) -> None:
    read = symbols.typed_get_function_at_line(Namespace(place=typed), {})
    assert read == {"file_path": "src/app.py", "line": 42}


def test_no_place_is_refused() -> None:
    with pytest.raises(BadArgument, match=r"src/app\.py"):
        symbols.typed_get_function_at_line(Namespace(place="src/app.py"), {})


def test_stdin_is_read_once() -> None:
    with pytest.raises(BadArgument):
        search.typed_context_bundle(Namespace(), {"hints": ["-"], "last_diff": "-"})
