"""Turn imports as written into edges between files, against the paths of the whole project.

The table holds one moment of the project. When a file appears or goes, or a manifest changes, the imports of
files that did not change may mean something else: compare fingerprints, and resolve all again if they differ.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from shirube.engine.index.resolvers import (
    c,
    csharp,
    elixir,
    go,
    html,
    javascript,
    jvm,
    lua,
    modules,
    php,
    python,
    ruby,
    rust,
    shell,
    styles,
)
from shirube.engine.index.resolvers.table import MANIFESTS, FileTable, fingerprint, is_manifest
from shirube.engine.index.resolvers.target import PATH, Resolver, Target, unresolved
from shirube.types import Edge, RawImport

__all__ = [
    "LANGUAGES",
    "MANIFESTS",
    "FileImports",
    "FileTable",
    "fingerprint",
    "is_manifest",
    "resolve",
    "resolve_file",
]

LANGUAGES: Mapping[str, Resolver] = {
    "astro": javascript.resolve,
    "bash": shell.resolve,
    "blade": php.view,
    "c": c.resolve,
    "cpp": c.resolve,
    "csharp": csharp.resolve,
    "css": styles.resolve,
    "elixir": elixir.resolve,
    "go": go.resolve,
    "groovy": jvm.resolve,
    "haskell": modules.haskell,
    "html": html.resolve,
    "java": jvm.resolve,
    "javascript": javascript.resolve,
    "kotlin": jvm.resolve,
    "less": styles.resolve,
    "lua": lua.resolve,
    "objc": c.resolve,
    "php": php.resolve,
    "python": python.resolve,
    "ruby": ruby.resolve,
    "rust": rust.resolve,
    "sass": styles.resolve,
    "scala": jvm.resolve,
    "scss": styles.resolve,
    "stylus": styles.resolve,
    "svelte": javascript.resolve,
    "swift": modules.swift,
    "tsx": javascript.resolve,
    "typescript": javascript.resolve,
    "vue": javascript.resolve,
    "zig": modules.zig,
}
"""Who reads the imports of which language; imports of other languages are left unresolved."""


class FileImports(Struct, frozen=True):
    """The imports of one file, as parsed."""

    language: str
    imports: tuple[RawImport, ...]


def resolve(imports: Mapping[str, FileImports], table: FileTable) -> dict[str, tuple[Edge, ...]]:
    """The edges of every file, by path; a file without any has an empty tuple."""
    return {path: resolve_file(path, file.language, file.imports, table) for path, file in imports.items()}


def resolve_file(path: str, language: str, imports: Iterable[RawImport], table: FileTable) -> tuple[Edge, ...]:
    """The edges of one file: each target once, at its first line, in the order of lines and then of names.

    The kind is "path" for a file of the table, "package" for something from elsewhere, and "unresolved" for
    what should be in the project and was not found.
    """
    read = LANGUAGES.get(language)
    lines: dict[Target, int] = {}
    for item in imports:
        targets = read(path, item, table) if read else unresolved(item.module)
        for target in targets:
            if target.name and item.line < lines.get(target, item.line + 1):
                lines[target] = item.line
    ordered = sorted((line, target) for target, line in lines.items() if target[:2] != (path, PATH))
    return tuple(Edge(path, name, kind, rel, line) for line, (name, kind, rel) in ordered)
