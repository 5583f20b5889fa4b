"""Finds the nearest int8 vectors by a full scan; without an approximate index the result is exact."""

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING

from shirube.engine.store.lexical import KEY_SHIFT, Scored, key_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS = 127.0
"""What 1.0 is as an int8: a dot product of two unit rows is the cosine times this squared."""
LEVELS_SQUARED = LEVELS * LEVELS


class DenseRows:
    """The vectors of all chunks as rows of one matrix, updated file by file."""

    def __init__(self, dimensions: int, model: str = "") -> None:
        self._dimensions, self._model = dimensions, model
        self._held: set[int] = set()
        self._new: dict[int, bytes] = {}
        self._removed: set[int] = set()
        self._stacked: tuple[NDArray[np.int8], NDArray[np.int64]] | None = None
        self._lengths: dict[int, float] = {}
        self._last: tuple[bytes, NDArray[np.float32]] | None = None

    def update(self, db: sqlite3.Connection) -> None:
        """Add the files that are new in the database and remove those it no longer has."""
        row = db.execute("SELECT id FROM models WHERE name = ?", (self._model,)).fetchone()
        model = row[0] if row else 0
        ids = {row[0] for row in db.execute("SELECT file_id FROM vectors WHERE model = ?", (model,))}
        for file_id in self._held - ids:
            self.put(file_id, b"")
        new = ids - self._held
        every = "SELECT file_id, rows FROM vectors WHERE model = ?"
        if len(new) > len(ids) // 2:
            rows = (row for row in db.execute(every, (model,)) if row[0] in new)
        else:
            rows = (row for number in sorted(new) for row in db.execute(f"{every} AND file_id = ?", (model, number)))
        for file_id, data in rows:
            self.put(file_id, data)

    @property
    def held(self) -> frozenset[int]:
        """The files whose rows are there."""
        return frozenset(self._held)

    def put(self, file_id: int, rows: bytes) -> None:
        """Store a file's rows; empty bytes remove the file."""
        if file_id in self._held:
            self._removed.add(file_id)
            self._held.remove(file_id)
        self._new.pop(file_id, None)
        if rows:
            self._new[file_id] = rows
            self._held.add(file_id)

    def wholes(self, vector: bytes, paths: Mapping[int, str]) -> dict[str, float]:
        """Return by path the cosine of the vector with the sum of all rows of each file; takes paths by number."""
        import numpy as np

        keys, cosines = self.cosines(vector)
        numbers = [number for number in sorted(paths) if self._lengths.get(number)]
        firsts = np.array(numbers, dtype=np.int64) << KEY_SHIFT
        begins, ends = np.searchsorted(keys, firsts), np.searchsorted(keys, firsts + (1 << KEY_SHIFT))
        counts = ends - begins
        owners = np.repeat(np.arange(len(numbers)), counts)
        rows = np.arange(len(owners)) + np.repeat(ends - np.cumsum(counts), counts)
        sums = np.bincount(owners, weights=cosines[rows], minlength=len(numbers)).tolist()
        return {paths[n]: total / self._lengths[n] for n, total in zip(numbers, sums, strict=True)}

    def cosines(self, vector: bytes) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """Return every chunk's key, in order, and its cosine with the vector."""
        import numpy as np

        matrix, keys = self.stack()
        if not len(keys):
            return keys, np.zeros(0, dtype=np.float32)
        if self._last is None or self._last[0] != vector:
            dots = _dots(matrix, np.frombuffer(vector, dtype=np.int8))
            self._last = vector, dots / np.float32(LEVELS_SQUARED)
        return keys, self._last[1]

    def nearest(self, vector: bytes, limit: int) -> Scored:
        """Return the keys of the nearest chunks with their cosines, best first, and of all that equal the last one."""
        import numpy as np

        keys, cosines = self.cosines(vector)
        count = min(limit, len(keys))
        if count <= 0:
            return []
        best = np.flatnonzero(cosines >= _floor(cosines, count))
        best = best[np.lexsort((keys[best], -cosines[best]))]
        best = best[cosines[best] >= cosines[best[count - 1]]]
        return list(zip(keys[best].tolist(), cosines[best].tolist(), strict=True))

    def stack(self) -> "tuple[NDArray[np.int8], NDArray[np.int64]]":
        """Return the matrix and the chunk keys, with pending additions and removals applied."""
        import numpy as np

        if self._stacked is None:
            self._stacked = np.zeros((0, self._dimensions), dtype=np.int8), np.zeros(0, dtype=np.int64)
        if self._new or self._removed:
            matrix, keys = self._stacked
            self._last = None
            if self._removed:
                kept = ~np.isin(keys >> KEY_SHIFT, np.fromiter(self._removed, dtype=np.int64))
                matrix, keys = matrix[kept], keys[kept]
            files = sorted(self._new)
            spans = [self._span(file_id) for file_id in files]
            joined = b"".join(self._new.pop(file_id) for file_id in files)
            fresh = np.frombuffer(joined, dtype=np.int8).reshape(-1, self._dimensions)
            self._lengths = {number: self._lengths[number] for number in self._held if number in self._lengths}
            self._lengths |= _lengths(fresh, files, [len(span) for span in spans])
            matrix, keys = np.vstack([matrix, fresh]) if len(keys) else fresh, np.concatenate([keys, *spans])
            if (np.diff(keys) < 0).any():  # vectors of older files may come later
                order = np.argsort(keys)
                matrix, keys = matrix[order], keys[order]
            self._stacked, self._removed = (matrix, keys), set()
        return self._stacked

    def _span(self, file_id: int) -> "NDArray[np.int64]":
        import numpy as np

        count = len(self._new[file_id]) // self._dimensions
        return np.arange(key_of(file_id, 0), key_of(file_id, count), dtype=np.int64)


def _floor(values: "NDArray[np.float32]", count: int) -> "np.float32":
    """Return a number that at least ``count`` of the values reach, and few others; a full partition costs ten times."""
    import numpy as np

    height = max(1, len(values) // (4 * count))
    highest = values[: len(values) // height * height].reshape(height, -1).max(axis=0)
    place = len(highest) - count
    return np.float32(np.partition(highest, place)[place])


def _lengths(rows: "NDArray[np.int8]", files: list[int], counts: list[int]) -> dict[int, float]:
    """Return the length of the sum of each file's rows."""
    import numpy as np

    if not files:
        return {}
    parts = np.split(rows, np.cumsum(counts[:-1]))
    sums = np.stack([part.sum(axis=0, dtype=np.float32) for part in parts])  # np.add.reduceat takes five times as long
    return dict(zip(files, (np.linalg.norm(sums, axis=1) / LEVELS).tolist(), strict=True))


def _dots(matrix: "NDArray[np.int8]", vector: "NDArray[np.int8]") -> "NDArray[np.float32]":
    """Return the dot product of each row with the vector, exact."""
    import numpy as np

    try:
        import simsimd
    except ImportError:
        return np.asarray(matrix.astype(np.int32) @ vector.astype(np.int32), dtype=np.float32)
    return np.asarray(simsimd.dot(matrix, vector), dtype=np.float32)
