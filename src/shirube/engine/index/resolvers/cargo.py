"""The crates of the project: where they lie, what they are called, what they depend on."""

import tomllib
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from shirube.engine.index.resolvers.jsonc import part
from shirube.engine.index.resolvers.paths import join, nearest, under
from shirube.engine.index.resolvers.table import FileTable

_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


class Crate(Struct, frozen=True):
    """One ``Cargo.toml`` with a package in it."""

    home: str
    name: str
    """As code writes it: ``-`` became ``_``."""
    library: str | None
    """The library's root file, when it exists."""
    programs: tuple[str, ...]
    """Root files of binaries, tests, examples and benches that the manifest names itself."""
    aliases: dict[str, str]
    """The package behind each dependency, by the name code uses for it."""
    old_paths: bool
    """Edition 2015, where a path starts at the crate's root."""


class Crates(Struct, frozen=True):
    """Every crate, by directory and by name."""

    by_home: dict[str, Crate]
    by_name: dict[str, tuple[Crate, ...]]

    def called(self, name: str, directory: str) -> Crate | None:
        """The crate of a name; of several the one nearest to a directory."""
        offered = {under(crate.home, "Cargo.toml"): crate for crate in self.by_name.get(name, ())}
        closest = nearest(directory, offered)
        return offered[closest] if closest is not None else None


def crates(table: FileTable) -> Crates:
    """Read the manifests; call it through ``table.once``."""
    by_home: dict[str, Crate] = {}
    by_name: dict[str, tuple[Crate, ...]] = {}
    for home, text in table.named("Cargo.toml").items():
        manifest = _loaded(text)
        name = part(manifest, "package").get("name")
        if not isinstance(name, str):
            continue
        crate = _crate(home, name, manifest, table)
        by_home[home] = crate
        by_name[crate.name] = (*by_name.get(crate.name, ()), crate)
    return Crates(by_home, by_name)


def _crate(home: str, name: str, manifest: dict[str, Any], table: FileTable) -> Crate:
    library = part(manifest, "lib")
    written = library.get("path")
    root = join(home, written) if isinstance(written, str) else under(home, "src/lib.rs")
    own = library.get("name")
    return Crate(
        home,
        _ident(own if isinstance(own, str) else name),
        root if root in table.paths else None,
        tuple(path for path in _programs(home, manifest) if path in table.paths),
        _aliases(manifest),
        part(manifest, "package").get("edition") in (None, "2015"),
    )


def _programs(home: str, manifest: dict[str, Any]) -> Iterator[str]:
    for key in ("bin", "test", "example", "bench"):
        written = manifest.get(key)
        for program in written if isinstance(written, list) else ():
            path = program.get("path") if isinstance(program, dict) else None
            if isinstance(path, str) and (joined := join(home, path)):
                yield joined


def _aliases(manifest: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    tables = [manifest, *(target for target in part(manifest, "target").values() if isinstance(target, dict))]
    for table in tables:
        for key in _DEPENDENCIES:
            for alias, wanted in part(table, key).items():
                renamed = wanted.get("package") if isinstance(wanted, dict) else None
                found[_ident(alias)] = renamed if isinstance(renamed, str) else alias
    return found


def _ident(name: str) -> str:
    return name.replace("-", "_")


def _loaded(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
