"""Which files can see what a file defines: by importing it, through others that hand it on, or as one package."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shirube.engine.graph.definitions import DIRECTORY_NAMES
from shirube.engine.store.port import Definition, Store
from shirube.types import Edge, RawImport, Symbol

STEPS = 6
"""How often a name may be handed on: package, sub-package, module; more is a cycle or a maze."""
MOST_FILES = 20_000
"""How many files are followed; a name that more of them can see is seen everywhere."""

BY_DIRECTORY = frozenset({"go", "java", "kotlin", "scala", "csharp", "php"})
"""Languages in which the files of a directory share their names."""
BY_PROJECT = frozenset({"swift"})
"""Languages in which all files of a module do."""
BY_INCLUDE = frozenset({"c", "cpp", "objc"})
"""Languages in which including a file means having all that it includes."""
LINKED = frozenset({"function", "variable", "constant"})
_TAIL = re.compile(r"[./\\]|::")
"""What the last part of a module's name follows."""
_STATIC = re.compile(r"(?:\w+\s+)*?static\b")
ALL = frozenset({"*", "default"})
"""Imports that may bring any name along."""


@dataclass(slots=True)
class Reach:
    """What is known about who can see a name; paths of the project."""

    definers: frozenset[str]
    named: set[str] = field(default_factory=set)
    """Files that import the name itself, or everything there is."""
    whole: set[str] = field(default_factory=set)
    """Files that import a module which has the name."""
    package: set[str] = field(default_factory=set)
    """Files that share a package with a definition."""
    sources: set[str] = field(default_factory=set)
    """Files that have the name to give: those that define it, and those that hand it on."""

    def sees(self, path: str) -> bool:
        """Tell whether a file can use the name by any of these ways."""
        return path in self.definers or path in self.named or path in self.whole or path in self.package


def reach_of(
    store: Store, name: str, found: Sequence[Definition], candidates: Collection[str], own: Collection[str] = ()
) -> Reach:
    """Find out who can see the definitions of a name; ``candidates`` are the files it is written in.

    A file of ``own`` defines the name for itself, so it hands on what it defines and not what it imports.
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
        _include(store, reach, Included(by_include, shared, set(candidates)))
    if others and (len(definers) > 1 or set(candidates) - definers):
        _import(store, reach, Wanted(name, frozenset(own), frozenset(candidates)), others)
    return reach


class Included(NamedTuple):
    """Definitions that are seen by including a file."""

    definers: list[str]
    shared: list[str]
    """Definers that others can use without including them, through a header or the linker, …"""
    candidates: set[str]
    """… and the files that may turn out to see the name."""


def _include(store: Store, reach: Reach, asked: Included) -> None:
    """Follow includes up; a source file is seen through the header of its name, as far as a linker sees it."""
    headers = {f"{path.rpartition('.')[0]}{ending}" for path in asked.shared for ending in (".h", ".hpp", ".hh")}
    met = set(asked.definers) | set(store.files(sorted(headers)))
    front = sorted(met)
    while front and len(met) < MOST_FILES and asked.candidates - met:
        found = {edge.source for edge in store.edges_to(*front)} - met
        met |= found
        front = sorted(found)
    reach.named |= met & asked.candidates


def is_linked(symbol: Symbol) -> bool:
    """Tell whether a linker of C knows a name: functions and variables of no other scope, unless they are static."""
    return symbol.kind in LINKED and not symbol.scope and not _STATIC.match(symbol.signature)


class Wanted(NamedTuple):
    """A name that is followed through imports."""

    name: str
    own: frozenset[str]
    """Files that define it for themselves, …"""
    candidates: frozenset[str]
    """… and those that may turn out to see it."""


def _import(store: Store, reach: Reach, wanted: Wanted, definers: list[str]) -> None:
    """Follow imports up, as long as the name is handed on.

    A file that is no candidate matters only if others import it in turn; most importers are the end of the chain.
    """
    name, own = wanted.name, wanted.own
    sources, front = set(definers), sorted(definers)
    for _ in range(STEPS):
        edges = [edge for edge in store.edges_to(*front) if edge.kind == "path" and edge.source not in sources]
        users = {edge.source for edge in edges}
        asked = users & wanted.candidates
        importers = sorted(asked | store.imported(sorted(users - asked)))
        if not importers or len(sources) > MOST_FILES:
            return
        imports = store.imports(importers)
        leading = _by_source(edges, store.edges(*importers))
        stems = module_names(sources)
        handed = set()
        for path in importers:
            taken = _taken(imports.get(path, ()), leading[path], sources, stems)
            names = {imported for raw in taken for imported in raw.names}
            elsewhere = name not in names and any(name in raw.names for raw in imports.get(path, ()))
            if name in names or (ALL & names and not elsewhere):
                reach.named.add(path)
                handed |= {path} - own
            if not names or any(not raw.names for raw in taken) or "*" in names or names - {name}:
                reach.whole.add(path)
        sources |= handed
        reach.sources |= handed
        front = sorted(handed)


def _by_source(wanted: list[Edge], every: tuple[Edge, ...]) -> dict[str, list[Edge]]:
    """Return all edges of the files that have one of the wanted ones."""
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in every:
        found[edge.source].append(edge)
    for edge in wanted:
        found.setdefault(edge.source, [edge])
    return found


def _taken(
    imports: tuple[RawImport, ...], edges: list[Edge], sources: set[str], stems: frozenset[str]
) -> list[RawImport]:
    """Return the imports that lead to one of the sources.

    An edge is kept at the first line that made it: a line without one leads where the same module led before, or to a
    file that has the module's name.
    """
    by_line: dict[int, set[str]] = defaultdict(set)
    for edge in edges:
        by_line[edge.line].add(edge.target)
    by_module: dict[str, set[str]] = defaultdict(set)
    for raw in imports:
        by_module[raw.module] |= by_line[raw.line]

    def leads(raw: RawImport) -> bool:
        if targets := by_line[raw.line] or by_module[raw.module]:
            return bool(targets & sources)
        return not raw.module.strip("./") or _TAIL.split(raw.module)[-1] in stems

    return list(filter(leads, imports))


def module_names(paths: Iterable[str]) -> frozenset[str]:
    """Return every name by which one of the files may be called before a dot.

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
