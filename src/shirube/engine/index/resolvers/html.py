"""HTML: the ``src`` and ``href`` of scripts and sheets."""

from shirube.engine.index.resolvers.homes import from_homes
from shirube.engine.index.resolvers.paths import join, parent
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, found, package, unquoted, unresolved
from shirube.types import RawImport

_PUBLIC = ("", "public", "static", "src", "assets", "www", "dist")
_NO_FILES = ("#", "data:", "mailto:", "tel:", "javascript:", "about:", "blob:")
_TEMPLATED = ("{{", "{%", "<%", "${", "<?")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file a page loads; an address elsewhere is a package named by its host."""
    written = unquoted(item.module)
    name = written.partition("?")[0].partition("#")[0]
    if not name or written.startswith(_NO_FILES):
        return ()
    if any(mark in written for mark in _TEMPLATED):
        return unresolved(written, "include")
    if "://" in name or name.startswith("//"):
        return package(name.partition("//")[2].partition("/")[0], "include")
    directory = parent(path)
    if name.startswith("/"):
        return found(from_homes(directory, _PUBLIC, (name[1:],), table), written, "include")
    base = join(directory, name)
    return found(base if base in table.paths else None, written, "include")
