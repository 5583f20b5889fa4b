from dataclasses import FrozenInstanceError
from typing import Annotated

import pytest

from shirube.codec import Arg, Record, bare, inputs, replace
from shirube.operation import Call
from shirube.operations import OPERATIONS
from shirube.types import Freshness


class Request(Record):
    query: Annotated[str, Arg("What.", also="text words")]
    limit: Annotated[int | None, Arg("How many.", low=1, high=9, usage="-k --limit")] = 3


def test_a_call_without_wishes_is_silent_endless_and_impatient():
    call = Call()
    assert call.progress("indexing", 1, 2) is None
    assert not call.deadline.passed
    assert call.patient is False


def test_two_calls_do_not_share_a_deadline():
    one, two = Call(), Call()
    one.deadline.cancel()
    assert not two.deadline.passed


def test_a_field_keeps_what_is_said_about_it():
    query, limit = inputs(Request)
    assert (query.name, query.kind, query.default, query.arg.also) == ("query", str, ..., "text words")
    assert (limit.kind, limit.default, limit.arg.low, limit.arg.high) == (int, 3, 1, 9)
    assert bare(str) is str


def test_a_field_without_a_default_is_required():
    with pytest.raises(TypeError):
        Request()  # type: ignore[call-arg]


def test_records_and_dataclasses_are_changed_alike():
    assert replace(Request("x"), limit=5) == Request("x", 5)
    assert replace(Freshness("a"), checked_at="b") == Freshness("a", "b")


def test_a_declaration_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        OPERATIONS[0].name = "other"  # type: ignore[misc]
