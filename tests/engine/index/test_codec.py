"""Parsed content as bytes."""

import zlib

from tests.cases import for_each

from shirube.engine.index.reading import decode, encode, from_plain, to_plain
from shirube.messages import say
from shirube.types import Chunk, Parsed, RawImport, Symbol

PARSED = Parsed(
    "python",
    (Chunk(0, 9, 1, 2, "Foo.bar", "method"), Chunk(9, 12, 3, 3)),
    (Symbol("bar", "Foo.bar", "method", 1, 2, "def bar(self)", "説明"),),
    (RawImport("..a", 1, ("b", "c")), RawImport("os", 2)),
    (say("index.syntax_errors"),),
)


def test_what_was_encoded_comes_back_equal():
    assert from_plain(to_plain(PARSED)) == PARSED
    assert decode(encode(to_plain(PARSED))) == PARSED


@for_each(
    "data",
    [b"", b"garbage", zlib.compress(b"not json"), zlib.compress(b"[]"), zlib.compress(b'["python", 1, 2, 3, 4]')],
)
def test_bytes_of_another_making_are_none(data):
    assert decode(data) is None
