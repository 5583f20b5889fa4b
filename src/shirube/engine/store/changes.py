"""The SQL of past changes: commits, their files, and the terms of their messages.

A term's row holds its commits as one array, because a question reads thousands of them and has a millisecond for it.
What a term is worth in a message depends on that message alone (``message_terms``), so it is the same whether commits
were written one by one or all at once.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import log1p
from typing import TYPE_CHECKING, Any

from shirube.engine.store.catalog import among, count
from shirube.engine.store.lexical import pack_text, unpack_text
from shirube.engine.store.port import PastChange, SimilarChange, Terms, TouchedFile
from shirube.engine.text.bm25 import idf, saturation
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import index_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[Any]

AVERAGE = 12.0
"""Terms of an average message; a constant, so that a commit more or less does not change all scores."""
BODY, BODY_WORDS = 0.3, 40
"""What a term counts that is only in the body, and how many words of the body are read: the first say what it does."""
USUAL = saturation(1, 10, AVERAGE)
"""What a term is worth in a message that says just what is asked."""
EPOCH, YEAR = 1_104_537_600, 31_557_600
"""The time from which the weights of commits are reckoned, 2005, and the time in which they halve."""
LATEST = 2**32 - 1
PARTS = 20_000
"""What a term is worth in a message is rounded to so many parts of 1."""
_ROW = [("id", "<u4"), ("seconds", "<u4"), ("worth", "<u2")]
"""A commit in the row of a term."""


def message_terms(change: PastChange) -> dict[str, float]:
    """Return the terms of a commit's message and what each is worth in it."""
    counts: dict[str, float] = dict(Counter(index_terms(change.subject)))
    for term in index_terms(" ".join(change.body.split()[:BODY_WORDS])):
        counts.setdefault(term, BODY)
    telling = {term: count for term, count in counts.items() if term not in _stop_terms()}
    length = sum(telling.values())
    return {term: round(saturation(count, length, AVERAGE) * PARTS) / PARTS for term, count in telling.items()}


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(form for word in stop_words() for form in (word, stem(word)))


def best_score(terms: Terms, total: int, having: Mapping[str, int]) -> float:
    """Return the score of a message that says just what the terms ask; ``having``: term → commits with it."""
    return sum(worth * idf(total, having.get(term, 0)) * USUAL for term, worth in terms.items())


def recency_of(change: PastChange) -> float:
    """Return what a commit adds to how much its files changed: half as much as one of a year later."""
    return 2 ** ((change.seconds - EPOCH) / YEAR) if change.weight else 0.0


def busy_share(total: float, most: float, now: int) -> float:
    """Return how much a file changed, from 0 to 1 (the one that changed most); many more changes count little more."""
    today = 2 ** ((now - EPOCH) / YEAR)
    return log1p(total / today) / log1p(most / today) if most else 0.0


def write_changes(db: sqlite3.Connection, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
    """Add commits and remove others; of a commit that is known only the files are replaced."""
    changes = list(changes)
    named = [bytes.fromhex(commit) for commit in (*removed, *(change.commit for change in changes))]
    rows = among(db, "SELECT hash, id FROM changes WHERE hash IN (?)", named)
    ids = {commit.hex(): number for commit, number in rows}
    gone = {ids[commit] for commit in removed if commit in ids}
    replaced = [ids[change.commit] for change in changes if change.commit in ids]
    paths = _paths_of(db, [*gone, *replaced])
    dropped = {term for change in _described(db, list(gone)) for term in message_terms(change)}
    db.executemany("DELETE FROM changes WHERE id = ?", [(number,) for number in gone])
    db.executemany("DELETE FROM change_files WHERE change_id = ?", [(number,) for number in (*gone, *replaced)])
    added: dict[str, list[tuple[int, int, int]]] = {}
    for change in changes:
        if change.commit not in ids:
            ids[change.commit] = number = _insert(db, change)
            for term, worth in message_terms(change).items():
                added.setdefault(term, []).append((number, min(change.seconds, LATEST), round(worth * PARTS)))
    _write_terms(db, added, dropped, gone)
    _write_files(db, {ids[change.commit]: change.files for change in changes})
    paths |= _paths_of(db, [ids[change.commit] for change in changes])
    db.executemany(
        "UPDATE change_paths SET busy = (SELECT total(recency) FROM change_files JOIN changes ON changes.id = change_id"
        " WHERE path_id = change_paths.id) WHERE id = ?",
        [(number,) for number in sorted(paths)],
    )


def _paths_of(db: sqlite3.Connection, numbers: Sequence[int]) -> set[int]:
    query = "SELECT path_id FROM change_files WHERE change_id IN (?)"
    return {number for (number,) in among(db, query, numbers)}


def _insert(db: sqlite3.Connection, change: PastChange) -> int:
    commit = bytes.fromhex(change.commit)
    body, recency = pack_text(change.body), recency_of(change)
    values = (commit, change.seconds, change.author, change.subject, body, change.weight, recency)
    cursor = db.execute(
        "INSERT INTO changes (hash, seconds, author, subject, body, weight, recency) VALUES (?, ?, ?, ?, ?, ?, ?)",
        values,
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


def busy(db: sqlite3.Connection, paths: Collection[str]) -> dict[str, float]:
    """Return how much these files changed lately, from 0 to 1 (the file that changed most)."""
    now, most = db.execute("SELECT (SELECT max(seconds) FROM changes), (SELECT max(busy) FROM change_paths)").fetchone()
    rows = among(db, "SELECT path, busy FROM change_paths WHERE path IN (?)", list(paths))
    return {path: busy_share(total, most, now) for path, total in rows}


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
    possible = best_score(terms, total, {term: len(rows) for term, rows in found})
    similar = [
        SimilarChange(change, min(1.0, score / possible))
        for (score, _, _), change in zip(best, described, strict=False)
    ]
    similar.sort(key=lambda one: (-one.share, -one.change.seconds, one.change.commit))
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
