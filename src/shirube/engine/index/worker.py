"""A worker process: reads tasks from stdin and writes readings to stdout; each message is a length and marshalled data.

It ends when its parent ends (end of input) and after ``IDLE_SECONDS`` without a task. A native parser that crashes or
hangs affects this process only; the pool finds out which file it was.
"""

import marshal
import os
import struct
import sys
from threading import Timer
from typing import Any, BinaryIO

from shirube.engine.index.reading import FileReading, Reader, Setup, Task, give_back
from shirube.engine.store.port import Doc
from shirube.messages import pack_message, unpack_message

IDLE_SECONDS = 120.0
LENGTH = struct.Struct("<Q")
READING_FIELDS = FileReading.__struct_fields__


def send(stream: BinaryIO, value: Any) -> None:
    """Write one message."""
    data = marshal.dumps(value)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message, or None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    data = stream.read(size)
    return marshal.loads(data) if len(data) == size else None


def pack_reading(reading: FileReading) -> tuple[Any, ...]:
    """Return a reading as plain values."""
    plain = {name: getattr(reading, name) for name in READING_FIELDS}
    plain["detail"] = pack_message(reading.detail)
    plain["docs"] = tuple((doc.content, doc.symbols, doc.path) for doc in reading.docs)
    return tuple(plain.values())


def unpack_reading(values: tuple[Any, ...]) -> FileReading:
    """Return the reading that ``pack_reading`` converted."""
    fields = dict(zip(READING_FIELDS, values, strict=True))
    fields["detail"] = unpack_message(fields["detail"])
    fields["docs"] = tuple(Doc(*doc) for doc in fields["docs"])
    return FileReading(**fields)


def main() -> None:
    """Answer requests until the parent ends."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of native libraries goes to stderr, or it would corrupt the answers
    setup = receive(source)
    if setup is None:  # the parent ended before it sent the setup
        return
    reader = Reader(Setup(*setup))
    while True:
        idle = Timer(IDLE_SECONDS, os._exit, (0,))
        idle.daemon = True
        idle.start()
        tasks = receive(source)
        idle.cancel()
        if tasks is None:
            return
        send(sink, [pack_reading(reader.read(Task(*task))) for task in tasks])
        give_back()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the parent has ended; nobody reads the answer
        os._exit(0)
