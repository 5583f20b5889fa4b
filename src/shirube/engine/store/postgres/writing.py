"""Writes layers: what a change brings, and what is left of several small layers when they are made into one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.engine.store.lexical import FIELDS, docs_of_text, place_of, unpack_text
from shirube.engine.store.port import Entry, StoreChange
from shirube.engine.store.postgres.layer import (
    FilesPart,
    Layer,
    LinksPart,
    Named,
    chunks_part,
    files_part,
    pack,
    pack_details,
    pack_edges,
    pack_imports,
    pack_named,
    unpack_named,
)
from shirube.engine.store.postgres.postings import blocks_of, merged_blocks
from shirube.engine.store.postgres.questions import name_key
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Row

if TYPE_CHECKING:
    import psycopg

MANY_ROWS = 1_000
"""From so many rows on they are copied, which is quicker but takes trips of its own."""
MOST_LAYERS = 8
"""A ref with more layers has its newest made into one, since a question looks into each."""
MOST_MERGED = 200_000
"""How many chunks a merged layer may have: more would take gigabytes while it is made."""
FEW_TIMES = 2
"""An older layer is merged with the newer ones unless it is larger than all of them together by this factor."""


LEFT_DAYS = 30
"""When a ref that nobody writes counts as left, if nobody can come back to it."""


class LayerRows(Struct):
    """A layer as rows, but for the texts and vectors of its files."""

    files: FilesPart
    chunks: bytes
    links: bytes
    postings: list[tuple[bytes, bytes]]
    names: list[tuple[bytes, bytes]]
    models: list[str]


def is_layer(change: StoreChange) -> bool:
    """Tell whether a change brings a layer, and not only notes."""
    return bool(change.entries or change.removed or change.edges)


def layer_of(change: StoreChange, first: int, model: str) -> LayerRows:
    """Return the layer that a change brings; its files get numbers from ``first`` on."""
    entries = change.entries
    docs = list(chain.from_iterable(map(_docs, entries)))
    postings, lengths = blocks_of(docs)
    pieces = [piece for entry in entries for piece in entry.pieces]
    holds = list(chain.from_iterable(map(_kinds_held, entries)))
    numbers = range(first, first + len(entries))
    replaced = {entry.record.path for entry in entries}
    gone = [path for path in change.removed if path not in replaced]
    return LayerRows(
        files_part(entries, numbers, gone),
        pack(chunks_part(pieces, holds, lengths)),
        pack(
            LinksPart(
                [pack_imports(entry.imports) for entry in entries],
                {path: pack_edges(edges) for path, edges in change.edges.items()}
                | {path: pack_edges(()) for path in change.removed if path in replaced and path not in change.edges},
            )
        ),
        postings,
        _names(zip(numbers, entries, strict=True)),
        [model] if all(entry.vectors is not None for entry in entries if entry.record.language) else [],
    )


def _docs(entry: Entry) -> Iterable[Any]:
    return entry.docs or docs_of_text(entry.record.path, unpack_text(entry.body), entry.pieces)


def _kinds_held(entry: Entry) -> list[list[str]]:
    """Return for each piece of a file the kinds of the symbols that begin in it."""
    held: list[list[str]] = [[] for _ in entry.pieces]
    starts = [piece.start_line for piece in entry.pieces]
    for symbol in entry.symbols if starts else ():
        held[place_of(starts, symbol.start_line)].append(symbol.kind)
    return held


def _names(numbered: Iterable[tuple[int, Entry]]) -> list[tuple[bytes, bytes]]:
    named: dict[bytes, list[Named]] = {}
    for number, entry in numbered:
        for at, s in enumerate(entry.symbols):
            row = (number, at, s.name, s.qualified, s.kind, s.start_line, s.end_line, s.signature, s.doc)
            named.setdefault(name_key(s.name), []).append(row)
    return [(name, pack_named(named[name])) for name in sorted(named)]


def insert_layer(connection: "psycopg.Connection[Row]", repo: int, number: int, rows: LayerRows) -> None:
    """Store a layer."""
    import numpy as np

    connection.execute(
        "INSERT INTO shirube.layers (repo, layer, files, chunks, links, numbers, models)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)",
        (
            *(repo, number, pack(rows.files), rows.chunks, rows.links),
            *(np.array(rows.files.numbers, dtype="<i8").tobytes(), rows.models),
        ),
    )
    _insert(connection, "postings (repo, layer, term, rows)", "iibb", ((repo, number, *row) for row in rows.postings))
    _insert(connection, "names (repo, layer, name, rows)", "iibb", ((repo, number, *row) for row in rows.names))


def insert_files(
    connection: "psycopg.Connection[Row]", repo: int, entries: Sequence[Entry], numbers: Sequence[int], model: str
) -> None:
    """Store the texts of files, what was parsed of them, and their vectors."""
    numbered = list(zip(numbers, entries, strict=True))
    details = (
        (repo, number, e.body, pack_details(e.pieces, e.symbols) if e.pieces or e.symbols else b"")
        for number, e in numbered
    )
    _insert(connection, "files (repo, file, body, details)", "iIbb", details)
    vectors = (
        (repo, model, number, entry.vectors)
        for number, entry in numbered
        if entry.record.language and entry.vectors is not None
    )
    _insert(connection, "vectors (repo, model, file, rows)", "itIb", vectors)


def insert_parsed(connection: "psycopg.Connection[Row]", rows: Sequence[tuple[str, bytes]]) -> None:
    """Store what files say by their content, for whoever has the same content; what is known stays."""
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO shirube.parsed VALUES (%s, %s, current_date - date '1970-01-01') ON CONFLICT DO NOTHING",
                sorted(dict(rows).items()),
            )


_TYPES = {"i": "int4", "I": "int8", "t": "text", "b": "bytea"}


def _insert(connection: "psycopg.Connection[Row]", table: str, types: str, rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows; ``types`` has a letter for each column."""
    import psycopg

    rows = list(rows)
    if len(rows) < MANY_ROWS or connection.info.pipeline_status != psycopg.pq.PipelineStatus.OFF:
        values = ", ".join(f"%s::{_TYPES[letter]}" for letter in types)
        with connection.cursor(binary=True) as cursor:
            cursor.executemany(f"INSERT INTO shirube.{table} VALUES ({values})", rows)
        return
    with connection.cursor() as cursor, cursor.copy(f"COPY shirube.{table} FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types([_TYPES[letter] for letter in types])
        for row in rows:
            copy.write_row(row)


# --- making one layer of several -------------------------------------------------------------------------------


def to_merge(sizes: Sequence[int], most: int = MOST_LAYERS, few_times: float = FEW_TIMES) -> int:
    """Return from which layer on all newer ones should become one, given how many chunks each has.

    Their number if none should. A large old layer stays by itself until the newer ones come near its size.
    """
    if len(sizes) <= most:
        return len(sizes)
    first, total = len(sizes) - 1, sizes[-1]
    while first and total + sizes[first - 1] <= MOST_MERGED:
        if sizes[first - 1] > few_times * total and first < len(sizes) - 1:
            break
        first -= 1
        total += sizes[first]
    return first if first < len(sizes) - 1 else len(sizes)


Read = Callable[[Sequence[int]], Iterable[Row]]
"""Yields (layer, key, block) of some layers."""


def merged(view: RefView, first: int, postings: Read, names: Read) -> LayerRows:
    """Return one layer of all from a place on; chunks and links of these layers have to be there."""
    import numpy as np

    layers, alive = view.layers[first:], view.alive[first:]
    spots = sorted(
        (layer.files.numbers[place], at, place)
        for at, (layer, some) in enumerate(zip(layers, alive, strict=True))
        for place in some.nonzero()[0].tolist()
    )
    moved = {layer.number: np.full(len(layer.directory.owners), -1, dtype=np.int64) for layer in layers}
    chosen: list[tuple[int, int]] = []
    for _, at, place in spots:
        span = layers[at].directory.of_file(place)
        moved[layers[at].number][span.start : span.stop] = np.arange(len(chosen), len(chosen) + len(span))
        chosen += [(at, chunk) for chunk in span]
    numbers = [number for number, _, _ in spots]
    present = {layers[at].files.paths[place] for _, at, place in spots}
    ids = [layer.number for layer in layers]
    with_vectors = [layer.models for layer in layers if any(layer.files.languages)]
    return LayerRows(
        _merged_files(layers, spots, present, is_base=first == 0),
        pack(_merged_chunks(layers, chosen)),
        pack(_merged_links(layers, spots, is_base=first == 0)),
        list(merged_blocks(((layer, bytes(key), data) for layer, key, data in postings(ids)), moved)),
        list(_merged_names(names(ids), set(numbers))),
        sorted(frozenset.intersection(*with_vectors) if with_vectors else ()),
    )


def _merged_files(
    layers: Sequence[Layer], spots: Sequence[tuple[int, int, int]], present: set[str], *, is_base: bool
) -> FilesPart:
    columns = {
        name: [getattr(layers[at].files, name)[place] for _, at, place in spots]
        for name in ("paths", "digests", "sizes", "languages", "lines", "chunks", "symbols")
    }
    notes = {
        now: note for now, (_, at, place) in enumerate(spots) if (note := layers[at].files.notes.get(place)) is not None
    }
    gone = {path for layer in layers for path in layer.files.removed} - present
    removed = [] if is_base else sorted(gone)  # nothing is older than the oldest layer
    return FilesPart(numbers=[number for number, _, _ in spots], notes=notes, removed=removed, **columns)


def _merged_chunks(layers: Sequence[Layer], chosen: Sequence[tuple[int, int]]) -> Any:
    from shirube.types import Chunk

    def pieces() -> Iterator[Chunk]:
        for at, chunk in chosen:
            one = layers[at].directory
            kind = one.names_of_kinds[one.kinds[chunk]]
            yield Chunk(0, 0, int(one.starts[chunk]), int(one.ends[chunk]), one.symbols[chunk], kind)

    def holds() -> Iterator[list[str]]:
        for at, chunk in chosen:
            one = layers[at].directory
            bits = int(one.holds[chunk])
            yield [name for place, name in enumerate(one.names_of_kinds) if bits >> place & 1]

    lengths = {field: [int(layers[at].directory.lengths[field][chunk]) for at, chunk in chosen] for field in FIELDS}
    return chunks_part(pieces(), holds(), lengths)


def _merged_links(layers: Sequence[Layer], spots: Sequence[tuple[int, int, int]], *, is_base: bool) -> LinksPart:
    edges: dict[str, bytes] = {}
    none = pack_edges(())
    for layer in layers:
        edges |= dict.fromkeys(layer.files.removed, none)
        edges |= layer.known_links.edges
    if is_base:  # having none only matters where an older layer has some
        edges = {source: data for source, data in edges.items() if data != none}
    imports = [layers[at].known_links.imports[place] for _, at, place in spots]
    return LinksPart(imports, edges)


def _merged_names(rows: Iterable[Row], numbers: set[int]) -> Iterator[tuple[bytes, bytes]]:
    named: dict[bytes, list[Named]] = {}
    for _, name, data in rows:
        if kept := [row for row in unpack_named(data) if row[0] in numbers]:
            named.setdefault(bytes(name), []).extend(kept)
    return ((name, pack_named(named[name])) for name in sorted(named))


def orphan(connection: "psycopg.Connection[Row]", repo: int, layers: Sequence[int]) -> None:
    """Note that a ref no longer has some layers."""
    sql = "UPDATE shirube.layers SET orphaned = now() WHERE repo = %s AND layer = ANY(%s::int[])"
    connection.execute(sql, (repo, list(layers)))


def drop_unused(connection: "psycopg.Connection[Row]", repo: int, form: str, grace_seconds: int) -> None:
    """Delete the refs that nobody comes back to, and then layers that no ref has had for a while."""
    _drop_refs(connection, repo, form)
    drop_orphans(connection, repo, grace_seconds)


def _drop_refs(connection: "psycopg.Connection[Row]", repo: int, form: str) -> None:
    """Delete refs of commits without a branch, and of programs of other versions."""
    gone = connection.execute(
        "DELETE FROM shirube.refs WHERE repo = %s AND updated < now() - %s * interval '1 day'"
        " AND (ref LIKE '@%%' OR form <> %s) RETURNING ref, form, layers",
        (repo, LEFT_DAYS, form),
    ).fetchall()
    for ref, its_form, layers in gone:
        sql = "DELETE FROM shirube.histories WHERE repo = %s AND ref = %s AND form = %s"
        connection.execute(sql, (repo, ref, its_form))
        orphan(connection, repo, layers)


def drop_orphans(connection: "psycopg.Connection[Row]", repo: int, grace_seconds: int) -> None:
    """Delete layers that no ref has had for a while, and the files that are in no other layer."""
    import numpy as np

    orphans = connection.execute(
        "SELECT layer, numbers FROM shirube.layers AS l WHERE repo = %s AND orphaned < now() - %s * interval '1 second'"
        " AND NOT EXISTS (SELECT FROM shirube.refs AS r WHERE r.repo = l.repo AND l.layer = ANY(r.layers))",
        (repo, grace_seconds),
    ).fetchall()
    if not orphans:
        return
    layers = [layer for layer, _ in orphans]
    sql = "SELECT numbers FROM shirube.layers WHERE repo = %s AND layer <> ALL(%s::int[])"
    kept = [np.frombuffer(data, dtype="<i8") for (data,) in connection.execute(sql, (repo, layers))]
    gone = np.concatenate([np.frombuffer(data, dtype="<i8") for _, data in orphans])
    gone = np.setdiff1d(gone, np.concatenate(kept)) if kept else gone
    for table, key, values in (
        *(("postings", "layer", layers), ("names", "layer", layers), ("layers", "layer", layers)),
        *(("files", "file", gone.tolist()), ("vectors", "file", gone.tolist())),
    ):
        connection.execute(f"DELETE FROM shirube.{table} WHERE repo = %s AND {key} = ANY(%s::bigint[])", (repo, values))
