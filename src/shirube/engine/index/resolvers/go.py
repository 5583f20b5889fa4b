"""Go: an import is a package directory, below the module that ``go.mod`` names."""

import re
from collections.abc import Iterator

from msgspec import Struct

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)', re.MULTILINE)
_REQUIRED = re.compile(r'^\s*(?:require\s+)?"?([^\s"()/]+\.[^\s"()]+)"?\s+v\d', re.MULTILINE)
_HOSTED = 3
"""Segments of a repository's address (``github.com/owner/name``), for projects without a ``go.mod``."""


class _Modules(Struct, frozen=True):
    homes: dict[str, tuple[str, ...]]
    """Module path → directories; more than one when test data repeats it."""
    required: frozenset[str]


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the files of the imported package, or the module it comes from."""
    name = kit.unquoted(item.module)
    directory = kit.parent(path)
    if name.startswith("."):
        base = kit.join(directory, name)
        sources = _sources(base, table) if base is not None else ()
        return kit.files(sources) or kit.unresolved(item.module)
    modules = table.once(_read)
    for folder in _folders(directory, name, modules, table):
        if sources := _sources(folder, table):
            return kit.files(sources)
    for prefix in _prefixes(name):
        if prefix in modules.required:
            return kit.package(prefix)
        if prefix in modules.homes:  # a directory of our own module is missing
            return kit.unresolved(name)
    return kit.package(name)


def _read(table: FileTable) -> _Modules:
    texts = table.named("go.mod")
    homes = kit.grouped((match[1], home) for home, text in texts.items() if (match := _MODULE.search(text)))
    return _Modules(homes, frozenset(name for text in texts.values() for name in _REQUIRED.findall(text)))


def _folders(directory: str, name: str, modules: _Modules, table: FileTable) -> Iterator[str]:
    """Return the directories an import may refer to: below our modules, vendored, or by the repository's address."""
    for module in _prefixes(name):
        homes = modules.homes.get(module, ())
        for home in sorted(homes, key=lambda home: (-kit.shared(home, directory), home)):
            yield kit.under(home, name[len(module) + 1 :])
    if "vendor" in table.directories or table.folders("vendor"):
        yield from (kit.under(above, f"vendor/{name}") for above in kit.ancestors(directory))
    if not modules.homes and name.count("/") >= _HOSTED:
        yield name.split("/", _HOSTED)[_HOSTED]


def _prefixes(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition("/")[0]


def _sources(folder: str, table: FileTable) -> tuple[str, ...]:
    return tuple(path for path in table.inside(folder, (".go",)) if not path.endswith("_test.go"))
