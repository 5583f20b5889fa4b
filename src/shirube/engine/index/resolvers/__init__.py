"""Which file does this import mean? Turns imports as written into edges between the files of the project.

A resolver is a pure function ``(importing path, raw import, file table) → targets``: files that exist, packages from
elsewhere, or "unresolved". To add a language, write a resolver and add it to ``LANGUAGES``. A rule of a few lines goes
into ``small.py``; a language with manifests or longer rules gets a module of its own. ``toolkit.py`` has what a
resolver needs: the file table, functions on paths, and constructors for targets.

The table describes the project at one moment. When a file is added or removed, or a manifest changes, the imports of
unchanged files may resolve to other files, so resolve all of them again.
"""

from collections.abc import Iterable, Mapping

from shirube.engine.index.resolvers import c, csharp, go, javascript, jvm, php, python, rust, small, web
from shirube.engine.index.resolvers.toolkit import PATH, FileTable, ImportTarget, Resolver, unresolved
from shirube.types import Edge, RawImport

LANGUAGES: Mapping[str, Resolver] = {
    **dict.fromkeys(("astro", "javascript", "svelte", "tsx", "typescript", "vue"), javascript.resolve),
    **dict.fromkeys(("c", "cpp", "objc"), c.resolve),
    **dict.fromkeys(("css", "less", "sass", "scss", "stylus"), web.styles),
    **dict.fromkeys(("groovy", "java", "kotlin", "scala"), jvm.resolve),
    "bash": small.shell,
    "blade": php.view,
    "csharp": csharp.resolve,
    "elixir": small.elixir,
    "go": go.resolve,
    "haskell": small.haskell,
    "html": web.html,
    "lua": small.lua,
    "php": php.resolve,
    "python": python.resolve,
    "ruby": small.ruby,
    "rust": rust.resolve,
    "swift": small.swift,
    "zig": small.zig,
}
"""Language → the resolver of its imports; imports of other languages are left unresolved."""


def resolve_file(path: str, language: str, imports: Iterable[RawImport], table: FileTable) -> tuple[Edge, ...]:
    """Return the edges of one file: each target once, at its first line, in the order of lines and then of names.

    The kind is "path" for a file of the table, "package" for something from elsewhere, and "unresolved" for
    what should be in the project and was not found.
    """
    resolve = LANGUAGES.get(language)
    lines: dict[ImportTarget, int] = {}
    for item in imports:
        targets = resolve(path, item, table) if resolve else unresolved(item.module)
        for target in targets:
            if target.name and item.line < lines.get(target, item.line + 1):
                lines[target] = item.line
    ordered = sorted((line, target) for target, line in lines.items() if target[:2] != (path, PATH))
    return tuple(Edge(path, name, kind, rel, line) for line, (name, kind, rel) in ordered)
