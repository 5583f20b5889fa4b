"""The texts of chunks, cut out of the files they are in."""

import sqlite3
from collections.abc import Mapping, Sequence

from shirube.engine.store.catalog import among
from shirube.engine.store.lexical import file_of, unpack_bytes


def texts(
    db: sqlite3.Connection, keys: Sequence[int], bodies: "Bodies", known: Mapping[int, tuple[int, int]]
) -> dict[int, str]:
    """Return the text of each chunk; ``known`` are the spans of chunks that were described before."""
    missing = [key for key in keys if key not in known]
    rows = among(db, "SELECT key, start, stop FROM chunks WHERE key IN (?)", missing)
    read = {key: (start, stop) for key, start, stop in rows}
    found = {}
    for key in keys:
        if (span := known.get(key) or read.get(key)) is not None:
            found[key] = bodies.of(db, file_of(key))[span[0] : span[1]].decode("utf-8", "replace")
    return found


class Bodies:
    """A least-recently-used cache of unpacked file texts: unpacking is most of what a question costs."""

    MOST_BYTES = 64_000_000

    def __init__(self) -> None:
        self._by_file: dict[int, bytes] = {}
        self._bytes = 0

    def of(self, db: sqlite3.Connection, file_id: int) -> bytes:
        """Return a file's text in UTF-8; safe to cache, because a file number always means the same content."""
        if (data := self._by_file.pop(file_id, None)) is None:
            row = db.execute("SELECT text FROM bodies WHERE file_id = ?", (file_id,)).fetchone()
            data = unpack_bytes(row[0]) if row else b""
            self._bytes += len(data)
        self._by_file[file_id] = data
        while self._bytes > self.MOST_BYTES and len(self._by_file) > 1:
            self._bytes -= len(self._by_file.pop(next(iter(self._by_file))))
        return data
