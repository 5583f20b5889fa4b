"""Path aliases of ``tsconfig.json`` and ``jsconfig.json``, with what they extend."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from shirube.engine.index.resolvers.jsonc import part, read_object, strings
from shirube.engine.index.resolvers.paths import ancestors, join, parent, under
from shirube.engine.index.resolvers.probe import probe
from shirube.engine.index.resolvers.table import FileTable

_EXTENDS_LIMIT = 8
"""How far a chain of ``extends`` is followed: real ones are two or three long, broken ones circle."""


class Alias(Struct, frozen=True):
    """One pattern of ``paths``; without a star the suffix is None and the whole name must match."""

    prefix: str
    suffix: str | None
    targets: tuple[str, ...]
    """Project paths, a star where the matched part goes."""

    def expand(self, name: str) -> Iterator[str]:
        """The project paths the alias gives a name, none when it does not match."""
        if self.suffix is None:
            yield from self.targets if name == self.prefix else ()
        elif name.startswith(self.prefix) and name.endswith(self.suffix):
            inner = name[len(self.prefix) : len(name) - len(self.suffix)]
            yield from (target.replace("*", inner, 1) for target in self.targets)


class Aliases(Struct, frozen=True):
    """What one directory's configuration says about names that do not start with a dot."""

    patterns: tuple[Alias, ...] = ()
    base: str | None = None
    """``baseUrl`` as a project path."""


def through_alias(directory: str, name: str, table: FileTable) -> str | None:
    """The file a name means by the aliases in force in a directory, or in one above it."""
    configured = table.once(_read_all)
    if not configured:
        return None
    for above in ancestors(directory):
        aliases = configured.get(above)
        if aliases and (path := _apply(aliases, name, table)):
            return path
    return None


def matches_alias(directory: str, name: str, table: FileTable) -> bool:
    """Whether some alias claims the name, so that a missing file is not mistaken for a package."""
    configured = table.once(_read_all)
    return any(
        pattern.prefix and any(pattern.expand(name))
        for above in ancestors(directory)
        if above in configured
        for pattern in configured[above].patterns
    )


def _apply(aliases: Aliases, name: str, table: FileTable) -> str | None:
    for pattern in aliases.patterns:
        for target in pattern.expand(name):
            if path := probe(target, table):
                return path
    return probe(under(aliases.base, name), table) if aliases.base is not None else None


def _read_all(table: FileTable) -> dict[str, Aliases]:
    """One set of aliases per directory; ``tsconfig.json`` speaks before ``tsconfig.app.json``."""
    found: dict[str, Aliases] = {}
    paths = [path for path in table.manifests if "sconfig" in path.rpartition("/")[2]]
    for path in sorted(paths, key=lambda path: (len(path), path)):
        patterns, base = _read(path, table, _EXTENDS_LIMIT)
        if not patterns and base is None:
            continue
        directory = parent(path)
        before = found.get(directory, Aliases())
        known = {(pattern.prefix, pattern.suffix) for pattern in before.patterns}
        more = [pattern for pattern in patterns if (pattern.prefix, pattern.suffix) not in known]
        found[directory] = Aliases(
            tuple(sorted((*before.patterns, *more), key=lambda pattern: (-len(pattern.prefix), pattern.prefix))),
            before.base if before.base is not None else base,
        )
    return found


def _read(path: str, table: FileTable, left: int) -> tuple[tuple[Alias, ...], str | None]:
    config = read_object(table.manifests.get(path, ""))
    options = part(config, "compilerOptions")
    directory = parent(path)
    written = options.get("baseUrl")
    base = join(directory, written) if isinstance(written, str) else None
    patterns = tuple(_patterns(part(options, "paths"), base if base is not None else directory))
    for extended in reversed(strings(config.get("extends"))):
        above = _extended(directory, extended, table)
        if above and left and (not patterns or base is None):
            inherited = _read(above, table, left - 1)
            patterns = patterns or inherited[0]
            base = base if base is not None else inherited[1]
    return patterns, base


def _patterns(paths: dict[str, Any], base: str) -> Iterator[Alias]:
    for name, written in paths.items():
        joined = (join(base, text) for text in strings(written) if "node_modules" not in text)
        targets = tuple(target for target in joined if target is not None)
        prefix, star, suffix = name.partition("*")
        yield Alias(prefix, suffix if star else None, targets)


def _extended(directory: str, written: str, table: FileTable) -> str | None:
    if not written.startswith("."):
        return None
    base = join(directory, written)
    candidates = (base, f"{base}.json", f"{base}/tsconfig.json") if base is not None else ()
    return next((path for path in candidates if path in table.manifests), None)
