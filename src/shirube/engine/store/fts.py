"""SQLite's FTS5 as the second engine: filled only when tantivy cannot be used."""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from shirube.engine.store.lexical import FIELDS, Scored, Where, file_of, key_of
from shirube.engine.store.port import Doc, Terms

_TOKEN = re.compile(r"[\w-]+")
"""What our tokens are made of; FTS5 would cut anything else once more, and match what was not asked."""


class FtsLexical:
    """A full-text table in the index's own database, fed with our tokens (its own know no Japanese)."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        columns = ", ".join(FIELDS)
        db.execute("CREATE TABLE IF NOT EXISTS fts_files (file_id INTEGER PRIMARY KEY, language TEXT, kinds TEXT)")
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5({columns},"
            " tokenize = \"unicode61 remove_diacritics 0 tokenchars '-_'\", detail = column)"
        )

    def held(self) -> set[int]:
        """Return the files it holds."""
        return {row[0] for row in self._db.execute("SELECT file_id FROM fts_files")}

    def replace(self, file_id: int, language: str, docs: Sequence[Doc]) -> None:
        """Take in a file's documents; none means that the file is gone."""
        low, high = key_of(file_id, 0), key_of(file_id + 1, 0)
        self._db.execute("DELETE FROM fts WHERE rowid >= ? AND rowid < ?", (low, high))
        self._db.execute("DELETE FROM fts_files WHERE file_id = ?", (file_id,))
        if not docs:
            return
        rows = [(low + place, doc.content, doc.symbols, doc.path) for place, doc in enumerate(docs)]
        self._db.executemany("INSERT INTO fts (rowid, content, symbols, path) VALUES (?, ?, ?, ?)", rows)
        kinds = " ".join(doc.kind for doc in docs)
        self._db.execute("INSERT INTO fts_files VALUES (?, ?, ?)", (file_id, language, kinds))

    def commit(self) -> None:
        """The caller's transaction makes it visible."""

    def search(self, fields: Mapping[str, Terms], where: Where, limit: int) -> Scored:
        """Return the documents that have any of the terms, best first; one query for each worth and field."""
        total: dict[int, float] = {}
        for field, terms in fields.items():
            for weight in sorted(set(terms.values()), reverse=True):
                alike = [f'"{term}"' for term in terms if terms[term] == weight and _TOKEN.fullmatch(term)]
                if alike and weight > 0:
                    for key, score in self._matching(f"{field} : ({' OR '.join(alike)})"):
                        total[key] = total.get(key, 0.0) + weight * score
        return self._best(total.items(), where, limit)

    def together(self, terms: Sequence[str], where: Where, limit: int) -> Scored:
        """Return documents whose content has all of the terms, best first."""
        if not terms or not all(map(_TOKEN.fullmatch, terms)):
            return []
        every = " AND ".join(f'"{term}"' for term in terms)
        return self._best(self._matching(f"content : ({every})"), where, limit)

    def frequency(self, field: str, term: str) -> int:
        """Return how many documents have a term in a field."""
        return len(self._matching(f'{field} : "{term}"')) if _TOKEN.fullmatch(term) else 0

    def _matching(self, match: str) -> Scored:
        """FTS5's bm25 is negative, and better the lower; a word in half of all documents gets next to nothing."""
        rows = self._db.execute("SELECT rowid, bm25(fts) FROM fts WHERE fts MATCH ?", (match,))
        return [(key, -score) for key, score in rows]

    def _best(self, scored: Iterable[tuple[int, float]], where: Where, limit: int) -> Scored:
        found: Scored = []
        for key, score in sorted(scored, key=lambda item: (-item[1], item[0])):
            if len(found) >= limit:
                break
            if self._wanted(key, where):
                found.append((key, score))
        return found

    def _wanted(self, key: int, where: Where) -> bool:
        if not where.languages and not where.kinds:
            return True
        file_id = file_of(key)
        row = self._db.execute("SELECT language, kinds FROM fts_files WHERE file_id = ?", (file_id,)).fetchone()
        return where.allows(row[0], row[1].split()[key - key_of(file_id, 0)])
