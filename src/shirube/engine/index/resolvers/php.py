"""PHP: classes by the PSR-4 map of ``composer.json``, else by path; ``require`` of files; Blade views."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_FILES = (".php", ".inc", ".phtml", ".html", ".tpl")


class _Space(Struct, frozen=True):
    """One namespace prefix of one ``composer.json`` and a directory it maps to."""

    prefix: str
    directory: str
    home: str


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the file behind one ``use``, ``require`` or ``include``."""
    module = kit.unquoted(item.module)
    if "/" in module or module.lower().endswith(_FILES):
        # in the file's own directory, then in those above it, as an include path would
        homes = (kit.parent(path),) if module.startswith(".") else kit.ancestors(kit.parent(path))
        required = table.first(kit.join(home, module.replace("\\", "/")) for home in homes)
        return kit.file_or_unresolved(required, item.module, "require")
    module = module.strip("\\")
    names = [f"{module}\\{name}" for name in item.names if name != "*"] or [module]
    return tuple(dict.fromkeys(target for name in names if name for target in _used(path, name, table)))


def view(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the Blade template behind a view's name: ``layouts.app`` → ``views/layouts/app.blade.php``."""
    module = kit.unquoted(item.module)
    if "\\" in module or "/" in module:
        return resolve(path, item, table)
    tail = module.rpartition("::")[2].replace(".", "/")
    offered = [*table.matches(f"views/{tail}.blade.php"), *table.matches(f"views/{tail}.php")]
    offered = offered or list(table.matches(f"views/components/{tail.removeprefix('x-')}.blade.php"))
    return kit.file_or_unresolved(kit.nearest(kit.parent(path), offered), module, "include")


def _used(path: str, name: str, table: FileTable) -> Targets:
    directory = kit.parent(path)
    spaces = table.once(_spaces)
    # by the PSR-4 maps: the longest prefix first, the file's own manifest before others
    fitting = [space for space in spaces if name.startswith(space.prefix)]
    fitting.sort(key=lambda space: (not kit.contains(space.home, directory), -len(space.prefix), -len(space.home)))
    inner = ((space.directory, name[len(space.prefix) :].replace("\\", "/") + ".php") for space in fitting)
    if mapped := table.first(kit.under(folder, file) for folder, file in inner):
        return kit.files((mapped,))
    tail = name.replace("\\", "/") + ".php"
    if "\\" not in name:
        beside = table.first((kit.under(directory, tail),))
        return kit.file_or_package(beside if beside != path else None, name)
    known = kit.nearest(directory, table.matches(tail))
    if known is None and not spaces:  # the path may lack the start of the namespace, so only a unique match counts
        shorter = [*kit.endings(tail, "/")][1:]
        known = next((match for end in shorter if (match := kit.sole(directory, table.matches(end)))), None)
    if known is None and any(space.prefix and name.startswith(space.prefix) for space in spaces):
        return kit.unresolved(name)
    return kit.file_or_package(known, name.partition("\\")[0])


def _spaces(table: FileTable) -> tuple[_Space, ...]:
    return tuple(
        space
        for home, text in table.named("composer.json").items()
        for key in ("autoload", "autoload-dev")
        for space in _declared(home, kit.part(kit.read_object(text), key))
    )


def _declared(home: str, autoload: dict[str, Any]) -> Iterator[_Space]:
    for prefix, written in kit.part(autoload, "psr-4").items():
        for directory in kit.strings(written):
            if (base := kit.join(home, directory)) is not None:
                yield _Space(prefix, base, home)
    for prefix, written in kit.part(autoload, "psr-0").items():
        for directory in kit.strings(written):
            below = kit.under(directory.rstrip("/"), prefix.strip("\\").replace("\\", "/"))
            if (base := kit.join(home, below)) is not None:
                yield _Space(prefix.rstrip("\\") + "\\", base, home)
