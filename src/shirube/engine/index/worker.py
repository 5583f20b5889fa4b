"""A worker process: tasks come in on stdin, readings go out on stdout, each a length and marshalled values.

It ends when its parent does (end of input) and when nothing was asked of it for a while. A crash or a stall of
a native parser takes down this process only; the pool sees which file it was.
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
    plain["docs"] = tuple((doc.content, doc.symbols, doc.path, doc.kind) for doc in reading.docs)
    return tuple(plain.values())


def unpack_reading(values: tuple[Any, ...]) -> FileReading:
    """Return the reading that ``pack_reading`` took apart."""
    made = dict(zip(READING_FIELDS, values, strict=True))
    made["detail"] = unpack_message(made["detail"])
    made["docs"] = tuple(Doc(*doc) for doc in made["docs"])
    return FileReading(**made)


def main() -> None:
    """Answer until the parent goes away."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a native library that prints must not garble the answers
    setup = receive(source)
    if setup is None:  # the parent ended before it said what to do
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
    except BrokenPipeError:  # whoever asked is gone; nobody is left to be told
        os._exit(0)
