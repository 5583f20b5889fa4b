"""A project in memory: texts go in, a store comes out, parsed and linked as the index does it."""

from collections.abc import Mapping

from shirube.codec import replace
from shirube.engine.graph.definitions import find_exact, read_name
from shirube.engine.graph.references import find_uses
from shirube.engine.graph.uses import Page, Uses
from shirube.engine.index.resolve import FileImports, FileTable, is_manifest, resolve
from shirube.engine.parse import language_of, parse_file
from shirube.engine.store import Change, Entry, Store
from shirube.engine.store.fields import pack_text
from shirube.engine.store.memory import MemoryStore
from shirube.types import FileRecord, Scope, Stat


def store_of(files: Mapping[str, str]) -> Store:
    """Return a store that holds these files."""
    store = MemoryStore(8)
    entries, imports = [], {}
    for path, text in files.items():
        language = language_of(path, text.encode())
        parsed = parse_file(text.encode(), language)
        record = FileRecord(path, path, Stat(len(text), 1, 1, 1), language, text.count("\n"))
        entries.append(Entry(record, pack_text(text), parsed.pieces, parsed.symbols, parsed.imports))
        imports[path] = FileImports(language, parsed.imports)
    store.write(Change(tuple(entries)))
    table = FileTable.build(files, {path: text for path, text in files.items() if is_manifest(path)})
    store.write_edges(resolve(imports, table))
    return store


def uses(store: Store, name: str, defined_in: str = "", **page) -> Uses:
    """Return the uses of a name as it is spelled, of the definitions in one file when that is said."""
    spelled = read_name(name)
    found = [one for one in find_exact(store, spelled, Scope()) if not defined_in or one.path == defined_in]
    return find_uses(store, spelled, found, Scope(), replace(Page(100), **page))


def told(found: Uses) -> list[tuple[str, str, str]]:
    """Return where each use is, in code or elsewhere, and how it was found."""
    return [(f"{one.file}:{one.line}", one.where, one.how.value) for one in found.items]
