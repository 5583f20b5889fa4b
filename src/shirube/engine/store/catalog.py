"""The SQL of the embedded store: functions that read and write its tables, without policy.

A function that implements a method of the ``Store`` port has that method's name and arguments.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from sys import intern
from typing import Any

from shirube.engine.store.lexical import (
    cut,
    keep_note,
    kept_note,
    key_of,
    places_of_kinds,
    spread_evenly,
    unpack_text,
    wanted_chunks,
)
from shirube.engine.store.port import Ask, Candidate, Definition, Entry, StoreChange, Unembedded
from shirube.engine.store.scope import PathFilter
from shirube.errors import BrokenIndex
from shirube.messages import Message
from shirube.types import BIG_KINDS, Chunk, Edge, FileRecord, RawImport, Scope, Skip, Symbol

FILE_COLUMNS = "path, digest, size, language, lines, note"
MOST_MODELS = 4
"""How many models may have vectors in the index at once, so that trying out models does not grow it without limit."""
MANY = 500
"""How many values go into one IN (…); old SQLite versions allow 999 parameters per statement."""
LAST = "\U0010ffff"
"""The last Unicode character: ``name + LAST`` is the upper bound of everything that begins with ``name``."""


def files(db: sqlite3.Connection, paths: Sequence[str] | None = None) -> dict[str, FileRecord]:
    """Return the records of the given files, or of all files, by path."""
    every = f"SELECT {FILE_COLUMNS} FROM files"
    rows = db.execute(every) if paths is None else among(db, f"{every} WHERE path IN (?)", paths)
    return {
        path: FileRecord(path, digest, size, language, lines, kept_note(note))
        for path, digest, size, language, lines, note in rows
    }


def apply(db: sqlite3.Connection, change: StoreChange, model: str = "") -> dict[int, Entry | None]:
    """Write a change; return by number the files the lexical index has to add, or (None) to drop."""
    moved: dict[int, Entry | None] = {}
    for path in [*change.removed, *(entry.record.path for entry in change.entries)]:
        if row := db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone():
            _drop(db, row[0])
            moved[row[0]] = None
    db.executemany("DELETE FROM edges WHERE source = ?", [(path,) for path in (*change.removed, *change.edges)])
    rows = [(e.source, e.target, e.kind, e.rel, e.line) for outgoing in change.edges.values() for e in outgoing]
    db.executemany("INSERT INTO edges VALUES (?, ?, ?, ?, ?)", rows)
    if change.skips is not None:
        db.execute("DELETE FROM skips")
        skips = [(skip.path, skip.reason, keep_note(skip.detail)) for skip in change.skips]
        db.executemany("INSERT INTO skips VALUES (?, ?, ?)", skips)
    for key, value in change.notes.items():
        note(db, key, value)
    for entry in change.entries:
        moved[_insert(db, entry, model)] = entry
    db.executemany("INSERT INTO outbox (file_id) VALUES (?)", [(file_id,) for file_id in moved])
    if moved:
        _advance(db)
    return moved


def _advance(db: sqlite3.Connection) -> None:
    """Increment the generation, which tells readers that the index changed."""
    note(db, "generation", str(int(noted(db, "generation") or 0) + 1))


def _drop(db: sqlite3.Connection, file_id: int) -> None:
    db.execute("DELETE FROM chunks WHERE key >= ? AND key < ?", (key_of(file_id, 0), key_of(file_id + 1, 0)))
    for table, column in (("files", "id"), ("bodies", "file_id"), ("symbols", "file_id")):
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (file_id,))
    db.execute("DELETE FROM vectors WHERE model IN (SELECT id FROM models) AND file_id = ?", (file_id,))


def _insert(db: sqlite3.Connection, entry: Entry, model: str) -> int:
    record = entry.record
    cursor = db.execute(
        f"INSERT INTO files ({FILE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        (record.path, record.digest, record.size, record.language, record.lines, keep_note(record.note)),
    )
    file_id = int(cursor.lastrowid or 0)
    imports = json.dumps([[raw.module, raw.line, raw.names] for raw in entry.imports])
    db.execute("INSERT INTO bodies VALUES (?, ?, ?)", (file_id, entry.body, imports))
    db.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (key_of(file_id, place), p.start, p.end, p.start_line, p.end_line, p.symbol, p.kind)
            for place, p in enumerate(entry.pieces)
        ],
    )
    db.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (file_id, s.name, s.qualified, s.kind, s.start_line, s.end_line, s.signature, s.doc, s.name.lower())
            for s in entry.symbols
        ],
    )
    if entry.record.language and entry.vectors is not None:
        db.execute("INSERT INTO vectors VALUES (?, ?, ?)", (_model(db, model), file_id, entry.vectors))
    return file_id


def _model(db: sqlite3.Connection, name: str) -> int:
    """Return the id of a model, adding it if new; the oldest models beyond ``MOST_MODELS`` lose their vectors."""
    if row := db.execute("SELECT id FROM models WHERE name = ?", (name,)).fetchone():
        return int(row[0])
    number = int(db.execute("INSERT INTO models (name) VALUES (?)", (name,)).lastrowid or 0)
    for (old,) in db.execute("SELECT id FROM models ORDER BY id DESC LIMIT -1 OFFSET ?", (MOST_MODELS,)).fetchall():
        db.execute("DELETE FROM vectors WHERE model = ?", (old,))
        db.execute("DELETE FROM models WHERE id = ?", (old,))
    return number


_LACKING = (
    "FROM files WHERE language != '' AND id NOT IN"
    " (SELECT file_id FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?))"
)


def coverage(db: sqlite3.Connection, model: str) -> tuple[int, int]:
    """Return two counts: files with vectors of a model, and all indexed files."""
    total = int(db.execute("SELECT count(*) FROM files WHERE language != ''").fetchone()[0])
    return total - int(db.execute(f"SELECT count(*) {_LACKING}", (model,)).fetchone()[0]), total


def unembedded(db: sqlite3.Connection, model: str, after: int, limit: int) -> tuple[Unembedded, ...]:
    """Return the next files (by number) that have no vectors of a model, with their texts."""
    rows = db.execute(
        f"SELECT id, path, digest, language {_LACKING} AND id > ? ORDER BY id LIMIT ?", (model, after, limit)
    ).fetchall()
    files = []
    for number, path, digest, language in rows:
        text = db.execute("SELECT text FROM bodies WHERE file_id = ?", (number,)).fetchone()[0]
        cuts = _pieces(db, number)
        defined = tuple(piece.symbol for piece in cuts)
        files.append(Unembedded(number, path, digest, language, tuple(cut(unpack_text(text), cuts)), defined))
    return tuple(files)


def embed(db: sqlite3.Connection, model: str, rows: Mapping[int, bytes]) -> None:
    """Store the vectors of the files that still exist."""
    number = _model(db, model)
    values = [(number, file_id, rows[file_id]) for file_id in sorted(existing(db, set(rows)))]
    db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", values)
    _advance(db)


def vectors(db: sqlite3.Connection, model: str, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the vectors of files' pieces: one int8 row for each."""
    query = (
        f"SELECT path, rows FROM files JOIN vectors ON file_id = id AND model = {_id_of_model(db, model)}"
        " WHERE path IN (?)"
    )
    return {path: bytes(rows) for path, rows in among(db, query, paths)}


def _id_of_model(db: sqlite3.Connection, name: str) -> int:
    row = db.execute("SELECT id FROM models WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def file_ids(db: sqlite3.Connection) -> set[int]:
    """Return the numbers of all files."""
    return {row[0] for row in db.execute("SELECT id FROM files")}


def existing(db: sqlite3.Connection, numbers: set[int]) -> set[int]:
    """Return which of these file numbers still exist."""
    if len(numbers) > MANY:
        return numbers & file_ids(db)
    return {row[0] for row in among(db, "SELECT id FROM files WHERE id IN (?)", list(numbers))}


def body(db: sqlite3.Connection, file_id: int) -> tuple[str, str, str, tuple[Chunk, ...]] | None:
    """Return path, language, text and pieces of a file, or None when it no longer exists."""
    row = db.execute(
        "SELECT path, language, text FROM files JOIN bodies ON file_id = id WHERE id = ?", (file_id,)
    ).fetchone()
    if row is None:
        return None
    return row[0], row[1], unpack_text(row[2]), _pieces(db, file_id)


def texts(db: sqlite3.Connection, paths: Sequence[str]) -> dict[str, str]:
    """Return the whole texts of files as they were indexed."""
    query = "SELECT path, text FROM files JOIN bodies ON file_id = id WHERE path IN (?)"
    return {path: unpack_text(text) for path, text in among(db, query, paths)}


def counts(db: sqlite3.Connection, scope: Scope) -> dict[str, int]:
    """Count the indexed files of each language within a scope's path and languages."""
    indexed = "FROM files WHERE language != ''"
    if scope.path:
        matches = PathFilter(scope.path)
        totals = Counter(language for path, language in db.execute(f"SELECT path, language {indexed}") if matches(path))
    else:
        totals = Counter(dict(db.execute(f"SELECT language, count(*) {indexed} GROUP BY 1").fetchall()))
    return {language: count for language, count in totals.items() if not scope.languages or language in scope.languages}


def pieces(db: sqlite3.Connection, paths: Sequence[str]) -> dict[str, tuple[Chunk, ...]]:
    """Return the pieces that files were cut into."""
    numbers = among(db, "SELECT path, id FROM files WHERE path IN (?)", paths)
    return {path: _pieces(db, number) for path, number in list(numbers)}


def _pieces(db: sqlite3.Connection, file_id: int) -> tuple[Chunk, ...]:
    rows = db.execute(
        "SELECT start, stop, start_line, end_line, symbol, kind FROM chunks WHERE key >= ? AND key < ? ORDER BY key",
        (key_of(file_id, 0), key_of(file_id + 1, 0)),
    )
    return tuple(Chunk(*row) for row in rows)


def paths_of(
    db: sqlite3.Connection, numbers: Collection[int] | None, languages: Sequence[str]
) -> list[tuple[str, str]]:
    """Return path and language of these files, or of all; only those indexed and in one of the languages."""
    every = "SELECT path, language FROM files WHERE language != ''"
    rows = db.execute(every) if numbers is None else among(db, f"{every} AND id IN (?)", sorted(numbers))
    return [row for row in rows if not languages or row[1] in languages]


def names(db: sqlite3.Connection, part: str, limit: int) -> tuple[str, ...]:
    """Return symbol names that contain ``part``, ignoring case; first those that begin with it, shorter ones first."""
    part = part.lower()
    order = "GROUP BY name ORDER BY length(name), name LIMIT ?"
    begin = db.execute(
        f"SELECT name FROM symbols WHERE lower_name BETWEEN ? AND ? {order}", (part, part + LAST, limit)
    ).fetchall()
    if len(begin) == limit:  # the first query uses an index; the second one scans every name
        return tuple(row[0] for row in begin)
    rest = db.execute(f"SELECT name FROM symbols WHERE instr(lower_name, ?) > 1 {order}", (part, limit - len(begin)))
    return tuple(row[0] for row in (*begin, *rest))


class Descriptions:
    """A cache of what each chunk is, for one generation: reading the rows takes longer than any other query."""

    MOST = 40_000
    """Rows to keep, about 10 MB; when it is full, it is cleared."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[Any, ...]] = {}
        self.spans: dict[int, tuple[int, int]] = {}
        """Key → where the chunk's text begins and ends in its file."""

    def of(self, db: sqlite3.Connection, scores: Mapping[int, float], cosines: Mapping[int, float]) -> list[Candidate]:
        """Return each scored chunk as a candidate; omits chunks that no longer exist."""
        if len(self._rows) > self.MOST:
            self._rows.clear()
            self.spans.clear()
        rows, keys = self._rows, scores.keys() | cosines.keys()
        if missing := [key for key in keys if key not in rows]:
            query = (
                "SELECT key, path, start_line, end_line, symbol, kind, language, start, stop FROM chunks"
                " JOIN files ON files.id = key >> 20 WHERE key IN (?)"
            )
            # Padded to a multiple of MANY, so that the statement's text is always the same and SQLite prepares it once.
            missing += [-1] * (-len(missing) % MANY)
            for key, path, start, end, symbol, kind, language, *span in among(db, query, missing):
                rows[key] = (key, intern(path), start, end, symbol, intern(kind), intern(language))
                self.spans[key] = (span[0], span[1])
        return [Candidate._make((*rows[key], scores.get(key, 0.0), cosines.get(key))) for key in keys if key in rows]


def definitions(db: sqlite3.Connection, ask: Ask) -> list[Definition]:
    """Return the definitions of the names asked for, each with the chunk that holds its first line."""
    chunk = (
        "(SELECT key FROM chunks WHERE key >= file_id << 20 AND key < (file_id + 1) << 20 AND"
        " chunks.start_line <= s.start_line ORDER BY chunks.start_line DESC, key LIMIT 1)"
    )
    return _defined(db, ask, ask.names, (chunk, "signature, doc", ""))


def keys_of_kinds(db: sqlite3.Connection, files: Collection[int], kinds: Sequence[str]) -> set[int]:
    """Return the chunks of these files that are of one of these kinds, or in which a symbol of one begins."""
    of_kinds = f"SELECT file_id, start_line, kind FROM symbols WHERE kind IN ({_placeholders(kinds)})"
    symbols: dict[int, list[tuple[int, str]]] = {}
    for file_id, line, kind in db.execute(of_kinds, kinds):
        symbols.setdefault(file_id, []).append((line, kind))
    keys: set[int] = set()
    rows = db.execute("SELECT key >> 20, start_line, kind FROM chunks ORDER BY key")
    for file_id, chunks in groupby(rows, itemgetter(0)):
        if file_id in files:
            pieces = [(line, kind) for _, line, kind in chunks]
            keys.update(key_of(file_id, at) for at in places_of_kinds(pieces, symbols.get(file_id, ()), kinds))
    return keys


def chunks_at(
    db: sqlite3.Connection, lines: Mapping[str, Collection[int]] | Mapping[str, Collection[str]]
) -> list[int]:
    """Return the keys of the chunks that hold these lines or symbols, or of a file's first chunk where none does."""
    keys = []
    for path, wanted in lines.items():
        rows = db.execute(
            "SELECT key, start_line, end_line, symbol FROM files"
            " JOIN chunks ON key >= id << 20 AND key < (id + 1) << 20 WHERE path = ? ORDER BY key",
            (path,),
        )
        keys += wanted_chunks(rows, wanted)
    return keys


def topics(db: sqlite3.Connection, ask: Ask) -> list[Definition]:
    """Return big definitions (``BIG_KINDS``) named by a topic word, with the file's first chunk and no docs."""
    kinds = ", ".join(f"'{kind}'" for kind in sorted(BIG_KINDS))
    return _defined(db, ask, ask.topics, ("file_id << 20", "'', ''", f"AND s.kind IN ({kinds})"))


def defined(db: sqlite3.Connection, names: Collection[str]) -> frozenset[str]:
    """Return which of these names, in lower case, are defined."""
    return frozenset(row[0] for row in among(db, "SELECT lower_name FROM symbols WHERE lower_name IN (?)", [*names]))


def _defined(db: sqlite3.Connection, ask: Ask, names: Sequence[str], parts: tuple[str, str, str]) -> list[Definition]:
    chunk, words, only = parts
    if not names:
        return []
    rows = db.execute(
        f"SELECT {chunk}, file_id, path, name, qualified, s.kind, start_line, end_line, {words}"
        f" FROM symbols AS s JOIN files ON files.id = file_id WHERE lower_name IN ({_placeholders(names)}) {only}"
        " ORDER BY instr(lower(qualified), ?) = 0, path, start_line, s.rowid LIMIT ?",
        (*names, ask.outer and f"{ask.outer}.", ask.limit if ask.scope == Scope() else -1),
    )
    return [
        Definition(key if key is not None else key_of(file_id, 0), path, Symbol(*symbol))
        for key, file_id, path, *symbol in rows
    ]


def symbols(db: sqlite3.Connection, paths: Collection[str]) -> dict[str, tuple[Symbol, ...]]:
    """Return the symbols each of these files defines, in file order."""
    query = (
        "SELECT path, name, qualified, s.kind, start_line, end_line, signature, doc FROM symbols AS s"
        " JOIN files ON files.id = file_id WHERE path IN (?) ORDER BY s.rowid"
    )
    by_path: dict[str, list[Symbol]] = {}
    for path, *values in among(db, query, sorted(set(paths))):
        by_path.setdefault(path, []).append(Symbol(*values))
    return {path: tuple(defined) for path, defined in by_path.items()}


def sample(db: sqlite3.Connection, most: int) -> dict[str, tuple[Symbol, ...]]:
    """Return the symbols of so many files, spread evenly over the indexed files in the order of their paths."""
    paths = [path for (path,) in db.execute("SELECT path FROM files WHERE language != '' ORDER BY path")]
    return symbols(db, spread_evenly(paths, most))


def symbols_of(db: sqlite3.Connection, keys: Sequence[int]) -> dict[int, tuple[Symbol, ...]]:
    """Return by chunk the symbols of its file that have its symbol's name, in file order."""
    query = (
        "SELECT key, name, qualified, s.kind, s.start_line, s.end_line, signature, doc FROM chunks"
        " JOIN symbols AS s ON file_id = key >> 20 AND qualified = symbol WHERE key IN (?) ORDER BY s.rowid"
    )
    found: dict[int, tuple[Symbol, ...]] = {}
    for key, *values in among(db, query, keys):
        found[key] = (*found.get(key, ()), Symbol(*values))
    return found


def imports(db: sqlite3.Connection, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
    """Return the raw imports of the given files, or of all."""
    every = "SELECT path, imports FROM files JOIN bodies ON file_id = id"
    rows = db.execute(every) if paths is None else among(db, f"{every} WHERE path IN (?)", list(paths))
    try:
        return {
            path: tuple(RawImport(module, line, tuple(names)) for module, line, names in json.loads(data))
            for path, data in rows
        }
    except (ValueError, TypeError) as error:
        raise BrokenIndex("store.imports", error=str(error)) from error


def edges(db: sqlite3.Connection, *paths: str) -> tuple[Edge, ...]:
    """Return the outgoing edges of the given files, or of all, in a fixed order."""
    some = among(db, f"{_EDGES} WHERE source IN (?) {_EDGE_ORDER}", sorted(set(paths)))
    return tuple(Edge(*row) for row in (some if paths else db.execute(f"{_EDGES} {_EDGE_ORDER}")))


def targets(db: sqlite3.Connection, paths: Collection[str]) -> dict[str, set[str]]:
    """Return the files that each of these files leads to."""
    query = "SELECT DISTINCT source, target FROM edges WHERE source IN (?) AND kind = 'path'"
    found: dict[str, set[str]] = {}
    for source, target in among(db, query, list(paths)):
        found.setdefault(source, set()).add(target)
    return found


def imported(db: sqlite3.Connection, paths: Collection[str]) -> set[str]:
    """Return which of these files are the target of an edge."""
    rows = among(db, "SELECT DISTINCT target FROM edges WHERE target IN (?)", sorted(set(paths)))
    return {target for (target,) in rows}


def edges_to(db: sqlite3.Connection, *targets: str, most: int = 0) -> tuple[Edge, ...]:
    """Return the edges into files or packages, in the same order; skips targets with more than ``most`` edges."""
    has_more = "SELECT 1 FROM edges WHERE target = ? LIMIT 1 OFFSET ?"
    wanted = {target for target in targets if not most or db.execute(has_more, (target, most)).fetchone() is None}
    rows = among(db, f"{_EDGES} WHERE target IN (?)", sorted(wanted))
    return tuple(Edge(*row) for row in sorted(rows, key=_IN_ORDER))


def edges_around(db: sqlite3.Connection, paths: Collection[str]) -> tuple[Edge, ...]:
    """Return the file-to-file edges that begin or end at any of these files, in the same order."""
    wanted = sorted(set(paths))
    rows = {
        row
        for end in ("source", "target")
        for row in among(db, f"{_EDGES} WHERE {end} IN (?) AND kind = 'path'", wanted)
    }
    return tuple(Edge(*row) for row in sorted(rows, key=_IN_ORDER))


_EDGES = "SELECT source, target, kind, rel, line FROM edges"
_EDGE_ORDER = "ORDER BY source, line, target, kind, rel"
_IN_ORDER = itemgetter(0, 4, 1, 2, 3)


def skips(db: sqlite3.Connection, *reasons: str) -> tuple[Skip, ...]:
    """Return what is not indexed and why: for the given reasons only, or for any reason."""
    only = f"WHERE reason IN ({_placeholders(reasons)})" if reasons else ""
    rows = db.execute(f"SELECT path, reason, detail FROM skips {only} ORDER BY path, reason", reasons)
    return tuple(Skip(path, reason, kept_note(detail)) for path, reason, detail in rows)


def remarks(db: sqlite3.Connection) -> tuple[tuple[str, Message], ...]:
    """Return the files that were indexed only in part, with the reason, ordered by path."""
    rows = db.execute("SELECT path, note FROM files WHERE note != '' AND language != '' ORDER BY path")
    return tuple((path, kept_note(remark)) for path, remark in rows)


def note(db: sqlite3.Connection, key: str, value: str) -> None:
    """Store a small fact about the index under a key."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def noted(db: sqlite3.Connection, key: str) -> str:
    """Return the fact stored under a key, or the empty string."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def notes(db: sqlite3.Connection) -> dict[str, str]:
    """Return all facts about the index by key."""
    return dict(db.execute("SELECT key, value FROM meta"))


def waiting(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the outbox, oldest first: (sequence number, file number)."""
    return db.execute("SELECT seq, file_id FROM outbox ORDER BY seq").fetchall()


def count(db: sqlite3.Connection, table: str) -> int:
    """Return how many rows a table has."""
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def among(db: sqlite3.Connection, query: str, values: Sequence[Any]) -> Iterator[Any]:
    """Run a query that has ``IN (?)`` over all values, at most ``MANY`` in one statement."""
    for start in range(0, len(values), MANY):
        part = values[start : start + MANY]
        yield from db.execute(query.replace("(?)", f"({_placeholders(part)})"), part)


def _placeholders(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
