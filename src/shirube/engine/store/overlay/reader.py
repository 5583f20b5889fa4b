"""Reads the layers of the base and those with what differs as one ref: the newest layers are the ones kept here.

The base stays as it was chosen, so looking at it takes no trip. Only what is neither here nor in memory is read from
the server, and each such trip makes sure that the base is still there.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import msgpack

from shirube.deadline import Deadline, current
from shirube.engine.store.lookups import FileVectors, NamesWith, Skipped, StateNow
from shirube.engine.store.overlay.local_file import FIRST_FILE, LocalFile
from shirube.engine.store.port import Ask, Lookup
from shirube.engine.store.postgres import answers
from shirube.engine.store.postgres.history import Moved, unpack_numbers
from shirube.engine.store.postgres.layer import unpack_named
from shirube.engine.store.postgres.moment import NOWHERE, Moment, RefPlace
from shirube.engine.store.postgres.needs import (
    Fetched,
    FileContent,
    LookNeeds,
    Reading,
    RepositoryMemory,
    Seen,
    Written,
    readings_for,
    take_part,
)
from shirube.engine.store.postgres.postings import no_block, unpack_block
from shirube.engine.store.postgres.reader import MOST_ROUNDS, filled, vectors_missing
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Row, Server, Statement
from shirube.errors import MovedIndex, NoAccess, Unreachable

GONE = "store.base_gone"
"""The code of the error that the base is no longer on the server as it was chosen."""
MOVED = "store.overlay_moved"
"""The code of the error that somebody on this machine has chosen another base, or made one layer of several."""


class OverlayReader:
    """Looks at the base and what differs from it; safe to share between threads."""

    def __init__(
        self, server: Server, file: LocalFile, place: Callable[[], RefPlace], memory: Callable[[int], RepositoryMemory]
    ) -> None:
        """``memory`` makes one for a repository."""
        self._server, self._file, self._place, self._new_memory = server, file, place, memory
        self._guard = Lock()
        self.memory = memory(0)
        self._last = NOWHERE
        self._moments: WeakKeyDictionary[Deadline, Moment] = WeakKeyDictionary()
        self._seen: WeakKeyDictionary[Deadline, tuple[bytes, int]] = WeakKeyDictionary()
        """The base, packed, and the revision that each request saw, or has written."""
        self._embedded_of = Seen()
        """What the index was when it was asked which files have vectors here."""
        self.away: tuple[float, Unreachable] | None = None
        """Until when no trip is tried, and why."""

    def look(
        self, asked: Sequence[Lookup[Any]], likely: Sequence[Lookup[Any]] = (), own: bool = False
    ) -> tuple[Moment, list[Any]]:
        """Return the moment that this request saw first, and what is found at it for each look-up.

        With ``own`` only what differs is looked at.
        """
        wanted, fetched = (*asked, *likely), Fetched()
        moment = self._moments.get(current())
        if moment is None or own or any(isinstance(one, StateNow) for one in asked):
            moment = self.newest(own)
        memory = self._new_memory(moment.repo) if own else self.memory_of(moment.repo)
        for _ in range(MOST_ROUNDS):
            with memory.guard:
                readings = self._readings(wanted, moment, memory, fetched)
                before, moment = moment, filled(moment, memory, fetched)
                if not readings and moment is before and moment.view is not None:
                    hand = answers.Hand(moment, fetched, "", memory)
                    found = [answers.answer(one, hand) for one in asked]
                    if not own:
                        self._last = self._moments[current()] = moment
                    return moment, found
            self.read(readings, moment, memory)
        raise MovedIndex(GONE)

    def newest(self, own: bool = False) -> Moment:
        """Return what this work tree's index is now."""
        facts, place, last = self._file.facts(), self._place(), self._last
        if facts.base is None:
            raise NoAccess("store.base_removed", name=place.repository, address=self._server.shown)
        if not own:
            self._seen[current()] = msgpack.encode(facts.base), facts.revision
        layers = (*(() if own else facts.base.layers), *facts.own)
        is_same = not own and (facts.base.repo, layers) == (last.repo, last.layers) and last.view is not None
        view = last.view if is_same else None if layers else RefView(())
        past = last.past if is_same and last.history == facts.history else None
        return Moment(
            *(facts.base.repo, place.ref, facts.base.ref, place.form, facts.revision, facts.vectors, layers),
            *(facts.notes, facts.history, "", view, past),
        )

    def forget(self) -> None:
        """Let this request look anew, because it has written."""
        self._moments.pop(current(), None)

    def check_unmoved(self, db: Any) -> None:
        """Refuse a change that belongs to another base or revision than there is now."""
        seen = self._seen.get(current())
        if _base_and_revision(db) != seen if seen is not None else _base_and_revision(db)[0] == b"":
            raise MovedIndex(MOVED)

    def note_written(self, db: Any) -> None:
        """Note that this request has changed the file, so that it expects it to be changed."""
        self._seen[current()] = _base_and_revision(db)

    def memory_of(self, repo: int) -> RepositoryMemory:
        """Return what is kept of a repository."""
        with self._guard:
            if repo and self.memory.repo != repo:
                self.memory = self._new_memory(repo)
                self.memory.keep_parts = self._file.keep_parts
            return self.memory

    def read(self, readings: Sequence[Reading], moment: Moment, memory: RepositoryMemory) -> None:
        """Read in one trip from the server, and see that the base was still there afterwards."""
        if not readings:
            return
        if self.away is not None:
            until, error = self.away
            if monotonic() < until:
                raise error
            self.away = None
        base = [number for number in moment.layers if number > 0]
        sql = "SELECT count(*) FROM shirube.layers WHERE repo = %s AND layer = ANY(%s::int[])"
        found = self._server.ask([*(query for query, _ in readings), Statement(sql, (moment.repo, base))])
        if found[-1][0][0] != len(base):
            raise MovedIndex(GONE)
        with memory.guard:
            for (_, take), rows in zip(readings, found[:-1], strict=True):
                take(rows)

    def view_of(self, moment: Moment, needs: LookNeeds) -> RefView:
        """Return the layers of a moment with the parts that are needed."""
        fetched, memory = Fetched(), self.memory_of(moment.repo)
        for _ in range(MOST_ROUNDS):
            with memory.guard:
                self._lay(needs, memory, fetched)
                readings = readings_for(moment.repo, needs, memory, fetched)
            if not readings:
                return RefView([fetched.layers[number] for number in needs.layers])
            self.read(readings, moment, memory)
        raise MovedIndex(GONE)

    # --- what has to be read -----------------------------------------------------------------------------------

    def _readings(
        self, asked: Sequence[Lookup[Any]], moment: Moment, memory: RepositoryMemory, fetched: Fetched
    ) -> list[Reading]:
        """Return what has to be read from the server next; what is here is laid at hand."""
        for layer in moment.view.layers if moment.view is not None else ():
            fetched.layers[layer.number] = layer
        needs, hand = LookNeeds(moment.layers), answers.Hand(moment, fetched, "", memory)
        if moment.view is not None:
            self._lay_embedded(moment, memory)
            needs.others += self._alone(asked, hand)
        for one in asked:
            answers.need(one, moment, needs, hand)
        self._lay(needs, memory, fetched)
        if needs.past and fetched.past is None:
            needs.others += self._past(moment, memory, fetched)
        if moment.view is not None and any(isinstance(one, Ask) and one.vector for one in asked):
            needs.others += self._vectors(moment, memory)
        return readings_for(moment.repo, needs, memory, fetched)

    def _lay(self, needs: LookNeeds, memory: RepositoryMemory, fetched: Fetched) -> None:
        """Lay at hand what is needed and kept here."""
        for number in needs.layers:
            if number not in fetched.layers and (known := memory.layers.get(number)) is not None:
                fetched.layers[number] = known
        for part, is_needed in (("files", True), ("chunks", needs.directory), ("links", needs.links)):
            lacking = [n for n in needs.layers if _lacks(fetched, n, part)] if is_needed else []
            rows: list[Any] = self._file.parts(part, lacking) if lacking else []
            take_part(memory, fetched, part, rows if part == "files" else [row[:2] for row in rows])
        own = [number for number in needs.layers if number < 0]
        terms = [term for term in needs.terms if any((layer, term) not in fetched.blocks for layer in own)]
        blocks = self._file.rows("postings", "term", own, terms) if terms else {}
        for key in ((layer, term) for layer in own for term in terms):
            fetched.blocks[key] = unpack_block(blocks[key]) if key in blocks else no_block()
        names = [name for name in needs.names if any((layer, name) not in fetched.named for layer in own)]
        named = self._file.rows("names", "name", own, names) if names else {}
        for key in ((layer, name) for layer in own for name in names):
            fetched.named[key] = unpack_named(named[key]) if key in named else []
        wanted = [n for n in needs.numbers if n >= FIRST_FILE and n not in fetched.contents]
        fetched.contents.update(memory.contents.among(wanted))
        for number, body, details in self._file.contents(n for n in wanted if n not in fetched.contents):
            content = fetched.contents[number] = FileContent(body, details)
            memory.contents.put([(number, content, content.size)])
        if own and not set(own).issubset(self._file.facts().own):  # what was not found may have been there
            raise MovedIndex(MOVED)

    def _alone(self, asked: Sequence[Lookup[Any]], hand: answers.Hand) -> list[Reading]:
        """Return what single look-ups read, joined with what is kept here."""
        readings: list[Reading] = []
        for one in asked:
            query = answers.query_alone(one, hand.moment, hand)
            if query is None or id(one) in hand.fetched.rows:
                continue
            here, is_whole = self._rows_here(one, hand)
            if is_whole:
                hand.fetched.rows[id(one)] = here
            else:
                readings.append((query, _joined(hand.fetched, id(one), here)))
                hand.fetched.rows[id(one)] = here  # until the rest is read
        return readings

    def _rows_here(self, one: Lookup[Any], hand: answers.Hand) -> tuple[list[Row], bool]:
        """Return the rows for a look-up that are kept here, and whether there are no others."""
        if isinstance(one, Skipped):
            return [(self._file.blob("skips"),)], True
        if isinstance(one, NamesWith):
            part = one.part.lower().encode("utf-8", "replace")
            own = [number for number in hand.moment.layers if number < 0]
            found = self._file.names_with(part, own, one.limit * answers.MORE_NAMES)
            return [(found,)], len(own) == len(hand.moment.layers)
        if isinstance(one, FileVectors):
            spots = filter(None, map(hand.view.spot, one.keys))
            numbers = [hand.view.number_of(spot) for spot in spots]
            rows = self._file.vectors(hand.memory.model, numbers)
            return list(rows), len(rows) == len(numbers)
        return [], False

    def _lay_embedded(self, moment: Moment, memory: RepositoryMemory) -> None:
        """Note which files have vectors here that their layer does not promise."""
        seen = Seen(moment.layers, moment.vectors)
        if self._embedded_of == seen:
            return
        self._embedded_of = seen
        numbers = moment.shown.unembedded(memory.model, memory.embedded)
        if numbers:
            memory.embedded.update(number for number, _ in self._file.vectors(memory.model, numbers))

    def _vectors(self, moment: Moment, memory: RepositoryMemory) -> list[Reading]:
        """Return what is read to have all vectors; those that are read from the server are kept here."""
        return [
            (query, _also(take, lambda rows: self._file.keep_vectors(memory.model, rows)))
            for query, take in vectors_missing(moment, memory, lambda n: self._file.vectors(memory.model, n))
        ]

    def _past(self, moment: Moment, memory: RepositoryMemory, fetched: Fetched) -> list[Reading]:
        """Return what is read to know the past; commits of the base that were read once are here."""
        members = unpack_numbers(data) if (data := self._file.blob("members")) else []
        if any(number not in memory.commits for number in members):
            memory.commits.update({n: Written(digest, data) for n, digest, data in self._file.base_commits()})
        moved = msgpack.decode(self._file.blob("moved") or b"\x80", type=Moved)
        shared = {memory.commits[n].hash.hex() for n in members if n in memory.commits}
        first = max(members, default=0) + 1
        own = (change for change in self._file.own_commits() if change.commit not in shared)
        fetched.past = members, moved, dict(enumerate(own, first))
        lacking = [number for number in members if number not in memory.commits]
        if not lacking:
            return []

        def take(rows: list[Row]) -> None:
            memory.commits.update({number: Written(bytes(digest), bytes(data)) for number, digest, data in rows})
            self._file.keep_commits((number, digest, data) for number, digest, data in rows)
            fetched.past = None  # now that the commits are known, own ones can be told from them

        sql = "SELECT commit, hash, data FROM shirube.commits WHERE repo = %s AND commit = ANY(%s::int[])"
        return [(Statement(sql, (moment.repo, lacking)), take)]


def _base_and_revision(db: Any) -> tuple[bytes, int]:
    found = dict(db.execute("SELECT key, value FROM facts WHERE key IN ('base', 'revision')").fetchall())
    return bytes(found.get("base", b"")), int(found.get("revision", 0))


def _lacks(fetched: Fetched, number: int, part: str) -> bool:
    layer = fetched.layers.get(number)
    return layer is None or (part != "files" and getattr(layer, part) is None)


def _joined(fetched: Fetched, key: int, here: list[Row]) -> Callable[[list[Row]], None]:
    def take(rows: list[Row]) -> None:
        fetched.rows[key] = [*here, *rows]

    return take


def _also(take: Callable[[list[Row]], None], keep: Callable[[list[Row]], None]) -> Callable[[list[Row]], None]:
    def both(rows: list[Row]) -> None:
        take(rows)
        keep([(number, bytes(data)) for number, data in rows])

    return both
