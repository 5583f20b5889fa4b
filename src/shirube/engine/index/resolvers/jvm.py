"""Java, Kotlin, Scala and Groovy: resolves a qualified name as the tail of a path."""

from shirube.engine.index.resolvers import toolkit as kit
from shirube.engine.index.resolvers.toolkit import FileTable, Targets
from shirube.types import RawImport

_ENDINGS = (".java", ".kt", ".scala", ".groovy", ".kts")
_LOOSE = (".kt", ".scala", ".groovy")
"""Languages in which a file may define names other than its own."""
_SOURCE_FOLDERS = frozenset({"java", "kotlin", "scala", "groovy"})
_ABOVE_SOURCES = frozenset({"main", "test", "src", "androidTest", "integrationTest", "jmh"})
_WILDCARDS = ("*", "_", "given")


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the classes or the package behind one import."""
    segments = [part.strip("`") for part in item.module.strip().rstrip(";").split(".") if part]
    if not segments:
        return ()
    if segments[-1] in _WILDCARDS or item.names in {("*",), ("_",)}:
        while segments and segments[-1] in _WILDCARDS:
            segments.pop()
        folders = _folders(kit.parent(path), segments, table)
        if inside := [file for folder in folders for file in table.inside(folder, _ENDINGS)]:
            return kit.files(inside)
        return kit.file_or_package(_class(path, segments, table), _package(segments))
    if not item.names:
        return _single(path, segments, table)
    if owner := _class(path, segments, table):  # the names are its members; else (a.b.{C, D}) classes of a package
        return kit.files((owner,))
    targets = [target for name in item.names for target in _single(path, [*segments, name], table)]
    return tuple(dict.fromkeys(targets))


def _single(path: str, segments: list[str], table: FileTable) -> Targets:
    if owner := _class(path, segments, table):
        return kit.files((owner,))
    folders = _folders(kit.parent(path), segments[:-1], table)
    if loose := [file for folder in folders for file in table.inside(folder, _LOOSE) if file != path]:
        # of several modules that have the package, the nearest
        in_common = [kit.shared(kit.parent(path), kit.parent(file)) for file in loose]
        return kit.files(file for file, depth in zip(loose, in_common, strict=True) if depth == max(in_common))
    ours = any(table.inside(folder, _ENDINGS) for folder in folders)
    return kit.unresolved(".".join(segments)) if ours else kit.package(_package(segments[:-1] or segments))


def _class(path: str, segments: list[str], table: FileTable) -> str | None:
    """Return the file of the longest prefix that is a class: ``a.b.C.D`` may be nested in ``a/b/C.java``."""
    directory = kit.parent(path)
    for length in range(len(segments), 1, -1):
        tail = "/".join(segments[:length])
        spellings = (tail + ending for ending in _ENDINGS)
        offered = [file for file in table.matches(*spellings) if _believable(file.rpartition(tail)[0], segments[0])]
        if offered:
            return kit.nearest(directory, offered)
        if segments[length - 2][:1].islower():
            return None
    return None


def _folders(directory: str, segments: list[str], table: FileTable) -> list[str]:
    """Return the directories of a package; those of tests only for an import in a test."""
    if not segments:
        return []
    tail = "/".join(segments)
    believable = [folder for folder in table.folders(tail) if _believable(folder[: -len(tail)], segments[0])]
    return believable if _is_test(directory) else [folder for folder in believable if not _is_test(folder)]


def _believable(above: str, first: str) -> bool:
    """Tell whether a match is plausible: ``src/main/java/util`` is the package ``util``, not ``java.util``."""
    return first not in _SOURCE_FOLDERS or above.strip("/").rpartition("/")[2] not in _ABOVE_SOURCES


def _is_test(directory: str) -> bool:
    return any(part in {"test", "tests"} or part.endswith("Test") for part in directory.split("/"))


def _package(segments: list[str]) -> str:
    """Return the package part of a qualified name: ``java.util.Map`` → ``java.util``."""
    lower = next((index for index, segment in enumerate(segments) if segment[:1].isupper()), len(segments))
    return ".".join(segments[: lower or 1])
