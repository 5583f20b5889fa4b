"""Which files can see what a file defines: by importing it, through others that hand it on, or as one package."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shirube.engine.store import Definition, Store
from shirube.types import Edge, RawImport, Symbol

STEPS = 6
"""How often a name may be handed on: package, sub-package, module; more is a cycle or a maze."""
MOST_FILES = 20_000
"""Files that are asked whom they import; beyond this a name is seen everywhere, and says nothing."""

BY_DIRECTORY = frozenset({"go", "java", "kotlin", "scala", "csharp", "php"})
"""Languages in which the files of a directory share their names."""
BY_PROJECT = frozenset({"swift"})
"""Languages in which all files of a module do."""
BY_INCLUDE = frozenset({"c", "cpp", "objc"})
"""Languages in which including a file means having all that it includes."""
LINKED = frozenset({"function", "variable", "constant"})
_STATIC = re.compile(r"(?:\w+\s+)*?static\b")
SCRIPTS = frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "astro"})
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
    definers = frozenset(one.path for one in found)
    languages = {path: record.language for path, record in store.files(sorted(definers)).items()}
    reach = Reach(definers, sources=set(definers))
    by_include = [path for path in definers if languages.get(path) in BY_INCLUDE]
    shared = [one.path for one in found if is_linked(one.symbol) or not one.path.endswith(".c")]
    others = [path for path in definers if languages.get(path) not in BY_INCLUDE]
    _share(reach, languages, candidates)
    if by_include:
        _include(store, reach, Included(by_include, shared, set(candidates)))
    if others and (len(definers) > 1 or set(candidates) - definers):
        _import(store, reach, Wanted(name, frozenset(own), frozenset(candidates)), others)
    return reach


def _share(reach: Reach, languages: dict[str, str], candidates: Collection[str]) -> None:
    folders = {_folder(path) for path, language in languages.items() if language in BY_DIRECTORY}
    everywhere = any(language in BY_PROJECT for language in languages.values())
    reach.package.update(path for path in candidates if everywhere or _folder(path) in folders)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


class Included(NamedTuple):
    """Definitions that are seen by including a file."""

    definers: list[str]
    shared: list[str]
    """Those of which others see what is in them without including them, …"""
    candidates: set[str]
    """… and the files of which it is asked whether they see it."""


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
    """A name whose way is followed."""

    name: str
    own: frozenset[str]
    """Files that define it for themselves, …"""
    candidates: frozenset[str]
    """… and those of which it is asked whether they see it."""


def _import(store: Store, reach: Reach, wanted: Wanted, definers: list[str]) -> None:
    """Follow imports up, as long as the name is handed on.

    A file that nobody asks about matters only if others import it in turn: most users of a name are the end of its way.
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
        stems = callings(sources)
        handed = set()
        for path in importers:
            taken = _taken(imports.get(path, ()), leading[path], sources, stems)
            names = {one for raw in taken for one in raw.names}
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
    return [raw for raw in imports if _leads(raw, by_line, by_module, sources, stems)]


def _leads(
    raw: RawImport,
    by_line: dict[int, set[str]],
    by_module: dict[str, set[str]],
    sources: set[str],
    stems: frozenset[str],
) -> bool:
    targets = by_line[raw.line] or by_module[raw.module]
    if targets:
        return bool(targets & sources)
    return not raw.module.strip("./") or _TAIL.split(raw.module)[-1] in stems


_TAIL = re.compile(r"[./\\]|::")


_HOLLOW = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that are called by the name of their directory."""


def _callings(path: str) -> tuple[str, ...]:
    """Return what a file may be called by: its own name, or that of its directory where that stands for it."""
    folder, _, name = path.rpartition("/")
    stem, above = name.partition(".")[0], folder.rpartition("/")[2]
    if name.endswith(".go"):
        return (above,) if above else ()
    return (stem, above) if stem in _HOLLOW or name.endswith(".rs") else (stem,)


def callings(paths: Iterable[str]) -> frozenset[str]:
    """Return every name by which one of the files may be called before a dot."""
    return frozenset(part for path in paths for part in _callings(path))
