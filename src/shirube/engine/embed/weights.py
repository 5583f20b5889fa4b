"""Finds and downloads the files of a model that is not bundled.

Finding never uses the network; only ``fetch`` does. A configured directory is used as it is. For a name on the hub,
our own directory of models is searched first, then the cache of other programs.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from shirube.errors import ModelFault
from shirube.messages import NOTHING, say

GRAPHS = ("onnx/model.onnx", "model.onnx")
"""Where the ONNX graph may be; the first is its path on the hub."""
BESIDE = ("tokenizer.json", "config.json")
FETCHED = (GRAPHS[0], f"{GRAPHS[0]}_data", *BESIDE)
"""The files to download; larger models keep their weights in a second file."""

_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


class Weights(Struct, frozen=True):
    """Where to look for a model."""

    source: str
    """A directory (absolute, or below ~), or a name on the hub (``owner/name``)."""
    own: Path
    """Our directory of models, with one subdirectory per model."""
    hub: Path
    """The cache of the hub's own programs."""
    offline: bool = False
    threads: int = 0
    """How many threads the model may use; 0 for one per core."""

    @property
    def folder(self) -> Path | None:
        """The configured directory, or None for a name on the hub."""
        return Path(self.source).expanduser() if self.source.startswith(("/", "~")) else None

    @property
    def place(self) -> Path:
        """Where users can put the files by hand."""
        return self.folder or self.own / self.source.replace("/", "--")


def locate(weights: Weights) -> Path:
    """Return the directory with all files of a model; an error names the missing files and where to put them."""
    if weights.folder is None and not _NAME.fullmatch(weights.source):
        raise ModelFault("model.source", source=weights.source[:80])
    for folder in _places(weights):
        if not missing(folder):
            return folder
    place, fetchable = str(weights.place), weights.folder is None and not weights.offline
    hint = say("model.put_or_fetch", place=place) if fetchable else NOTHING
    raise ModelFault("model.missing", hint, files=missing(weights.place), source=weights.source, place=place)


def missing(folder: Path) -> tuple[str, ...]:
    """Return the files that a directory lacks to be a model."""
    graph = () if graph_in(folder) else (GRAPHS[0],)
    return (*graph, *(name for name in BESIDE if not (folder / name).is_file()))


def graph_in(folder: Path) -> Path | None:
    """Return the ONNX graph in a directory, or None."""
    return next((folder / name for name in GRAPHS if (folder / name).is_file()), None)


def fetch(weights: Weights) -> Path:
    """Download a model into the hub's local cache, unless it is there already; return its directory."""
    try:
        return locate(weights)
    except ModelFault as error:
        if weights.offline or weights.folder is not None or not _NAME.fullmatch(weights.source):
            raise
        if not find_spec("huggingface_hub"):
            raise ModelFault("model.no_hub", error.hint) from error
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(weights.source, allow_patterns=list(FETCHED), cache_dir=weights.hub)
    except (OSError, ValueError) as error:
        why = str(error).strip().partition("\n")[0][:200]
        files, place = missing(weights.place), str(weights.place)
        raise ModelFault("model.not_fetched", source=weights.source, error=why, files=files, place=place) from error
    return locate(weights)


def _places(weights: Weights) -> Iterator[Path]:
    """Yield the directories where a model may be; of downloaded snapshots the current one first."""
    yield weights.place
    if weights.folder is None:
        fetched = weights.hub / f"models--{weights.source.replace('/', '--')}"
        snapshots = fetched / "snapshots"
        with suppress(OSError, ValueError):
            yield snapshots / (fetched / "refs" / "main").read_text("utf-8").strip()
        if snapshots.is_dir():
            yield from sorted(snapshots.iterdir())
