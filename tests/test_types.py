from typing import get_type_hints

import pytest
from msgspec import Struct

from shirube import types
from shirube.features.lookup.results import SearchResult
from shirube.types import Answer, Collection, Mode, Status, Symbol
from tests.cases import for_each

VALUES = [
    kind for kind in vars(types).values() if isinstance(kind, type) and issubclass(kind, Struct) and kind is not Struct
]


@for_each("kind", VALUES)
def test_a_value_is_frozen_and_holds_no_list(kind: type):
    assert kind.__struct_config__.frozen
    for hint in get_type_hints(kind).values():
        assert "list" not in str(hint)
        assert "dict" not in str(hint)


def test_a_value_cannot_be_changed():
    symbol = Symbol("start", "Session.start", "method", 3, 9)
    with pytest.raises(AttributeError):
        symbol.name = "stop"  # type: ignore[misc]


@for_each(
    ("name", "qualified", "scope"),
    [("start", "Session.start", "Session"), ("start", "start", ""), ("c", "a.b.c", "a.b"), ("a", "a.a", "a")],
)
def test_the_scope_of_a_symbol_is_what_encloses_it(name: str, qualified: str, scope: str):
    assert Symbol(name, qualified, "method", 1, 2).scope == scope


def test_an_answer_is_unknown_until_somebody_looked():
    result = SearchResult("x")
    assert (result.answer, result.source) == (Answer.UNKNOWN, Collection.FOREST)
    assert result.status == Status.HYPOTHESIS


def test_a_search_result_carries_every_field_of_the_contract():
    wanted = (
        "query source status short_circuit map_hits forest_hits total_chunks answer confidence degraded freshness "
        "next truncated total next_cursor"
    )
    assert set(SearchResult.__struct_fields__) >= set(wanted.split())


def test_a_hit_carries_every_field_of_the_contract():
    wanted = "path start_line end_line symbol kind language score similarity why preview also"
    assert set(types.Hit.__struct_fields__) >= set(wanted.split())


@for_each(
    ("kind", "words"),
    [
        (Answer, "found partial none unknown"),
        (Mode, "auto hybrid lexical dense"),
        (Collection, "forest map"),
        (Status, "PREVIOUS_SUCCESS HYPOTHESIS"),
    ],
)
def test_the_words_on_the_wire_are_those_of_the_contract(kind: type, words: str):
    assert {member.value for member in kind} == set(words.split())
