import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from shirube.errors import BadArgument
from shirube.operation import pack_cursor, unpack_cursor
from tests.cases import for_each
from tests.refusals import refusal


@given(path=st.text(), line=st.integers())
def test_what_was_packed_is_unpacked(path: str, line: int):
    token = pack_cursor(path, line)
    assert token.isascii()
    assert unpack_cursor(token, str, int) == (path, line)


def wrapped(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@for_each(
    "token",
    [
        "",
        "!!!",
        "あ",
        "abc",
        "=" * 5,
        "W" * 50_000,
        *map(wrapped, [[], {}, ["a"], ["a", "1"], ["a", True], ["a", 1, 2], 3]),
    ],
)
def test_a_token_that_is_not_ours_is_refused(token: str):
    with refusal(BadArgument, "asking.cursor") as caught:
        unpack_cursor(token, str, int)
    assert "next_cursor" in caught.value.hint


@given(token=st.text(max_size=60))
def test_any_token_is_taken_or_refused_in_our_words(token: str):
    refusal = None
    try:
        unpack_cursor(token, str, int)
    except BadArgument as error:
        refusal = error
    assert refusal is None or refusal.hint
