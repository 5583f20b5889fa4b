"""Python: resolves absolute and relative imports, submodules, namespace packages and stubs."""

import sys

from msgspec import Struct

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_ENDINGS = ("/__init__.py", ".py", "/__init__.pyi", ".pyi", ".pyx", ".pxd")
_INITS = ("__init__.py", "__init__.pyi")
_SOURCES = frozenset({"src", "lib", "Lib", "python", "source"})
_ASIDE = frozenset(
    {"tests", "test", "testing", "testdata", "fixtures", "__fixtures__", "examples", "example", "vendor", "_vendor"}
)
"""Directories whose top-level modules are seldom imported by files outside them."""


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the modules behind one ``import`` or ``from … import``."""
    directory = kit.parent(path)
    if item.module.startswith("."):
        name = item.module.lstrip(".")
        up = "../" * (len(item.module) - len(name) - 1)
        base = kit.join(directory, up + name.replace(".", "/"))
        return kit.unresolved(item.module) if base is None else _imported(base, item, table)
    top = item.module.partition(".")[0]
    roots = table.once(_roots)
    if top not in roots.tops:
        return kit.package(top)
    for base in table.once(_bases, directory, item.module):
        if _means(base, path, item, table):
            return _imported(base, item, table)
    ours = any(kit.contains(root, directory) or _reachable(root, directory) for root in roots.owned.get(top, ()))
    return kit.unresolved(item.module) if ours and top not in sys.stdlib_module_names else kit.package(top)


def _imported(base: str, item: RawImport, table: FileTable) -> Targets:
    """Return the submodules imported by name, and the module itself when other names are imported from it."""
    own = _file(base, table)
    if own is not None and not own.endswith(_INITS):
        return kit.files((own,))
    inner = [file for name in item.names if (file := _file(kit.under(base, name), table))]
    if item.names and len(inner) == len(item.names):
        return kit.files(inner)
    return kit.files(inner) + (kit.files((own,)) if own is not None else kit.unresolved(item.module))


def _file(base: str, table: FileTable) -> str | None:
    return table.first(base + ending for ending in _ENDINGS) if base else table.first(_INITS)


# --- absolute imports --------------------------------------------------------------------------------------


class _Roots(Struct, frozen=True):
    """The top-level modules and packages of the project."""

    tops: frozenset[str]
    packages: frozenset[str]
    """Directories with an ``__init__``: a directory inside a package is no source root."""
    owned: dict[str, tuple[str, ...]]
    """Name → directories that contain the regular package of that name, when they are no packages themselves."""


def _roots(table: FileTable) -> _Roots:
    modules: set[str] = set()
    packages: set[str] = set()
    holders: set[str] = set()
    for directory in table.directories:
        inside = table.inside(directory, (".py", ".pyi", ".pyx"))
        if not inside:
            continue
        holders.update(kit.ancestors(directory))
        modules.update(path.rpartition("/")[2].partition(".")[0] for path in inside)
        if kit.under(directory, "__init__.py") in table.paths or kit.under(directory, "__init__.pyi") in table.paths:
            packages.add(directory)
    apart = (directory.rpartition("/") for directory in sorted(packages))
    owned = kit.grouped((name, root) for root, _, name in apart if root not in packages)
    tops = modules.union(directory.rpartition("/")[2] for directory in holders)
    return _Roots(frozenset(tops), frozenset(packages), owned)


def _bases(table: FileTable, directory: str, module: str) -> list[str]:
    """Return the paths a dotted name may refer to, best first: modules before bare directories, then the nearest."""
    tail, roots = module.replace(".", "/"), table.once(_roots)
    ranked = []
    for base in table.once(_offered, tail):
        root = base[: -len(tail)].rstrip("/")
        known = _file(base, table) is not None
        if _admits(root, module, directory, known, roots):
            far = (not known, any(_aside_parents(root)), -kit.shared(root, directory), root.count("/"))
            ranked.append((far, root not in _SOURCES, base))
    return [base for _, _, base in sorted(ranked)]


def _offered(table: FileTable, tail: str) -> tuple[str, ...]:
    """Return the modules (without extension) and directories whose path ends with the tail."""
    spelled = ((tail + ending, len(ending)) for ending in _ENDINGS)
    known = {path[:-cut] for name, cut in spelled for path in table.matches(name)}
    return tuple(sorted(known.union(table.folders(tail))))


def _means(base: str, path: str, item: RawImport, table: FileTable) -> bool:
    """Tell whether a path fits: it is not the importing file (``redis.py``), nor a directory without the names."""
    own = _file(base, table)
    if own is None:
        return any(_file(kit.under(base, name), table) for name in item.names)
    return own != path or own.endswith(_INITS)


def _admits(root: str, module: str, directory: str, known: bool, roots: _Roots) -> bool:
    """Tell whether a directory is a plausible source root for this name, for an import in this directory."""
    top, _, rest = module.partition(".")
    above = kit.contains(root, directory)
    if root and root in roots.packages:
        return above and bool(rest)
    if kit.under(root, top) in roots.packages:
        return above or (top not in sys.stdlib_module_names and _reachable(root, directory))
    if top in sys.stdlib_module_names and not rest:
        return above and root.endswith("Lib")
    if above or rest:
        return above or _reachable(root, directory)
    leaf = root.rpartition("/")[2]
    return known and (leaf in _SOURCES or kit.contains(kit.parent(root), directory))


def _reachable(root: str, directory: str) -> bool:
    """Tell whether a directory may import from a root: only neighbours import fixtures or vendored code."""
    return all(kit.contains(above, directory) for above in _aside_parents(root))


def _aside_parents(root: str) -> list[str]:
    return [above for above in kit.ancestors(root) if above.rpartition("/")[2] in _ASIDE]
