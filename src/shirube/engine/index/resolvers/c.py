"""C, C++ and Objective-C: resolves quoted includes from the file upwards, and angled ones from include folders."""

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_INCLUDE_FOLDERS = ("include", "inc", "includes", "Include", "src", "Sources", "lib", "headers")
_SYSTEM_FOLDERS = frozenset({"sys", "net", "netinet", "arpa", "bits", "asm", "linux", "experimental", "ext", "mach"})
"""First segments of system headers that are not names of libraries."""


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the header behind one ``#include``."""
    written = item.module.strip()
    system = written.startswith("<")
    name = written.strip("<>\"' ").replace("\\", "/")
    if not name:
        return ()
    header = table.once(_header, kit.parent(path), name, system)
    if header is not None:
        return kit.files((header,), "include")
    if not system:
        return kit.unresolved(name, "include")
    first, slash, _ = name.partition("/")  # boost/asio.hpp: boost; sys/types.h and stdio.h stay whole
    return kit.package(first if slash and first not in _SYSTEM_FOLDERS else name, "include")


def _header(table: FileTable, directory: str, name: str, system: bool) -> str | None:
    """Look beside the file when quoted, then in an include folder above it, then anywhere in the project."""
    beside = kit.join(directory, name)
    if beside in table.paths and (not system or name.startswith(".")):
        return beside
    tail = name.lstrip("./")
    offered = table.matches(tail)
    if ".." in name or not offered:
        return kit.sole(directory, offered)
    if included := kit.from_homes(directory, _INCLUDE_FOLDERS, (tail,), table):
        return included
    homes = ((path, path[: -len(tail)].strip("/").rpartition("/")[2]) for path in offered)
    if path := kit.nearest(directory, (path for path, home in homes if home in _INCLUDE_FOLDERS[:4])):
        return path
    if system and "/" not in tail:
        return kit.nearest(directory, (path for path in offered if kit.contains(kit.parent(path), directory)))
    return kit.nearest(directory, offered) if "/" in tail else kit.sole(directory, offered)
