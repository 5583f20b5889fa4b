"""Many texts as rows of a table and their weights, in three flat arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from typing import Any

import numpy as np

from shirube.engine.embed.static import Bag, Vocabulary
from training.arrays import backend, gather_sum

SHARE = 4_000
"""Texts that a worker is handed at a time."""


@dataclass(frozen=True, slots=True)
class Bags:
    """Text ``i`` is ``index[starts[i]:starts[i + 1]]`` with the weights beside."""

    index: Any
    weight: Any
    starts: Any

    def __len__(self) -> int:
        return len(self.starts) - 1

    def on_device(self) -> "Bags":
        """Return the same where the training runs."""
        xp = backend()
        return Bags(xp.asarray(self.index), xp.asarray(self.weight), xp.asarray(self.starts))

    def sums(self, rows: Any) -> Any:
        """Return the weighted sum of the rows of every text."""
        return gather_sum(rows, self.index, self.weight, self.starts)

    def take(self, texts: Any) -> "Bags":
        """Return the chosen texts."""
        xp = np if isinstance(self.index, np.ndarray) else backend()
        begin = self.starts[texts]
        length = self.starts[texts + 1] - begin
        starts = xp.concatenate([xp.zeros(1, dtype=xp.int64), xp.cumsum(length)])
        where = xp.arange(int(starts[-1])) + (begin - starts[:-1])[_owners(xp, starts)]
        return Bags(self.index[where], self.weight[where], starts)

    def owners(self) -> Any:
        """Return for every entry the text it is in."""
        return _owners(np if isinstance(self.index, np.ndarray) else backend(), self.starts)


def pack(bags: Iterable[Bag]) -> Bags:
    """Lay bags end to end."""
    index: list[int] = []
    weight: list[float] = []
    starts = [0]
    for bag in bags:
        index.extend(row for row, _ in bag)
        weight.extend(share for _, share in bag)
        starts.append(len(index))
    return Bags(np.array(index, np.int32), np.array(weight, np.float32), np.array(starts, np.int64))


def join(parts: Sequence[Bags]) -> Bags:
    """Lay packed parts end to end."""
    offsets = np.cumsum([0] + [len(part.index) for part in parts])
    starts = [part.starts[:-1] + offset for part, offset in zip(parts, offsets, strict=False)]
    return Bags(
        np.concatenate([part.index for part in parts]),
        np.concatenate([part.weight for part in parts]),
        np.concatenate([*starts, offsets[-1:]]),
    )


def encode(vocabulary: Vocabulary, texts: Sequence[str], workers: int = 1) -> Bags:
    """Return the bags of texts, cut by several processes where that pays."""
    shares = [texts[i : i + SHARE] for i in range(0, len(texts), SHARE)] or [[]]
    if workers < 2 or len(shares) < 2:
        return join([pack(map(vocabulary.bag, share)) for share in shares])
    with Pool(workers, _keep, (vocabulary,)) as pool:
        return join(pool.map(_encode_share, shares, chunksize=1))


_KEPT: list[Vocabulary] = []


def _keep(vocabulary: Vocabulary) -> None:
    _KEPT[:] = [vocabulary]


def _encode_share(texts: Sequence[str]) -> Bags:
    return pack(map(_KEPT[0].bag, texts))


def _owners(xp: Any, starts: Any) -> Any:
    marks = xp.zeros(int(starts[-1]) + 1, dtype=xp.int64)
    if xp is np:
        np.add.at(marks, starts[1:-1], 1)
    else:
        xp.add.at(marks, starts[1:-1], 1)
    return xp.cumsum(marks[:-1])
