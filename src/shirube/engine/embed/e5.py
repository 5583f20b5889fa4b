"""Models of the E5 family, run by onnxruntime: multilingual-e5-small above all.

What a text says depends on all its words together, so that nothing can be added to it afterwards as in the static
table. Where it stands is a passage of its own, mixed into the row: the cosine with a question is then the weighted sum
of the cosines with both, and a renamed file is placed anew without its content being read again.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from shirube.engine.embed.quantize import unit
from shirube.engine.embed.weights import BESIDE, graph_in
from shirube.errors import ModelFault

if TYPE_CHECKING:
    from shirube.engine.embed.port import Rows

QUERY, PASSAGE = "query: ", "passage: "
"""How the family was trained to tell a question from a text; without them it is noticeably worse."""
MOST_TOKENS = 512
PATH_SHARE = 0.25
"""How much the path weighs beside the content. Not measured: less than the static table's 0.5, because here the
words of a path are no more than a few among those that are read together."""
BACKGROUND = 0.7
"""The cosine of unrelated texts: the family was trained at a low temperature, so that all cosines lie in 0.7 to 1."""
BATCH_TOKENS = 2048
"""Tokens run at once, padding included: four of the longest texts. Twice as many take 160 MB more, and no less time."""
VERSION = 1
"""Raised when the same files would give other vectors."""
SAMPLES, SAMPLE_BYTES = 64, 16_384
"""How much of a file is looked at to know it again: reading half a gigabyte would take longer than the answer."""
LIBRARIES = ("onnxruntime", "tokenizers")

Got = TypeVar("Got")


class E5Embedder:
    """A transformer with mean pooling; loaded when something is to be embedded."""

    trained = True
    background = BACKGROUND

    def __init__(self, folder: Path, threads: int = 0) -> None:
        need_libraries()
        self._folder, self._threads = folder, threads
        config = _config(folder)
        self.dimensions = int(config["hidden_size"])
        self._pad = int(config.get("pad_token_id") or 0)
        self._most_tokens = min(MOST_TOKENS, int(config.get("max_position_embeddings") or MOST_TOKENS))
        self.name = f"e5-{self.dimensions}-{_digest(folder)}"
        self._guard = Lock()
        self._loaded: _Network | ModelFault | None = None

    def contents(
        self,
        texts: Sequence[str],
        tokens: Sequence[Sequence[str]] | None = None,
        symbols: Sequence[str] | None = None,
    ) -> "Rows":
        """Return a unit row for each text; the name of what it defines goes before it."""
        names = symbols if symbols is not None else [""] * len(texts)
        said = [f"{name}\n{text}" if name else text for name, text in zip(names, texts, strict=True)]
        return self._rows([PASSAGE + text for text in said])

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return the contents with the path, read as a passage, mixed in."""
        return unit(contents + PATH_SHARE * self._rows([PASSAGE + path])) if len(contents) else contents

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return the unit row of a question; one without words is near to nothing."""
        import numpy as np

        return self._rows([QUERY + text]) if text.strip() else np.zeros((1, self.dimensions), dtype=np.float32)

    def _rows(self, texts: Sequence[str]) -> "Rows":
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        network = self._network()
        with_ids = [network.ids(text) for text in texts]
        for batch in _batches([len(ids) for ids in with_ids]):
            found = network.pooled([with_ids[place] for place in batch], self._pad)
            if found.shape[1] != self.dimensions:
                raise ModelFault(
                    "model.dimensions", folder=str(self._folder), found=found.shape[1], wanted=self.dimensions
                )
            rows[batch] = found
        return unit(rows)

    def _network(self) -> "_Network":
        """Load the model once; one that cannot be loaded is not tried again by this process."""
        with self._guard:
            if self._loaded is None:
                try:
                    self._loaded = _load(self._folder, self._threads, self._most_tokens)
                except ModelFault as error:
                    self._loaded = error
            if isinstance(self._loaded, ModelFault):
                raise self._loaded
            return self._loaded


def need_libraries() -> None:
    """Refuse to go on without what runs a model."""
    for library in LIBRARIES:
        if not find_spec(library):
            raise ModelFault("model.no_library", library=library)


class _Network(Struct, frozen=True):
    """A session with its tokenizer."""

    session: Any
    tokenizer: Any
    folder: Path
    inputs: frozenset[str]
    output: str

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text; one text at a time, so that no threads but ours are used."""
        plain = text.encode("utf-8", "replace").decode("utf-8")
        return list(_translated(self.folder, partial(self.tokenizer.encode, plain)).ids)

    def pooled(self, batch: Sequence[list[int]], pad: int) -> "Rows":
        """Return the mean of each text's token vectors; padding does not count."""
        import numpy as np

        longest = max(map(len, batch))
        ids = np.array([row + [pad] * (longest - len(row)) for row in batch], dtype=np.int64)
        mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in batch], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: value for name, value in given.items() if name in self.inputs}
        (hidden,) = _translated(self.folder, partial(self.session.run, [self.output], feed))
        share = mask / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        return np.asarray((share[:, None, :].astype(np.float32) @ hidden)[:, 0], dtype=np.float32)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of texts of like length, so that little is padded and no batch is too large."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _load(folder: Path, threads: int, most_tokens: int) -> _Network:
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = _translated(folder, partial(Tokenizer.from_file, str(folder / "tokenizer.json")))
    tokenizer.enable_truncation(max_length=most_tokens)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4  # its warnings are about itself, and stderr is read by people
    options.enable_cpu_mem_arena = False  # lengths differ, and it would keep the most that was ever needed
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting must not cost a core
    make = partial(onnxruntime.InferenceSession, str(graph_in(folder)), options, providers=["CPUExecutionProvider"])
    session = _translated(folder, make)
    output = next((value for value in session.get_outputs() if len(value.shape) == 3), None)
    inputs = frozenset(value.name for value in session.get_inputs())
    if output is None or not {"input_ids", "attention_mask"} <= inputs:
        raise ModelFault("model.no_vectors", folder=str(folder))
    return _Network(session, tokenizer, folder, inputs, output.name)


def _translated(folder: Path, act: Callable[[], Got]) -> Got:
    """Do something that a foreign library does; both raise bare exceptions, which become ours."""
    try:
        return act()
    except Exception as error:
        raise ModelFault("model.unusable", folder=str(folder), error=str(error)[:200]) from error


def _config(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "config.json").read_text("utf-8"))
        if int(found["hidden_size"]) > 0:
            return dict(found)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise ModelFault("model.no_length", folder=str(folder))


def _digest(folder: Path) -> str:
    """Return what tells these files from others: their sizes, and samples from all over them."""
    seen = blake2b(str(VERSION).encode(), digest_size=4)
    graph = graph_in(folder)
    if graph is None:
        raise ModelFault("model.none_there", folder=str(folder))
    for path in (graph, graph.with_name(f"{graph.name}_data"), *(folder / name for name in BESIDE)):
        if path.is_file():
            _sample(path, seen.update)
    return seen.hexdigest()


def _sample(path: Path, take: Callable[[bytes], None]) -> None:
    size = path.stat().st_size
    take(f"{path.name} {size} ".encode())
    with path.open("rb") as stream:
        for number in range(SAMPLES):
            stream.seek(max(0, size - SAMPLE_BYTES) * number // (SAMPLES - 1))
            take(stream.read(SAMPLE_BYTES))
