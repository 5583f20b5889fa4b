"""Resolves imports of style sheets (CSS, SCSS, Sass, Less, Stylus) and files that HTML pages load."""

from collections.abc import Iterator

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.javascript import package_name, packages, through_alias, through_workspace
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_ENDINGS = (".scss", ".sass", ".css", ".less", ".styl")
_HOMES = ("", "src", "styles", "scss", "sass", "assets", "src/styles", "app/assets/stylesheets")
_PUBLIC = ("", "public", "static", "src", "assets", "www", "dist")
_NO_FILES = ("#", "data:", "mailto:", "tel:", "javascript:", "about:", "blob:")
_TEMPLATED = ("{{", "{%", "<%", "${", "<?")


def styles(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the sheet behind one ``@import``, ``@use`` or ``@forward``."""
    name = kit.unquoted(item.module)
    if name.startswith("url(") and name.endswith(")"):
        name = kit.unquoted(name[4:-1])
    name = name.partition("?")[0]
    if not name or name.startswith(("data:", "#")):
        return ()
    if name.startswith(("sass:", "http:", "https:", "//")):
        return kit.package(name)
    if name.startswith(("~", "pkg:")) and not name.startswith("~/"):
        return kit.package(package_name(name.removeprefix("pkg:").lstrip("~")))
    if sheet := _sheet(kit.parent(path), name, table):
        return kit.files((sheet,))
    known = not name.startswith((".", "/")) and package_name(name) in table.once(packages).dependencies
    return kit.package(package_name(name)) if known else kit.unresolved(name)


def _sheet(directory: str, name: str, table: FileTable) -> str | None:
    """Look beside the file, on a load path above it, behind an alias, and in the packages of the workspace."""
    base = None if name.startswith(("/", "~/", "@/")) else kit.join(directory, name)
    beside = table.first(_spellings(base)) if base else None
    if beside or name.startswith("."):
        return beside
    tail = name.removeprefix("~").removeprefix("@/").lstrip("/")
    sheet = kit.from_homes(directory, _HOMES, _spellings(tail), table)
    return sheet or through_alias(directory, name, table) or through_workspace(directory, name, table)


def _spellings(base: str) -> Iterator[str]:
    """Yield the files a name may refer to: ``a/b`` → ``a/b.scss``, ``a/_b.scss`` or ``a/b/_index.scss``."""
    folder, _, name = base.rpartition("/")
    if "." in name:
        yield base
        yield kit.under(folder, f"_{name}")
    for ending in _ENDINGS:
        yield f"{base}{ending}"
        yield kit.under(folder, f"_{name}{ending}")
        yield f"{base}/_index{ending}"
        yield f"{base}/index{ending}"


def html(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file a page loads; an address elsewhere is a package named by its host."""
    written = kit.unquoted(item.module)
    name = written.partition("?")[0].partition("#")[0]
    if not name or written.startswith(_NO_FILES):
        return ()
    if any(mark in written for mark in _TEMPLATED):
        return kit.unresolved(written, "include")
    if "://" in name or name.startswith("//"):
        return kit.package(name.partition("//")[2].partition("/")[0], "include")
    directory = kit.parent(path)
    if name.startswith("/"):
        return kit.file_or_unresolved(kit.from_homes(directory, _PUBLIC, (name[1:],), table), written, "include")
    return kit.file_or_unresolved(table.first((kit.join(directory, name),)), written, "include")
