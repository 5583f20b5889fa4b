import json

from hypothesis import example, given
from hypothesis import strategies as st

from shirube.doors.mcp.stdio import HEAD, INVALID_REQUEST, MAX_DEPTH, PARSE_ERROR, inspect, recover_id, refusal
from tests.cases import for_each

LIST = b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}'


def deep(levels: int, number: str = '"id":94,') -> bytes:
    return (
        b'{"jsonrpc":"2.0",' + number.encode() + b'"method":"m","params":{"a":' + b"[" * levels + b"]" * levels + b"}}"
    )


@for_each(
    "line",
    [
        LIST,
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"\\ud83d\\ude00"}}',
        '{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"決済"}}'.encode(),
        b'  {"jsonrpc":"2.0","id":1,"method":"m"}\r',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"\\\\ud800"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"' + b"[{" * 500 + b'"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"\\"[[[' + b"[" * 500 + b'"}}',
        deep(MAX_DEPTH - 2),
    ],
)
def test_a_sound_message_is_handed_on_as_it_is(line: bytes):
    assert inspect(line) == (line.decode(), [])


@for_each("line", [b"", b" ", b"\r", b"\t \r"])
def test_a_blank_line_is_passed_over(line: bytes):
    assert inspect(line) == (None, [])


FAULTS = [
    ("bad json", b"{bad json", PARSE_ERROR, None),
    ("bad json with an id", b'{"jsonrpc":"2.0","id":3,"method":', PARSE_ERROR, 3),
    ("bad json with a text id", b'{"id": "q-1", oops', PARSE_ERROR, "q-1"),
    ("invalid utf-8", b"\xff\xfe\x00", PARSE_ERROR, None),
    ("byte order mark", b"\xef\xbb\xbf" + LIST, PARSE_ERROR, 7),
    ("not a number", b'{"jsonrpc":"2.0","id":92,"method":"m","params":{"limit":NaN}}', PARSE_ERROR, 92),
    ("infinity", b'{"jsonrpc":"2.0","id":92,"method":"m","params":{"limit":-Infinity}}', PARSE_ERROR, 92),
    ("deep nesting", deep(100_000), PARSE_ERROR, 94),
    ("one level too deep", deep(MAX_DEPTH - 1), PARSE_ERROR, 94),
    ("open brackets", b'{"id":5,"a":' + b"[" * 100_000, PARSE_ERROR, 5),
    ("endless number", b'{"jsonrpc":"2.0","id":6,"method":"m","params":{"n":' + b"1" * 5000 + b"}}", PARSE_ERROR, 6),
    ("empty batch", b"[]", INVALID_REQUEST, None),
    ("batch of nothing", b"[1,null]", INVALID_REQUEST, None),
    ("lone surrogate", b'{"jsonrpc":"2.0","id":91,"method":"m","params":{"q":"\\ud800"}}', INVALID_REQUEST, 91),
    (
        "lone surrogate, upper case",
        b'{"jsonrpc":"2.0","id":91,"method":"m","params":{"q":"\\uDC00"}}',
        INVALID_REQUEST,
        91,
    ),
    ("surrogate in a key", b'{"jsonrpc":"2.0","id":91,"method":"m","params":{"\\ud800":1}}', INVALID_REQUEST, 91),
    ("surrogates in the wrong order", b'{"jsonrpc":"2.0","id":9,"method":"\\ude00\\ud83d"}', INVALID_REQUEST, 9),
    ("a string", b'"hello"', INVALID_REQUEST, None),
    ("a number", b"3", INVALID_REQUEST, None),
    ("null", b"null", INVALID_REQUEST, None),
    ("no version", b'{"id":4,"method":"ping"}', INVALID_REQUEST, 4),
    ("old version", b'{"jsonrpc":"1.0","id":4,"method":"ping"}', INVALID_REQUEST, 4),
    ("no method", b'{"jsonrpc":"2.0","id":4}', INVALID_REQUEST, 4),
    ("method is a number", b'{"jsonrpc":"2.0","id":4,"method":5}', INVALID_REQUEST, 4),
    ("params are a list", b'{"jsonrpc":"2.0","id":4,"method":"m","params":[1]}', INVALID_REQUEST, 4),
    ("params are a string", b'{"jsonrpc":"2.0","id":4,"method":"m","params":"x"}', INVALID_REQUEST, 4),
    ("id is an object", b'{"jsonrpc":"2.0","id":{},"method":"m"}', INVALID_REQUEST, None),
    ("id is true", b'{"jsonrpc":"2.0","id":true,"method":"m"}', INVALID_REQUEST, None),
    ("id is null", b'{"jsonrpc":"2.0","id":null,"method":"m"}', INVALID_REQUEST, None),
]


@for_each(("line", "code", "number"), [row[1:] for row in FAULTS])
def test_a_fault_is_answered_at_once_under_its_own_id(line: bytes, code: int, number: int | str | None):
    text, (reply,) = inspect(line)
    assert text is None
    assert (reply["jsonrpc"], reply["id"], reply["error"]["code"]) == ("2.0", number, code)
    assert 0 < len(reply["error"]["message"]) <= 300


def test_every_request_of_a_batch_is_answered():
    text, replies = inspect(b"[" + LIST + b',{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"b","method":"m"}]')
    assert text is None
    assert [reply["id"] for reply in replies] == [7, "b"]
    assert all("batches" in reply["error"]["message"] for reply in replies)


def test_broken_bytes_inside_a_string_are_replaced_and_the_message_handed_on():
    text, replies = inspect(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"a\xffb"}}')
    assert replies == []
    assert text is not None
    assert json.loads(text)["params"]["q"] == "a�b"


@for_each(
    ("text", "number"),
    [
        ('{"id":5', 5),
        ('{"id" : -5,', -5),
        ('{"id":"x\\"y"', 'x"y'),
        ("{}", None),
        ('{"id":true', None),
        ('{"x":"' + "y" * 3 * HEAD + '","id":8}', 8),
        ('{"id":"' + "y" * 500 + '"}', None),
    ],
)
def test_an_id_is_made_out_near_either_end(text: str, number: int | str | None):
    assert recover_id(text) == number


def test_a_refusal_is_a_json_rpc_error_that_is_not_too_long():
    assert refusal(1, PARSE_ERROR, "x" * 1000) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": PARSE_ERROR, "message": "x" * 300},
    }


def answered(line: bytes) -> None:
    text, replies = inspect(line)
    for reply in replies:
        assert json.loads(json.dumps(reply)) == reply
    if text is None:
        assert replies or not line.decode("utf-8", "replace").strip()
    else:
        assert replies == []
        assert json.loads(text)["jsonrpc"] == "2.0"
        text.encode("utf-8")
        assert "\n" not in text


@given(st.binary(max_size=300).map(lambda data: data.replace(b"\n", b"")))
@example(b"\x00")
@example(b"\xed\xa0\x80")
def test_any_bytes_are_answered_or_handed_on(line: bytes):
    answered(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "x"]), inner, max_size=5)
    ),
    max_leaves=10,
)


@given(JSON)
def test_any_json_is_answered_or_handed_on(value: object):
    answered(json.dumps(value).encode())


@given(JSON, st.sampled_from([3, "x", None, True, 1.5]))
def test_anything_that_looks_like_a_request_is_answered_or_handed_on(value: object, number: object):
    answered(json.dumps({"jsonrpc": "2.0", "id": number, "method": "m", "params": value}).encode())


@given(st.binary(max_size=40), st.integers(0, len(LIST)))
def test_a_request_with_bytes_thrown_in_is_answered_or_handed_on(junk: bytes, place: int):
    answered((LIST[:place] + junk + LIST[place:]).replace(b"\n", b""))
