"""Ruby: ``require_relative`` from the file, ``require`` from the load path."""

from shirube.engine.index.resolvers.homes import from_homes
from shirube.engine.index.resolvers.paths import join, nearest, parent
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, found, package, unquoted
from shirube.types import RawImport

_LOAD = (
    "lib",
    "app/models",
    "app/controllers",
    "app/helpers",
    "app/services",
    "app/lib",
    "ext",
    "test",
    "spec",
)
"""Folders that stand on a load path somewhere above the file."""


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file or gem behind one ``require``; a name starting with a dot is relative to the file."""
    name = unquoted(item.module)
    if not name:
        return ()
    directory = parent(path)
    if name.startswith("."):
        base = join(directory, name)
        return found(_file(base, table) if base else None, item.module, "require")
    folders = (*_LOAD, "") if "/" in name else _LOAD
    loaded = from_homes(directory, folders, (_ruby(name), name), table) or _file(name, table)
    if loaded is None or loaded == path:
        loaded = nearest(directory, table.matches(f"lib/{_ruby(name)}"))
    return files((loaded,), "require") if loaded and loaded != path else package(name.partition("/")[0], "require")


def _file(base: str, table: FileTable) -> str | None:
    return table.first((_ruby(base), base))


def _ruby(name: str) -> str:
    return name if name.endswith(".rb") else f"{name}.rb"
