"""The SQL of past changes: commits, the files they changed, and the terms of their messages.

A term's row holds its commits as one array, and a commit's row its files, because a question reads thousands of the
former and many of the latter, and has less than a millisecond for it. What a term is worth in a message depends on that
message alone (``message_terms``), so it is the same whether commits were written one by one or all at once.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from math import log1p
from typing import TYPE_CHECKING, Any

from msgspec import DecodeError, json

from shirube.engine.store.catalog import among, count
from shirube.engine.store.lexical import pack_text, unpack_text
from shirube.engine.store.port import PastChange, SimilarChange, Terms, TouchedFile, newest_first
from shirube.engine.text.bm25 import idf, saturation
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import index_terms
from shirube.errors import BrokenIndex

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
LATEST = 2**31
"""The latest time that counts: the clocks of some commits are far off, and sums have to be exact."""
PARTS = 20_000
"""What a term is worth in a message is a whole number of parts, so many to 1."""
ROW = [("id", "<u4"), ("worth", "<u2")]
"""A commit in the row of a term."""
_COLUMNS = "id, hash, seconds, author, subject, weight, files"
_FILES = json.Decoder(list[tuple[int, int, int, str]])
"""Of each file the ids of its paths today, then and before (0: as today, none), and its symbols, joined by blanks."""


def message_terms(change: PastChange) -> dict[str, int]:
    """Return the terms of a commit's message and what each is worth in it; none of a commit that tells nothing."""
    if not change.weight:
        return {}
    counts: dict[str, float] = dict(Counter(index_terms(change.subject)))
    for term in index_terms(" ".join(change.body.split()[:BODY_WORDS])):
        counts.setdefault(term, BODY)
    telling = {term: count for term, count in counts.items() if term not in _stop_terms()}
    length = sum(telling.values())
    return {term: round(saturation(count, length, AVERAGE) * PARTS) for term, count in telling.items()}


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(form for word in stop_words() for form in (word, stem(word)))


def term_weights(terms: Terms, commits: int, having: Mapping[str, int]) -> dict[str, float]:
    """Return what one part of each term counts, in the order in which scores have to be added up."""
    return {term: terms[term] * idf(commits, having[term]) / PARTS for term in sorted(terms) if having.get(term)}


def best_score(terms: Terms, commits: int, having: Mapping[str, int]) -> float:
    """Return the score of a message that says just what the terms ask; ``having``: term → commits with it."""
    return sum(worth * idf(commits, having.get(term, 0)) * USUAL for term, worth in terms.items())


def recency_of(change: PastChange) -> float:
    """Return what a commit adds to how much its files changed: half as much as one of a year later.

    Rounded, so that sums are exact: the same in whatever order commits were written.
    """
    return round(_years(change.seconds) * 256) / 256 if change.weight else 0.0


def _years(seconds: int) -> float:
    return 2 ** ((min(max(seconds, 0), LATEST) - EPOCH) / YEAR)


def busy_share(total: float, most: float, now: int) -> float:
    """Return how much a file changed, from 0 to 1 (the one that changed most); many more changes count little more."""
    today = _years(now)
    return log1p(total / today) / log1p(most / today) if most else 0.0


def write_changes(db: sqlite3.Connection, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
    """Add commits and remove others; of a commit that is known only the files are replaced."""
    changes = list(changes)
    named = [bytes.fromhex(commit) for commit in (*removed, *(change.commit for change in changes))]
    ids = {
        commit.hex(): number for commit, number in among(db, "SELECT hash, id FROM changes WHERE hash IN (?)", named)
    }
    gone = [ids[commit] for commit in removed if commit in ids]
    if gone and len(gone) == count(db, "changes"):
        for table in ("changes", "change_files", "change_paths", "change_terms"):
            db.execute(f"DELETE FROM {table}")
        ids, gone = {}, []
    moved = _remove_files(db, [*gone, *(ids[change.commit] for change in changes if change.commit in ids)])
    dropped = {term for change in described(db, gone).values() for term in message_terms(change)}
    db.executemany("DELETE FROM changes WHERE id = ?", [(number,) for number in gone])
    added: dict[str, list[tuple[int, int]]] = {}
    for change in changes:
        if change.commit not in ids:
            ids[change.commit] = number = _insert(db, change)
            for term, worth in message_terms(change).items():
                added.setdefault(term, []).append((number, worth))
    _write_terms(db, added, dropped, gone)
    moved |= _write_files(db, {ids[change.commit]: change.files for change in changes})
    db.executemany(
        "UPDATE change_paths SET busy = (SELECT total(recency) FROM change_files JOIN changes ON changes.id = change_id"
        " WHERE path_id = change_paths.id) WHERE id = ?",
        [(number,) for number in sorted(moved)],
    )


def _insert(db: sqlite3.Connection, change: PastChange) -> int:
    body = pack_text(change.body) if change.body else b""
    commit, recency = bytes.fromhex(change.commit), recency_of(change)
    values = (commit, change.seconds, change.author, change.subject, body, change.weight, recency)
    columns = "hash, seconds, author, subject, body, weight, recency, files"
    query = f"INSERT INTO changes ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, x'')"
    return int(db.execute(query, values).lastrowid or 0)


def _write_terms(
    db: sqlite3.Connection,
    added: Mapping[str, Sequence[tuple[int, int]]],
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
            rows = np.concatenate([rows, np.array(added[term], dtype=ROW)])
        known[term] = rows
    db.executemany("DELETE FROM change_terms WHERE term = ?", [(term,) for term in terms if not len(known[term])])
    db.executemany(
        "INSERT OR REPLACE INTO change_terms VALUES (?, ?)",
        [(term, rows.tobytes()) for term, rows in known.items() if len(rows)],
    )


def _write_files(db: sqlite3.Connection, files: Mapping[int, Sequence[TouchedFile]]) -> set[int]:
    """Write the files of commits; return the ids of their paths."""
    paths = {path for some in files.values() for file in some for path in (file.path, file.then, file.before) if path}
    db.executemany("INSERT OR IGNORE INTO change_paths (path) VALUES (?)", [(path,) for path in sorted(paths)])
    ids = dict(among(db, "SELECT path, id FROM change_paths WHERE path IN (?)", sorted(paths)))
    ids[""] = 0
    packed = {
        number: [
            (ids[file.path], ids[file.then], ids[file.before], " ".join(file.symbols))
            for file in sorted(some, key=by_path)
        ]
        for number, some in files.items()
    }
    db.executemany(
        "UPDATE changes SET files = ? WHERE id = ?",
        [(json.encode(rows) if rows else b"", number) for number, rows in packed.items()],
    )
    db.executemany(
        "INSERT OR IGNORE INTO change_files VALUES (?, ?)",
        [(row[0], number) for number, rows in packed.items() for row in rows],
    )
    return {row[0] for rows in packed.values() for row in rows}


def _remove_files(db: sqlite3.Connection, numbers: Sequence[int]) -> set[int]:
    """Remove the files of commits; return the ids of their paths."""
    rows = [
        (file[0], number)
        for number, files in among(db, "SELECT id, files FROM changes WHERE id IN (?)", numbers)
        for file in _unpack(files)
    ]
    db.executemany("DELETE FROM change_files WHERE path_id = ? AND change_id = ?", rows)
    return {path for path, _ in rows}


def commits(db: sqlite3.Connection) -> dict[str, int]:
    """Return all known commits with their times."""
    return {commit.hex(): seconds for commit, seconds in db.execute("SELECT hash, seconds FROM changes")}


def past_changes(
    db: sqlite3.Connection, paths: Collection[str] | None = None, since: int = 0, *, bodies: bool = True
) -> tuple[PastChange, ...]:
    """Return the known commits, or those that changed any of these files, from a time on, newest first."""
    if paths is None:
        numbers = {number for (number,) in db.execute("SELECT id FROM changes WHERE seconds >= ?", (since,))}
    else:
        query = "SELECT change_id FROM change_files JOIN change_paths ON id = path_id WHERE path IN (?)"
        numbers = {number for (number,) in among(db, query, sorted(set(paths)))}
    found = (one for one in described(db, sorted(numbers), bodies=bodies).values() if one.seconds >= since)
    return tuple(sorted(found, key=newest_first))


def changes_named(db: sqlite3.Connection, commits: Collection[str]) -> tuple[PastChange, ...]:
    """Return these commits, newest first."""
    named = [bytes.fromhex(commit) for commit in commits]
    numbers = [number for (number,) in among(db, "SELECT id FROM changes WHERE hash IN (?)", named)]
    return tuple(sorted(described(db, numbers).values(), key=newest_first))


def change_counts(db: sqlite3.Connection, paths: Collection[str]) -> dict[str, int]:
    """Return how many commits that tell something changed each of these files."""
    query = (
        "SELECT path, count(*) FROM change_paths AS p JOIN change_files ON path_id = p.id"
        " JOIN changes AS c ON c.id = change_id AND weight > 0 WHERE path IN (?) GROUP BY path"
    )
    return dict(among(db, query, sorted(set(paths))))


def best_changes(
    found: "Mapping[str, tuple[Rows, Rows]]",
    terms: Terms,
    commits: int,
    limit: int,
    newest: Callable[[Sequence[int], int], list[int]],
) -> dict[int, float]:
    """Return the ids of the commits with most of the terms, and how much of the question each has.

    ``found`` tells of each term the ids of the commits that have it, and what it is worth in each; ``newest`` chooses
    so many of commits with the same score.
    """
    import numpy as np

    if not found or not commits:
        return {}
    having = {term: len(ids) for term, (ids, _) in found.items()}
    weights, possible = term_weights(terms, commits, having), best_score(terms, commits, having)
    if not weights:
        return {}
    scores = np.bincount(
        np.concatenate([found[term][0] for term in weights]),
        weights=np.concatenate([found[term][1] * weight for term, weight in weights.items()]),
    )
    best = np.flatnonzero(scores > 0)
    if len(best) > limit:
        values = scores[best]
        enough = np.partition(values, -limit)[-limit]
        tied = best[values == enough].tolist()
        best = best[values > enough]
        best = np.array([*best, *newest(tied, limit - len(best))])
    return {number: float(scores[number]) / possible for number in best.tolist()}


def changed_together(
    db: sqlite3.Connection, paths: Collection[str], least: int
) -> tuple[tuple[PastChange, ...], dict[str, int]]:
    """Return the commits that changed any of these files, and the counts of the files they changed often enough."""
    changes = past_changes(db, paths, bodies=False)
    return changes, change_counts(db, often_changed(changes, least))


def often_changed(changes: Iterable[PastChange], least: int) -> list[str]:
    """Return the files that at least so many of the commits changed."""
    counts = Counter(path for change in changes for path in {file.path for file in change.files})
    return [path for path, count in counts.items() if count >= least]


class ChangeReader:
    """Reads past changes for questions, and keeps what it read until the database changes."""

    MOST_TERMS, MOST_CHANGES = 1_000, 5_000
    """What to keep, a few MB of each; when it is full, it is cleared."""

    def __init__(self) -> None:
        self._version = -1
        self._commits, self._latest, self._busiest = 0, 0, 0.0
        self._terms: dict[str, tuple[Rows, Rows] | None] = {}
        self._changes: dict[int, PastChange] = {}
        self._paths: dict[int, str] = {0: ""}
        self._busy: dict[str, float | None] = {}

    def busy(self, db: sqlite3.Connection, paths: Collection[str]) -> dict[str, float]:
        """Return how much these files changed lately, from 0 to 1 (the file that changed most)."""
        self._follow(db)
        if missing := [path for path in paths if path not in self._busy]:
            self._busy.update(dict.fromkeys(missing))
            for path, total in among(db, "SELECT path, busy FROM change_paths WHERE path IN (?)", missing):
                self._busy[path] = busy_share(total, self._busiest, self._latest)
        return {path: share for path in paths if (share := self._busy[path]) is not None}

    def similar(self, db: sqlite3.Connection, terms: Terms, limit: int) -> tuple[SimilarChange, ...]:
        """Return the commits whose messages have these terms, best first."""
        self._follow(db)
        found = self._rows_of(db, terms)
        shares = best_changes(found, terms, self._commits, limit, partial(self._newest, db))
        similar = [SimilarChange(change, shares[number]) for number, change in self._read(db, list(shares))]
        return tuple(sorted(similar, key=lambda one: (-one.share, *newest_first(one.change))))

    def _follow(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._version, self._commits = version, count(db, "changes")
            (self._latest,) = db.execute("SELECT coalesce(max(seconds), 0) FROM changes").fetchone()
            (self._busiest,) = db.execute("SELECT coalesce(max(busy), 0.0) FROM change_paths").fetchone()
            self._terms.clear()
            self._changes.clear()
            self._busy.clear()
        if len(self._terms) > self.MOST_TERMS:
            self._terms.clear()
        if len(self._changes) > self.MOST_CHANGES:
            self._changes.clear()

    def _rows_of(self, db: sqlite3.Connection, terms: Collection[str]) -> "dict[str, tuple[Rows, Rows]]":
        """Return by term the ids of the commits that have it, and what it is worth in each."""
        if missing := [term for term in terms if term not in self._terms]:
            self._terms.update(dict.fromkeys(missing))
            for term, data in _terms_in(db, missing):
                rows = _rows(data)
                self._terms[term] = rows["id"].astype("intp"), rows["worth"].astype("float64")
        return {term: known for term in terms if (known := self._terms[term]) is not None}

    def _newest(self, db: sqlite3.Connection, numbers: Sequence[int], most: int) -> list[int]:
        """Return the newest of commits with the same score."""
        if len(numbers) == most:
            return list(numbers)
        rows = among(db, "SELECT -seconds, hash, id FROM changes WHERE id IN (?)", numbers)
        return [number for _, _, number in sorted(rows)[:most]]

    def _read(self, db: sqlite3.Connection, numbers: Sequence[int]) -> Iterator[tuple[int, PastChange]]:
        missing = [number for number in numbers if number not in self._changes]
        self._changes.update(described(db, missing, self._paths, bodies=False))
        return ((number, self._changes[number]) for number in numbers)


def _terms_in(db: sqlite3.Connection, terms: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    return among(db, "SELECT term, rows FROM change_terms WHERE term IN (?)", terms)


def _rows(data: bytes) -> "Rows":
    import numpy as np

    return np.frombuffer(data, dtype=ROW)


def _unpack(files: bytes) -> list[tuple[int, int, int, str]]:
    try:
        return _FILES.decode(files) if files else []
    except DecodeError as error:
        raise BrokenIndex("store.text", error=str(error)) from error


def described(
    db: sqlite3.Connection, numbers: Sequence[int], paths: dict[int, str] | None = None, *, bodies: bool = True
) -> dict[int, PastChange]:
    """Return commits by their numbers; without ``bodies`` only the subjects of their messages.

    ``paths`` are those that are known by their ids; the others are added. An id never gets another path.
    """
    paths = {0: ""} if paths is None else paths
    query = f"SELECT {_COLUMNS}{', body' if bodies else ''} FROM changes WHERE id IN (?)"
    rows = list(among(db, query, numbers))
    files = [_unpack(row[6]) for row in rows]
    wanted = {number for some in files for file in some for number in file[:3]} - paths.keys()
    paths.update(among(db, "SELECT id, path FROM change_paths WHERE id IN (?)", list(wanted)))
    found = {}
    for (number, commit, seconds, author, subject, weight, _, *body), some in zip(rows, files, strict=True):
        touched = [
            TouchedFile(paths[path], tuple(symbols.split()), paths[then], paths[before])
            for path, then, before, symbols in some
        ]
        text = unpack_text(body[0]) if bodies else ""
        found[number] = PastChange(commit.hex(), seconds, author, subject, text, tuple(touched), weight)
    return found


def by_path(file: TouchedFile) -> tuple[str, str]:
    """Sort key of the files of a commit."""
    return file.path, file.then
