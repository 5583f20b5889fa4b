"""Answers look-ups about a ref with what was read of it, and tells before what that has to be."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from msgspec import msgpack

from shirube.engine.store import lookups
from shirube.engine.store.lexical import kept_note, spread_evenly
from shirube.engine.store.port import Ask, IndexState, PastChange
from shirube.engine.store.postgres import questions
from shirube.engine.store.postgres.history import Past, asked_numbers, need_bodies
from shirube.engine.store.postgres.moment import Moment
from shirube.engine.store.postgres.needs import Fetched, FileContent, LookNeeds, RepositoryMemory, Seen
from shirube.engine.store.postgres.ref_view import RefView, Spot, ViewLinks
from shirube.engine.store.postgres.server import Row, Statement
from shirube.types import Skip, Symbol

MORE_NAMES = 3
"""How many times more names are read than are wanted: some belong to files that are gone, or differ in case."""
PAST = (
    lookups.EveryCommit,
    lookups.PastChanges,
    lookups.ChangesNamed,
    lookups.SimilarChanges,
    lookups.ChangedTogether,
    lookups.Busy,
)
OF_FILES = (lookups.FileTexts, lookups.FilePieces, lookups.FileSymbols)
OF_CHUNKS = (lookups.ChunkTexts, lookups.ChunkSymbols)


class Hand(NamedTuple):
    """Everything that answers are made of."""

    moment: Moment
    fetched: Fetched
    own: str
    """The name of this writer, which does not wait for itself."""
    memory: RepositoryMemory

    @property
    def view(self) -> RefView:
        """The layers."""
        return self.moment.shown

    @property
    def past(self) -> Past:
        """The past changes, which were read."""
        assert self.moment.past is not None
        return self.moment.past

    def rows(self, asked: Any) -> list[Row]:
        """Return what was read for a look-up alone; nothing of a repository that the server does not know."""
        return self.fetched.rows.get(id(asked), [])


# --- what has to be read -----------------------------------------------------------------------------------


def need(asked: Any, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    """Note what an answer needs, as far as it can be told from what was read until now."""
    if (early := _EARLY.get(type(asked))) is not None:
        early(asked, needs)
    if isinstance(asked, PAST):
        if moment.past is None:
            needs.past = True
        else:
            _need_of_past(asked, moment, needs, hand)
    if moment.view is not None and (late := _LATE.get(type(asked))) is not None:
        late(asked, moment, needs, hand)


def _need_of_past(asked: Any, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    assert moment.past is not None
    if isinstance(asked, lookups.PastChanges | lookups.ChangesNamed):
        shared = [number for number in asked_numbers(moment.past, asked) if number not in moment.past.own]
        need_bodies(moment.repo, shared, hand.memory.bodies, needs)


def _need_links(asked: Any, needs: LookNeeds) -> None:
    needs.links = True


def _need_commit_terms(asked: lookups.SimilarChanges, needs: LookNeeds) -> None:
    needs.commit_terms.update(asked.terms)


_EARLY: dict[type, Callable[[Any, LookNeeds], None]] = {
    Ask: questions.need_ask,
    lookups.WhereKnown: questions.need_known,
    lookups.NameMentions: questions.need_mentions,
    lookups.EveryLink: _need_links,
    lookups.SimilarChanges: _need_commit_terms,
}


def _need_files(asked: Any, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    spots = filter(None, map(moment.shown.spot, asked.keys))
    needs.numbers.update(moment.shown.number_of(spot) for spot in spots)


def _need_chunks(asked: Any, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    needs.numbers.update(number for number in {key >> 20 for key in asked.keys} if moment.shown.spot_of(number))


def _need_sample(asked: lookups.SymbolSample, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    needs.numbers.update(moment.shown.number_of(spot) for spot in _sampled(moment.shown, asked.files))


def _sampled(view: RefView, most: int) -> list[Spot]:
    return list(spread_evenly(sorted(view.indexed, key=view.path_of), most))


def _need_rows(asked: Any, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    """Read what only this look needs, unless it was read."""
    if id(asked) not in hand.fetched.rows:
        needs.others.append((_ROWS[type(asked)](asked, moment, hand), _taker(hand.fetched, id(asked))))


def query_alone(asked: Any, moment: Moment, hand: Hand) -> Statement | None:
    """Return the query that only this look-up needs; None for one that has none."""
    query = _ROWS.get(type(asked))
    return query(asked, moment, hand) if query is not None else None


def _taker(fetched: Fetched, key: int) -> Callable[[list[Row]], None]:
    def take(rows: list[Row]) -> None:
        fetched.rows[key] = rows

    return take


def _query_skips(asked: Any, moment: Moment, hand: Hand) -> Statement:
    sql = "SELECT skips FROM shirube.refs WHERE repo = %s AND ref = %s AND form = %s"
    return Statement(sql, (moment.repo, moment.ref, moment.form))


def _query_names(asked: lookups.NamesWith, moment: Moment, hand: Hand) -> Statement:
    """Ask for names with a part: those that begin with it first, then the shorter ones."""
    part = asked.part.lower().encode("utf-8", "replace")
    sql = (
        "SELECT array_agg(rows) FROM shirube.names"
        " WHERE repo = %s AND layer = ANY(%s::int[]) AND position(%s IN name) > 0"
        " GROUP BY name ORDER BY position(%s IN name) > 1, length(name), name LIMIT %s"
    )
    return Statement(sql, (moment.repo, list(moment.layers), part, part, asked.limit * MORE_NAMES))


def _query_vectors(asked: lookups.FileVectors, moment: Moment, hand: Hand) -> Statement:
    spots = filter(None, map(moment.shown.spot, asked.keys))
    numbers = [moment.shown.number_of(spot) for spot in spots]
    sql = "SELECT file, rows FROM shirube.vectors WHERE repo = %s AND model = %s AND file = ANY(%s::bigint[])"
    return Statement(sql, (moment.repo, hand.memory.model, numbers))


def _query_parsed(asked: lookups.ParsedContents, moment: Moment, hand: Hand) -> Statement:
    return Statement("SELECT key, data FROM shirube.parsed WHERE key = ANY(%s::text[])", (list(asked.keys),))


def _need_state(asked: Any, moment: Moment, needs: LookNeeds, hand: Hand) -> None:
    """Ask which files have vectors, unless all have; again only when the ref has changed."""
    memory, seen = hand.memory, Seen(moment.layers, moment.vectors)
    numbers = moment.shown.unembedded(hand.memory.model, memory.embedded)
    if numbers and memory.embedded_of != seen:

        def take(rows: list[Row]) -> None:
            memory.embedded.update(number for (number,) in rows)
            memory.embedded_of = seen

        sql = "SELECT file FROM shirube.vectors WHERE repo = %s AND model = %s AND file = ANY(%s::bigint[])"
        needs.others.append((Statement(sql, (moment.repo, hand.memory.model, numbers)), take))


_ROWS: dict[type, Callable[[Any, Moment, Hand], Statement]] = {
    lookups.Skipped: _query_skips,
    lookups.NamesWith: _query_names,
    lookups.FileVectors: _query_vectors,
    lookups.ParsedContents: _query_parsed,
}
_LATE: dict[type, Callable[[Any, Moment, LookNeeds, Hand], None]] = {
    **dict.fromkeys(OF_FILES, _need_files),
    **dict.fromkeys(OF_CHUNKS, _need_chunks),
    **dict.fromkeys(_ROWS, _need_rows),
    lookups.StateNow: _need_state,
    lookups.SymbolSample: _need_sample,
}


# --- the answers -------------------------------------------------------------------------------------------


def answer(asked: Any, hand: Hand) -> Any:
    """Return what is found for a look-up."""
    return _ANSWERS[type(asked)](asked, hand)


def _state(asked: Any, hand: Hand) -> IndexState:
    moment, view = hand.moment, hand.view
    return IndexState(
        f"{moment.ref or ''}.{moment.generation}.{moment.vectors}",
        view.files,
        len(view.indexed),
        len(view.indexed) - len(view.unembedded(hand.memory.model, hand.memory.embedded)),
        view.chunks,
        dict(moment.notes),
        "" if moment.writer == hand.own else moment.writer,
        f"{moment.repo}.{moment.ref}.{moment.generation}",
    )


def _skips(asked: lookups.Skipped, hand: Hand) -> tuple[Skip, ...]:
    rows = hand.rows(asked)
    skips = [
        Skip(path, reason, kept_note(detail)) for path, reason, detail in unpack_skips(rows[0][0] if rows else b"")
    ]
    return tuple(skip for skip in skips if not asked.reasons or skip.reason in asked.reasons)


def unpack_skips(data: bytes) -> list[tuple[str, str, str]]:
    """Return paths, reasons and details as they are stored with a ref."""
    skips: list[tuple[str, str, str]] = msgpack.decode(data) if data else []
    return skips


def _remarks(asked: Any, hand: Hand) -> Any:
    records = (hand.view.record(spot) for spot in hand.view.indexed)
    return tuple(sorted((record.path, record.note) for record in records if record.note))


def _counts(asked: lookups.LanguageCounts, hand: Hand) -> dict[str, int]:
    meant, counts = hand.view.meant(asked.scope), dict[str, int]()
    for spot in hand.view.indexed:
        if meant(spot):
            language = hand.view.language_of(spot)
            counts[language] = counts.get(language, 0) + 1
    return counts


def _contents(asked: Any, hand: Hand) -> Iterable[tuple[str, FileContent]]:
    view = hand.view
    for path in asked.keys:
        if (spot := view.spot(path)) and (content := hand.fetched.contents.get(view.number_of(spot))):
            yield path, content


def _of_files(value: Callable[[FileContent], Any]) -> Callable[[Any, Hand], dict[str, Any]]:
    """Return an answer that takes something of the content of each file, unless it is empty."""
    return lambda asked, hand: {path: found for path, one in _contents(asked, hand) if (found := value(one))}


def _chunk_texts(asked: lookups.ChunkTexts, hand: Hand) -> dict[int, str]:
    found = {}
    for key in asked.keys:
        content = hand.fetched.contents.get(key >> 20)
        if content is not None and (piece := content.piece(key & ((1 << 20) - 1))):
            found[key] = content.text_of(piece)
    return found


def _chunk_symbols(asked: lookups.ChunkSymbols, hand: Hand) -> dict[int, tuple[Symbol, ...]]:
    found = {}
    for key in asked.keys:
        content = hand.fetched.contents.get(key >> 20)
        if content is not None and (piece := content.piece(key & ((1 << 20) - 1))):
            found[key] = tuple(symbol for symbol in content.symbols if symbol.qualified == piece.symbol)
    return {key: named for key, named in found.items() if named}


def _sample(asked: lookups.SymbolSample, hand: Hand) -> dict[str, tuple[Symbol, ...]]:
    view, contents = hand.view, hand.fetched.contents
    spots = _sampled(view, asked.files)
    return {view.path_of(s): found for s in spots if (found := contents[view.number_of(s)].symbols)}


def _vectors(asked: lookups.FileVectors, hand: Hand) -> dict[str, bytes]:
    rows = {number: bytes(data) for number, data in hand.rows(asked)}
    spots = ((path, hand.view.spot(path)) for path in asked.keys)
    found = ((path, rows.get(hand.view.number_of(spot))) for path, spot in spots if spot is not None)
    return {path: data for path, data in found if data}


def _names(asked: lookups.NamesWith, hand: Hand) -> tuple[str, ...]:
    from shirube.engine.store.postgres.layer import unpack_named

    part, view = asked.part.lower(), hand.view
    rows = (row for (some,) in hand.rows(asked) for data in some for row in unpack_named(data))
    found = {row[2] for row in rows if view.spot_of(row[0])}
    return tuple(sorted(found, key=lambda name: (not name.lower().startswith(part), len(name), name))[: asked.limit])


def _past_changes(asked: Any, hand: Hand) -> tuple[PastChange, ...]:
    from shirube.codec import replace

    past, bodies = hand.past, hand.memory.bodies
    numbers = asked_numbers(past, asked)
    return tuple(past.own.get(n) or replace(past.change(n), body=bodies[n]) for n in numbers)


_ANSWERS: dict[type, Callable[[Any, Hand], Any]] = {
    lookups.StateNow: _state,
    lookups.EveryFile: lambda asked, hand: hand.view.records(),
    lookups.EveryLink: lambda asked, hand: ViewLinks(hand.view),
    lookups.Skipped: _skips,
    lookups.Remarks: _remarks,
    lookups.LanguageCounts: _counts,
    lookups.FileRecords: lambda asked, hand: hand.view.records(asked.keys),
    lookups.FileTexts: _of_files(lambda content: content.text.decode("utf-8")),
    lookups.FilePieces: _of_files(lambda content: content.pieces),
    lookups.FileSymbols: _of_files(lambda content: content.symbols),
    lookups.FileVectors: _vectors,
    lookups.SymbolSample: _sample,
    lookups.ChunkTexts: _chunk_texts,
    lookups.ChunkSymbols: _chunk_symbols,
    lookups.ParsedContents: lambda asked, hand: {key: bytes(data) for key, data in hand.rows(asked)},
    Ask: lambda asked, hand: questions.candidates(hand.view, hand.fetched, asked, hand.memory.dense),
    lookups.WhereKnown: lambda asked, hand: questions.known(hand.view, hand.fetched, asked),
    lookups.NameMentions: lambda asked, hand: questions.mentions(hand.view, hand.fetched, asked),
    lookups.NamesWith: _names,
    lookups.EveryCommit: lambda asked, hand: hand.past.commits(),
    lookups.PastChanges: _past_changes,
    lookups.ChangesNamed: _past_changes,
    lookups.SimilarChanges: lambda asked, hand: hand.past.similar(asked, hand.fetched.commit_terms),
    lookups.ChangedTogether: lambda asked, hand: hand.past.together(asked),
    lookups.Busy: lambda asked, hand: hand.past.busy(asked.keys),
}
