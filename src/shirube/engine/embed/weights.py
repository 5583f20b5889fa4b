"""Where the files of a model that is not bundled lie, and how they get there.

Looking never touches the network; fetching is asked for by name. A directory that is given is taken as it is; for a
name on the hub our own directory of models comes first, then what other programs have fetched.
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
"""Where the network itself may be; the first is the hub's place."""
BESIDE = ("tokenizer.json", "config.json")
FETCHED = (GRAPHS[0], f"{GRAPHS[0]}_data", *BESIDE)
"""What is fetched: larger networks keep their numbers in a second file."""

_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


class Weights(Struct, frozen=True):
    """Where to look for a model."""

    source: str
    """A directory (absolute, or below ~), or a name on the hub (``owner/name``)."""
    own: Path
    """Our directory of models, a directory each."""
    hub: Path
    """The cache of the hub's own programs."""
    offline: bool = False
    threads: int = 0
    """How many threads the model may use; 0: as many as there are cores."""

    @property
    def folder(self) -> Path | None:
        """The directory that was given, or None for a name on the hub."""
        return Path(self.source).expanduser() if self.source.startswith(("/", "~")) else None

    @property
    def place(self) -> Path:
        """Where files are to be put by hand."""
        return self.folder or self.own / self.source.replace("/", "--")


def locate(weights: Weights) -> Path:
    """Return the directory that has every file of a model; say what is missing, and where it belongs."""
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
    """Return the network in a directory."""
    return next((folder / name for name in GRAPHS if (folder / name).is_file()), None)


def fetch(weights: Weights) -> Path:
    """Bring a model from the hub into the hub's cache on this machine, unless it is here already."""
    try:
        return locate(weights)
    except ModelFault as error:
        if weights.offline or weights.folder is not None or not _NAME.fullmatch(weights.source):
            raise
        if not find_spec("huggingface_hub"):
            raise ModelFault("model.no_hub", error.hint) from error
        _download(weights)
    return locate(weights)


def _places(weights: Weights) -> Iterator[Path]:
    """Yield where a model may be: of what was fetched from the hub, the version that is current first."""
    yield weights.place
    if weights.folder is None:
        fetched = weights.hub / f"models--{weights.source.replace('/', '--')}"
        snapshots = fetched / "snapshots"
        with suppress(OSError, ValueError):
            yield snapshots / (fetched / "refs" / "main").read_text("utf-8").strip()
        if snapshots.is_dir():
            yield from sorted(snapshots.iterdir())


def _download(weights: Weights) -> None:
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(weights.source, allow_patterns=list(FETCHED), cache_dir=weights.hub)
    except (OSError, ValueError) as error:
        why = str(error).strip().partition("\n")[0][:200]
        files, place = missing(weights.place), str(weights.place)
        raise ModelFault("model.not_fetched", source=weights.source, error=why, files=files, place=place) from error
