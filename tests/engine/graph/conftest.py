"""A project in memory: texts go in, a store comes out, parsed and linked as the index does it."""

from collections.abc import Mapping

from shirube.codec import replace
from shirube.engine.graph.definitions import find_exact, read_name
from shirube.engine.graph.references import Uses, UsesPage, find_uses
from shirube.engine.index.resolvers import resolve_file
from shirube.engine.index.resolvers.toolkit import FileTable, is_manifest
from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import language_of
from shirube.engine.store.lexical import pack_text
from shirube.engine.store.port import Entry, StoreChange
from shirube.engine.store.store import Store
from shirube.types import FileRecord, Scope
from tests.stores import memory_store, write_edges


def store_of(files: Mapping[str, str]) -> Store:
    """Return a store that holds these files."""
    store = memory_store(8)
    entries, parses = [], {}
    for path, text in files.items():
        language = language_of(path, text.encode())
        parsed = parse_file(text.encode(), language)
        record = FileRecord(path, path, len(text), language, text.count("\n"))
        entries.append(Entry(record, pack_text(text), parsed.pieces, parsed.symbols, parsed.imports))
        parses[path] = parsed
    store.write(StoreChange(tuple(entries)))
    table = FileTable.build(files, {path: text for path, text in files.items() if is_manifest(path)})
    write_edges(store, {path: resolve_file(path, p.language, p.imports, table) for path, p in parses.items()})
    return store


def uses(store: Store, name: str, defined_in: str = "", **page) -> Uses:
    """Return the uses of a name as it is spelled, of the definitions in one file when that is said."""
    spelled = read_name(name)
    found = [one for one in find_exact(store, spelled, Scope()) if not defined_in or one.path == defined_in]
    return find_uses(store, spelled, found, Scope(), replace(UsesPage(100), **page))


def told(found: Uses) -> list[tuple[str, str, str]]:
    """Return where each use is, in code or elsewhere, and how it was found."""
    return [(f"{one.file}:{one.line}", one.where, one.how.value) for one in found.items]
