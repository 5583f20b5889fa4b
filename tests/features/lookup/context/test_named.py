"""Which symbols a goal names, and which ones its words tell from their neighbours."""

import pytest

from shirube.features.lookup.context.named import names_in, spellings, told_by_words
from shirube.types import Symbol
from tests.cases import for_each

WORDS = {"throttl": 1.0, "rate": 1.0, "fraction": 1.0}


def functions(*names: str, kind: str = "function") -> tuple[Symbol, ...]:
    return tuple(Symbol(name, name, kind, at, at + 3) for at, name in enumerate(names, 1))


@for_each(
    ("goal", "names"),
    [
        ("make Celery.send_task() faster", ("Celery.send_task",)),
        ("`Provider#getId` and shop::pay must agree", ("Provider.getId", "shop.pay")),
        ("pass the strict-port option on to .apply()", ("strict-port", "apply")),
        ("let the rates have fractions", ()),
    ],
)
def test_what_can_only_be_a_name_is_a_name(goal: str, names: tuple[str, ...]):
    assert names_in(goal) == names


@for_each("spelled", ["parse-rate", "parseRate", "parse_rate", "ParseRate"])
def test_a_name_has_the_spellings_of_all_conventions(spelled: str):
    assert {"parse_rate", "parserate"} <= set(spellings(spelled))


def test_words_that_few_names_have_tell_which_function_is_meant():
    throttling = functions("allow_request", "throttle_success", "throttle_failure", "parse_rate", "wait_rate_of_all")
    told = {symbol.name: fits for _, symbol, fits in told_by_words({"a.py": throttling}, WORDS)}
    assert max(told, key=told.get) == "parse_rate"
    assert told["parse_rate"] > told["throttle_success"] > 0
    assert "allow_request" not in told


def test_what_a_name_does_counts_less_than_what_with():
    both = functions("parse_rate", "rate_table", "x", "y")
    told = {symbol.name: fits for _, symbol, fits in told_by_words({"a.py": both}, WORDS)}
    assert told["parse_rate"] > told["rate_table"]


def test_only_functions_are_told_and_tests_are_none():
    assert not list(told_by_words({"a.py": functions("rate", kind="class")}, WORDS))
    assert not list(told_by_words({"a.py": functions("rate", kind="test")}, WORDS))
    ((path, symbol, fits),) = told_by_words({"a.py": functions("rate", kind="method")}, WORDS)
    assert (path, symbol.name, fits) == ("a.py", "rate", pytest.approx(1.0))


def test_a_project_without_functions_is_fine():
    assert not list(told_by_words({}, WORDS))
