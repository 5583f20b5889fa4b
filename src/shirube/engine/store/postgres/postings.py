"""Postings in blocks: for each term of a field the chunks of one layer that have it, and how often.

A block is one row of the database. Its chunks are numbered by their place in the layer's directory, which has their
lengths, so that a block of a rare term takes six bytes. Scores are BM25 as tantivy reckons it: in single precision, and
with lengths rounded down to 256 steps (``LENGTHS``), so that both stores order alike.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.engine.store.lexical import FIELDS
from shirube.engine.store.port import Doc
from shirube.engine.text.bm25 import K1, B

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.uint32]

CODES = dict(zip(FIELDS, (b"c", b"s", b"p"), strict=True))
"""Field → the byte with which the key of a block begins; the term follows."""
MOST_KEY = 2_000
"""Bytes of a term or name that count; an index of PostgreSQL takes no key of 2,700."""
_WIDTHS = (1, 2, 4)
"""How many bytes a frequency may take; the first byte of a block says it."""


def block_key(field: str, term: str) -> bytes:
    """Return the key of a block: ``("content", "retry")`` → ``b"cretry"``."""
    return CODES[field] + term.encode("utf-8", "replace")[:MOST_KEY]


class Block(Struct, frozen=True, gc=False):
    """The chunks of one layer that have a term, by their places in order, and how often each has it.

    A process keeps thousands of them, so the collector leaves them alone.
    """

    places: "Places"
    counts: Any


@cache
def no_block() -> Block:
    """Return the block of a term that a layer lacks."""
    import numpy as np

    nothing = np.zeros(0, dtype=np.uint32)
    return Block(nothing, nothing)


def pack_block(places: Any, counts: Any) -> bytes:
    """Return a block as it is stored."""
    width = next(width for width in _WIDTHS if int(counts.max(initial=0)) < 1 << (8 * width))
    return bytes([width]) + bytes(places.astype("<u4").tobytes() + counts.astype(f"<u{width}").tobytes())


def unpack_block(data: bytes) -> Block:
    """Return a block that ``pack_block`` packed."""
    import numpy as np

    width = data[0]
    size = (len(data) - 1) // (4 + width)
    return Block(np.frombuffer(data, "<u4", size, 1), np.frombuffer(data, f"<u{width}", size, 1 + 4 * size))


def blocks_of(docs: Iterable[Doc]) -> tuple[list[tuple[bytes, bytes]], dict[str, list[int]]]:
    """Return the blocks of documents by their keys, in order, and field → the length of each document."""
    import numpy as np

    vocabulary: defaultdict[tuple[str, str], int] = defaultdict(count().__next__)
    terms: list[int] = []
    counts: list[int] = []
    sizes: list[int] = []
    lengths: dict[str, list[int]] = {field: [] for field in FIELDS}
    for doc in docs:
        size = 0
        for field in FIELDS:
            tokens = getattr(doc, field).split()
            lengths[field].append(len(tokens))
            if tokens:
                counted = Counter(tokens)
                terms += [vocabulary[field, term] for term in counted]
                counts += counted.values()
                size += len(counted)
        sizes.append(size)
    places = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    keys = [block_key(field, term) for field, term in vocabulary]
    return list(_blocks(keys, np.array(terms, dtype=np.int64), places, np.array(counts, dtype=np.uint32))), lengths


def merged_blocks(
    blocks: Iterable[tuple[int, bytes, bytes]], moved: Mapping[int, Any]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield the blocks of one layer made of several.

    ``blocks`` are layer, key and block; ``moved`` tells of each layer where its chunks are in the new one, −1 if gone.
    """
    import numpy as np

    vocabulary: defaultdict[bytes, int] = defaultdict(count().__next__)
    terms, places, counts = [], [], []
    for layer, key, data in blocks:
        block = unpack_block(data)
        now = moved[layer][block.places]
        kept = now >= 0
        if kept.any():
            terms.append(np.full(int(kept.sum()), vocabulary[key], dtype=np.int64))
            places.append(now[kept])
            counts.append(block.counts[kept].astype(np.uint32))
    if terms:
        keys = list(vocabulary)
        yield from _blocks(keys, np.concatenate(terms), np.concatenate(places), np.concatenate(counts))


def _blocks(keys: Sequence[bytes], terms: Any, places: Any, counts: Any) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and block of each term, in the order of the keys, which is that of the table's index."""
    import numpy as np

    order = np.lexsort((places, terms))
    terms, places, counts = terms[order], places[order], counts[order]
    ends = np.cumsum(np.bincount(terms, minlength=len(keys))).tolist()
    for number in sorted(range(len(keys)), key=keys.__getitem__):
        begin, end = (ends[number - 1] if number else 0), ends[number]
        if end > begin:
            yield keys[number], pack_block(places[begin:end], counts[begin:end])


@cache
def _lengths() -> "NDArray[np.float32]":
    """Return the 256 lengths that a document may have: exact up to 40, then in steps of an eighth."""
    import numpy as np

    exact = 24
    lengths = [min(number, exact) for number in range(exact)]
    for number in range(256 - exact):
        shift, bits = number >> 3, number & 7
        lengths.append(exact + (bits if not shift else (bits | 8) << (shift - 1)))
    return np.array(lengths, dtype=np.float32)


def rounded(lengths: Any) -> Any:
    """Return for each length the place of the largest of the 256 steps that is not above it."""
    import numpy as np

    return (np.searchsorted(_lengths(), lengths, side="right") - 1).astype(np.uint8)


def norms(average: float) -> Any:
    """Return for each of the 256 steps how much the length dampens a frequency."""
    import numpy as np

    f = np.float32
    return f(K1) * (f(1) - f(B) + f(B) * _lengths() / f(average or 1.0))


def weight(documents: int, having: int, worth: float) -> Any:
    """Return what a term counts, in single precision."""
    import numpy as np

    f = np.float32
    rarity = np.log(f(1) + (f(documents - having) + f(0.5)) / (f(having) + f(0.5)))
    return f(worth) * (rarity * (f(1) + f(K1)))
