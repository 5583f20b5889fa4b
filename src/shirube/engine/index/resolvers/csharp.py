"""C#: guesses the directory of a namespace, and accepts the guess only when it is unambiguous."""

from msgspec import Struct

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_ENDING = (".cs",)
_FRAMEWORK = frozenset({"System", "Microsoft", "Windows"})


class _Spaces(Struct, frozen=True):
    declared: dict[str, tuple[str, ...]]
    """Default namespace, from the project file → directories."""
    tails: dict[str, tuple[str, ...]]
    """Every dotted tail of a directory's path → directories: ``src/Acme.Core/Text`` under ``Acme.Core.Text``, …"""


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the files of a namespace, or of the class when the last part names one."""
    name = item.module.strip().removeprefix("global::").rstrip(";")
    if not name:
        return ()
    spaces = table.once(_spaces)
    if folders := _folders(name, spaces):
        return kit.files(file for folder in folders for file in table.inside(folder, _ENDING) if file != path)
    above, _, last = name.rpartition(".")
    classes = (f"{folder}/{last}.cs".lstrip("/") for folder in _folders(above, spaces))
    package = ".".join(name.split(".")[:2])  # as packages are named: Newtonsoft.Json.Linq is in Newtonsoft.Json
    return kit.file_or_package(kit.sole("", (file for file in classes if file in table.paths)), package)


def _folders(name: str, spaces: _Spaces) -> tuple[str, ...]:
    if name in spaces.declared:
        return spaces.declared[name]
    offered = spaces.tails.get(name, ())
    return offered if len(offered) == 1 and name not in _FRAMEWORK else ()


def _spaces(table: FileTable) -> _Spaces:
    # By default, a project file's name is the root namespace of its directory.
    projects = {
        directory: path.rpartition("/")[2].removesuffix(".csproj")
        for directory in table.directories
        for path in table.inside(directory, (".csproj",))
    }
    declared = []
    sources = [directory for directory in sorted(table.directories) if table.inside(directory, _ENDING)]
    for directory in sources:
        home = next((above for above in kit.ancestors(directory) if above in projects), None)
        if home is not None:
            inner = directory[len(home) :].strip("/").replace("/", ".")
            declared.append((f"{projects[home]}.{inner}".rstrip("."), directory))
    tails = ((tail, directory) for directory in sources for tail in kit.endings(directory.replace("/", "."), "."))
    return _Spaces(kit.grouped(declared), kit.grouped(tails))
