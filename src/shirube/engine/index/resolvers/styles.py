"""CSS, SCSS, Sass and Less: imports of sheets, partials with an underscore, packages behind a tilde."""

from collections.abc import Iterator

from shirube.engine.index.resolvers.homes import from_homes
from shirube.engine.index.resolvers.npm import package_name, packages, through_workspace
from shirube.engine.index.resolvers.paths import join, parent, under
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, package, unquoted, unresolved
from shirube.engine.index.resolvers.tsconfig import through_alias
from shirube.types import RawImport

_ENDINGS = (".scss", ".sass", ".css", ".less", ".styl")
_HOMES = ("", "src", "styles", "scss", "sass", "assets", "src/styles", "app/assets/stylesheets")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the sheet behind one ``@import``, ``@use`` or ``@forward``."""
    name = _written(item.module)
    if not name or name.startswith(("data:", "#")):
        return ()
    if name.startswith(("sass:", "http:", "https:", "//")):
        return package(name)
    if name.startswith(("~", "pkg:")) and not name.startswith("~/"):
        return package(package_name(name.removeprefix("pkg:").lstrip("~")))
    directory = parent(path)
    if sheet := _near(directory, name, table) or _elsewhere(directory, name, table):
        return files((sheet,))
    known = not name.startswith((".", "/")) and package_name(name) in table.once(packages).dependencies
    return package(package_name(name)) if known else unresolved(name)


def _written(module: str) -> str:
    name = unquoted(module)
    if name.startswith("url(") and name.endswith(")"):
        name = unquoted(name[4:-1])
    return name.partition("?")[0]


def _near(directory: str, name: str, table: FileTable) -> str | None:
    return None if name.startswith(("/", "~/", "@/")) else _sheet(join(directory, name), table)


def _elsewhere(directory: str, name: str, table: FileTable) -> str | None:
    """On a load path above the file, behind an alias, or in a package of the workspace."""
    if name.startswith("."):
        return None
    tail = name.removeprefix("~").removeprefix("@/").lstrip("/")
    sheet = from_homes(directory, _HOMES, _spellings(tail), table)
    return sheet or through_alias(directory, name, table) or through_workspace(directory, name, table)


def _sheet(base: str | None, table: FileTable) -> str | None:
    return table.first(_spellings(base)) if base else None


def _spellings(base: str) -> Iterator[str]:
    """``a/b`` may be written for ``a/b.scss``, ``a/_b.scss`` or ``a/b/_index.scss``."""
    folder, _, name = base.rpartition("/")
    if "." in name:
        yield base
        yield under(folder, f"_{name}")
    for ending in _ENDINGS:
        yield f"{base}{ending}"
        yield under(folder, f"_{name}{ending}")
        yield f"{base}/_index{ending}"
        yield f"{base}/index{ending}"
