"""Finds which files can see a definition: by importing it, through files that re-export it, or in the same package."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from shirube.engine.graph.definitions import DIRECTORY_NAMES
from shirube.engine.store.port import Definition
from shirube.engine.store.store import Store
from shirube.types import Edge, RawImport, Symbol

STEPS = 6
"""How many re-exports of a name are followed: package, sub-package, module; a longer chain is usually a cycle."""
MOST_FILES = 20_000
"""How many files are followed before the search stops; a name that more files see is seen everywhere."""

BY_DIRECTORY = frozenset({"go", "java", "kotlin", "scala", "csharp", "php"})
"""Languages in which all files of a directory see each other's names."""
BY_PROJECT = frozenset({"swift"})
"""Languages in which all files of the project see each other's names."""
BY_INCLUDE = frozenset({"c", "cpp", "objc"})
"""Languages in which including a file also includes everything that file includes."""
LINKED = frozenset({"function", "variable", "constant"})
"""Kinds that a C linker makes visible to other files."""
_SEPARATORS = re.compile(r"[./\\]|::")
"""Separators between the parts of a module's name."""
_STATIC = re.compile(r"(?:\w+\s+)*?static\b")
ALL = frozenset({"*", "default"})
"""Imported names that may stand for any name."""


@dataclass(slots=True)
class Reach:
    """Which files can see a name, and how; all are project paths."""

    definers: frozenset[str]
    named: set[str] = field(default_factory=set)
    """Files that import the name itself, or everything from a module that has it."""
    whole: set[str] = field(default_factory=set)
    """Files that import a module that has the name."""
    package: set[str] = field(default_factory=set)
    """Files that share a package with a definition."""
    sources: set[str] = field(default_factory=set)
    """Files the name can be imported from: those that define it, and those that re-export it."""

    def sees(self, path: str) -> bool:
        """Tell whether a file can see the name in any of these ways."""
        return path in self.definers or path in self.named or path in self.whole or path in self.package


def reach_of(
    store: Store, name: str, found: Sequence[Definition], candidates: Collection[str], own: Collection[str] = ()
) -> Reach:
    """Find the files that can see the definitions of a name; ``candidates`` are the files that contain it.

    A file in ``own`` has its own definition of the name, so it re-exports that one and not what it imports.
    """
    definers = frozenset(definition.path for definition in found)
    languages = {path: record.language for path, record in store.files(sorted(definers)).items()}
    reach = Reach(definers, sources=set(definers))
    by_include = [path for path in definers if languages.get(path) in BY_INCLUDE]
    shared = [known.path for known in found if is_linked(known.symbol) or not known.path.endswith(".c")]
    others = [path for path in definers if languages.get(path) not in BY_INCLUDE]
    folders = {path.rpartition("/")[0] for path, language in languages.items() if language in BY_DIRECTORY}
    everywhere = any(language in BY_PROJECT for language in languages.values())
    reach.package.update(path for path in candidates if everywhere or path.rpartition("/")[0] in folders)
    if by_include:
        _include(store, reach, by_include, shared, set(candidates))
    if others and (len(definers) > 1 or set(candidates) - definers):
        _import(store, reach, name, others, set(candidates), own)
    return reach


def _include(store: Store, reach: Reach, definers: list[str], shared: list[str], candidates: set[str]) -> None:
    """Follow includes from included to including files; a linked source file is visible through its header.

    Others can use the ``shared`` definers without including them: through a header or the linker.
    """
    headers = {f"{path.rpartition('.')[0]}{ending}" for path in shared for ending in (".h", ".hpp", ".hh")}
    visited = set(definers) | set(store.files(sorted(headers)))
    front = sorted(visited)
    while front and len(visited) < MOST_FILES and candidates - visited:
        includers = {edge.source for edge in store.edges_to(*front)} - visited
        visited |= includers
        front = sorted(includers)
    reach.named |= visited & candidates


def is_linked(symbol: Symbol) -> bool:
    """Tell whether C's linker exports a symbol: a function or variable at the top level that is not static."""
    return symbol.kind in LINKED and not symbol.scope and not _STATIC.match(symbol.signature)


def _import(
    store: Store, reach: Reach, name: str, definers: list[str], candidates: set[str], own: Collection[str]
) -> None:
    """Follow imports from imported to importing files, as long as the name is re-exported.

    A file that is no candidate matters only if others import it in turn; most importers end the chain.
    """
    sources, front = set(definers), sorted(definers)
    for _ in range(STEPS):
        edges = [edge for edge in store.edges_to(*front) if edge.kind == "path" and edge.source not in sources]
        users = {edge.source for edge in edges}
        asked = users & candidates
        importers = sorted(asked | store.imported(sorted(users - asked)))
        if not importers or len(sources) > MOST_FILES:
            return
        imports = store.imports(importers)
        leading: dict[str, list[Edge]] = defaultdict(list)
        for edge in store.edges(*importers):
            leading[edge.source].append(edge)
        for edge in edges:
            leading.setdefault(edge.source, [edge])
        stems = module_names(sources)
        reexporters = set()
        for path in importers:
            matching = _imports_of(imports.get(path, ()), leading[path], sources, stems)
            names = {imported for raw in matching for imported in raw.names}
            elsewhere = name not in names and any(name in raw.names for raw in imports.get(path, ()))
            if name in names or (ALL & names and not elsewhere):
                reach.named.add(path)
                if path not in own:
                    reexporters.add(path)
            if not names or any(not raw.names for raw in matching) or "*" in names or names - {name}:
                reach.whole.add(path)
        sources |= reexporters
        reach.sources |= reexporters
        front = sorted(reexporters)


def _imports_of(
    imports: tuple[RawImport, ...], edges: list[Edge], sources: set[str], stems: frozenset[str]
) -> list[RawImport]:
    """Return the imports that resolve to one of the sources.

    The index stores an edge only at the first line that imports its target. So a line without an edge resolves to where
    the same module resolved before, or to a file that has the module's name.
    """
    by_line: dict[int, set[str]] = defaultdict(set)
    for edge in edges:
        by_line[edge.line].add(edge.target)
    by_module: dict[str, set[str]] = defaultdict(set)
    for raw in imports:
        by_module[raw.module] |= by_line[raw.line]

    def resolves(raw: RawImport) -> bool:
        if targets := by_line[raw.line] or by_module[raw.module]:
            return bool(targets & sources)
        return not raw.module.strip("./") or _SEPARATORS.split(raw.module)[-1] in stems

    return list(filter(resolves, imports))


def module_names(paths: Iterable[str]) -> frozenset[str]:
    """Return every name that may refer to one of these files before a dot.

    That is the file's own name, or its directory's name for ``index.js`` and the like.
    """
    names: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        stem, above = name.partition(".")[0], folder.rpartition("/")[2]
        if name.endswith(".go"):
            names.update({above} - {""})
        else:
            names.update((stem, above) if stem in DIRECTORY_NAMES or name.endswith(".rs") else (stem,))
    return frozenset(names)
