"""Messages between the pool and its workers."""

import io
import marshal
import subprocess
from pathlib import Path

from shirube.engine.index.pool import WORKER_COMMAND
from shirube.engine.index.reading import FileReading
from shirube.engine.index.worker import LENGTH, pack_reading, receive, send, unpack_reading
from shirube.engine.store.port import Doc
from shirube.messages import say


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
    reading = FileReading(
        "a.py", "ok", "digest", say("index.read_as", encoding="cp932"), b"body", 3, ("python", (), (), (), ()), True,
        b"rows", (Doc("content", "symbols", "path"),), (("key", b"data"),), ("key",),
    )  # fmt: skip
    assert unpack_reading(marshal.loads(marshal.dumps(pack_reading(reading)))) == reading


def test_a_worker_whose_parent_has_gone_says_nothing(tmp_path: Path):
    """Its answer has nowhere to go, and what it would print lands in the terminal of somebody who only ended us."""
    process = subprocess.Popen(WORKER_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    send(process.stdin, (str(tmp_path), str(tmp_path / "parsed.sqlite"), 1 << 20, "hashed"))
    send(process.stdin, [])
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, b"")


def test_a_worker_whose_parent_ends_before_it_speaks_says_nothing():
    done = subprocess.run(WORKER_COMMAND, input=b"", capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
