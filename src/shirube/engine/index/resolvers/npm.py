"""The npm packages of the project itself: found by the name in their ``package.json``."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from shirube.engine.index.resolvers.jsonc import part, read_object, strings
from shirube.engine.index.resolvers.paths import ancestors, nearest, under
from shirube.engine.index.resolvers.probe import built, entry, probe
from shirube.engine.index.resolvers.table import FileTable

_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


class Packages(Struct, frozen=True):
    """Every ``package.json``, by directory and by name."""

    manifests: dict[str, dict[str, Any]]
    directories: dict[str, tuple[str, ...]]
    """Where packages of a name live; more than one when fixtures repeat it."""
    dependencies: frozenset[str]
    """Names any of them depends on."""


def packages(table: FileTable) -> Packages:
    """Read the manifests; call it through ``table.once``."""
    manifests = {
        directory: read_object(text)
        for directory, text in table.named("package.json").items()
        if "node_modules" not in directory.split("/")
    }
    directories: dict[str, tuple[str, ...]] = {}
    for directory, manifest in manifests.items():
        name = manifest.get("name")
        if isinstance(name, str):
            directories[name] = (*directories.get(name, ()), directory)
    wanted = (name for manifest in manifests.values() for key in _DEPENDENCIES for name in part(manifest, key))
    return Packages(manifests, directories, frozenset(wanted))


def package_name(name: str) -> str:
    """The package a bare name belongs to: ``@scope/pkg/sub`` → ``@scope/pkg``, ``lodash/fp`` → ``lodash``."""
    segments = name.split("/")
    return "/".join(segments[:2]) if name.startswith("@") else segments[0]


def through_workspace(directory: str, name: str, table: FileTable) -> str | None:
    """The file of a sibling package that a bare name means."""
    known = table.once(packages)
    owner = package_name(name)
    if owner not in known.directories:
        return None
    candidates = {under(home, "package.json"): home for home in known.directories[owner]}
    closest = nearest(directory, candidates)
    if closest is None:
        return None
    home = candidates[closest]
    inner = name[len(owner) :].strip("/")
    manifest = known.manifests[home]
    return _inner(home, inner, manifest, table) if inner else entry(home, manifest, table)


def through_imports(directory: str, name: str, table: FileTable) -> str | None:
    """The file of a ``#name``, by the ``imports`` of the nearest manifest."""
    manifests = table.once(packages).manifests
    home = next((above for above in ancestors(directory) if above in manifests), None)
    if home is None:
        return None
    return _first(home, _mapped(part(manifests[home], "imports"), name), table)


def _inner(home: str, inner: str, manifest: dict[str, Any], table: FileTable) -> str | None:
    exported = _first(home, _mapped(part(manifest, "exports"), f"./{inner}"), table)
    return exported or probe(under(home, inner), table) or probe(under(home, f"src/{inner}"), table)


def _first(home: str, written: Iterator[str], table: FileTable) -> str | None:
    return next((path for text in written if (path := built(home, text, table))), None)


def _mapped(mapping: dict[str, Any], name: str) -> Iterator[str]:
    """What ``exports`` or ``imports`` give for a name: the exact key, else the longest matching pattern."""
    if name in mapping:
        yield from strings(mapping[name])
        return
    for key in sorted(mapping, key=len, reverse=True):
        prefix, star, suffix = key.partition("*")
        if star and name.startswith(prefix) and name.endswith(suffix) and len(name) >= len(prefix + suffix):
            middle = name[len(prefix) : len(name) - len(suffix)]
            yield from (text.replace("*", middle) for text in strings(mapping[key]))
            return
