"""Languages whose rule is short: Ruby, Lua, Elixir, shell, Swift, Haskell and Zig, one function each.

A new language starts here.
"""

import re

from shirube.engine.index.resolvers.toolkit import (
    FileTable,
    Targets,
    ancestors,
    file_or_package,
    file_or_unresolved,
    files,
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

_RUBY_LOAD = ("lib", "app/models", "app/controllers", "app/helpers", "app/services", "app/lib", "ext", "test", "spec")
"""Folders that stand on a load path somewhere above the file."""
_LUA_ROOTS = ("", "lua", "src", "lib")
_LUA_ENDINGS = (".lua", "/init.lua", ".luau", "/init.luau")
_SWIFT_HOMES = ("Sources", "Source", "Tests")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHELL_UNKNOWN = re.compile(r"^.*(?:\$\{[^}]*\}|\$\([^)]*\)+|\$\w+|`[^`]*`)[)}\"']*/?")
"""Everything up to the last expansion, whose value nobody knows."""


def ruby(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file or gem behind one ``require``; a name starting with a dot is relative to the file."""
    name = unquoted(item.module)
    if not name:
        return ()
    directory = parent(path)
    if name.startswith("."):
        base = join(directory, name)
        script = table.first((_with_rb(base), base)) if base else None
        return file_or_unresolved(script, item.module, "require")
    folders = (*_RUBY_LOAD, "") if "/" in name else _RUBY_LOAD
    spellings = (_with_rb(name), name)
    loaded = from_homes(directory, folders, spellings, table) or table.first(spellings)
    if loaded is None or loaded == path:
        loaded = nearest(directory, table.matches(f"lib/{_with_rb(name)}"))
    return file_or_package(loaded if loaded != path else None, name.partition("/")[0], "require")


def _with_rb(name: str) -> str:
    return name if name.endswith(".rb") else f"{name}.rb"


def lua(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file behind one ``require``: a dotted name below some root of the search path."""
    name = unquoted(item.module)
    directory = parent(path)
    if name.startswith(("./", "../")):
        base = join(directory, name)
        script = table.first(base + ending for ending in _LUA_ENDINGS) if base else None
        return file_or_unresolved(script, item.module, "require")
    tail = name.replace(".", "/")
    spellings = tuple(tail + ending for ending in _LUA_ENDINGS)
    script = from_homes(directory, _LUA_ROOTS, spellings, table)
    if script is None and "/" in tail:
        script = nearest(directory, table.matches(*spellings))
    return file_or_package(script if script != path else None, tail.partition("/")[0], "require")


def elixir(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the modules behind one ``alias``, ``import``, ``require`` or ``use``."""
    names = [f"{item.module}.{name}" for name in item.names] or [item.module]
    return tuple(dict.fromkeys(target for name in names for target in _elixir_module(path, name, table)))


def _elixir_module(path: str, name: str, table: FileTable) -> Targets:
    """A module's name in snake case is, by convention, the tail of its path."""
    segments = [_HUMP.sub("_", part).lower() for part in name.removeprefix("Elixir.").split(".")]
    directory, tail = parent(path), "/".join(segments)
    if file := nearest(directory, table.matches(f"{tail}.ex", f"{tail}.exs")):
        return files((file,))
    homes = table.folders(f"lib/{segments[0]}")
    prefixes = tuple(f"{home}/" for home in homes)
    below = [file for file in table.matches(f"{segments[-1]}.ex") if file.startswith(prefixes)]
    if len(segments) > 1 and (file := sole(directory, below)):
        return files((file,))
    return unresolved(name) if homes else package(name.partition(".")[0])


def shell(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the script behind one ``source``, often behind a variable; a script is never a package."""
    written = unquoted(item.module)
    tail = _SHELL_UNKNOWN.sub("", written).replace('"', "").replace("'", "")
    if not tail or tail.startswith(("/", "~")):
        return unresolved(written, "include")
    directory = parent(path)
    script = table.first(join(above, tail) for above in ancestors(directory))
    return file_or_unresolved(script or sole(directory, table.matches(tail.lstrip("./"))), written, "include")


def swift(path: str, item: RawImport, table: FileTable) -> Targets:
    """The files directly in the target's folder (``Sources/Name``), else a package."""
    name = item.module.strip().rpartition(" ")[2].partition(".")[0]
    home = nearest(parent(path), [folder for home in _SWIFT_HOMES for folder in table.folders(f"{home}/{name}")])
    return files(table.inside(home, (".swift",)) if home is not None else ()) or package(name)


def haskell(path: str, item: RawImport, table: FileTable) -> Targets:
    """The file whose path ends with the dotted name, else a package of that name."""
    name = item.module.strip()
    tail = name.replace(".", "/")
    return file_or_package(nearest(parent(path), table.matches(f"{tail}.hs", f"{tail}.lhs", f"{tail}.hsc")), name)


def zig(path: str, item: RawImport, table: FileTable) -> Targets:
    """The file an ``@import`` names, else a package."""
    name = unquoted(item.module)
    if not name.endswith((".zig", ".zon")):
        return package(name)
    return file_or_unresolved(table.first((join(parent(path), name),)), name)
