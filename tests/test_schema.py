import json

from shirube.codec import inputs, schema_of, type_schema
from shirube.operation import Operation, listed_schema, operation_schema
from shirube.operations import OPERATIONS
from shirube.types import Mode
from tests.cases import for_each

ALL = for_each("operation", OPERATIONS)


@for_each(
    ("hint", "wanted"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (Mode, {"type": "string", "enum": ["auto", "hybrid", "lexical", "dense"]}),
    ],
)
def test_an_annotation_becomes_a_schema(hint: object, wanted: dict[str, object]):
    assert type_schema(hint) == wanted


@ALL
def test_a_schema_names_every_argument_and_allows_no_other(operation: Operation):
    schema = schema_of(operation.request)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == list(operation.request.__struct_fields__)
    assert all(described["description"] for described in schema["properties"].values())


@ALL
def test_only_our_own_names_are_advertised(operation: Operation):
    others = {word for one in inputs(operation.request) for word in one.arg.also.split()}
    assert not others & set(schema_of(operation.request)["properties"])


@ALL
def test_a_schema_is_plain_json_and_the_same_every_time(operation: Operation):
    assert json.dumps(schema_of(operation.request)) == json.dumps(schema_of(operation.request))


def test_an_object_inside_a_list_is_described_like_a_request():
    schema = schema_of(next(row for row in OPERATIONS if row.name == "semantic_rerank").request)
    assert schema["required"] == ["text", "candidates"]
    inner = schema["properties"]["candidates"]["items"]
    assert (inner["type"], inner["required"], inner["additionalProperties"]) == ("object", ["path"], False)
    assert {name: part["type"] for name, part in inner["properties"].items()} == {"path": "string", "score": "number"}


def test_the_schema_of_search_says_what_is_required_and_how_far_numbers_go():
    schema = schema_of(next(row for row in OPERATIONS if row.name == "search").request)
    assert schema["required"] == ["query"]
    limit = schema["properties"]["limit"]
    assert (limit["type"], limit["minimum"], limit["maximum"]) == ("integer", 1, 100)
    assert schema["properties"]["mode"]["default"] == "auto"
    assert "default" not in schema["properties"]["path"]


def test_a_request_without_required_arguments_does_not_say_required():
    schema = schema_of(next(row for row in OPERATIONS if row.name == "sync_index").request)
    assert "required" not in schema


@ALL
def test_a_list_leaves_out_what_is_rarely_needed_and_nothing_that_is_required(operation: Operation):
    listed, whole = listed_schema(operation, in_session=True), operation_schema(operation)
    rare = {one.name for one in inputs(operation.request) if one.arg.rare}
    assert set(operation.request.__struct_fields__) - rare <= set(listed["properties"]) <= set(whole["properties"])
    assert not rare & set(listed["properties"])
    assert listed.get("required", []) == whole.get("required", [])
    assert ("max_tokens" in listed["properties"]) is bool(operation.tool and "max_tokens" in whole["properties"])


@for_each("in_session", [True, False])
def test_a_list_offers_the_handle_only_beside_the_tools_of_sessions(in_session: bool):
    listed = listed_schema(next(row for row in OPERATIONS if row.name == "search"), in_session)
    assert ("session_id" in listed["properties"]) is in_session


def test_the_bound_of_a_text_is_told_in_characters():
    from shirube.features.commands.operations import CommandExecuteRequest

    properties = schema_of(CommandExecuteRequest)["properties"]
    assert properties["stdin"]["maxLength"] == 1_000_000
    assert "maximum" not in properties["stdin"]
    assert properties["timeout_seconds"]["maximum"] == 3600


def test_what_all_operations_share_is_in_the_schema_of_each_that_takes_part():
    rows = {row.name: operation_schema(row) for row in OPERATIONS}
    assert "session_id" in rows["search"]["properties"]
    assert "session_id" not in rows["search"]["required"]
    assert "session_id" in rows["submit_understanding"]["required"]
    assert "session_id" not in rows["list_sessions"]["properties"]
