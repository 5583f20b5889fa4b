"""Reads a ref of the server: what a request sees, and what this process keeps of it for the next one."""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from shirube.deadline import Deadline, current
from shirube.engine.store.lookups import ParsedContents, StateNow
from shirube.engine.store.port import Ask, Lookup
from shirube.engine.store.postgres import answers, history
from shirube.engine.store.postgres.moment import NOWHERE, Moment, RefPlace, moment_of, state_query
from shirube.engine.store.postgres.needs import Fetched, LookNeeds, Reading, RepositoryMemory, Seen, readings_for
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Row, Server, Statement
from shirube.errors import BrokenIndex, IndexBusy, ShirubeError

MOST_ROUNDS = 8
"""How often a look reads what it turns out to need; it needs three or four, unless parts are missing."""
Kept = Callable[[list[int]], Iterable[tuple[int, bytes]]]
"""Returns the vectors of those files of which this machine has them."""


class Target(NamedTuple):
    """The ref that a request writes to."""

    ref: str
    found: str | None
    """The ref that there was when the request looked: this one, the one that it begins with, or none."""
    generation: int | None
    """The generation that it must have when it is written; None if it may have any."""


class RefReader:
    """Looks at the ref that is checked out; safe to share between threads."""

    def __init__(
        self, server: Server, place: Callable[[], RefPlace], memory: Callable[[int], RepositoryMemory], writer: str
    ) -> None:
        """``memory`` makes one for a repository; ``writer`` is this process, which does not wait for itself."""
        self._server, self._place, self._new_memory, self._writer = server, place, memory, writer
        self._guard = Lock()
        self._numbers: dict[str, int] = {}
        """Name of a repository → its number."""
        self.memory = memory(0)
        """What is kept of the repository that was looked at last."""
        self._last = NOWHERE
        """What was looked at last, by whichever thread: what is likely still true, never what is."""
        self._moments: WeakKeyDictionary[Deadline, Moment] = WeakKeyDictionary()
        """What each request sees, until it writes."""
        self.targets: WeakKeyDictionary[Deadline, Target] = WeakKeyDictionary()
        """Where each request writes to that has looked."""

    def look(self, asked: Sequence[Lookup[Any]], likely: Sequence[Lookup[Any]] = ()) -> tuple[Moment, list[Any]]:
        """Return the moment that this request saw first, and what is found at it for each look-up.

        Asking for the state begins anew. Most looks take one trip; after a change of the ref, one more. What is likely
        to be asked next is read, but not worked out.
        """
        wanted, fetched = (*asked, *likely), Fetched()
        moment = self._moments.get(current())
        if moment is None or any(isinstance(one, StateNow) for one in asked):
            moment = self.newest(wanted, fetched)
            self.targets[current()] = Target(moment.asked, moment.ref, moment.generation)
        memory = self.memory_of(moment.repo)
        for _ in range(MOST_ROUNDS):
            with memory.guard:
                readings = self._readings(wanted, moment, memory, fetched)
                if not readings and moment.view is not None:
                    hand = answers.Hand(moment, fetched, self._writer, memory)
                    found = [answers.answer(one, hand) for one in asked]
                    self._last = self._moments[current()] = moment
                    memory.own.clear()
                    return moment, found
            self.read(readings, memory)
            moment = filled(moment, memory, fetched)
        raise self._incomplete(moment)

    def _incomplete(self, moment: Moment) -> ShirubeError:
        """Return the error that parts of a ref are missing: they were dropped since it was looked at, or are lost."""
        self.forget()
        rows = self._server.ask([state_query(moment.repo, self._place())])[0]
        is_newest = bool(rows) and moment_of(moment.repo, self._place(), rows, moment).layers == moment.layers
        return BrokenIndex("store.server_incomplete") if is_newest else IndexBusy("store.written_elsewhere")

    def newest(self, asked: Sequence[Lookup[Any]] = (), fetched: Fetched | None = None) -> Moment:
        """Return the ref as it is now; what is needed if it is as it was last comes along in the same trip."""
        place, last, fetched = self._place(), self._last, fetched or Fetched()
        is_known = place.repository in self._numbers
        if not (repo := self.number_of(place.repository)):
            return NOWHERE._replace(asked=place.ref, form=place.form)
        memory = self.memory_of(repo)
        is_same = (last.repo, last.asked) == (repo, place.ref)
        with memory.guard:
            readings = self._readings(asked, last, memory, fetched) if is_same else []
        state: list[list[Row]] = []
        self.read([(state_query(repo, place), state.append), *readings], memory)
        if is_known and not state[0]:  # nobody has written yet, or the database was made anew
            self._numbers.pop(place.repository, None)
            return self.newest(asked)
        moment = moment_of(repo, place, state[0], last)
        if (moment.ref, moment.layers, moment.history) != (last.ref, last.layers, last.history):
            fetched.rows.clear()  # these were read of what the ref was before
            fetched.past = None
        return filled(moment, memory, fetched)

    def number_of(self, repository: str) -> int:
        """Return the number of a repository, 0 when the server does not know it."""
        if repository not in self._numbers:
            (rows,) = self._server.ask(
                [Statement("SELECT repo FROM shirube.repositories WHERE name = %s", (repository,))]
            )
            if not rows:
                return 0
            self._numbers[repository] = rows[0][0]
        return self._numbers[repository]

    def forget(self) -> None:
        """Let this request look anew, because it has written."""
        self._moments.pop(current(), None)

    def memory_of(self, repo: int) -> RepositoryMemory:
        """Return what is kept of a repository; of the one before, if there was one, nothing is."""
        with self._guard:
            if repo and self.memory.repo != repo:
                self.memory = self._new_memory(repo)
            return self.memory

    def _readings(
        self, asked: Sequence[Lookup[Any]], moment: Moment, memory: RepositoryMemory, fetched: Fetched
    ) -> list[Reading]:
        """Return what has to be read next to answer; nothing when all is at hand."""
        if not moment.repo:  # then there is nothing but what was parsed for others
            asked = [one for one in asked if isinstance(one, ParsedContents)]
        for layer in moment.view.layers if moment.view is not None else ():
            fetched.layers[layer.number] = layer
        needs, hand = LookNeeds(moment.layers), answers.Hand(moment, fetched, self._writer, memory)
        for one in asked:
            answers.need(one, moment, needs, hand)
        if needs.past and fetched.past is None:
            needs.others += history.readings_of((moment.repo, moment.ref, moment.form), fetched, memory.commits)
        if moment.view is not None and any(isinstance(one, Ask) and one.vector for one in asked):
            needs.others += vectors_missing(moment, memory)
        return readings_for(moment.repo, needs, memory, fetched)

    def read(self, readings: Sequence[Reading], memory: RepositoryMemory) -> None:
        """Read in one trip; none where nothing has to be read."""
        found = self._server.ask([query for query, _ in readings])
        with memory.guard:
            for (_, take), rows in zip(readings, found, strict=True):
                take(rows)


def vectors_missing(moment: Moment, memory: RepositoryMemory, kept: Kept = lambda numbers: ()) -> list[Reading]:
    """Return what is read to have the vectors of all files; of those that are gone there are none any more.

    Those that are ``kept`` here need not be read.
    """
    view, seen = moment.shown, Seen(moment.layers, moment.vectors)
    if memory.dense_of == seen:
        return []
    wanted = {view.number_of(spot) for spot in view.indexed}
    for number, data in kept(sorted(wanted - memory.dense.held)):
        memory.dense.put(number, data)
    lacking = sorted(wanted - memory.dense.held)

    def take(rows: list[Row]) -> None:
        for number, data in rows:
            memory.dense.put(number, bytes(data))
        for number in memory.dense.held - wanted:
            memory.dense.put(number, b"")
        is_whole = wanted.issubset(memory.dense.held.union(lacking))  # another request may have taken some away
        memory.dense_of = seen if is_whole else Seen()

    if not lacking:
        take([])
        return []
    sql = "SELECT file, rows FROM shirube.vectors WHERE repo = %s AND model = %s AND file = ANY(%s::bigint[])"
    return [(Statement(sql, (moment.repo, memory.model, lacking)), take)]


def filled(moment: Moment, memory: RepositoryMemory, fetched: Fetched) -> Moment:
    """Return the moment with its layers and its past, as far as they were read."""
    if moment.view is None and all(number in fetched.layers for number in moment.layers):
        moment = moment._replace(view=RefView([fetched.layers[number] for number in moment.layers]))
    if moment.past is None and fetched.past is not None:
        numbers, moved, own = fetched.past
        moment = moment._replace(past=history.Past(moment.history, numbers, moved, memory.commits, own))
    return moment
