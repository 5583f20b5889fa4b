"""Ruby: ``require_relative`` from the file, ``require`` from the load path."""

import re
from collections.abc import Iterator

from shirube.engine.index.resolvers.toolkit import (
    FileTable,
    Targets,
    ancestors,
    files,
    found,
    from_homes,
    join,
    nearest,
    package,
    parent,
    sole,
    unquoted,
    unresolved,
)
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


def ruby(path: str, item: RawImport, table: FileTable) -> Targets:
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


_ROOTS = ("", "lua", "src", "lib")
_ENDINGS = (".lua", "/init.lua", ".luau", "/init.luau")


def lua(path: str, item: RawImport, table: FileTable) -> Targets:
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


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def elixir(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the modules behind one ``alias``, ``import``, ``require`` or ``use``."""
    names = [f"{item.module}.{name}" for name in item.names] or [item.module]
    return tuple(dict.fromkeys(target for name in names for target in _single(path, name, table)))


def _single(path: str, name: str, table: FileTable) -> Targets:
    segments = [_HUMP.sub("_", part).lower() for part in name.removeprefix("Elixir.").split(".")]
    directory = parent(path)
    tail = "/".join(segments)
    offered = [file for ending in (".ex", ".exs") for file in table.matches(tail + ending)]
    if file := nearest(directory, offered):
        return files((file,))
    homes = table.folders(f"lib/{segments[0]}")
    below = [
        file for file in table.matches(f"{segments[-1]}.ex") if file.startswith(tuple(f"{home}/" for home in homes))
    ]
    if len(segments) > 1 and (file := sole(directory, below)):
        return files((file,))
    return unresolved(name) if homes else package(name.partition(".")[0])


_UNKNOWN = re.compile(r"^.*(?:\$\{[^}]*\}|\$\([^)]*\)+|\$\w+|`[^`]*`)[)}\"']*/?")
"""Everything up to the last expansion, whose value nobody knows."""


def shell(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the script behind one ``source``; a script is never a package."""
    written = unquoted(item.module)
    tail = _UNKNOWN.sub("", written).replace('"', "").replace("'", "")
    directory = parent(path)
    if not tail or tail.startswith(("/", "~")):
        return found(None, written, "include")
    joined = (join(above, tail) for above in ancestors(directory))
    script = table.first(base for base in joined if base)
    return found(script or sole(directory, table.matches(tail.lstrip("./"))), written, "include")


_SWIFT_HOMES = ("Sources", "Source", "Tests")


def swift(path: str, item: RawImport, table: FileTable) -> Targets:
    """The files directly in the target's folder (``Sources/Name``), else a package."""
    name = item.module.strip().rpartition(" ")[2].partition(".")[0]
    homes = [folder for home in _SWIFT_HOMES for folder in table.folders(f"{home}/{name}")]
    home = nearest(parent(path), homes)
    sources = table.inside(home, (".swift",)) if home is not None else ()
    return files(sources) or package(name)


def haskell(path: str, item: RawImport, table: FileTable) -> Targets:
    """The file whose path ends with the dotted name, else a package of that name."""
    name = item.module.strip()
    tail = name.replace(".", "/")
    offered = [file for ending in (".hs", ".lhs", ".hsc") for file in table.matches(tail + ending)]
    file = nearest(parent(path), offered)
    return files((file,)) if file else package(name)


def zig(path: str, item: RawImport, table: FileTable) -> Targets:
    """The file an ``@import`` names, else a package."""
    name = unquoted(item.module)
    if not name.endswith((".zig", ".zon")):
        return package(name)
    base = join(parent(path), name)
    return found(base if base in table.paths else None, name)
