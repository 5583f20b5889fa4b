"""The lexical index in tantivy; it can be deleted and rebuilt at any time."""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from shirube.engine.store.lexical import FIELDS, Scored, Where, key_of
from shirube.engine.store.port import Doc, Terms
from shirube.errors import NotWritable

HEAP_BYTES = 48_000_000
"""Memory of the writer: tantivy needs at least 15 MB, and more than this is no faster on 5,000 files."""
MANY_SEGMENTS = 12
"""Above this many segments queries slow down, so the writer waits for its merges."""
WIDEN = 4
"""How many times more documents to fetch when the last ones have the same score."""
PASSING_TROUBLE = ("Os {", "IoError", "No space", "Permission denied", "Input/output", "LockBusy")
"""Parts of tantivy's messages for passing trouble: the disk, or a failed writer that has not yet ended."""


class BrokenProjection(Exception):
    """The index directory is unusable, for example after a process was killed; it has to be rebuilt."""


class TantivyLexical:
    """One index directory; any process may read, one may write at a time (the caller holds the lock)."""

    def __init__(self, directory: Path) -> None:
        self._directory, self._meta = directory, directory / "meta.json"
        self._module = _tantivy()
        self._schema = _schema(self._module)
        self._writer: Any = None
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._index = self._module.Index(self._schema, path=str(directory), reuse=True)
        self._seen = self._stamp()

    def replace(self, file_id: int, language: str, docs: Sequence[Doc]) -> None:
        """Replace a file's documents; an empty sequence removes the file."""
        writer = self._writing()
        with _translated(self._directory):
            self._replace(writer, file_id, language, docs)

    def _replace(self, writer: Any, file_id: int, language: str, docs: Sequence[Doc]) -> None:
        # The field is raw text: deleting by an unsigned field silently deletes nothing in tantivy-py 0.27.
        writer.delete_documents_by_term("file", str(file_id))
        for position, doc in enumerate(docs):
            document = self._module.Document()
            document.add_text("file", str(file_id))
            document.add_unsigned("chunk", key_of(file_id, position))
            document.add_text("language", language)
            for field in FIELDS:
                if text := getattr(doc, field):
                    document.add_text(field, text)
            writer.add_document(document)

    def commit(self, *, wait: bool = False) -> None:
        """Write the replaced documents to disk and release the writer; ``wait`` also ends its merges."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        with _translated(self._directory):
            writer.commit()
            self._index.reload()
            if wait or self._index.searcher().num_segments > MANY_SEGMENTS:
                writer.wait_merging_threads()
                self._index.reload()
        self._seen = self._stamp()

    def abandon(self) -> None:
        """Discard what was replaced since the last commit."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with _translated(self._directory):
                writer.rollback()

    def search(self, fields: Mapping[str, Terms], where: Where, limit: int) -> Scored:
        """Return the documents that contain any of the terms, best first, and all that equal the last one."""
        return self._found(self._any(fields), where, limit)

    def together(self, terms: Sequence[str], where: Where, limit: int) -> Scored:
        """Return documents whose content contains all of the terms, best first."""
        must = [(self._module.Occur.Must, self._term("content", term)) for term in terms]
        return self._found(must, where, limit)

    def frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """Return how many documents contain each term in a field."""
        self._refresh()
        searcher = self._index.searcher()
        return {term: searcher.doc_freq(field, term) for term in terms}

    def counts(self) -> tuple[int, int]:
        """Return how many documents the index has, and how many deleted ones its statistics still count."""
        with _translated(self._directory):
            segments = json.loads(self._meta.read_bytes())["segments"]
        dead = sum((segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in segments)
        return sum(segment["max_doc"] for segment in segments) - dead, dead

    def take_place_of(self, directory: Path) -> None:
        """Replace the index in another directory at one moment, as a commit of tantivy does: by its meta file.

        Until then everybody reads the old one, and if we end before, what was moved belongs to no index. The caller
        holds the lock of the other index.
        """
        segments = {one["segment_id"].replace("-", "") for one in json.loads(self._meta.read_bytes())["segments"]}
        for file in list(self._directory.iterdir()):
            if file.name.split(".")[0] in segments:
                file.replace(directory / file.name)
        for name in (".managed.json", "meta.json"):
            (self._directory / name).replace(directory / name)
        for file in list(directory.iterdir()):
            if file.name.split(".")[0] not in {*segments, "", "meta"}:
                with suppress(OSError):  # some systems keep what somebody reads; then the next rebuild removes it
                    file.unlink()

    def _found(self, clauses: list[tuple[Any, Any]], where: Where, limit: int) -> Scored:
        if not clauses or limit <= 0:
            return []
        self._refresh()
        searcher, query = self._index.searcher(), self._within(clauses, where)
        fetch = limit + 1
        while True:
            hits = searcher.search(query, fetch, count=False).hits
            if len(hits) < fetch or hits[limit - 1][0] > hits[-1][0]:
                break
            fetch *= (
                WIDEN  # the limit cuts through documents with the same score: their paths decide, so fetch them all
            )
        least = hits[:limit][-1][0] if hits else 0.0
        hits = [hit for hit in hits if hit[0] >= least]
        keys = searcher.fast_field_values("chunk", [address for _, address in hits])
        return [(key, score) for key, (score, _) in zip(keys, hits, strict=True)]

    def _any(self, fields: Mapping[str, Terms]) -> list[tuple[Any, Any]]:
        boost, should = self._module.Query.boost_query, self._module.Occur.Should
        return [
            (should, boost(self._term(field, term), weight))
            for field, terms in fields.items()
            for term, weight in terms.items()
            if weight > 0
        ]

    def _term(self, field: str, term: str) -> Any:
        return self._module.Query.term_query(self._schema, field, term)

    def _within(self, clauses: list[tuple[Any, Any]], where: Where) -> Any:
        query, must = self._module.Query, self._module.Occur.Must
        every = [(must, query.boolean_query(clauses))]
        if where.languages:
            any_of = query.term_set_query(self._schema, "language", sorted(where.languages))
            every.append((must, query.const_score_query(any_of, 0.0)))
        return query.boolean_query(every) if len(every) > 1 else every[0][1]

    def _writing(self) -> Any:
        if self._writer is None:
            with _translated(self._directory):
                # Opened anew, because it remembers which files are to be removed when they are old.
                self._index = self._module.Index(self._schema, path=str(self._directory), reuse=True)
                self._writer = self._index.writer(HEAP_BYTES, 1)
        return self._writer

    def _refresh(self) -> None:
        """Reload the index if another process committed; comparing one stat is enough to know."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._index.reload()
            self._seen = stamp

    def _stamp(self) -> tuple[int, int]:
        stat = self._meta.stat()
        return stat.st_mtime_ns, stat.st_ino


@contextmanager
def _translated(directory: Path) -> Iterator[None]:
    """Turn tantivy's errors into ours by their text, since all have the same type."""
    try:
        yield
    except (ValueError, OSError) as error:
        if not any(mark in str(error) for mark in PASSING_TROUBLE):
            raise BrokenProjection(str(error)[:200]) from error
        raise NotWritable("store.not_written", path=str(directory), error=str(error)[:200]) from error


def remove_projection(directory: Path) -> None:
    """Delete an index directory, for a rebuild."""
    shutil.rmtree(directory, ignore_errors=True)


def _tantivy() -> ModuleType:
    import tantivy

    return tantivy


def _schema(module: ModuleType) -> Any:
    builder = module.SchemaBuilder()
    for name in ("file", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("chunk", fast=True)
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    return builder.build()
