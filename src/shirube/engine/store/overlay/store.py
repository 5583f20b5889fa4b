"""The store of a work tree whose repository is indexed on a server: only what differs is kept, on this machine."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import msgpack

from shirube.codec import replace
from shirube.engine.store import lookups
from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import keep_note
from shirube.engine.store.lookups import EveryCommit, EveryLink, LanguageCounts, StateNow
from shirube.engine.store.overlay import pinning
from shirube.engine.store.overlay.local_file import FIRST_FILE, LocalFile, PinnedRef, count_up, set_fact
from shirube.engine.store.overlay.pinning import Distances
from shirube.engine.store.overlay.reader import GONE, OverlayReader
from shirube.engine.store.port import (
    Ask,
    Candidates,
    Known,
    Lookup,
    Mentions,
    PastChange,
    StoreChange,
    Totals,
    Unembedded,
)
from shirube.engine.store.postgres import history, schema, writing
from shirube.engine.store.postgres.layer import pack_details
from shirube.engine.store.postgres.moment import RefPlace
from shirube.engine.store.postgres.needs import LookNeeds, RepositoryMemory
from shirube.engine.store.postgres.server import Server, Statement
from shirube.errors import IndexBusy, MovedIndex, ShirubeError, Unreachable
from shirube.messages import NOTHING, Message, say

MOST_OWN = 8
"""From more layers on, what differs is made into one."""
AWAY_SECONDS = 5.0
"""After the server could not be reached, questions are answered without it for so long."""
DIFFERENCE = "overlay.sqlite"


class OverlayStore:
    """A base on a server, and what differs from it in this work tree."""

    remote = True

    def __init__(
        self,
        server: Server,
        path: Path,
        place: Callable[[], RefPlace],
        checkout: tuple[Callable[[], str], Distances],
        model: tuple[str, int],
        busy_seconds: float,
    ) -> None:
        """``checkout`` tells the commit and how far others are, ``model`` its name and how many dimensions it has."""
        self.server, self._place = server, place
        self._commit, self._distances = checkout
        self._model, dimensions = model
        self._dimensions = dimensions
        self._file = LocalFile(path, busy_seconds)
        self._reader = OverlayReader(
            server,
            self._file,
            place,
            lambda repo: RepositoryMemory(repo, self._model, DenseRows(dimensions, self._model)),
        )
        server.prepare = lambda connection: schema.prepare(server, connection)

    @property
    def has_base(self) -> bool:
        """Whether there is a ref to be compared with, chosen before or now."""
        return self._pinned() is not None or self._choose()

    def _pinned(self) -> PinnedRef | None:
        """Return the base that was chosen; one of another server, repository or version is forgotten."""
        pinned = self._file.facts().base
        if pinned is not None and pinned.where != pinning.where(self.server, self._place()):
            pinning.unpin(self._file)
            return None
        return pinned

    # --- reading ---------------------------------------------------------------------------------------

    def look(self, *asked: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up; without the server, what is here and in memory."""
        try:
            return self._look(asked, likely)
        except Unreachable as error:
            if self._reader.away is None:
                self._reader.away = monotonic() + AWAY_SECONDS, error
            return [self._look_here(one, error) for one in asked]

    def _look(self, asked: Sequence[Lookup[Any]], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        try:
            return self._reader.look(asked, likely)[1]
        except MovedIndex as error:
            self._reader.forget()
            if error.message.code == GONE:
                self._choose()
            raise

    def _look_here(self, one: Lookup[Any], error: Unreachable) -> Any:
        """Answer without the server as far as possible; refuse what only it has."""
        with suppress(Unreachable):
            return self._look([one])[0]
        note = self._only_here(error)
        if isinstance(one, Ask | lookups.NameMentions):
            found: Candidates | Mentions = self._reader.look([one], own=True)[1][0]
            return replace(found, degraded=(*found.degraded, note))
        if isinstance(one, lookups.WhereKnown | lookups.SymbolSample | lookups.NamesWith):
            known: Known | dict[str, Any] | tuple[str, ...] = self._reader.look([one], own=True)[1][0]
            return known
        if type(one) in _NOTHING:
            return _NOTHING[type(one)]
        raise Unreachable("store.base_needed", error=error.message)

    def _only_here(self, error: ShirubeError) -> Message:
        files = len(self._reader.look([lookups.EveryFile()], own=True)[1][0])
        return say("store.base_away", count=files, error=error.message)

    def lacks(self, *, now: bool = False) -> Message:
        """Return why the base is not asked, as it was last seen, or as it is ``now``; nothing while it is."""
        if now and self._reader.away is None:
            try:
                self.server.ask([Statement("SELECT 1")])
            except ShirubeError as error:
                return self._only_here(error)
        return self._only_here(self._reader.away[1]) if self._reader.away is not None else NOTHING

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""
        moment, _ = self._reader.look([StateNow()])
        memory, view = self._reader.memory_of(moment.repo), moment.shown
        with memory.guard:
            lacking = view.unembedded(self._model, memory.embedded)
            numbers = [number for number in lacking if number > after][:limit]
        paths = [view.path_of(spot) for number in numbers if (spot := view.spot_of(number)) is not None]
        _, (texts, pieces) = self._reader.look([lookups.FileTexts(tuple(paths)), lookups.FilePieces(tuple(paths))])
        found = []
        for number, path in zip(numbers, paths, strict=True):
            record, data = view.record(view.spot(path)), texts.get(path, "").encode()  # type: ignore[arg-type]
            cut = pieces.get(path, ())
            parts = tuple(data[piece.start : piece.end].decode("utf-8", "replace") for piece in cut)
            names = tuple(piece.symbol for piece in cut)
            found.append(Unembedded(number, path, record.digest, record.language, parts, names))
        return tuple(found)

    def warm(self) -> None:
        """Update what earlier questions loaded, so that the next one need not."""
        self.look(StateNow(), Ask(vector=bytes(self._dimensions)))

    # --- writing ---------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Choose the base again if another commit was checked out since; a server that is away changes nothing."""
        commit, before = self._commit().encode(), self._pinned()
        if before is not None and self._file.blob("commit") == commit:
            return False
        with suppress(Unreachable):
            self._choose()
            self._file.change(lambda db: set_fact(db, "commit", commit))
        return self._file.facts().base != before

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change in one transaction; what was parsed is not sent anywhere."""
        if change == StoreChange():
            return
        entries = change.entries
        first = FIRST_FILE + self._file.change(lambda db: count_up(db, "files", len(entries))) - len(entries)
        rows = writing.layer_of(change, first, self._model) if writing.is_layer(change) else None

        def work(db: Any) -> None:
            self._reader.check_unmoved(db)
            if rows is not None:
                pinning.insert_layer(db, rows)
                count_up(db, "revision")
                for number, entry in enumerate(entries, first):
                    details = pack_details(entry.pieces, entry.symbols) if entry.pieces or entry.symbols else b""
                    db.execute("INSERT INTO files VALUES (?, ?, ?)", (number, entry.body, details))
                    if entry.record.language and entry.vectors is not None:
                        db.execute("INSERT INTO vectors VALUES (?, ?, ?)", (self._model, number, entry.vectors))
            if change.notes:
                set_fact(db, "notes", msgpack.encode({**_notes(db), **change.notes}))
            if change.skips is not None:
                skips = sorted((skip.path, str(skip.reason), keep_note(skip.detail)) for skip in change.skips)
                set_fact(db, "skips", msgpack.encode(skips))
            self._reader.note_written(db)

        self._file.change(work)
        self._reader.forget()
        if len(self._file.facts().own) > MOST_OWN:
            with suppress(ShirubeError):  # the change took effect; the next one merges
                self._merge()

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number; skips files that no longer exist."""
        moment, _ = self._reader.look([StateNow()])
        known = [(number, data) for number, data in sorted(rows.items()) if moment.shown.spot_of(number)]
        self._file.keep_vectors(self._model, known)
        self._file.change(lambda db: count_up(db, "vectors"))
        self._reader.forget()

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; a commit that is known keeps its message, and gets the files given here."""
        moment, _ = self._reader.look([StateNow(), EveryCommit()])
        past, memory = moment.past, self._reader.memory_of(moment.repo)
        assert past is not None
        current = set(past.numbers)
        in_order = sorted(memory.commits, key=current.__contains__)
        shared = {memory.commits[number].hash.hex(): number for number in in_order}
        members, moved = current - past.own.keys(), dict(past.moved)
        own = {change.commit: change for change in past.own.values()}
        for commit in removed:
            members.discard(shared.get(commit, 0))
            own.pop(commit, None)
        for given in changes:
            number = shared.get(given.commit, 0)
            known = own.get(given.commit) or (past.change(number) if number in members else given)
            told = {name: getattr(known, name) for name in ("seconds", "author", "subject", "weight")}
            change = replace(given, body=known.body or given.body, **told)
            moved.pop(number, None)
            if number and history.packed(change) == memory.commits[number].data:
                members.add(number)
                own.pop(change.commit, None)
                today = {at: file.path for at, file in enumerate(change.files) if file.then}
                moved |= {number: today} if today else {}
            else:
                members.discard(number)
                own[change.commit] = change

        def work(db: Any) -> None:
            self._reader.check_unmoved(db)
            set_fact(db, "members", history.pack_numbers(members))
            set_fact(db, "moved", msgpack.encode(moved))
            db.execute("DELETE FROM own_commits")
            values = [(commit, msgpack.encode(change)) for commit, change in own.items()]
            db.executemany("INSERT INTO own_commits VALUES (?, ?)", values)
            count_up(db, "history")

        self._file.change(work)
        self._reader.forget()

    # --- upkeep ----------------------------------------------------------------------------------------

    def _choose(self) -> bool:
        """Choose the base that differs least from what is checked out; tell whether there is one."""
        facts, place = self._file.facts(), self._place()
        self._reader.forget()
        choice = pinning.nearest(pinning.choices(self.server, place, facts.base), place.ref, self._distances)
        if choice is None:
            if facts.base is not None:
                pinning.unpin(self._file)
            return False
        if choice.base != facts.base:
            made = pinning.read_whole(self.server, choice, place.form)
            if made is None:
                raise IndexBusy("store.written_elsewhere")
            own = self._own_beside(made.base.layers) if facts.own and facts.base is not None else None
            pinning.pin(self._file, made, own, facts)
        return True

    def _own_beside(self, layers: Sequence[int]) -> pinning.Difference:
        """Return what differs from a new base, as far as it is known."""
        moment = self._reader.newest()
        asked = moment._replace(layers=(*layers, *self._file.facts().own), view=None)
        view = self._reader.view_of(asked, LookNeeds(asked.layers, directory=True, links=True))
        return pinning.merged_own(view, len(layers), self._file, is_new_base=True)

    def _merge(self) -> None:
        """Make one layer of all that differs, without what the base has by now."""
        facts = self._file.facts()
        moment, _ = self._reader.look([StateNow(), EveryLink(), Ask()])
        rows = pinning.merged_own(moment.shown, len(moment.layers) - len(facts.own), self._file, is_new_base=False)
        self._file.change(lambda db: pinning.replace_own(db, facts, rows))
        self._reader.forget()

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""
        facts = self._file.facts()
        moment, (_, links, languages) = self._reader.look([StateNow(), EveryLink(), LanguageCounts()])
        view = moment.shown
        own = sum(int(alive.sum()) for alive in view.alive[len(view.layers) - len(facts.own) :])
        pinned, place = facts.base, self._place()
        ref, commit = (pinned.ref, pinned.commit[:12]) if pinned is not None else (place.ref, "")
        shown = {"address": self.server.shown, "name": place.repository, "ref": ref, "commit": commit, "count": own}
        totals = view.totals(links, languages, self._file.size(), moment.generation)
        return replace(totals, place=say("store.overlay_place", **shown))

    def check(self) -> tuple[Message, ...]:
        """Return the problems found in the index; empty when it is sound."""
        self._reader.look([StateNow(), EveryLink(), EveryCommit(), Ask()])
        self.server.ask([Statement("SELECT 1")])  # all of that may be here
        return ()

    def reset(self) -> None:
        """Forget what differs, and the base, which is chosen anew."""
        pinning.unpin(self._file)
        self._choose()

    def compact(self, most_dead: float = 0.0) -> Message:
        """Make one layer of all that differs."""
        if self._file.facts().own:
            self._merge()
        return NOTHING

    def close(self) -> None:
        """Close the connections and the file."""
        self.server.close()
        self._file.close()


def _notes(db: Any) -> dict[str, str]:
    row = db.execute("SELECT value FROM facts WHERE key = 'notes'").fetchone()
    notes: dict[str, str] = msgpack.decode(row[0]) if row else {}
    return notes


_NOTHING: dict[type, Any] = {
    lookups.ParsedContents: {},
    lookups.PastChanges: (),
    lookups.ChangesNamed: (),
    lookups.SimilarChanges: (),
    lookups.ChangedTogether: ((), {}),
    lookups.Busy: {},
}
"""What is answered when only the server would know, and an answer can do without."""
