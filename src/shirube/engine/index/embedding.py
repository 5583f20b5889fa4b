"""Making the vectors that are missing: of a model that workers do not run, or that was chosen after the index was made.

The texts come from the index, so nothing is read or parsed again, and what the model said of a content before comes
from the cache. A group of files is written at a time: what is done stays done when it is interrupted.
"""

from collections.abc import Sequence

from shirube.deadline import Deadline
from shirube.engine.embed import Embedder
from shirube.engine.embed.quantize import pack
from shirube.engine.index.reading import content_key, placed, rows_key
from shirube.engine.index.sync import Progress, Sources
from shirube.engine.store import Unembedded
from shirube.messages import say

GROUP_FILES = 16
"""Files written in one transaction: a second or so of a large model's work."""
SLICE_TEXTS = 32
"""Texts handed to the model at once; whether to go on is asked in between."""


def embed_missing(sources: Sources, embedder: Embedder, progress: Progress, deadline: Deadline) -> None:
    """Give every file of the index vectors of this model."""
    store, last = sources.store, 0
    progress(say("steps.embedding"), *store.coverage())
    while files := store.unembedded(last, GROUP_FILES):
        if store.noted("fingerprint") != sources.fingerprint:
            return  # cut by another version of the program: what the cache says of a content is of other pieces
        rows = _contents(sources, embedder, files, deadline)
        store.embed({file.number: placed(embedder, rows[file.number], file.path) for file in files})
        last = files[-1].number
        progress(say("steps.embedding"), *store.coverage())


def _contents(
    sources: Sources, embedder: Embedder, files: Sequence[Unembedded], deadline: Deadline
) -> dict[int, bytes]:
    """Return what each file says, out of the cache or newly read by the model."""
    named = {file.number: rows_key(content_key(file.digest, file.language), embedder.name) for file in files}
    found = {number: sources.cache.get(key) for number, key in named.items()}
    kept = {number: rows for number, rows in found.items() if rows is not None}
    new = [file for file in files if file.number not in kept]
    made = _read(embedder, new, deadline)
    sources.cache.put([(named[number], rows) for number, rows in made.items()], sources.clock_ns())
    sources.cache.used([named[number] for number in kept], sources.clock_ns())
    return {**kept, **made}


def _read(embedder: Embedder, files: Sequence[Unembedded], deadline: Deadline) -> dict[int, bytes]:
    import numpy as np

    texts = [text for file in files for text in file.texts]
    symbols = [symbol for file in files for symbol in file.symbols]
    rows = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    for start in range(0, len(texts), SLICE_TEXTS):
        deadline.check()
        part = slice(start, start + SLICE_TEXTS)
        rows[part] = embedder.contents(texts[part], symbols=symbols[part])
    ends = np.cumsum([len(file.texts) for file in files]).tolist()
    return {
        file.number: pack(rows[end - len(file.texts) : end]) if file.texts else b""
        for file, end in zip(files, ends, strict=True)
    }
