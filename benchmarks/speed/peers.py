"""What is measured of semble and ripgrep; each function runs in a fresh process."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed import edits
from benchmarks.speed.measure import Spent, spend, summaries
from benchmarks.speed.questions import keywords, questions, time_each


class Ones:
    """Stands in for a trained encoder: every text gets the same one number at no cost."""

    dim = 1

    def encode(self, texts: Sequence[str], **options: object) -> Any:
        """Return a row for each text."""
        import numpy as np

        return np.ones((len(texts), self.dim), dtype=np.float32)


def list_files(root: str) -> list[str]:
    """Return the files semble would index with every kind of content."""
    from semble.index.file_walker import walk_files
    from semble.index.files import FileStatus, get_extensions, get_file_status
    from semble.types import ContentType

    found = []
    for path in walk_files(Path(root), get_extensions(tuple(ContentType))):
        if get_file_status(path, path.stat()) == FileStatus.VALID:
            found.append(path.relative_to(root).as_posix())
    return found


def index_cold(root: str, save: str = "") -> dict[str, Any]:
    """Build an index in memory; with ``save``, write it there afterwards, timed apart."""
    import semble.index.index  # noqa: F401 - imports are not part of the measurement

    found: list[Any] = []
    spent = spend(lambda: found.append(_build(root)))
    _, _, chunks, manifest = found[0]
    result = {"wall": spent.wall, "cpu": spent.cpu, "held": {"files": len(manifest), "chunks": len(chunks)}}
    if save:
        saving = spend(lambda: _index(root, found[0]).save(save))
        result["save"] = {"wall": saving.wall, "cpu": saving.cpu}
    return result


def stay_warm(root: str, edited: str, repeats: int) -> dict[str, Any]:
    """Measure a process that holds an index: questions, and its incremental path with and without an edit."""
    built = [_build(root)]
    index = _index(root, built[0])
    asked = time_each(lambda text: index.search(text, alpha=0.0, rerank=True), questions())

    def again() -> None:
        built[0] = _build(root, _previous(built[0]))

    unchanged = [spend(again) for _ in range(repeats)]
    return {
        "query": asked,
        "unchanged": summaries(unchanged),
        "edit": summaries(_edit(Path(root), edited, built, repeats)),
    }


def grep(root: str) -> dict[str, Any]:
    """Ask ripgrep for each word of the questions, each in a process of its own as an agent would."""
    program = shutil.which("rg")
    if program is None:
        return {}

    def ask(word: str) -> None:
        command = [program, "--ignore-case", "--fixed-strings", "--line-number", "--", word, root]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)

    return {"query": time_each(ask, keywords())}


def _edit(root: Path, edited: str, built: list[Any], repeats: int) -> list[Spent]:
    def show(word: str) -> None:
        built[0] = _build(str(root), _previous(built[0]))
        hits = _index(str(root), built[0]).search(word, alpha=0.0, rerank=True)
        if not hits or hits[0].chunk.file_path != edited:
            raise AssertionError(f"semble did not find {word}")

    spent = []
    with edits.restored(root / edited):
        for word in edits.words(repeats, keep_time=False):
            edits.put(root / edited, word, keep_time=False)
            spent.append(spend(lambda new=word: show(new)))  # type: ignore[misc]
    return spent


def _build(root: str, previous: Any = None) -> Any:
    from semble.index.create import create_index_from_path
    from semble.types import ContentType

    place, model = Path(root), _model()
    return create_index_from_path(place, model=model, content=tuple(ContentType), display_root=place, previous=previous)


def _previous(built: Any) -> Any:
    from semble.index.types import PreviousIndex

    lexical, dense, chunks, manifest = built
    return PreviousIndex(chunks=chunks, vectors=dense.vectors, manifest=manifest, bm25_index=lexical)


def _index(root: str, built: Any) -> Any:
    from semble.index.index import SembleIndex
    from semble.types import ContentType

    lexical, dense, chunks, manifest = built
    return SembleIndex(
        _model(), lexical, dense, chunks, "none", root=Path(root), content=tuple(ContentType), manifest=manifest
    )


def _model() -> Any:
    return Ones()
