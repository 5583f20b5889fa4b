"""Exact neighbours among int8 rows: a scan, no graph index, so that nothing is approximate."""

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shirube.store.lexical import KEY_SHIFT, Scored, key_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS_SQUARED = 127.0 * 127.0


class DenseRows:
    """The rows of all chunks in one matrix, brought up to date file by file."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._held: set[int] = set()
        self._new: dict[int, bytes] = {}
        self._gone: set[int] = set()
        self._stacked: tuple[NDArray[np.int8], NDArray[np.int64]] | None = None

    def update(self, db: sqlite3.Connection) -> None:
        """Take in what the database holds and let go of what it does not."""
        ids = {row[0] for row in db.execute("SELECT file_id FROM vectors")}
        for file_id in self._held - ids:
            self.put(file_id, b"")
        new = ids - self._held
        many = len(new) > len(ids) // 2
        rows = db.execute("SELECT file_id, rows FROM vectors") if many else _rows_of(db, sorted(new))
        for file_id, data in rows:
            if file_id in new:
                self.put(file_id, data)

    def put(self, file_id: int, rows: bytes) -> None:
        """Keep a file's rows; empty ones remove it."""
        if file_id in self._held:
            self._gone.add(file_id)
            self._held.remove(file_id)
        self._new.pop(file_id, None)
        if rows:
            self._new[file_id] = rows
            self._held.add(file_id)

    def cosines(self, vector: bytes) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """Return every chunk's key and its cosine with the vector."""
        import numpy as np

        matrix, keys = self._stack()
        if not len(keys):
            return keys, np.zeros(0, dtype=np.float32)
        return keys, _dots(matrix, np.frombuffer(vector, dtype=np.int8)) / np.float32(LEVELS_SQUARED)

    def nearest(self, vector: bytes, limit: int) -> Scored:
        """Return the keys of the nearest chunks with their cosines, best first."""
        import numpy as np

        keys, cosines = self.cosines(vector)
        count = min(limit, len(keys))
        if count <= 0:
            return []
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.lexsort((keys[best], -cosines[best]))]
        return [(int(keys[place]), float(cosines[place])) for place in best]

    def _stack(self) -> "tuple[NDArray[np.int8], NDArray[np.int64]]":
        """Return matrix and keys, after what came and went; the rows are held once, in the matrix."""
        import numpy as np

        if self._stacked is None:
            self._stacked = np.zeros((0, self._dimensions), dtype=np.int8), np.zeros(0, dtype=np.int64)
        if self._new or self._gone:
            matrix, keys = self._stacked
            if self._gone:
                kept = ~np.isin(keys >> KEY_SHIFT, np.fromiter(self._gone, dtype=np.int64))
                matrix, keys = matrix[kept], keys[kept]
            files = sorted(self._new)
            spans = [self._span(one) for one in files]
            joined = b"".join(self._new.pop(one) for one in files)
            fresh = np.frombuffer(joined, dtype=np.int8).reshape(-1, self._dimensions)
            self._stacked = np.vstack([matrix, fresh]) if len(keys) else fresh, np.concatenate([keys, *spans])
            self._gone = set()
        return self._stacked

    def _span(self, file_id: int) -> "NDArray[np.int64]":
        import numpy as np

        count = len(self._new[file_id]) // self._dimensions
        return np.arange(key_of(file_id, 0), key_of(file_id, count), dtype=np.int64)


def _rows_of(db: sqlite3.Connection, files: list[int]) -> Iterator[tuple[int, bytes]]:
    for file_id in files:
        yield from db.execute("SELECT file_id, rows FROM vectors WHERE file_id = ?", (file_id,))


def _dots(matrix: "NDArray[np.int8]", vector: "NDArray[np.int8]") -> "NDArray[np.float32]":
    """Return the dot product of each row with the vector, exact."""
    import numpy as np

    try:
        import simsimd
    except ImportError:
        return np.asarray(matrix.astype(np.int32) @ vector.astype(np.int32), dtype=np.float32)
    dots = simsimd.cdist(matrix, vector.reshape(1, -1), metric="dot")
    return np.asarray(dots, dtype=np.float32).reshape(-1)
