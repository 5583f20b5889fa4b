"""JavaScript and TypeScript: relative paths, aliases, ``#imports``, sibling packages, npm."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_HOME = ("@/", "~/", "~~/", "@@/")
"""Prefixes that bundlers map to the application's root by default."""
_PUBLIC = ("", "public", "static", "src", "app")
_REGISTRY = re.compile(r"(?:npm|jsr):/?((?:@[^/@]+/)?[^/@]+)")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file or package behind one module specifier."""
    # Without loader prefix and query: ``raw-loader!./a.txt?inline`` → ``./a.txt``
    name = kit.unquoted(item.module).rpartition("!")[2].partition("?")[0]
    directory = kit.parent(path)
    if name.startswith("."):
        return kit.file_or_unresolved(probe(kit.join(directory, name), table), item.module)
    if name.startswith("/") and not name.startswith("//"):
        return kit.file_or_unresolved(_served(directory, name[1:], table), item.module)
    if name.startswith("#"):
        own = through_imports(directory, name, table) or through_alias(directory, name, table)
        return kit.file_or_unresolved(own, item.module)
    return _named(directory, name, table)


def _served(directory: str, name: str, table: FileTable) -> str | None:
    """Resolve a path from the server's root, which is some directory above the file, or its ``public``."""
    bases = (kit.under(kit.under(above, folder), name) for above in kit.ancestors(directory) for folder in _PUBLIC)
    return next((path for base in bases if (path := probe(base, table))), None)


def _named(directory: str, name: str, table: FileTable) -> Targets:
    if not name:
        return ()
    if name.startswith("node:"):
        return kit.package(package_name(name.removeprefix("node:")))
    if path := through_alias(directory, name, table) or through_workspace(directory, name, table):
        return kit.files((path,))
    if name.startswith(_HOME):
        return kit.file_or_unresolved(_served(directory, name.partition("/")[2], table), name)
    if matches_alias(directory, name, table):
        return kit.unresolved(name)
    return kit.package(_distribution(name))


def _distribution(name: str) -> str:
    if registry := _REGISTRY.match(name):
        return registry[1]
    return name if ":" in name or name.startswith("//") else package_name(name)


# --- finding the file for a path without extension -------------------------------------------------------

EXTENSIONS = (
    *(".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json"),
    *(".vue", ".svelte", ".astro"),
)
_WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
"""Extension in an import → source extensions: TypeScript is imported by the name of the compiled file."""
_ENTRIES = ("source", "types", "typings", "module", "main")
_BUILT = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "es"})


def probe(base: str | None, table: FileTable) -> str | None:
    """Return the file a path refers to: the path itself, with an extension, the directory's entry, or its index."""
    return table.once(_probe, base) if base is not None else None


def _probe(table: FileTable, base: str) -> str | None:
    path = _plain(base, table)
    if path or base not in table.directories:
        return path
    text = table.manifests.get(kit.under(base, "package.json"))
    if text is not None:
        return entry(base, kit.read_object(text), table)
    return _with_extension(kit.under(base, "index"), table)


def _plain(base: str, table: FileTable) -> str | None:
    if base in table.paths:
        return base
    stem, dot, extension = base.rpartition(".")
    written = (stem + other for other in _WRITTEN_FOR.get(dot + extension, ()))
    return table.first(written) or _with_extension(base, table)


def _with_extension(base: str, table: FileTable) -> str | None:
    return table.first(base + extension for extension in EXTENSIONS)


def entry(directory: str, manifest: dict[str, Any], table: FileTable) -> str | None:
    """Return the file a package's manifest names as its entry, or the source it is built from."""
    exports = manifest.get("exports")
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        exports = exports.get(".")
    named = [text for key in _ENTRIES if isinstance(text := manifest.get(key), str)]
    for written in (*kit.strings(exports), *named):
        if path := built(directory, written, table):
            return path
    source = _with_extension(kit.under(directory, "src/index"), table)
    return source or _with_extension(kit.under(directory, "index"), table)


def built(directory: str, written: str, table: FileTable) -> str | None:
    """Return a path of a manifest, or the source file it is built from: ``dist/a.js`` → ``src/a.ts``."""
    base = kit.join(directory, written)
    if base is None or base == directory:
        return None
    return _plain(base, table) or table.first(_sources(directory, base))


def _sources(directory: str, base: str) -> Iterator[str]:
    """Yield possible sources of a built file: ``dist/a.d.ts`` and ``dist/esm/a.js`` both come from ``src/a.ts``."""
    segments = base[len(directory) :].strip("/").split("/")
    while len(segments) > 1 and segments[0] in _BUILT:
        segments = segments[1:]
    stem = "/".join(segments)
    for ending in (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx"):
        if stem.endswith(ending):
            stem = stem.removesuffix(ending)
            break
    for folder in ("src/", ""):
        for extension in (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs"):
            yield kit.under(directory, folder + stem + extension)


# --- the npm packages of the project itself, found by the name in their package.json ---------------------

_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


class Packages(Struct, frozen=True):
    """Every ``package.json``, by directory and by name."""

    manifests: dict[str, dict[str, Any]]
    directories: dict[str, tuple[str, ...]]
    """Package name → directories; more than one when fixtures repeat it."""
    dependencies: frozenset[str]
    """Names that any of the packages depends on."""


def packages(table: FileTable) -> Packages:
    """Read the manifests; call it through ``table.once``."""
    manifests = {
        directory: kit.read_object(text)
        for directory, text in table.named("package.json").items()
        if "node_modules" not in directory.split("/")
    }
    named = ((manifest.get("name"), directory) for directory, manifest in manifests.items())
    directories = kit.grouped((name, directory) for name, directory in named if isinstance(name, str))
    wanted = (name for manifest in manifests.values() for key in _DEPENDENCIES for name in kit.part(manifest, key))
    return Packages(manifests, directories, frozenset(wanted))


def package_name(name: str) -> str:
    """Return the package a bare name belongs to: ``@scope/pkg/sub`` → ``@scope/pkg``, ``lodash/fp`` → ``lodash``."""
    segments = name.split("/")
    return "/".join(segments[:2]) if name.startswith("@") else segments[0]


def through_workspace(directory: str, name: str, table: FileTable) -> str | None:
    """Return the file of a sibling package that a bare name refers to."""
    known = table.once(packages)
    owner = package_name(name)
    if owner not in known.directories:
        return None
    candidates = {kit.under(home, "package.json"): home for home in known.directories[owner]}
    closest = kit.nearest(directory, candidates)
    if closest is None:
        return None
    home = candidates[closest]
    inner = name[len(owner) :].strip("/")
    manifest = known.manifests[home]
    if not inner:
        return entry(home, manifest, table)
    exported = _first(home, _mapped(kit.part(manifest, "exports"), f"./{inner}"), table)
    return exported or probe(kit.under(home, inner), table) or probe(kit.under(home, f"src/{inner}"), table)


def through_imports(directory: str, name: str, table: FileTable) -> str | None:
    """Return the file of a ``#name``, by the ``imports`` of the nearest manifest."""
    manifests = table.once(packages).manifests
    home = next((above for above in kit.ancestors(directory) if above in manifests), None)
    if home is None:
        return None
    return _first(home, _mapped(kit.part(manifests[home], "imports"), name), table)


def _first(home: str, written: Iterator[str], table: FileTable) -> str | None:
    return next((path for text in written if (path := built(home, text, table))), None)


def _mapped(mapping: dict[str, Any], name: str) -> Iterator[str]:
    """Return what ``exports`` or ``imports`` has for a name: the exact key, else the longest matching pattern."""
    if name in mapping:
        yield from kit.strings(mapping[name])
        return
    for key in sorted(mapping, key=len, reverse=True):
        prefix, star, suffix = key.partition("*")
        if star and name.startswith(prefix) and name.endswith(suffix) and len(name) >= len(prefix + suffix):
            middle = name[len(prefix) : len(name) - len(suffix)]
            yield from (text.replace("*", middle) for text in kit.strings(mapping[key]))
            return


# --- path aliases of tsconfig.json and jsconfig.json, with what they extend ------------------------------

_EXTENDS_LIMIT = 8
"""How far a chain of ``extends`` is followed: real chains have two or three links, and a cycle must end."""


class Alias(Struct, frozen=True):
    """One pattern of ``paths``; without a star the suffix is None and the whole name must match."""

    prefix: str
    suffix: str | None
    targets: tuple[str, ...]
    """Project paths, with a star in place of the matched part."""

    def expand(self, name: str) -> Iterator[str]:
        """Return the project paths that the alias gives for a name; empty when it does not match."""
        if self.suffix is None:
            yield from self.targets if name == self.prefix else ()
        elif name.startswith(self.prefix) and name.endswith(self.suffix):
            inner = name[len(self.prefix) : len(name) - len(self.suffix)]
            yield from (target.replace("*", inner, 1) for target in self.targets)


class Aliases(Struct, frozen=True):
    """How the configuration of one directory resolves names that do not start with a dot."""

    patterns: tuple[Alias, ...] = ()
    base: str | None = None
    """``baseUrl`` as a project path."""


def through_alias(directory: str, name: str, table: FileTable) -> str | None:
    """Return the file a name refers to by the aliases of a directory or of those above it."""
    for aliases in _in_force(directory, table):
        targets = [target for pattern in aliases.patterns for target in pattern.expand(name)]
        if aliases.base is not None:
            targets.append(kit.under(aliases.base, name))
        for target in targets:
            if path := probe(target, table):
                return path
    return None


def matches_alias(directory: str, name: str, table: FileTable) -> bool:
    """Tell whether an alias matches the name; then a missing file is not mistaken for a package."""
    patterns = (pattern for aliases in _in_force(directory, table) for pattern in aliases.patterns)
    return any(pattern.prefix and any(pattern.expand(name)) for pattern in patterns)


def _in_force(directory: str, table: FileTable) -> list[Aliases]:
    """Return the aliases of a directory and those above it, nearest first."""
    configured = table.once(_read_all)
    return [configured[above] for above in kit.ancestors(directory) if above in configured] if configured else []


def _read_all(table: FileTable) -> dict[str, Aliases]:
    """Read the aliases of each directory; ``tsconfig.json`` takes precedence over ``tsconfig.app.json``."""
    by_directory: dict[str, Aliases] = {}
    paths = [path for path in table.manifests if "sconfig" in path.rpartition("/")[2]]
    for path in sorted(paths, key=lambda path: (len(path), path)):
        patterns, base = _read(path, table, _EXTENDS_LIMIT)
        if not patterns and base is None:
            continue
        directory = kit.parent(path)
        before = by_directory.get(directory, Aliases())
        known = {(pattern.prefix, pattern.suffix) for pattern in before.patterns}
        more = [pattern for pattern in patterns if (pattern.prefix, pattern.suffix) not in known]
        by_directory[directory] = Aliases(
            tuple(sorted((*before.patterns, *more), key=lambda pattern: (-len(pattern.prefix), pattern.prefix))),
            before.base if before.base is not None else base,
        )
    return by_directory


def _read(path: str, table: FileTable, left: int) -> tuple[tuple[Alias, ...], str | None]:
    config = kit.read_object(table.manifests.get(path, ""))
    options = kit.part(config, "compilerOptions")
    directory = kit.parent(path)
    written = options.get("baseUrl")
    base = kit.join(directory, written) if isinstance(written, str) else None
    start = base if base is not None else directory
    patterns: tuple[Alias, ...] = ()
    for name, written in kit.part(options, "paths").items():
        joined = (kit.join(start, text) for text in kit.strings(written) if "node_modules" not in text)
        prefix, star, suffix = name.partition("*")
        targets = tuple(target for target in joined if target is not None)
        patterns += (Alias(prefix, suffix if star else None, targets),)
    for extended in reversed(kit.strings(config.get("extends"))):
        near = kit.join(directory, extended) if extended.startswith(".") else None
        above = table.first((near, f"{near}.json", f"{near}/tsconfig.json")) if near is not None else None
        if above and left and (not patterns or base is None):
            inherited = _read(above, table, left - 1)
            patterns = patterns or inherited[0]
            base = base if base is not None else inherited[1]
    return patterns, base
