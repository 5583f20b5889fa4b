"""Elixir: a module's name in snake case is, by convention, the tail of its path."""

import re

from shirube.engine.index.resolvers.paths import nearest, parent, sole
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, package, unresolved
from shirube.types import RawImport

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
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
