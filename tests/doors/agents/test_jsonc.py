import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.doors.agents import jsonc
from shirube.doors.agents.jsonc import Broken, find, parse, put_item, put_member, take_items, take_member
from tests.cases import for_each

NAMES = st.text(max_size=5) | st.sampled_from(["mcpServers", "a", "b"])
PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
DATA = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)
OBJECT = st.dictionaries(NAMES, DATA, max_size=4)
SHAPES = st.sampled_from([{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}])
ENTRY = {"command": "x", "args": ["y"]}


def test_values_know_where_they_stand():
    text = '{"a": [1, "二", {"b": null}], /* c */ "d": -1.5e3,}'
    value = parse(text)
    assert value.data() == {"a": [1, "二", {"b": None}], "d": -1500.0}
    child = value.children[1]
    assert text[child.start : child.value.end] == '"d": -1.5e3'
    assert text[child.comma] == ","


def test_of_two_members_with_one_name_the_last_counts_and_is_edited():
    text = '{"a": {"x": 1}, "a": {"y": 2}}'
    assert parse(text).data() == {"a": {"y": 2}}
    assert put_member(text, ("a", "z"), 3) == '{"a": {"x": 1}, "a": {"y": 2, "z": 3}}'
    assert take_member(text, ("a", "y")) == '{"a": {"x": 1}, "a": {}}'


@for_each(
    ("text", "why"),
    [
        ("", "ends too early"),
        ('{"a" 1}', "colon"),
        ("{a: 1}", "without quotes"),
        ('{"a": 1 "b": 2}', "comma"),
        ("[1, 2", "is missing"),
        ('{"a": "\\q"}', "escape"),
        ('{"a": 01}', "comma"),
        ("{} x", "follows"),
        ('{"a":\u00a01}', "value is expected"),
        ("[" * 200, "deeper"),
        ("NaN", "value is expected"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text: str, why: str):
    with pytest.raises(Broken, match=why):
        parse(text)


def test_the_place_of_a_fault_is_counted_in_lines():
    with pytest.raises(Broken, match="line 3, column 3"):
        parse('{\n  "a": 1\n  "b": 2\n}')


@for_each(
    ("before", "after"),
    [
        ("{}", '{\n  "s": {\n    "n": 1\n  }\n}'),
        ('{"s":{}}', '{"s":{"n":1}}'),
        ('{"s": {"m": 0}}', '{"s": {"m": 0, "n": 1}}'),
        ('{"s":{"m":0}}', '{"s":{"m":0,"n":1}}'),
        ('{\n\t"s": {\n\t\t"m": 0\n\t}\n}', '{\n\t"s": {\n\t\t"m": 0,\n\t\t"n": 1\n\t}\n}'),
        ('{\n  "s": {\n    "m": 0,\n  },\n}', '{\n  "s": {\n    "m": 0,\n    "n": 1,\n  },\n}'),
        ('{\r\n  "s": {}\r\n}', '{\r\n  "s": {\r\n    "n": 1\r\n  }\r\n}'),
        ('{\n  "s": {\n    "m": 0 // why\n  }\n}', '{\n  "s": {\n    "m": 0, // why\n    "n": 1\n  }\n}'),
        ('{\n  "s": {\n    // empty\n  }\n}', '{\n  "s": {\n    // empty\n    "n": 1\n  }\n}'),
        ('{\n  "s": {"m": 0}\n}', '{\n  "s": {"m": 0, "n": 1}\n}'),
        ('{\n  "s": {"n": 0}\n}', '{\n  "s": {"n": 1}\n}'),
        ("\ufeff{}\n", '\ufeff{\n  "s": {\n    "n": 1\n  }\n}\n'),
        ("", '{\n  "s": {\n    "n": 1\n  }\n}\n'),
    ],
)
def test_a_member_is_put_in_the_manner_of_its_neighbours(before: str, after: str):
    assert put_member(before, ("s", "n"), 1) == after


def test_short_lists_stay_on_one_line():
    lines = put_member("{}", ("s",), {"args": ["a", "b"], "env": {}, "hooks": [{"x": 1}]}).splitlines()
    assert [line.strip() for line in lines] == [
        *("{", '"s": {', '"args": ["a", "b"],', '"env": {},', '"hooks": [', "{", '"x": 1', "}", "]", "}", "}")
    ]


def test_items_are_put_at_the_end_and_taken_by_number():
    text = '{\n  "hooks": {\n    "Stop": [\n      {"c": "a"}\n    ]\n  }\n}\n'
    longer = put_item(text, ("hooks", "Stop"), {"c": "b"})
    assert parse(longer).data() == {"hooks": {"Stop": [{"c": "a"}, {"c": "b"}]}}
    assert take_items(longer, ("hooks", "Stop"), [1]) == text
    made = put_item(text, ("hooks", "Pre"), {"c": "b"})
    assert take_items(made, ("hooks", "Pre"), [0], made=1) == text
    assert take_items(text, ("hooks", "None"), [0]) == text


@for_each(
    ("before", "after"),
    [
        ('{\n  "a": 1,\n  "n": 2,\n  "b": 3\n}', '{\n  "a": 1,\n  "b": 3\n}'),
        ('{\n  "n": 2,\n  "b": 3\n}', '{\n  "b": 3\n}'),
        ('{\n  "a": 1, // one\n  "n": 2\n}', '{\n  "a": 1 // one\n}'),
        ('{\n  "a": 1,\n  "n": 2,\n}', '{\n  "a": 1,\n}'),
        ('{"a": 1, "n": 2, "b": 3}', '{"a": 1, "b": 3}'),
        ('{"a":1,"n":2}', '{"a":1}'),
        ('{ "n": 2 }', "{}"),
        ('{\r\n  "n": 2\r\n}\r\n', "{}\r\n"),
        ('{\n  // kept\n  "n": 2\n}', "{\n  // kept\n}"),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_a_member_is_taken_with_its_comma_and_line(before: str, after: str):
    assert take_member(before, ("n",)) == after


def test_only_containers_that_were_made_go_with_the_last_member():
    text = '{"a": {"b": {"n": 1}}}'
    assert take_member(text, ("a", "b", "n")) == '{"a": {"b": {}}}'
    assert take_member(text, ("a", "b", "n"), made=1) == '{"a": {}}'
    assert take_member(text, ("a", "b", "n"), made=2) == "{}"
    assert take_member('{"a": {"b": {"n": 1, "m": 2}}}', ("a", "b", "n"), made=2) == '{"a": {"b": {"m": 2}}}'


def test_what_stands_in_the_way_is_named():
    with pytest.raises(Broken, match=r"a\.b is no object"):
        put_member('{"a": {"b": []}}', ("a", "b", "c"), 1)
    with pytest.raises(Broken, match="the whole is no object"):
        find("[]", ("a",))
    with pytest.raises(Broken, match="is no list"):
        put_item('{"a": {}}', ("a",), 1)


@given(OBJECT, SHAPES, st.sampled_from([("mcpServers", "s"), ("a", "b", "s"), ("s",)]))
def test_put_then_take_means_the_same_as_before(data: dict[str, Any], shape: dict[str, Any], pointer):
    text = json.dumps(data, ensure_ascii=False, **shape)
    around = data
    for name in pointer[:-1]:
        around = around.get(name, {}) if isinstance(around, dict) else None
    if not isinstance(around, dict) or any(not isinstance(value, dict) for value in _on_the_way(data, pointer[:-1])):
        with pytest.raises(Broken):
            put_member(text, pointer, ENTRY)
        return
    if pointer[-1] in around:
        return
    longer = put_member(text, pointer, ENTRY)
    assert jsonc.find(longer, pointer).data() == ENTRY
    made = sum(find(text, pointer[: depth + 1]) is None for depth in range(len(pointer) - 1))
    assert parse(take_member(longer, pointer, made)).data() == data


def _on_the_way(data: Any, names: tuple[str, ...]):
    for name in names:
        if not isinstance(data, dict) or name not in data:
            return
        data = data[name]
        yield data


@given(OBJECT, SHAPES)
def test_json_is_read_as_the_standard_library_reads_it(data: dict[str, Any], shape: dict[str, Any]):
    assert parse(json.dumps(data, **shape)).data() == json.loads(json.dumps(data))
