"""Edges between files: raw imports of the index, resolved against the whole file table."""

from collections.abc import Collection, Mapping

from shirube.index.resolve import FileImports, FileTable, is_manifest, resolve
from shirube.store.port import Store
from shirube.types import Edge, FileRecord

Edges = tuple[Edge, ...]


class Linker:
    """Writes edges; keeps the file table while no file comes or goes."""

    def __init__(self) -> None:
        self._table: FileTable | None = None

    def link(
        self, store: Store, files: Mapping[str, FileRecord], changed: Collection[str], *, everything: bool
    ) -> None:
        """Write the edges of the changed files, or of all when a file came or went or a manifest changed.

        The imports of a file that stands still may mean another file after its neighbours changed.
        """
        everything = everything or any(map(is_manifest, changed))
        if not everything and not changed:
            return
        if everything or self._table is None:
            self._table = FileTable.build(files, {path: store.text(path) for path in files if is_manifest(path)})
        found = store.imports(None if everything else changed)
        imports = {path: FileImports(files[path].language, raw) for path, raw in found.items()}
        edges = resolve(imports, self._table)
        if everything:
            edges = _differing(store, edges, files)
        if edges:
            store.write_edges(edges)


def _differing(store: Store, edges: Mapping[str, Edges], files: Mapping[str, FileRecord]) -> dict[str, Edges]:
    """Return what is not yet in the store as it should be, so that little is written."""
    old: dict[str, list[Edge]] = {path: [] for path in files}
    for edge in store.edges():
        old.setdefault(edge.source, []).append(edge)
    return {path: edges.get(path, ()) for path, found in old.items() if set(found) != set(edges.get(path, ()))}
