"""Models of the E5 family, run by onnxruntime; mainly multilingual-e5-small.

The vector of a text depends on all its words together, so words cannot be added later as in the static table. The path
is therefore embedded as a passage of its own and mixed into the row: the cosine with a question is then the weighted
sum of both cosines, and a renamed file gets new vectors without running the model on its content again.
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
"""Prefixes by which the models were trained to tell questions from texts; without them results are worse."""
MOST_TOKENS = 512
PATH_SHARE = 0.25
"""The weight of the path relative to the content. Not measured: less than the static table's 0.5, because here
the words of a path are only a few of those that the model reads together."""
BACKGROUND = 0.7
"""The cosine of unrelated texts: the models were trained at a low temperature, so all cosines are in 0.7 to 1."""
BATCH_TOKENS = 2048
"""Tokens per batch with padding: four of the longest texts. Twice as many need 160 MB more and save no time."""
VERSION = 1
"""Increment this when the same files would give other vectors."""
SAMPLES, SAMPLE_BYTES = 64, 16_384
"""How much of a model file is hashed to identify it: reading half a gigabyte would take longer than an answer."""
LIBRARIES = ("onnxruntime", "tokenizers")

Got = TypeVar("Got")


class E5Embedder:
    """A transformer with mean pooling; loaded at first use."""

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
        """Return a unit row for each text, with the name of the symbol it defines put in front."""
        names = symbols if symbols is not None else [""] * len(texts)
        named = (f"{name}\n{text}" if name else text for name, text in zip(names, texts, strict=True))
        return self._rows([PASSAGE + text for text in named])

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return the contents with the vector of the path mixed in."""
        return unit(contents + PATH_SHARE * self._rows([PASSAGE + path])) if len(contents) else contents

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return the unit row of a question; zeros for an empty one, which is similar to nothing."""
        import numpy as np

        return self._rows([QUERY + text]) if text.strip() else np.zeros((1, self.dimensions), dtype=np.float32)

    def _rows(self, texts: Sequence[str]) -> "Rows":
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        network = self._network()
        with_ids = [network.ids(text) for text in texts]
        for batch in _batches([len(ids) for ids in with_ids]):
            pooled = network.pooled([with_ids[place] for place in batch], self._pad)
            width = pooled.shape[1]
            if width != self.dimensions:
                raise ModelFault("model.dimensions", folder=str(self._folder), found=width, wanted=self.dimensions)
            rows[batch] = pooled
        return unit(rows)

    def _network(self) -> "_Network":
        """Load the model once; after a failure this process does not try again."""
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
    """Raise when a library that runs models is missing."""
    for library in LIBRARIES:
        if not find_spec(library):
            raise ModelFault("model.no_library", library=library)


class _Network(Struct, frozen=True):
    """An onnxruntime session with its tokenizer."""

    session: Any
    tokenizer: Any
    folder: Path
    inputs: frozenset[str]
    output: str

    def ids(self, text: str) -> list[int]:
        """Return the token ids of a text; one text at a time, because batches would start threads of the library."""
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
    options.log_severity_level = 4  # its warnings mean nothing to users, who read stderr
    options.enable_cpu_mem_arena = False  # batches differ in size, and an arena would keep its peak
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting must not cost a core
    make = partial(onnxruntime.InferenceSession, str(graph_in(folder)), options, providers=["CPUExecutionProvider"])
    session = _translated(folder, make)
    output = next((value for value in session.get_outputs() if len(value.shape) == 3), None)
    inputs = frozenset(value.name for value in session.get_inputs())
    if output is None or not {"input_ids", "attention_mask"} <= inputs:
        raise ModelFault("model.no_vectors", folder=str(folder))
    return _Network(session, tokenizer, folder, inputs, output.name)


def _translated(folder: Path, act: Callable[[], Got]) -> Got:
    """Call a foreign library and turn its exceptions into ours; both libraries raise bare ``Exception``."""
    try:
        return act()
    except Exception as error:
        raise ModelFault("model.unusable", folder=str(folder), error=str(error)[:200]) from error


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        if int(config["hidden_size"]) > 0:
            return dict(config)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise ModelFault("model.no_length", folder=str(folder))


def _digest(folder: Path) -> str:
    """Return a digest that identifies the model's files: of their sizes, and of samples across each file."""
    seen = blake2b(str(VERSION).encode(), digest_size=4)
    graph = graph_in(folder)
    if graph is None:
        raise ModelFault("model.none_there", folder=str(folder))
    for path in (graph, graph.with_name(f"{graph.name}_data"), *(folder / name for name in BESIDE)):
        if not path.is_file():
            continue
        size = path.stat().st_size
        seen.update(f"{path.name} {size} ".encode())
        with path.open("rb") as stream:
            for number in range(SAMPLES):
                stream.seek(max(0, size - SAMPLE_BYTES) * number // (SAMPLES - 1))
                seen.update(stream.read(SAMPLE_BYTES))
    return seen.hexdigest()
