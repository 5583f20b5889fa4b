"""Edges between files: raw imports of the index, resolved against the whole file table."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from shirube.engine.store.port import Store
from shirube.types import Edge, FileRecord

if TYPE_CHECKING:
    from shirube.engine.index.resolvers.table import FileTable

AT_ONCE = 1000
"""Files linked in one go: the imports of a whole kernel would take half a gigabyte."""


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
        if not everything and not changed:
            return
        from shirube.engine.index.resolvers.table import FileTable, is_manifest

        everything = everything or any(map(is_manifest, changed))
        if everything or self._table is None:
            self._table = FileTable.build(files, {path: store.text(path) for path in files if is_manifest(path)})
        paths = sorted(files) if everything else [path for path in changed if path in files]
        for start in range(0, len(paths), AT_ONCE):
            self._link_some(store, files, paths[start : start + AT_ONCE])

    def _link_some(self, store: Store, files: Mapping[str, FileRecord], paths: list[str]) -> None:
        from shirube.engine.index.resolve import FileImports, resolve

        assert self._table is not None
        found = store.imports(paths)
        imports = {path: FileImports(files[path].language, raw) for path, raw in found.items()}
        edges = resolve(imports, self._table)
        # Only what differs is written: after a file came or went, that is little.
        held: dict[str, set[Edge]] = {path: set() for path in edges}
        for edge in store.edges(*edges) if edges else ():
            held[edge.source].add(edge)
        differing = {path: made for path, made in edges.items() if held[path] != set(made)}
        if differing:
            store.write_edges(differing)
