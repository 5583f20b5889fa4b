"""A table of cases in one test: every case runs, and a failure names each case that is wrong."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

NOTE_CHARACTERS = 200
"""How much of a case a failure shows."""


def for_each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the test with every case, as ``pytest.mark.parametrize`` would, but as one test.

    For cheap cases that leave nothing behind. Where a case needs a directory of its own or seconds of time,
    ``pytest.mark.parametrize`` gives it both.

    >>> @for_each(("word", "length"), [("a", 1), ("ab", 2)])
    ... def test_a_word_has_a_length(word, length):
    ...     assert len(word) == length
    """
    wanted = [names] if isinstance(names, str) else list(names)
    table = [(case,) if len(wanted) == 1 else tuple(case) for case in cases]
    assert table, "a table without cases proves nothing"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def loop(*args: Any, **fixtures: Any) -> None:
            wrong: list[BaseException] = []
            for case in table:
                try:
                    test(*args, **fixtures, **dict(zip(wanted, case, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001
                    error.add_note(f"case: {repr(case)[:NOTE_CHARACTERS]}")
                    wrong.append(error)
            if wrong:
                raise BaseExceptionGroup(f"{len(wrong)} of {len(table)} cases are wrong", wrong)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in wanted]
        loop.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return loop

    return decorate
