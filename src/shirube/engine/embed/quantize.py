"""Stores vectors as bytes: unit rows as int8, content rows as int8 with a scale per row."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shirube.engine.embed.port import Rows

LEVELS = 127


def unit(rows: "Rows") -> "Rows":
    """Return the rows scaled to length one; a row of zeros stays as it is."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def to_int8(rows: "Rows") -> "NDArray[np.int8]":
    """Return unit rows as int8, in steps of 1/127."""
    import numpy as np

    return np.rint(rows * LEVELS).astype(np.int8)


def nearness(cosine: float, background: float) -> float:
    """Return how far a cosine is above that of unrelated texts, from 0 to 1."""
    return max(0.0, (cosine - background) / (1.0 - background))


def pack(rows: "Rows") -> bytes:
    """Return content rows as bytes: per row a float32 scale, then int8 levels."""
    import numpy as np

    scales = np.abs(rows).max(axis=1, initial=0.0).astype("<f4")
    levels = np.rint(rows / np.where(scales == 0, 1, scales)[:, None] * LEVELS).astype(np.int8)
    return bytes(scales.tobytes() + levels.tobytes())


def unpack(data: bytes, dimensions: int) -> "Rows":
    """Return the content rows that ``pack`` wrote, up to rounding."""
    import numpy as np

    count = len(data) // (4 + dimensions)
    scales = np.frombuffer(data, dtype="<f4", count=count)
    levels = np.frombuffer(data, dtype=np.int8, offset=4 * count).reshape(count, dimensions)
    return np.asarray(levels * (scales[:, None] / LEVELS), dtype=np.float32)
