"""Lua: a dotted name below some root of the search path."""

from collections.abc import Iterator

from shirube.engine.index.resolvers.homes import from_homes
from shirube.engine.index.resolvers.paths import join, nearest, parent
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, found, package, unquoted
from shirube.types import RawImport

_ROOTS = ("", "lua", "src", "lib")
_ENDINGS = (".lua", "/init.lua", ".luau", "/init.luau")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file behind one ``require``."""
    name = unquoted(item.module)
    directory = parent(path)
    if name.startswith(("./", "../")):
        base = join(directory, name)
        return found(table.first(_files(base)) if base else None, item.module, "require")
    tail = name.replace(".", "/")
    tails = tuple(_files(tail))
    file = from_homes(directory, _ROOTS, tails, table)
    if file is None and "/" in tail:
        file = nearest(directory, (match for spelled in tails for match in table.matches(spelled)))
    return files((file,), "require") if file and file != path else package(tail.partition("/")[0], "require")


def _files(base: str) -> Iterator[str]:
    yield from (base + ending for ending in _ENDINGS)
