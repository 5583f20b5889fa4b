"""Messages between the pool and its workers."""

import io
import marshal

from shirube.index.reading import Reading
from shirube.index.worker import LENGTH, from_plain, receive, send, to_plain
from shirube.store.port import Doc


def test_what_is_sent_is_received_and_the_end_is_none():
    stream = io.BytesIO()
    send(stream, ["a", ("日本", 1, b"\x00")])
    send(stream, [])
    stream.seek(0)
    assert receive(stream) == ["a", ("日本", 1, b"\x00")]
    assert receive(stream) == []
    assert receive(stream) is None


def test_a_message_cut_short_is_the_end():
    data = marshal.dumps("something")
    assert receive(io.BytesIO(LENGTH.pack(len(data)) + data[:-2])) is None
    assert receive(io.BytesIO(b"\x01")) is None


def test_a_reading_survives_being_taken_apart():
    reading = Reading(
        "a.py", "ok", "digest", "note", b"body", 3, ("python", (), (), (), ()), True, b"rows",
        (Doc("content", "symbols", "path", "kind"),), (("key", b"data"),), ("key",),
    )  # fmt: skip
    assert from_plain(marshal.loads(marshal.dumps(to_plain(reading)))) == reading
