"""Exact neighbours among int8 rows: a scan, no graph index, so that nothing is approximate."""

import sqlite3
from typing import TYPE_CHECKING

from shirube.store.lexical import Scored, key_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS_SQUARED = 127.0 * 127.0


class DenseRows:
    """The rows of all chunks in one matrix, brought up to date file by file."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._blocks: dict[int, bytes] = {}
        self._stacked: tuple[NDArray[np.int8], NDArray[np.int64]] | None = None

    def update(self, db: sqlite3.Connection) -> None:
        """Take in what the database holds and let go of what it does not."""
        ids = {row[0] for row in db.execute("SELECT file_id FROM vectors")}
        gone, new = self._blocks.keys() - ids, sorted(ids - self._blocks.keys())
        if not gone and not new:
            return
        for file_id in gone:
            del self._blocks[file_id]
        if len(new) > len(ids) // 2:
            self._blocks.update(db.execute("SELECT file_id, rows FROM vectors").fetchall())
        else:
            for file_id in new:
                row = db.execute("SELECT rows FROM vectors WHERE file_id = ?", (file_id,)).fetchone()
                self._blocks[file_id] = row[0]
        self._stacked = None

    def put(self, file_id: int, rows: bytes) -> None:
        """Keep a file's rows; empty ones remove it."""
        self._blocks.pop(file_id, None)
        if rows:
            self._blocks[file_id] = rows
        self._stacked = None

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
        import numpy as np

        if self._stacked is None:
            ids = sorted(self._blocks)
            data = b"".join(self._blocks[file_id] for file_id in ids)
            matrix = np.frombuffer(data, dtype=np.int8).reshape(-1, self._dimensions)
            spans = [
                np.arange(key_of(file_id, 0), key_of(file_id, len(self._blocks[file_id]) // self._dimensions))
                for file_id in ids
            ]
            keys = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
            self._stacked = matrix, keys
        return self._stacked


def _dots(matrix: "NDArray[np.int8]", vector: "NDArray[np.int8]") -> "NDArray[np.float32]":
    """Return the dot product of each row with the vector, exact."""
    import numpy as np

    try:
        import simsimd
    except ImportError:
        return np.asarray(matrix.astype(np.int32) @ vector.astype(np.int32), dtype=np.float32)
    dots = simsimd.cdist(matrix, vector.reshape(1, -1), metric="dot")
    return np.asarray(dots, dtype=np.float32).reshape(-1)
