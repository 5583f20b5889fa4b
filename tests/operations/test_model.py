from dataclasses import FrozenInstanceError, dataclass, fields

import pytest
from shirube.operations.model import arg

from shirube.operations.declare import Call
from shirube.operations.table import OPERATIONS


def test_a_call_without_wishes_is_silent_endless_and_impatient():
    call = Call()
    assert call.progress("indexing", 1, 2) is None
    assert not call.deadline.passed
    assert call.patient is False


def test_two_calls_do_not_share_a_deadline():
    one, two = Call(), Call()
    one.deadline.cancel()
    assert not two.deadline.passed


def test_an_argument_keeps_its_help_and_bounds():
    @dataclass
    class Request:
        limit: int = arg(3, "How many.", low=1, high=9)

    (item,) = fields(Request)
    assert (item.default, dict(item.metadata)) == (3, {"help": "How many.", "low": 1, "high": 9})


def test_an_argument_without_a_default_is_required():
    @dataclass
    class Request:
        query: str = arg(..., "What.")

    with pytest.raises(TypeError):
        Request()  # type: ignore[call-arg]


def test_a_row_of_the_table_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        OPERATIONS[0].name = "other"  # type: ignore[misc]
