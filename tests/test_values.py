"""Which values a setting takes; how they come to it is told by ``test_config.py``."""

import pytest

from shirube.errors import BadArgument, ConfigError, UnknownName
from shirube.settings import (
    GateConfig,
    build,
    checked,
    choices,
    sections,
    setting_names,
    strings,
)
from tests.cases import for_each
from tests.refusals import refusal


def test_the_choices_of_a_setting_stand_at_its_field():
    assert choices("gate.mode") == ("off", "advise", "block")
    assert choices("search.limit") == ()


def test_every_setting_belongs_to_a_section():
    assert {name.partition(".")[0] for name in setting_names()} <= set(sections())


def test_a_section_is_made_of_plain_values():
    made = build(GateConfig, {"mode": "block", "exempt": ["docs/**"], "commands": "make, npm"}, "gate")
    assert made == GateConfig(mode="block", exempt=("docs/**",), commands=("make", "npm"))


@for_each(
    ("values", "named"),
    [
        ({"mode": "blok", "exempt": [], "commands": []}, "gate.mode"),
        ({"mode": "block", "exempt": 1, "commands": []}, "gate.exempt"),
        ({"mode": "block", "exempt": [], "commands": [], "more": 1}, "more"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_its_name(values: dict[str, object], named: str):
    with pytest.raises((BadArgument, UnknownName), match=named):
        build(GateConfig, values, "gate")


def test_what_is_no_section_and_no_key_is_refused_and_the_source_named():
    with pytest.raises(UnknownName, match="section in a file"):
        checked({"gates": {}}, "a file")
    with pytest.raises(UnknownName, match=r"key in \[gate\] of a file"):
        checked({"gate": {"modes": "off"}}, "a file")
    with refusal(ConfigError, "config.no_table"):
        checked({"gate": 1}, "a file")


def test_a_list_may_be_written_with_commas_and_leaves_out_what_is_empty():
    assert strings("a, b,,c ", "x") == strings(["a", " b", "", "c"], "x") == ("a", "b", "c")
