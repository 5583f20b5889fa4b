"""The store on a PostgreSQL server."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from os import getpid, urandom
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import json, msgpack

from shirube.codec import replace
from shirube.deadline import current
from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import keep_note
from shirube.engine.store.lookups import EveryCommit, EveryLink, LanguageCounts, StateNow
from shirube.engine.store.port import Ask, Lookup, PastChange, StoreChange, Totals, Unembedded
from shirube.engine.store.postgres import history, schema, writing
from shirube.engine.store.postgres.layer import ChunksPart, LinksPart, unpack
from shirube.engine.store.postgres.moment import Moment, RefPlace
from shirube.engine.store.postgres.needs import Fetched, LookNeeds, RepositoryMemory, Seen, readings_for
from shirube.engine.store.postgres.reader import RefReader, Target
from shirube.engine.store.postgres.server import WRITE_SECONDS, Row, Server, Statement
from shirube.errors import IndexBusy, ShirubeError
from shirube.messages import NOTHING, Message, say

if TYPE_CHECKING:
    import psycopg

LEASE_SECONDS = 60
"""How long nobody else may write after a sync has written a part; a writer that is killed holds others up for this."""
GRACE_SECONDS = 600
"""How long a layer that no ref has any more is kept, for questions that are still looking into it."""
LAYERS_AT_ONCE, FILES_AT_ONCE = 16, 1_000
"""How many numbers of layers a writer takes at once, and how many of files beyond those that it needs."""


class Allotment(NamedTuple):
    """Numbers of a repository that this process has for itself."""

    repo: int = 0
    layers: range = range(0)
    files: range = range(0)


class PostgresStore:
    """The index of one branch of one repository, on a server that machines share."""

    remote = True

    def __init__(
        self, server: Server, place: Callable[[], RefPlace], dimensions: int, model: str, machine: str = ""
    ) -> None:
        """``place`` tells which branch is checked out now; ``machine`` names this one to other writers."""
        self.server, self._place, self._model = server, place, model
        self._writer = f"{machine}:{getpid()}:{urandom(4).hex()}"
        self._reader = RefReader(
            server, place, lambda repo: RepositoryMemory(repo, model, DenseRows(dimensions, model)), self._writer
        )
        self._dimensions = dimensions
        self._allotting, self._allotment = Lock(), Allotment()
        self._is_going_on = False
        """Whether a sync has written a part, and has not ended."""
        server.prepare = lambda connection: schema.prepare(server, connection)

    # --- reading ---------------------------------------------------------------------------------------

    def look(self, *asked: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up, all at the moment that this request saw first."""
        return self._reader.look(asked, likely)[1]

    def lacks(self, *, now: bool = False) -> Message:
        """Return nothing: what cannot be asked is an error."""
        return NOTHING

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""
        moment, _ = self._reader.look([StateNow()])
        memory = self._reader.memory_of(moment.repo)
        with memory.guard:
            lacking = moment.shown.unembedded(self._model, memory.embedded)
            numbers = [number for number in lacking if number > after][:limit]
        fetched = Fetched()
        self._reader.read(readings_for(moment.repo, LookNeeds((), numbers=set(numbers)), memory, fetched), memory)
        found = []
        for number in numbers:
            spot, content = moment.shown.spot_of(number), fetched.contents.get(number)
            if spot is not None and content is not None:
                texts = tuple(map(content.text_of, content.pieces))
                names = tuple(piece.symbol for piece in content.pieces)
                record = moment.shown.record(spot)
                found.append(Unembedded(number, record.path, record.digest, record.language, texts, names))
        return tuple(found)

    def warm(self) -> None:
        """Update what earlier questions loaded, so that the next one need not."""
        memory = self._reader.memory
        if memory.dense_of != Seen():
            self.look(StateNow(), Ask(vector=bytes(self._dimensions)))
            with memory.guard:
                memory.dense.stack()

    # --- writing ---------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Nothing has to be prepared."""
        return False

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change in one transaction, which everybody sees at once or not at all.

        A part of a sync is refused when the ref is no longer what the request has seen: it would not fit.
        """
        if change == StoreChange():
            return
        repo, target = self._own_target()
        brings = writing.is_layer(change)
        if (brings or "state" in change.notes) and target.ref != self._place().ref:
            raise IndexBusy("store.written_elsewhere")  # another branch was checked out meanwhile
        layer, first = self._allotted(repo, len(change.entries)) if brings else (0, 0)
        rows = writing.layer_of(change, first, self._model) if brings else None
        is_small = rows is None or len(rows.postings) + len(rows.names) < writing.MANY_ROWS
        layers = 0

        def work(connection: "psycopg.Connection[Row]") -> None:
            nonlocal layers
            if rows is not None:
                writing.insert_layer(connection, repo, layer, rows)
                writing.insert_files(connection, repo, change.entries, rows.files.numbers, self._model)
            writing.insert_parsed(connection, change.parsed)
            layers = self._update_ref(connection, repo, target, change, layer)

        self._change(work, repo, layer, pipelined=is_small)
        self._is_going_on = change.notes.get("state", "building" if self._is_going_on else "") == "building"
        if rows is not None:
            self._wrote(target)
            self._known_layer(repo, layer, rows)
            if layers > writing.MOST_LAYERS:
                with suppress(ShirubeError):  # the change took effect; the next one merges
                    self._merge()

    def _own_target(self) -> tuple[int, Target]:
        """Return the number of this repository and the ref to write to; both exist on the server from now on."""
        place, target = self._place(), self._reader.targets.get(current())
        if target is None:
            moment = self._reader.newest()
            target = Target(moment.asked, moment.ref, None)
        repo = self._reader.number_of(place.repository) or self._made_repository(place.repository)
        if target.found != target.ref:
            self._make_ref(repo, target)
            target = target._replace(found=target.ref)
            self._reader.targets[current()] = target
        return repo, target

    def _wrote(self, target: Target) -> None:
        """Note that this request has changed the ref, so that it expects it to be changed."""
        if target.generation is not None:
            self._reader.targets[current()] = target._replace(generation=target.generation + 1)

    def _made_repository(self, name: str) -> int:
        def work(connection: "psycopg.Connection[Row]") -> int:
            row = None
            while row is None:  # another repository may have that number
                sql = "INSERT INTO shirube.repositories (repo, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(sql, (1 + int.from_bytes(urandom(4)) % (2**31 - 1), name))
                sql = "SELECT repo FROM shirube.repositories WHERE name = %s"
                row = connection.execute(sql, (name,)).fetchone()
            connection.execute("INSERT INTO shirube.counters (repo) VALUES (%s) ON CONFLICT DO NOTHING", row)
            return int(row[0])

        return self.server.change(work)

    def _make_ref(self, repo: int, target: Target) -> None:
        """Make a ref that shares the layers and the past of another one of its repository, if there is one."""
        form = self._place().form

        def work(connection: "psycopg.Connection[Row]") -> None:
            shared = "generation, vectors, layers, notes, skips, history"
            connection.execute(
                f"INSERT INTO shirube.refs (repo, ref, form, {shared}) SELECT repo, %s, form, {shared}"
                " FROM shirube.refs WHERE repo = %s AND ref = %s AND form = %s ON CONFLICT DO NOTHING",
                (target.ref, repo, target.found, form),
            )
            connection.execute(
                "INSERT INTO shirube.histories (repo, ref, form, commits, moved) SELECT repo, %s, form, commits, moved"
                " FROM shirube.histories WHERE repo = %s AND ref = %s AND form = %s ON CONFLICT DO NOTHING",
                (target.ref, repo, target.found, form),
            )
            sql = "INSERT INTO shirube.refs (repo, ref, form) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
            connection.execute(sql, (repo, target.ref, form))

        self._change(work, repo, pipelined=True)

    def _allotted(self, repo: int, files: int) -> tuple[int, int]:
        """Return the number of a new layer, and the first of the numbers for its files; none is used again.

        Some are taken beforehand, so that most writes need not ask for them.
        """
        with self._allotting:
            if self._allotment.repo != repo or not self._allotment.layers or len(self._allotment.files) < files:
                sql = (
                    "UPDATE shirube.counters SET next_layer = next_layer + %s, next_file = next_file + %s"
                    " WHERE repo = %s RETURNING next_layer, next_file"
                )
                layers, more = LAYERS_AT_ONCE, files + FILES_AT_ONCE
                (rows,) = self.server.ask([Statement(sql, (layers, more, repo))], WRITE_SECONDS)
                if not rows:  # the database was made anew
                    raise IndexBusy("store.written_elsewhere")
                ((layer, file),) = rows
                self._allotment = Allotment(repo, range(layer - layers, layer), range(file - more, file))
            _, free_layers, free_files = self._allotment
            self._allotment = Allotment(repo, free_layers[1:], free_files[files:])
            return free_layers[0], free_files[0]

    def _update_ref(
        self, connection: "psycopg.Connection[Row]", repo: int, target: Target, change: StoreChange, layer: int
    ) -> int:
        """Let a ref have a new layer, notes and skips, and return how many layers it has then.

        Refuse while somebody else is in the middle of a sync, and if somebody has changed it.
        """
        sets = ["notes = notes || %s::jsonb", "updated = now()"]
        values: list[Any] = [json.encode(dict(change.notes)).decode()]
        if layer:
            sets[0] = "notes = (notes - 'commit') || %s::jsonb"  # only who knows says of which commit the files are now
            sets += ["layers = layers || %s::int", "generation = generation + 1"]
            values += [layer]
        if change.skips is not None:
            skips = sorted((skip.path, str(skip.reason), keep_note(skip.detail)) for skip in change.skips)
            sets, values = [*sets, "skips = %s"], [*values, msgpack.encode(skips)]
        if "state" in change.notes:
            is_going_on = change.notes["state"] == "building"
            sets += ["writer = %s", f"lease = now() + interval '{LEASE_SECONDS if is_going_on else 0} seconds'"]
            values += [self._writer if is_going_on else ""]
        conditions = "repo = %s AND ref = %s AND form = %s"
        values += [repo, target.ref, self._place().form]
        if layer or "state" in change.notes:
            conditions += " AND (lease <= now() OR writer = %s) AND generation = coalesce(%s, generation)"
            values += [self._writer, target.generation]
        sql = f"UPDATE shirube.refs SET {', '.join(sets)} WHERE {conditions} RETURNING cardinality(layers)"
        row = connection.execute(sql, values).fetchone()
        if row is None:
            raise IndexBusy("store.written_elsewhere")
        return int(row[0])

    def _change(
        self, work: "Callable[[psycopg.Connection[Row]], None]", repo: int, layer: int = 0, *, pipelined: bool = False
    ) -> None:
        """Run a change of a repository in one transaction; one at a time, and this request looks anew afterwards.

        A change may take effect though its connection is lost; when it is tried again, its ``layer`` tells that.
        """
        is_again = False

        def locked(connection: "psycopg.Connection[Row]") -> None:
            nonlocal is_again
            connection.execute("SELECT FROM shirube.counters WHERE repo = %s FOR UPDATE", (repo,))
            sql = "SELECT FROM shirube.layers WHERE repo = %s AND layer = %s"
            if is_again and layer and connection.execute(sql, (repo, layer)).fetchone() is not None:
                return
            is_again = True
            work(connection)

        try:
            self.server.change(locked, pipelined=pipelined)
        finally:
            self._reader.forget()

    def _known_layer(self, repo: int, number: int, rows: writing.LayerRows) -> None:
        """Remember a layer that was written here; it need not be read."""
        memory = self._reader.memory_of(repo)
        with memory.guard:
            layer = memory.own_layer(number, rows.files, rows.models)
            layer.chunks, layer.links = unpack(rows.chunks, ChunksPart), unpack(rows.links, LinksPart)
            memory.own.append(layer)

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number; skips files that no longer exist."""
        moment, _ = self._reader.look([StateNow()])
        repo, target = self._own_target()
        memory, view = self._reader.memory_of(repo), moment.shown
        new = {number: data for number, data in sorted(rows.items()) if view.spot_of(number)}
        embedded = memory.embedded | new.keys()
        open_layers = (layer for layer in view.layers if self._model not in layer.models)
        whole = [layer for layer in open_layers if embedded.issuperset(layer.indexed)]

        def work(connection: "psycopg.Connection[Row]") -> None:
            with connection.cursor() as cursor:
                sql = "INSERT INTO shirube.vectors (repo, model, file, rows) VALUES (%s, %s, %s, %s)"
                values = ((repo, self._model, number, data) for number, data in new.items())
                cursor.executemany(f"{sql} ON CONFLICT DO NOTHING", values)
            sql = "UPDATE shirube.layers SET models = models || %s::text WHERE repo = %s AND layer = ANY(%s::int[])"
            numbers = [layer.number for layer in whole]
            connection.execute(f"{sql} AND %s <> ALL(models)", (self._model, repo, numbers, self._model))
            sql = "UPDATE shirube.refs SET vectors = vectors + 1 WHERE repo = %s AND ref = %s AND form = %s"
            connection.execute(sql, (repo, target.ref, moment.form))

        self._change(work, repo, pipelined=True)
        with memory.guard:
            memory.embedded |= new.keys()
            for layer in whole:
                layer.models |= {self._model}

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; a commit that is known keeps its message, and gets the files given here."""
        changes, removed = list(changes), list(removed)
        repo, target = self._own_target()
        place = repo, target.ref, self._place().form
        self._change(lambda connection: history.write_changes(connection, place, changes, removed), repo)

    # --- upkeep ----------------------------------------------------------------------------------------

    def _merge(self, most: int = writing.MOST_LAYERS, few_times: float = writing.FEW_TIMES) -> None:
        """Make one layer of the newest ones, and drop what nobody needs; give up if the ref is changed meanwhile."""
        moment, _ = self._reader.look([StateNow(), EveryLink(), Ask()])
        view, repo = moment.shown, moment.repo
        first = writing.to_merge([sum(layer.files.chunks) for layer in view.layers], most, few_times)
        if moment.ref != moment.asked or first >= len(view.layers) - 1:
            return
        old = list(moment.layers[first:])

        def read(table: str, column: str) -> writing.Read:
            sql = f"SELECT layer, {column}, rows FROM shirube.{table} WHERE repo = %s AND layer = ANY(%s::int[])"
            return lambda layers: self.server.ask([Statement(sql, (repo, layers))], WRITE_SECONDS)[0]

        rows = writing.merged(view, first, read("postings", "term"), read("names", "name"))
        layer, _ = self._allotted(repo, 0)

        def work(connection: "psycopg.Connection[Row]") -> None:
            now = connection.execute(
                "UPDATE shirube.refs SET layers = layers[:%s] || %s::int || layers[%s:]"
                " WHERE repo = %s AND ref = %s AND form = %s AND layers[%s:%s] = %s::int[] RETURNING ref",
                (
                    *(first, layer, len(moment.layers) + 1, repo, moment.ref, moment.form),
                    *(first + 1, len(moment.layers), old),
                ),
            ).fetchone()
            if now is not None:
                writing.insert_layer(connection, repo, layer, rows)
                writing.orphan(connection, repo, old)
            writing.drop_unused(connection, repo, moment.form, GRACE_SECONDS)

        self._change(work, repo)
        self._known_layer(repo, layer, rows)

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""
        moment, (_, links, languages) = self._reader.look([StateNow(), EveryLink(), LanguageCounts()])
        view = moment.shown
        totals = view.totals(links, languages, self._bytes(moment), moment.generation)
        return replace(totals, place=self._shown())

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
        moment, _ = self._reader.look([StateNow(), EveryLink(), EveryCommit(), Ask()])
        view = moment.shown
        numbers = [view.number_of(spot) for spot in view.spots()]
        count = "SELECT count(*) FROM shirube.files WHERE repo = %s AND file = ANY(%s::bigint[])"
        having = "SELECT count(DISTINCT layer) FROM shirube.postings WHERE repo = %s AND layer = ANY(%s::int[])"
        (files,), (postings,) = self.server.ask(
            [Statement(count, (moment.repo, numbers)), Statement(having, (moment.repo, list(moment.layers)))]
        )
        problems = []
        if files[0] != len(numbers):
            problems.append(say("store.server_files", count=len(numbers) - files[0]))
        if postings[0] != sum(any(layer.files.chunks) for layer in view.layers):
            problems.append(say("store.server_postings"))
        if any(layer.links is not None and len(layer.links.imports) != len(layer.files.paths) for layer in view.layers):
            problems.append(say("store.server_links"))
        return tuple(problems)

    def reset(self) -> None:
        """Let this ref begin anew, empty; other refs keep what they share with it."""
        repo, target = self._own_target()
        place = repo, target.ref, self._place().form

        def work(connection: "psycopg.Connection[Row]") -> None:
            sql = "SELECT layers FROM shirube.refs WHERE repo = %s AND ref = %s AND form = %s"
            row = connection.execute(sql, place).fetchone()
            writing.orphan(connection, repo, row[0] if row else [])
            connection.execute("DELETE FROM shirube.histories WHERE repo = %s AND ref = %s AND form = %s", place)
            connection.execute(
                "UPDATE shirube.refs SET layers = '{}', notes = '{}', skips = '', writer = '', lease = now(),"
                " generation = generation + 1, history = history + 1 WHERE repo = %s AND ref = %s AND form = %s",
                place,
            )

        self._change(work, repo)
        self._wrote(target)

    def compact(self, most_dead: float = 0.0) -> Message:
        """Make as few layers as fit into memory of those that there are, without files that are gone."""
        self._merge(most=1, few_times=inf)
        repo, _ = self._own_target()
        self._change(lambda c: writing.drop_unused(c, repo, self._place().form, GRACE_SECONDS), repo)
        return NOTHING

    def close(self) -> None:
        """Close the connections; a sync that was given up in the middle holds nobody up."""
        if self._is_going_on:
            with suppress(ShirubeError):
                sql = "UPDATE shirube.refs SET writer = '', lease = now() WHERE writer = %s AND repo = %s RETURNING ref"
                self.server.ask([Statement(sql, (self._writer, self._reader.memory.repo))])
        self.server.close()


def _size(table: str, columns: str, key: str, repo: int, numbers: list[int]) -> Statement:
    lengths = " + ".join(f"octet_length({column})" for column in columns.split(", "))
    return Statement(
        f"SELECT sum({lengths}) FROM shirube.{table} WHERE repo = %s AND {key} = ANY(%s::bigint[])", (repo, numbers)
    )
