"""Languages with short rules: Ruby, Lua, Elixir, shell, Swift, Haskell and Zig, one function each.

A new language starts here.
"""

import re

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_RUBY_LOAD = ("lib", "app/models", "app/controllers", "app/helpers", "app/services", "app/lib", "ext", "test", "spec")
"""Folders that are usually on the load path, in a directory above the file."""
_LUA_ROOTS = ("", "lua", "src", "lib")
_LUA_ENDINGS = (".lua", "/init.lua", ".luau", "/init.luau")
_SWIFT_HOMES = ("Sources", "Source", "Tests")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHELL_UNKNOWN = re.compile(r"^.*(?:\$\{[^}]*\}|\$\([^)]*\)+|\$\w+|`[^`]*`)[)}\"']*/?")
"""Everything up to the last variable expansion, whose value is unknown."""


def ruby(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file or gem behind one ``require``; a name starting with a dot is relative to the file."""
    name = kit.unquoted(item.module)
    if not name:
        return ()
    directory = kit.parent(path)
    if name.startswith("."):
        base = kit.join(directory, name)
        script = table.first((_with_rb(base), base)) if base else None
        return kit.file_or_unresolved(script, item.module, "require")
    folders = (*_RUBY_LOAD, "") if "/" in name else _RUBY_LOAD
    spellings = (_with_rb(name), name)
    loaded = kit.from_homes(directory, folders, spellings, table) or table.first(spellings)
    if loaded is None or loaded == path:
        loaded = kit.nearest(directory, table.matches(f"lib/{_with_rb(name)}"))
    return kit.file_or_package(loaded if loaded != path else None, name.partition("/")[0], "require")


def _with_rb(name: str) -> str:
    return name if name.endswith(".rb") else f"{name}.rb"


def lua(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file behind one ``require``: a dotted name below some root of the search path."""
    name = kit.unquoted(item.module)
    directory = kit.parent(path)
    if name.startswith(("./", "../")):
        base = kit.join(directory, name)
        script = table.first(base + ending for ending in _LUA_ENDINGS) if base else None
        return kit.file_or_unresolved(script, item.module, "require")
    tail = name.replace(".", "/")
    spellings = tuple(tail + ending for ending in _LUA_ENDINGS)
    script = kit.from_homes(directory, _LUA_ROOTS, spellings, table)
    if script is None and "/" in tail:
        script = kit.nearest(directory, table.matches(*spellings))
    return kit.file_or_package(script if script != path else None, tail.partition("/")[0], "require")


def elixir(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the modules behind one ``alias``, ``import``, ``require`` or ``use``."""
    names = [f"{item.module}.{name}" for name in item.names] or [item.module]
    return tuple(dict.fromkeys(target for name in names for target in _elixir_module(path, name, table)))


def _elixir_module(path: str, name: str, table: FileTable) -> Targets:
    """Find a module's file: by convention its path ends with the module's name in snake case."""
    segments = [_HUMP.sub("_", part).lower() for part in name.removeprefix("Elixir.").split(".")]
    directory, tail = kit.parent(path), "/".join(segments)
    if file := kit.nearest(directory, table.matches(f"{tail}.ex", f"{tail}.exs")):
        return kit.files((file,))
    homes = table.folders(f"lib/{segments[0]}")
    prefixes = tuple(f"{home}/" for home in homes)
    below = [file for file in table.matches(f"{segments[-1]}.ex") if file.startswith(prefixes)]
    if len(segments) > 1 and (file := kit.sole(directory, below)):
        return kit.files((file,))
    return kit.unresolved(name) if homes else kit.package(name.partition(".")[0])


def shell(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the script behind one ``source``, often behind a variable; a script is never a package."""
    written = kit.unquoted(item.module)
    tail = _SHELL_UNKNOWN.sub("", written).replace('"', "").replace("'", "")
    if not tail or tail.startswith(("/", "~")):
        return kit.unresolved(written, "include")
    directory = kit.parent(path)
    script = table.first(kit.join(above, tail) for above in kit.ancestors(directory))
    return kit.file_or_unresolved(script or kit.sole(directory, table.matches(tail.lstrip("./"))), written, "include")


def swift(path: str, item: RawImport, table: FileTable) -> Targets:
    """Return the files directly in the target's folder (``Sources/Name``), else a package."""
    name = item.module.strip().rpartition(" ")[2].partition(".")[0]
    folders = (folder for home in _SWIFT_HOMES for folder in table.folders(f"{home}/{name}"))
    home = kit.nearest(kit.parent(path), folders)
    return kit.files(table.inside(home, (".swift",)) if home is not None else ()) or kit.package(name)


def haskell(path: str, item: RawImport, table: FileTable) -> Targets:
    """Return the file whose path ends with the dotted name, else a package of that name."""
    name = item.module.strip()
    tail = name.replace(".", "/")
    offered = table.matches(f"{tail}.hs", f"{tail}.lhs", f"{tail}.hsc")
    return kit.file_or_package(kit.nearest(kit.parent(path), offered), name)


def zig(path: str, item: RawImport, table: FileTable) -> Targets:
    """Return the file an ``@import`` names, else a package."""
    name = kit.unquoted(item.module)
    if not name.endswith((".zig", ".zon")):
        return kit.package(name)
    return kit.file_or_unresolved(table.first((kit.join(kit.parent(path), name),)), name)
