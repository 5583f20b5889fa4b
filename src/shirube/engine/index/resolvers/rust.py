"""Rust: resolves ``crate``, ``self`` and ``super`` paths, paths into other crates, and ``mod`` declarations.

A module is identified by the directory of its child modules: ``src/a`` for both ``src/a.rs`` and ``src/a/mod.rs``. The
child modules of a crate's root are beside it.
"""

import tomllib
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_ROOTS = ("lib.rs", "main.rs")
_OWN_ROOTS = ("tests", "examples", "benches", "src/bin")
"""Folders of a crate in which every file is a crate of its own."""


# --- the crates of the project, by their Cargo.toml ------------------------------------------------------

_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


class Crate(Struct, frozen=True):
    """One ``Cargo.toml`` with a package in it."""

    home: str
    name: str
    """The name in code, with ``_`` for ``-``."""
    library: str | None
    """The library's root file, when it exists."""
    programs: tuple[str, ...]
    """Root files of binaries, tests, examples and benches that the manifest lists with a path."""
    aliases: dict[str, str]
    """Name of a dependency in code → its package."""
    old_paths: bool
    """Whether it has edition 2015, where paths start at the crate's root."""


class Crates(Struct, frozen=True):
    """Every crate, by directory and by name."""

    by_home: dict[str, Crate]
    by_name: dict[str, tuple[Crate, ...]]

    def called(self, name: str, directory: str) -> Crate | None:
        """Return the crate with a name; of several, the one nearest to a directory."""
        offered = {kit.under(crate.home, "Cargo.toml"): crate for crate in self.by_name.get(name, ())}
        closest = kit.nearest(directory, offered)
        return offered[closest] if closest is not None else None


def crates(table: FileTable) -> Crates:
    """Read the manifests; call it through ``table.once``."""
    by_home: dict[str, Crate] = {}
    for home, text in table.named("Cargo.toml").items():
        try:
            manifest = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        name = kit.part(manifest, "package").get("name")
        if isinstance(name, str):
            by_home[home] = _read_crate(home, name, manifest, table)
    return Crates(by_home, kit.grouped((crate.name, crate) for crate in by_home.values()))


def _read_crate(home: str, name: str, manifest: dict[str, Any], table: FileTable) -> Crate:
    library = kit.part(manifest, "lib")
    written = library.get("path")
    root = kit.join(home, written) if isinstance(written, str) else kit.under(home, "src/lib.rs")
    own = library.get("name")
    return Crate(
        home,
        _ident(own if isinstance(own, str) else name),
        root if root in table.paths else None,
        tuple(path for path in _programs(home, manifest) if path in table.paths),
        _aliases(manifest),
        kit.part(manifest, "package").get("edition") in (None, "2015"),
    )


def _programs(home: str, manifest: dict[str, Any]) -> Iterator[str]:
    for key in ("bin", "test", "example", "bench"):
        written = manifest.get(key)
        for program in written if isinstance(written, list) else ():
            path = program.get("path") if isinstance(program, dict) else None
            if isinstance(path, str) and (joined := kit.join(home, path)):
                yield joined


def _aliases(manifest: dict[str, Any]) -> dict[str, str]:
    aliases: dict[str, str] = {}
    tables = [manifest, *(target for target in kit.part(manifest, "target").values() if isinstance(target, dict))]
    for table in tables:
        for key in _DEPENDENCIES:
            for alias, wanted in kit.part(table, key).items():
                renamed = wanted.get("package") if isinstance(wanted, dict) else None
                aliases[_ident(alias)] = renamed if isinstance(renamed, str) else alias
    return aliases


def _ident(name: str) -> str:
    return name.replace("-", "_")


# --- use and mod -----------------------------------------------------------------------------------------


class _Module(Struct, frozen=True):
    children: str
    """Directory of its child modules."""
    file: str | None


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the files behind one ``use`` or ``mod``."""
    module = item.module.strip()
    if module.startswith("mod "):
        here = _here(path, table)
        return kit.file_or_unresolved(_child(here.children, module[4:].strip(), table), module)
    segments = [part for part in module.removeprefix("r#").split("::") if part]
    names = item.names
    if not segments:
        segments, names = list(names[:1]), ()
    if not segments or segments[0][:1].isupper():
        return ()
    # use super::* is nearly always in an inline ``mod tests``, where it means this file
    stars = names == ("*",) or segments[-1] == "*"
    if stars and segments[0] == "super" and len(segments) <= 2 and not path.endswith(("tests.rs", "test.rs")):
        return ()
    return _use(path, segments, names, table)


def _use(path: str, segments: list[str], names: tuple[str, ...], table: FileTable) -> Targets:
    head, rest = segments[0], segments[1:]
    if head in _STANDARD:
        return kit.package(head)
    start: _Module | None = None
    if head == "crate":
        start = _root(path, table)
    elif head in {"self", "super"}:
        here = _here(path, table)
        start = here if head == "self" else _above(path, here, table)
    while start is not None and rest and rest[0] == "super":
        start, rest = _above(path, start, table), rest[1:]
    if start is None:
        return _foreign(path, segments, names, table)
    return _walk(start, rest, names, table) or kit.unresolved("::".join(segments))


def _walk(start: _Module, segments: list[str], names: tuple[str, ...], table: FileTable) -> Targets:
    """Return the deepest module file along the path, and the names that are modules; other names are items inside."""
    module = start
    for segment in segments:
        child = kit.under(module.children, segment.removeprefix("r#"))
        path = _child(module.children, segment, table)
        if path is None and child not in table.directories:
            break
        module = _Module(child, path or module.file)
    inner = [path for name in names if (path := _child(module.children, name, table))]
    if inner and len(inner) == len(names):
        return kit.files(inner)
    return kit.files([*inner, *([module.file] if module.file else [])])


def _child(children: str, name: str, table: FileTable) -> str | None:
    base = kit.under(children, name.removeprefix("r#"))
    return table.first((f"{base}.rs", f"{base}/mod.rs"))


def _here(path: str, table: FileTable) -> _Module:
    name = path.rpartition("/")[2]
    if name == "mod.rs" or path == _root(path, table).file:
        return _Module(kit.parent(path), path)
    return _Module(path.removesuffix(".rs"), path)


def _above(path: str, module: _Module, table: FileTable) -> _Module:
    """Return the parent of a module; the root is its own parent."""
    root = _root(path, table)
    children = kit.parent(module.children)
    if root.children in {module.children, children}:
        return root
    return _Module(children, table.first((f"{children}.rs", f"{children}/mod.rs")))


def _root(path: str, table: FileTable) -> _Module:
    """Return the root of the crate a file belongs to."""
    crate = _crate(path, table)
    if crate is None:
        beside = (kit.under(above, name) for above in kit.ancestors(kit.parent(path)) for name in _ROOTS)
        file: str = table.first(beside) or path
        return _Module(kit.parent(file), file)
    main = kit.under(crate.home, "src/main.rs")
    if path in {main, kit.under(crate.home, "build.rs"), *crate.programs}:
        return _Module(kit.parent(path), path)
    for folder in (kit.under(crate.home, name) for name in _OWN_ROOTS):
        if kit.parent(path) == folder:
            return _Module(folder, path)
        if path.startswith(folder + "/"):
            home = folder + "/" + path[len(folder) + 1 :].partition("/")[0]
            root = table.first((f"{home}/main.rs",))
            return _Module(home if root else folder, root)
    # the library or listed program whose folder encloses the file most closely
    around = [root for root in (crate.library, *crate.programs) if root and kit.contains(kit.parent(root), path)]
    nearest = max(around, key=lambda root: len(kit.parent(root)), default=crate.library)
    file = nearest or table.first((main,)) or path
    return _Module(kit.parent(file), file)


def _crate(path: str, table: FileTable) -> Crate | None:
    known = table.once(crates).by_home
    return next((known[above] for above in kit.ancestors(kit.parent(path)) if above in known), None)


def _foreign(path: str, segments: list[str], names: tuple[str, ...], table: FileTable) -> Targets:
    """Resolve a path that starts with a name: a child module, a crate of the workspace, or an external crate."""
    known = table.once(crates)
    crate = _crate(path, table)
    head = segments[0].removeprefix("r#")
    wanted = crate.aliases.get(head) if crate else None
    if wanted is None:
        roots = [_root(path, table)] if crate and crate.old_paths else []
        for start in (_here(path, table), *roots):
            if _child(start.children, head, table):
                return _walk(start, segments, names, table)
    sibling = known.called(_ident(wanted or head), kit.parent(path))
    if sibling and sibling.library:
        start = _Module(kit.parent(sibling.library), sibling.library)
        return _walk(start, segments[1:], names, table)
    return kit.package(wanted or head)
