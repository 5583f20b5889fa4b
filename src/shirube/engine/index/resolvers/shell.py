"""Shell: ``source`` of a file, often behind a variable that holds a directory."""

import re

from shirube.engine.index.resolvers.paths import ancestors, join, parent, sole
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, found, unquoted
from shirube.types import RawImport

_UNKNOWN = re.compile(r"^.*(?:\$\{[^}]*\}|\$\([^)]*\)+|\$\w+|`[^`]*`)[)}\"']*/?")
"""Everything up to the last expansion, whose value nobody knows."""


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the script behind one ``source``; a script is never a package."""
    written = unquoted(item.module)
    tail = _UNKNOWN.sub("", written).replace('"', "").replace("'", "")
    directory = parent(path)
    if not tail or tail.startswith(("/", "~")):
        return found(None, written, "include")
    joined = (join(above, tail) for above in ancestors(directory))
    script = table.first(base for base in joined if base)
    return found(script or sole(directory, table.matches(tail.lstrip("./"))), written, "include")
