"""The SQL of past changes: commits, their files, and the terms of their messages.

A term's row holds its commits as one array, because a question reads thousands of them and has a millisecond for it.
What a term is worth in a message depends on that message alone (``message_terms``), so it is the same whether commits
were written one by one or all at once.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shirube.engine.store.catalog import among, count
from shirube.engine.store.lexical import pack_text, unpack_text
from shirube.engine.store.port import PastChange, SimilarChange, Terms, TouchedFile
from shirube.engine.text.bm25 import idf, saturation
from shirube.engine.text.tokens import index_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[Any]

SUBJECT = 2
"""How many times a word in the subject counts."""
AVERAGE = 30.0
"""Terms of an average message; a constant, so that a commit more or less does not change all scores."""
BODY_TERMS = 60
"""How many terms of a message's body count: its first sentences say what the commit is about."""
LATEST = 2**32 - 1
PARTS = 20_000
"""What a term is worth in a message is rounded to so many parts of 1."""
_ROW = [("id", "<u4"), ("seconds", "<u4"), ("worth", "<u2")]
"""A commit in the row of a term."""


def message_terms(change: PastChange) -> dict[str, float]:
    """Return the terms of a commit's message and what each is worth in it."""
    terms = index_terms(change.subject) * SUBJECT + index_terms(change.body)[:BODY_TERMS]
    return {
        term: round(saturation(times, len(terms), AVERAGE) * PARTS) / PARTS for term, times in Counter(terms).items()
    }


def write_changes(db: sqlite3.Connection, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
    """Add commits and remove others; of a commit that is known only the files are replaced."""
    changes = list(changes)
    named = [bytes.fromhex(commit) for commit in (*removed, *(change.commit for change in changes))]
    rows = among(db, "SELECT hash, id FROM changes WHERE hash IN (?)", named)
    ids = {commit.hex(): number for commit, number in rows}
    gone = {ids[commit]: commit for commit in removed if commit in ids}
    dropped = {term for change in _described(db, list(gone)) for term in message_terms(change)}
    db.executemany("DELETE FROM changes WHERE id = ?", [(number,) for number in gone])
    db.executemany(
        "DELETE FROM change_files WHERE change_id = ?",
        [(number,) for number in {*gone, *(ids[change.commit] for change in changes if change.commit in ids)}],
    )
    added: dict[str, list[tuple[int, int, int]]] = {}
    for change in changes:
        if change.commit not in ids:
            ids[change.commit] = number = _insert(db, change)
            for term, worth in message_terms(change).items():
                added.setdefault(term, []).append((number, min(change.seconds, LATEST), round(worth * PARTS)))
    _write_terms(db, added, dropped, set(gone))
    _write_files(db, {ids[change.commit]: change.files for change in changes})


def _insert(db: sqlite3.Connection, change: PastChange) -> int:
    commit = bytes.fromhex(change.commit)
    values = (commit, change.seconds, change.author, change.subject, pack_text(change.body), change.weight)
    cursor = db.execute(
        "INSERT INTO changes (hash, seconds, author, subject, body, weight) VALUES (?, ?, ?, ?, ?, ?)", values
    )
    return int(cursor.lastrowid or 0)


def _write_terms(
    db: sqlite3.Connection,
    added: Mapping[str, Sequence[tuple[int, int, int]]],
    dropped: Collection[str],
    gone: Collection[int],
) -> None:
    import numpy as np

    terms = sorted({*added, *dropped})
    known = {term: _rows(data) for term, data in _terms_in(db, terms)}
    for term in terms:
        rows = known.get(term, _rows(b""))
        if term in dropped:
            rows = rows[~np.isin(rows["id"], list(gone))]
        if term in added:
            rows = np.concatenate([rows, np.array(added[term], dtype=_ROW)])
        known[term] = rows
    db.executemany("DELETE FROM change_terms WHERE term = ?", [(term,) for term in terms if not len(known[term])])
    db.executemany(
        "INSERT OR REPLACE INTO change_terms VALUES (?, ?)",
        [(term, rows.tobytes()) for term, rows in known.items() if len(rows)],
    )


def _write_files(db: sqlite3.Connection, files: Mapping[int, Sequence[TouchedFile]]) -> None:
    paths = {(file.path,) for some in files.values() for file in some}
    db.executemany("INSERT OR IGNORE INTO change_paths (path) VALUES (?)", sorted(paths))
    db.executemany(
        "INSERT OR REPLACE INTO change_files SELECT ?, id, ?, ?, ? FROM change_paths WHERE path = ?",
        [
            (number, " ".join(file.symbols), file.then, file.before, file.path)
            for number, some in files.items()
            for file in some
        ],
    )


def commits(db: sqlite3.Connection) -> dict[str, int]:
    """Return all known commits with their times."""
    return {commit.hex(): seconds for commit, seconds in db.execute("SELECT hash, seconds FROM changes")}


def past_changes(
    db: sqlite3.Connection, paths: Collection[str] | None = None, since: int = 0
) -> tuple[PastChange, ...]:
    """Return the known commits, or those that changed any of these files, from a time on, newest first."""
    numbers = {number for (number,) in db.execute("SELECT id FROM changes WHERE seconds >= ?", (since,))}
    if paths is not None:
        query = "SELECT change_id FROM change_files JOIN change_paths ON id = path_id WHERE path IN (?)"
        numbers &= {number for (number,) in among(db, query, sorted(set(paths)))}
    found = _described(db, list(numbers))
    return tuple(sorted(found, key=lambda change: (-change.seconds, change.commit)))


def change_counts(db: sqlite3.Connection, paths: Collection[str]) -> dict[str, int]:
    """Return how many commits that tell something changed each of these files."""
    query = (
        "SELECT path, count(*) FROM change_paths AS p JOIN change_files ON path_id = p.id"
        " JOIN changes AS c ON c.id = change_id AND weight > 0 WHERE path IN (?) GROUP BY path"
    )
    return dict(among(db, query, sorted(set(paths))))


def similar_changes(db: sqlite3.Connection, terms: Terms, limit: int) -> tuple[SimilarChange, ...]:
    """Return the commits whose messages have these terms, best first."""
    import numpy as np

    total, found = count(db, "changes"), [(term, _rows(data)) for term, data in _terms_in(db, list(terms))]
    if not found:
        return ()
    every = np.concatenate([rows for _, rows in found])
    weights = np.concatenate([rows["worth"] * (terms[term] * idf(total, len(rows)) / PARTS) for term, rows in found])
    numbers = every["id"].astype(np.int64)
    scores = np.bincount(numbers, weights=weights)
    times = np.zeros(len(scores))
    times[numbers] = every["seconds"]
    enough = np.partition(scores, -limit)[-limit] if limit < len(scores) else 0.0
    likely = np.flatnonzero((scores > 0) & (scores >= enough))
    likely = likely[np.lexsort((-times[likely], -scores[likely]))]
    best = list(zip(scores[likely].tolist(), times[likely].tolist(), likely.tolist(), strict=True))
    end = limit
    while end < len(best) and best[end][:2] == best[limit - 1][:2]:  # only their names can tell these apart
        end += 1
    described = _described(db, [number for _, _, number in best[:end]], bodies=False)
    similar = [SimilarChange(change, score) for (score, _, _), change in zip(best, described, strict=False)]
    similar.sort(key=lambda one: (-one.score, -one.change.seconds, one.change.commit))
    return tuple(similar[:limit])


def _terms_in(db: sqlite3.Connection, terms: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    return among(db, "SELECT term, rows FROM change_terms WHERE term IN (?)", terms)


def _rows(data: bytes) -> "Rows":
    import numpy as np

    return np.frombuffer(data, dtype=_ROW)


def _described(db: sqlite3.Connection, numbers: Sequence[int], *, bodies: bool = True) -> list[PastChange]:
    """Return commits by their numbers, in that order; without ``bodies`` only the subjects of their messages."""
    files: dict[int, list[TouchedFile]] = {}
    query = (
        "SELECT change_id, path, symbols, then_path, before FROM change_files JOIN change_paths ON id = path_id"
        " WHERE change_id IN (?) ORDER BY path"
    )
    for number, path, symbols, then, before in among(db, query, numbers):
        files.setdefault(number, []).append(TouchedFile(path, tuple(symbols.split()), then, before))
    body = "body" if bodies else "x''"
    query = f"SELECT id, hash, seconds, author, subject, {body}, weight FROM changes WHERE id IN (?)"
    known = {
        number: PastChange(
            commit.hex(), seconds, author, subject, unpack_text(body), tuple(files.get(number, ())), weight
        )
        for number, commit, seconds, author, subject, body, weight in among(db, query, numbers)
    }
    return [known[number] for number in numbers]
