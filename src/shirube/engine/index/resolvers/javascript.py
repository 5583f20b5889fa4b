"""JavaScript and TypeScript: relative paths, aliases, ``#imports``, sibling packages, npm."""

import re

from shirube.engine.index.resolvers.npm import package_name, through_imports, through_workspace
from shirube.engine.index.resolvers.paths import ancestors, join, parent, under
from shirube.engine.index.resolvers.probe import probe
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, found, package, unquoted, unresolved
from shirube.engine.index.resolvers.tsconfig import matches_alias, through_alias
from shirube.types import RawImport

_HOME = ("@/", "~/", "~~/", "@@/")
"""Prefixes that bundlers take for the application's own root when nothing is configured."""
_PUBLIC = ("", "public", "static", "src", "app")
_REGISTRY = re.compile(r"(?:npm|jsr):/?((?:@[^/@]+/)?[^/@]+)")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file or package behind one module specifier."""
    name = _bare(item.module)
    directory = parent(path)
    if name.startswith("."):
        return found(probe(join(directory, name), table), item.module)
    if name.startswith("/") and not name.startswith("//"):
        return found(_served(directory, name[1:], table), item.module)
    if name.startswith("#"):
        own = through_imports(directory, name, table) or through_alias(directory, name, table)
        return found(own, item.module)
    return _named(directory, name, table)


def _bare(module: str) -> str:
    """Without quotes, loader prefix and query: ``raw-loader!./a.txt?inline`` → ``./a.txt``."""
    name = unquoted(module).rpartition("!")[2]
    return name.partition("?")[0]


def _served(directory: str, name: str, table: FileTable) -> str | None:
    """A path from the server's root, which is some directory above the file or its ``public``."""
    bases = (under(under(above, folder), name) for above in ancestors(directory) for folder in _PUBLIC)
    return next((path for base in bases if (path := probe(base, table))), None)


def _named(directory: str, name: str, table: FileTable) -> Targets:
    if not name:
        return ()
    if name.startswith("node:"):
        return package(package_name(name.removeprefix("node:")))
    if path := through_alias(directory, name, table) or through_workspace(directory, name, table):
        return files((path,))
    if name.startswith(_HOME):
        return found(_served(directory, name.partition("/")[2], table), name)
    if matches_alias(directory, name, table):
        return unresolved(name)
    return package(_distribution(name))


def _distribution(name: str) -> str:
    if registry := _REGISTRY.match(name):
        return registry[1]
    return name if ":" in name or name.startswith("//") else package_name(name)
