"""Which file a JavaScript path without its extension stands for."""

from collections.abc import Iterator
from typing import Any

from shirube.engine.index.resolvers.jsonc import read_object, strings
from shirube.engine.index.resolvers.paths import join, under
from shirube.engine.index.resolvers.table import FileTable

EXTENSIONS = (
    ".ts",
    ".tsx",
    ".d.ts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".mts",
    ".cts",
    ".json",
    ".vue",
    ".svelte",
    ".astro",
)
_WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
"""TypeScript is imported under the name of the file it compiles to."""
_ENTRIES = ("source", "types", "typings", "module", "main")
_BUILT = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "es"})


def probe(base: str | None, table: FileTable) -> str | None:
    """The file meant by a path: itself, with an extension, the directory's entry, or its index."""
    if base is None:
        return None
    seen = table.once(_seen)
    if base not in seen:
        seen[base] = _probe(base, table)
    return seen[base]


def entry(directory: str, manifest: dict[str, Any], table: FileTable) -> str | None:
    """The file a package's manifest names as its entry, or the source it is built from."""
    named = [text for key in _ENTRIES if isinstance(text := manifest.get(key), str)]
    for written in (*_root_exports(manifest), *named):
        if path := built(directory, written, table):
            return path
    return _with_extension(under(directory, "src/index"), table) or _with_extension(under(directory, "index"), table)


def built(directory: str, written: str, table: FileTable) -> str | None:
    """A path of a manifest, or the source file it is built from: ``dist/a.js`` → ``src/a.ts``."""
    base = join(directory, written)
    if base is None or base == directory:
        return None
    return _plain(base, table) or table.first(_sources(directory, base))


def _seen(_table: FileTable) -> dict[str, str | None]:
    return {}


def _probe(base: str, table: FileTable) -> str | None:
    path = _plain(base, table)
    if path or base not in table.directories:
        return path
    text = table.manifests.get(under(base, "package.json"))
    if text is not None:
        return entry(base, read_object(text), table)
    return _with_extension(under(base, "index"), table)


def _plain(base: str, table: FileTable) -> str | None:
    if base in table.paths:
        return base
    stem, dot, extension = base.rpartition(".")
    written = (stem + other for other in _WRITTEN_FOR.get(dot + extension, ()))
    return table.first(written) or _with_extension(base, table)


def _with_extension(base: str, table: FileTable) -> str | None:
    paths = table.paths
    for extension in EXTENSIONS:
        if base + extension in paths:
            return base + extension
    return None


def _root_exports(manifest: dict[str, Any]) -> tuple[str, ...]:
    exports = manifest.get("exports")
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        exports = exports.get(".")
    return strings(exports)


def _sources(directory: str, base: str) -> Iterator[str]:
    """``dist/a.d.ts`` and ``dist/esm/a.js`` are both made of ``src/a.ts``."""
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
            yield under(directory, folder + stem + extension)
