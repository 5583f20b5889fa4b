"""The store on a PostgreSQL server."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from os import getpid, urandom
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from msgspec import json, msgpack

from shirube.deadline import Deadline, current
from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import keep_note
from shirube.engine.store.lookups import EveryCommit, EveryLink, ParsedContents, StateNow
from shirube.engine.store.port import Ask, Lookup, PastChange, StoreChange, Totals, Unembedded
from shirube.engine.store.postgres import answers, history, schema, writing
from shirube.engine.store.postgres.layer import ChunksPart, Layer, LinksPart, unpack
from shirube.engine.store.postgres.moment import EMPTY, Moment, RefPlace, moment_of, state_query
from shirube.engine.store.postgres.needs import Fetched, LookNeeds, Reading, RepositoryMemory, readings_for
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Row, Server, Statement
from shirube.errors import IndexBusy
from shirube.messages import Message, say

if TYPE_CHECKING:
    import psycopg

LEASE_SECONDS = 60
"""How long nobody else may write after a sync has written a part; a writer that is killed holds others up for this."""
GRACE_SECONDS = 600
"""How long a layer that no ref has any more is kept, for questions that are still looking into it."""
CLEAN_SECONDS = 60.0
"""How often a writer looks for layers that nobody needs."""
MOST_MODELS = 4
"""How many models may have vectors of a repository at once."""


class PostgresStore:
    """The index of one branch of one repository, on a server that machines share."""

    remote = True

    def __init__(
        self, server: Server, place: Callable[[], RefPlace], dimensions: int, model: str, machine: str = ""
    ) -> None:
        """``place`` tells which branch is checked out now; ``machine`` names this one to other writers."""
        self.server, self._place, self._model = server, place, model
        self._writer = f"{machine}:{getpid()}:{urandom(4).hex()}"
        self._dimensions = dimensions
        self._guard = RLock()
        server.prepare = lambda connection: schema.prepare(server, connection)
        self._begin()

    def _begin(self) -> None:
        """Know nothing."""
        self._memory, self._last = RepositoryMemory(), EMPTY
        self._moments: WeakKeyDictionary[Deadline, Moment] = WeakKeyDictionary()
        self._numbers: dict[str, int] = {}
        """Name of a repository → its number."""
        self._dense = DenseRows(self._dimensions, self._model)
        self._dense_of: tuple[int, tuple[int, ...], int] = (0, (), 0)
        """Repository, layers and generation whose vectors there are."""
        self._commits: dict[int, history.Written] = {}
        self._bodies: dict[int, str] = {}
        self._cleaned = monotonic()

    # --- reading ---------------------------------------------------------------------------------------

    def look(self, *asked: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up, all at the moment that this request saw first.

        Asking for the state begins anew. Most looks take one trip; after a change of the ref, one more. What is likely
        to be asked next is read, but not worked out.
        """
        wanted = (*asked, *likely)
        moment = self._moments.get(current())
        fetched = Fetched()
        if moment is None or any(isinstance(one, StateNow) for one in asked):
            moment = self._newest(wanted, fetched)
        while (readings := self._readings(wanted, moment, fetched)) or moment.view is None:
            self._read(readings)
            moment = self._filled(moment, fetched)
        self._last = self._moments[current()] = moment
        self._memory.own.clear()
        with self._guard:
            hand = self._hand(moment, fetched)
            return [answers.answer(one, hand) for one in asked]

    def _newest(self, asked: Sequence[Lookup[Any]], fetched: Fetched) -> Moment:
        """Return the ref as it is now; what is needed if it is as it was last comes along in the same trip."""
        place, last = self._place(), self._last
        if not (repo := self._number_of(place.repository)):
            return EMPTY
        is_same = (last.repo, last.asked) == (repo, place.ref)
        readings = self._readings(asked, last, fetched) if is_same else []
        state: list[list[Row]] = []
        self._read([(state_query(repo, place.ref), state.append), *readings])
        moment = moment_of(repo, place.ref, state[0], last)
        if (moment.ref, moment.layers, moment.history) != (last.ref, last.layers, last.history):
            fetched.rows.clear()  # these were read of what the ref was before
            fetched.past = None
        return self._filled(moment, fetched)

    def _number_of(self, repository: str) -> int:
        """Return the number of a repository, 0 when the server does not know it."""
        if repository not in self._numbers:
            ((rows),) = self.server.ask(
                [Statement("SELECT repo FROM shirube.repositories WHERE name = %s", (repository,))]
            )
            if not rows:
                return 0
            self._numbers[repository] = rows[0][0]
        return self._numbers[repository]

    def _readings(self, asked: Sequence[Lookup[Any]], moment: Moment, fetched: Fetched) -> list[Reading]:
        """Return what has to be read next to answer; nothing when all is at hand."""
        if not moment.repo:  # then there is nothing but what was parsed for others
            asked = [one for one in asked if isinstance(one, ParsedContents)]
        needs, hand = LookNeeds(moment.layers), self._hand(moment, fetched)
        for one in asked:
            answers.need(one, moment, needs, hand)
        if needs.past and fetched.past is None:
            needs.others += history.readings_of(moment.repo, moment.ref or "", fetched, self._commits)
        if moment.view is not None and any(isinstance(one, Ask) and one.vector for one in asked):
            needs.others += self._vectors_missing(moment)
        return readings_for(moment.repo, needs, self._memory, fetched)

    def _vectors_missing(self, moment: Moment) -> list[Reading]:
        """Return what is read to have the vectors of all files; of those that are gone there are none any more."""
        view, seen = moment.shown, (moment.repo, moment.layers, moment.generation)
        with self._guard:
            if self._dense_of == seen:
                return []
            wanted = {view.number_of(spot) for spot in view.indexed}
            lacking = sorted(wanted - self._dense.held)

        def take(rows: list[Row]) -> None:
            with self._guard:
                for number, data in rows:
                    self._dense.put(number, bytes(data))
                for number in self._dense.held - wanted:
                    self._dense.put(number, b"")
                self._dense_of = seen

        if not lacking:
            take([])
            return []
        sql = "SELECT file, rows FROM shirube.vectors WHERE repo = %s AND model = %s AND file = ANY(%s::bigint[])"
        return [(Statement(sql, (moment.repo, self._model, lacking)), take)]

    def _read(self, readings: Sequence[Reading]) -> None:
        """Read in one trip; none where nothing has to be read."""
        found = self.server.ask([query for query, _ in readings])
        for (_, take), rows in zip(readings, found, strict=True):
            take(rows)

    def _filled(self, moment: Moment, fetched: Fetched) -> Moment:
        """Return the moment with its layers and its past, as far as they were read."""
        if moment.view is None and all(number in fetched.layers for number in moment.layers):
            moment = moment._replace(view=RefView([fetched.layers[number] for number in moment.layers]))
        if moment.past is None and fetched.past is not None:
            moment = moment._replace(past=history.Past(moment.history, *fetched.past, self._commits))
        return moment

    def _hand(self, moment: Moment, fetched: Fetched) -> answers.Hand:
        return answers.Hand(moment, fetched, self._model, self._writer, self._dense, self._bodies)

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""
        self.look(StateNow())
        moment = self._last
        view = moment.shown
        lacking = (number for number in view.embedded(self._model)[1] if number > after)
        sql = (
            "SELECT wanted FROM unnest(%s::bigint[]) AS wanted WHERE NOT EXISTS (SELECT FROM shirube.vectors"
            " WHERE repo = %s AND model = %s AND file = wanted) ORDER BY 1 LIMIT %s"
        )
        (rows,) = self.server.ask([Statement(sql, (list(lacking), moment.repo, self._model, limit))])
        numbers = [number for (number,) in rows]
        fetched = Fetched()
        self._read(readings_for(moment.repo, LookNeeds((), numbers=set(numbers)), self._memory, fetched))
        found = []
        for number in numbers:
            spot, content = view.spot_of(number), fetched.contents.get(number)
            if spot is not None and content is not None:
                texts = tuple(map(content.text_of, content.pieces))
                names = tuple(piece.symbol for piece in content.pieces)
                record = view.record(spot)
                found.append(Unembedded(number, record.path, record.digest, record.language, texts, names))
        return tuple(found)

    def warm(self) -> None:
        """Update what earlier questions loaded, so that the next one need not."""
        if self._last.view is not None and self._dense_of[0]:
            self.look(StateNow(), Ask(vector=bytes(self._dimensions)))
            with self._guard:
                self._dense.stack()

    # --- writing ---------------------------------------------------------------------------------------

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change in one transaction, which everybody sees at once or not at all."""
        if change == StoreChange():
            return
        repo, place = self._own_place()
        brings = writing.is_layer(change)
        layer, first = self._allotted(repo, len(change.entries)) if brings else (0, 0)
        rows = writing.layer_of(change, first, self._model) if brings else None
        is_small = rows is None or len(rows.postings) + len(rows.names) < writing.MANY_ROWS

        def work(connection: "psycopg.Connection[Row]") -> None:
            if rows is not None:
                writing.insert_layer(connection, repo, layer, rows)
                writing.insert_files(connection, repo, change.entries, rows.files.numbers, self._model)
            writing.insert_parsed(connection, change.parsed)
            self._update_ref(connection, (repo, place.ref), change, layer)

        self._change(work, repo, layer, pipelined=is_small)
        if rows is not None:
            self._known_layer(layer, rows)
            self._tidy(repo, place.ref)

    def _own_place(self) -> tuple[int, RefPlace]:
        """Return the number of this repository and the ref to write to; both exist on the server from now on."""
        place = self._place()
        repo = self._number_of(place.repository) or self._made_repository(place.repository)
        if (self._last.repo, self._last.asked) != (repo, place.ref):
            self.look(StateNow())
        if self._last.ref != place.ref:
            self._make_ref(repo, place.ref, self._last.ref)
        return repo, place

    def _made_repository(self, name: str) -> int:
        def work(connection: "psycopg.Connection[Row]") -> int:
            sql = "INSERT INTO shirube.repositories (name) VALUES (%s) ON CONFLICT DO NOTHING"
            connection.execute(sql, (name,))
            sql = "SELECT repo FROM shirube.repositories WHERE name = %s"
            row = connection.execute(sql, (name,)).fetchone()
            repo = int(row[0]) if row else 0
            connection.execute("INSERT INTO shirube.counters (repo) VALUES (%s) ON CONFLICT DO NOTHING", (repo,))
            return repo

        self._numbers[name] = self.server.change(work)
        return self._numbers[name]

    def _make_ref(self, repo: int, ref: str, base: str | None) -> None:
        """Make a ref that shares the layers and the past of another one of its repository, if there is one."""

        def work(connection: "psycopg.Connection[Row]") -> None:
            connection.execute(
                "INSERT INTO shirube.refs (repo, ref, generation, layers, notes, skips, history)"
                " SELECT repo, %s, generation, layers, notes, skips, history FROM shirube.refs"
                " WHERE repo = %s AND ref = %s ON CONFLICT DO NOTHING",
                (ref, repo, base),
            )
            connection.execute(
                "INSERT INTO shirube.histories SELECT repo, %s, commits, moved FROM shirube.histories"
                " WHERE repo = %s AND ref = %s ON CONFLICT DO NOTHING",
                (ref, repo, base),
            )
            sql = "INSERT INTO shirube.refs (repo, ref) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            connection.execute(sql, (repo, ref))

        self._change(work, repo, pipelined=True)

    def _allotted(self, repo: int, files: int) -> tuple[int, int]:
        """Return the number of a new layer, and the first of the numbers for its files; none is used again."""
        sql = (
            "UPDATE shirube.counters SET next_layer = next_layer + 1, next_file = next_file + %s WHERE repo = %s"
            " RETURNING next_layer - 1, next_file - %s"
        )
        ((row,),) = self.server.ask([Statement(sql, (files, repo, files))])
        return row[0], row[1]

    def _update_ref(
        self, connection: "psycopg.Connection[Row]", place: tuple[int, str], change: StoreChange, layer: int
    ) -> None:
        """Let a ref have a new layer, notes and skips; refuse while somebody else is in the middle of a sync."""
        sets = ["notes = notes || %s::jsonb", "updated = now()"]
        values: list[Any] = [json.encode(dict(change.notes)).decode()]
        if layer:
            sets += ["layers = layers || %s::int", "generation = generation + 1"]
            values += [layer]
        if change.skips is not None:
            skips = sorted((skip.path, str(skip.reason), keep_note(skip.detail)) for skip in change.skips)
            sets, values = [*sets, "skips = %s"], [*values, msgpack.encode(skips)]
        if "state" in change.notes:
            is_going_on = change.notes["state"] == "building"
            sets += ["writer = %s", f"lease = now() + interval '{LEASE_SECONDS if is_going_on else 0} seconds'"]
            values += [self._writer if is_going_on else ""]
        mine = " AND (lease <= now() OR writer = %s)" if layer else ""
        sql = f"UPDATE shirube.refs SET {', '.join(sets)} WHERE repo = %s AND ref = %s{mine} RETURNING generation"
        values += [*place, *([self._writer] if layer else [])]
        if connection.execute(sql, values).fetchone() is None:
            raise IndexBusy("store.written_elsewhere")

    def _change(
        self, work: "Callable[[psycopg.Connection[Row]], None]", repo: int, layer: int = 0, *, pipelined: bool = False
    ) -> None:
        """Run a change of a repository in one transaction; one at a time, and everything is looked at anew.

        A change may take effect though its connection is lost; when it is tried again, its ``layer`` tells that.
        """
        is_again = False

        def locked(connection: "psycopg.Connection[Row]") -> None:
            nonlocal is_again
            connection.execute("SELECT FROM shirube.counters WHERE repo = %s FOR UPDATE", (repo,))
            sql = "SELECT FROM shirube.layers WHERE repo = %s AND layer = %s"
            if not (is_again and layer and connection.execute(sql, (repo, layer)).fetchone() is not None):
                is_again = True
                work(connection)

        try:
            self.server.change(locked, pipelined=pipelined)
        finally:
            self._moments.clear()

    def _known_layer(self, number: int, rows: writing.LayerRows) -> None:
        """Remember a layer that was written here; it need not be read."""
        layer = Layer(number, rows.files, rows.models)
        layer.chunks, layer.links = unpack(rows.chunks, ChunksPart), unpack(rows.links, LinksPart)
        self._memory.layers[number] = layer
        self._memory.own.append(layer)

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number; skips files that no longer exist."""
        self.look(StateNow())
        moment, (repo, place) = self._last, self._own_place()
        view = moment.shown
        new = [(repo, self._model, number, data) for number, data in sorted(rows.items()) if view.spot_of(number)]
        open_layers = [layer for layer in view.layers if self._model not in layer.models]

        def work(connection: "psycopg.Connection[Row]") -> None:
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO shirube.vectors VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING", new)
            for layer in open_layers:
                files = layer.files
                numbers = [n for n, language in zip(files.numbers, files.languages, strict=True) if language]
                connection.execute(
                    "UPDATE shirube.layers SET models = models || %s::text WHERE repo = %s AND layer = %s"
                    " AND %s <> ALL(models) AND %s = (SELECT count(*) FROM shirube.vectors"
                    " WHERE repo = %s AND model = %s AND file = ANY(%s::bigint[]))",
                    (self._model, repo, layer.number, self._model, len(numbers), repo, self._model, numbers),
                )
            sql = "UPDATE shirube.refs SET generation = generation + 1 WHERE repo = %s AND ref = %s"
            connection.execute(sql, (repo, place.ref))

        self._change(work, repo, pipelined=True)
        self._begin()  # a layer that was read does not tell that it has all vectors now

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; a commit that is known keeps its message, and gets the files given here."""
        changes, removed = list(changes), list(removed)
        self.look(StateNow())
        repo, place = self._own_place()
        self._change(lambda connection: history.write_changes(connection, (repo, place.ref), changes, removed), repo)
        self._commits = {}  # a past that was read goes on with the commits it knows

    # --- upkeep ----------------------------------------------------------------------------------------

    def _tidy(self, repo: int, ref: str) -> None:
        """Make one layer of the newest ones if a question would look into too many, and drop what nobody needs."""
        if len(self._last.layers) + len(self._memory.own) > writing.MOST_LAYERS:
            self._merge(repo, ref)
        if monotonic() - self._cleaned > CLEAN_SECONDS:
            self._cleaned = monotonic()
            self._change(lambda connection: writing.drop_orphans(connection, repo, GRACE_SECONDS), repo)

    def _merge(self, repo: int, ref: str, most: int = writing.MOST_LAYERS) -> None:
        """Make one layer of the newest ones; give up if the ref is changed meanwhile."""
        self.look(StateNow(), EveryLink(), Ask())
        moment = self._last
        view = moment.shown
        first = writing.to_merge([sum(layer.files.chunks) for layer in view.layers], most)
        if moment.ref != ref or first >= len(view.layers) - 1:
            return
        old = list(moment.layers[first:])

        def read(table: str, column: str) -> writing.Read:
            sql = f"SELECT layer, {column}, rows FROM shirube.{table} WHERE repo = %s AND layer = ANY(%s::int[])"
            return lambda layers: self.server.ask([Statement(sql, (repo, layers))])[0]

        rows = writing.merged(view, first, read("postings", "term"), read("names", "name"))
        layer, _ = self._allotted(repo, 0)

        def work(connection: "psycopg.Connection[Row]") -> None:
            now = connection.execute(
                "UPDATE shirube.refs SET layers = layers[:%s] || %s::int || layers[%s:]"
                " WHERE repo = %s AND ref = %s AND layers[%s:%s] = %s::int[] RETURNING ref",
                (first, layer, len(moment.layers) + 1, repo, ref, first + 1, len(moment.layers), old),
            ).fetchone()
            if now is not None:
                writing.insert_layer(connection, repo, layer, rows)
                sql = "UPDATE shirube.layers SET orphaned = now() WHERE repo = %s AND layer = ANY(%s::int[])"
                connection.execute(sql, (repo, old))

        self._change(work, repo)
        self._known_layer(layer, rows)

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""
        self.look(StateNow(), EveryLink())
        moment = self._last
        view, languages = moment.shown, dict[str, int]()
        for spot in view.indexed:
            languages[view.language_of(spot)] = languages.get(view.language_of(spot), 0) + 1
        records = [view.record(spot) for spot in view.indexed]
        return Totals(
            files=len(view.indexed),
            chunks=view.chunks,
            symbols=sum(view.layers[spot.layer].files.symbols[spot.place] for spot in view.spots()),
            edges=len(answers.answer(EveryLink(), self._hand(moment, Fetched())).edges()),
            source_bytes=sum(record.size for record in records),
            disk_bytes=self._bytes(moment),
            generation=moment.generation,
            lexical="postgresql",
            languages=languages,
            place=self._shown(),
        )

    def _shown(self) -> Message:
        place = self._place()
        return say("store.server_place", address=self.server.shown, name=place.repository, ref=place.ref)

    def _bytes(self, moment: Moment) -> int:
        """Return how many bytes the rows of a ref take, without those of indexes."""
        numbers = [moment.shown.number_of(spot) for spot in moment.shown.spots()]
        layers = (
            ("layers", "files, chunks, links, numbers"),
            ("postings", "term, rows"),
            ("names", "name, rows"),
        )
        queries = [_size(table, columns, "layer", moment.repo, list(moment.layers)) for table, columns in layers]
        queries += [_size("files", "body, details", "file", moment.repo, numbers)]
        queries += [_size("vectors", "rows", "file", moment.repo, numbers)]
        return sum(int(rows[0][0] or 0) for rows in self.server.ask(queries))

    def check(self) -> tuple[Message, ...]:
        """Return the problems found in the index; empty when it is sound."""
        self.look(StateNow(), EveryLink(), EveryCommit(), Ask())
        moment = self._last
        numbers = [moment.shown.number_of(spot) for spot in moment.shown.spots()]
        (files,), (postings,) = self.server.ask(
            [
                Statement(
                    "SELECT count(*) FROM shirube.files WHERE repo = %s AND file = ANY(%s::bigint[])",
                    (moment.repo, numbers),
                ),
                Statement(
                    "SELECT count(DISTINCT layer) FROM shirube.postings WHERE repo = %s AND layer = ANY(%s::int[])",
                    (moment.repo, list(moment.layers)),
                ),
            ]
        )
        problems = []
        if files[0] != len(numbers):
            problems.append(say("store.server_files", count=len(numbers) - files[0]))
        if postings[0] != sum(any(layer.files.chunks) for layer in moment.shown.layers):
            problems.append(say("store.server_postings"))
        return tuple(problems)

    def reset(self) -> None:
        """Let this ref begin anew, empty; other refs keep what they share with it."""
        repo, place = self._own_place()

        def work(connection: "psycopg.Connection[Row]") -> None:
            connection.execute(
                "UPDATE shirube.layers SET orphaned = now() WHERE repo = %s AND layer = ANY("
                "SELECT unnest(layers) FROM shirube.refs WHERE repo = %s AND ref = %s)",
                (repo, repo, place.ref),
            )
            connection.execute("DELETE FROM shirube.histories WHERE repo = %s AND ref = %s", (repo, place.ref))
            connection.execute(
                "UPDATE shirube.refs SET layers = '{}', notes = '{}', skips = '', writer = '', lease = now(),"
                " generation = generation + 1, history = history + 1 WHERE repo = %s AND ref = %s",
                (repo, place.ref),
            )

        self._change(work, repo)

    def compact(self) -> None:
        """Make as few layers as possible of those that there are, without files that are gone."""
        repo, place = self._own_place()
        self._merge(repo, place.ref, most=1)
        self._change(lambda connection: writing.drop_orphans(connection, repo, GRACE_SECONDS), repo)

    def close(self) -> None:
        """Close the connections."""
        self.server.close()


def _size(table: str, columns: str, key: str, repo: int, numbers: list[int]) -> Statement:
    lengths = " + ".join(f"octet_length({column})" for column in columns.split(", "))
    return Statement(
        f"SELECT sum({lengths}) FROM shirube.{table} WHERE repo = %s AND {key} = ANY(%s::bigint[])", (repo, numbers)
    )
