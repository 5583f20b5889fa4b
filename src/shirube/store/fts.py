"""SQLite's FTS5 as the second engine: filled only when tantivy cannot be used."""

import re
import sqlite3
from collections.abc import Mapping, Sequence

from shirube.store.lexical import FIELDS, Scored, Where, file_of, key_of
from shirube.store.port import Doc

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

    def search(self, terms: Sequence[str], weights: Mapping[str, float], where: Where, limit: int) -> Scored:
        """Return the best documents; FTS5's bm25 is negative, and better the lower."""
        wanted = [term for term in dict.fromkeys(terms) if _TOKEN.fullmatch(term)]
        if not wanted or limit <= 0:
            return []
        match = " OR ".join(f'"{term}"' for term in wanted)
        order = ", ".join(str(float(weights.get(field, 0.0))) for field in FIELDS)
        rows = self._db.execute(
            f"SELECT rowid, bm25(fts, {order}) AS score FROM fts WHERE fts MATCH ? ORDER BY score, rowid",
            (match,),
        )
        found: Scored = []
        for key, score in rows:
            if self._wanted(key, where):
                found.append((key, -score))
            if len(found) == limit:
                break
        return found

    def _wanted(self, key: int, where: Where) -> bool:
        if not where.languages and not where.kinds:
            return True
        file_id = file_of(key)
        row = self._db.execute("SELECT language, kinds FROM fts_files WHERE file_id = ?", (file_id,)).fetchone()
        return where.allows(row[0], row[1].split()[key - key_of(file_id, 0)])
