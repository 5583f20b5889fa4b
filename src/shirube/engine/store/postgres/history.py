"""Past changes on the server: commits, which a repository's refs share, and what a ref makes of them.

A commit is kept as it was made. A ref has the numbers of its commits, and where files are today that were moved since.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import msgpack

from shirube.codec import replace
from shirube.engine.store.changes import (
    ROW,
    best_changes,
    busy_share,
    by_path,
    message_terms,
    often_changed,
    recency_of,
)
from shirube.engine.store.lexical import pack_text, unpack_text
from shirube.engine.store.lookups import ChangedTogether, PastChanges, SimilarChanges
from shirube.engine.store.port import PastChange, SimilarChange, TouchedFile, newest_first
from shirube.engine.store.postgres.needs import Fetched, LookNeeds, Reading, Written
from shirube.engine.store.postgres.server import Row, Statement

if TYPE_CHECKING:
    import psycopg

Commit = tuple[int, str, str, float, list[tuple[str, str, str]]]
"""Seconds, author, subject, weight, and of each file its path after the commit, the one before, and its symbols."""
Moved = dict[int, dict[int, str]]
"""Number of a commit → place of a file in it → its path today."""


class Past:
    """The past changes of a ref at one moment."""

    def __init__(
        self,
        revision: int,
        numbers: Sequence[int],
        moved: Moved,
        written: Mapping[int, Written],
        own: Mapping[int, PastChange] = {},
    ) -> None:
        """``own`` are commits that the server does not have; their numbers are above all others."""
        self.revision, self.numbers, self.moved = revision, (*numbers, *sorted(own)), moved
        self._shared = tuple(numbers)
        self._written = written
        self.own = own
        self._changes: dict[int, PastChange] = {}

    def change(self, number: int) -> PastChange:
        """Return a commit without the body of its message."""
        if (known := self._changes.get(number)) is None and (one := self.own.get(number)) is not None:
            known = self._changes[number] = replace(one, body="")
        elif known is None:
            seconds, author, subject, weight, files = msgpack.decode(self._written[number].data, type=Commit)
            moved = self.moved.get(number, {})
            touched = sorted((_touched(file, moved.get(at)) for at, file in enumerate(files)), key=by_path)
            commit = self._written[number].hash.hex()
            known = PastChange(commit, seconds, author, subject, "", tuple(touched), weight)
            self._changes[number] = known
        return known

    @cached_property
    def by_path(self) -> dict[str, list[int]]:
        """Path → the numbers of the commits that changed it."""
        found: dict[str, list[int]] = {}
        for number in self.numbers:
            for path in {file.path for file in self.change(number).files}:
                found.setdefault(path, []).append(number)
        return found

    @cached_property
    def by_hash(self) -> dict[str, int]:
        """Hash of a commit → its number."""
        return {self.change(number).commit: number for number in self.numbers}

    def commits(self) -> dict[str, int]:
        """Return all commits with their times."""
        return {(change := self.change(number)).commit: change.seconds for number in self.numbers}

    def of(self, paths: Collection[str] | None, since: int) -> list[int]:
        """Return the commits, or those that changed any of these files, from a time on, newest first."""
        numbers = self.numbers if paths is None else {n for path in paths for n in self.by_path.get(path, ())}
        return self._newest([number for number in numbers if self.change(number).seconds >= since])

    def named(self, commits: Collection[str]) -> list[int]:
        """Return the commits of these names that are known, newest first."""
        return self._newest([self.by_hash[commit] for commit in {*commits} if commit in self.by_hash])

    def together(self, asked: ChangedTogether) -> tuple[tuple[PastChange, ...], dict[str, int]]:
        """Return the commits that changed any of some files, and the counts of the files they changed often enough."""
        changes = tuple(map(self.change, self.of(asked.paths, 0)))
        often = often_changed(changes, asked.least)
        counts = {path: sum(self.change(n).weight > 0 for n in self.by_path.get(path, ())) for path in often}
        return changes, {path: count for path, count in counts.items() if count}

    @cached_property
    def _totals(self) -> tuple[dict[str, float], float, int]:
        """How much each file changed, the most that one did, and the time of the last commit."""
        recencies = {number: recency_of(self.change(number)) for number in self.numbers}
        totals = {path: sum(recencies[number] for number in numbers) for path, numbers in self.by_path.items()}
        latest = max((self.change(number).seconds for number in self.numbers), default=0)
        return totals, max(totals.values(), default=0.0), latest

    def busy(self, paths: Iterable[str]) -> dict[str, float]:
        """Return how much files changed lately, from 0 to 1."""
        totals, most, latest = self._totals
        return {path: busy_share(totals[path], most, latest) for path in paths if path in totals}

    def similar(self, asked: SimilarChanges, rows: Mapping[str, bytes]) -> tuple[SimilarChange, ...]:
        """Return the commits that tell something whose messages have these terms, given their rows."""
        members = ((term, self._members(rows.get(term, b""), self._own_terms.get(term, ()))) for term in asked.terms)
        found = {term: some for term, some in members if some is not None}
        shares = best_changes(
            found, asked.terms, len(self.numbers), asked.limit, lambda tied, most: self._newest(tied)[:most]
        )
        similar = [SimilarChange(self.change(number), share) for number, share in shares.items()]
        return tuple(sorted(similar, key=lambda one: (-one.share, *newest_first(one.change))))

    def _newest(self, numbers: Sequence[int]) -> list[int]:
        return sorted(numbers, key=lambda number: newest_first(self.change(number)))

    @cached_property
    def _own_terms(self) -> dict[str, list[tuple[int, int]]]:
        """Term → the own commits whose messages have it, and what it is worth in each."""
        found: dict[str, list[tuple[int, int]]] = {}
        for number, change in self.own.items():
            for term, worth in message_terms(change).items():
                found.setdefault(term, []).append((number, worth))
        return found

    def _members(self, data: bytes, own: Sequence[tuple[int, int]]) -> tuple[Any, Any] | None:
        """Return the commits of this ref in the row of a term, and what it is worth in each."""
        import numpy as np

        rows = np.frombuffer(data, dtype=ROW)
        rows = rows[self._is_member[np.minimum(rows["id"], len(self._is_member) - 1)]]
        if own:
            rows = np.concatenate([rows, np.array(own, dtype=ROW)])
        return (rows["id"].astype("intp"), rows["worth"].astype("float64")) if len(rows) else None

    @cached_property
    def _is_member(self) -> Any:
        """Tell of each number whether that commit belongs to this ref; the last one stands for all above it."""
        import numpy as np

        mask = np.zeros(max(self._shared, default=0) + 2, dtype=bool)
        mask[list(self._shared)] = True
        return mask


def _touched(file: tuple[str, str, str], today: str | None) -> TouchedFile:
    then, before, symbols = file
    path = then if today is None else today
    return TouchedFile(path, tuple(symbols.split()), "" if path == then else then, before)


def readings_of(place: tuple[int, str | None, str], fetched: Fetched, known: dict[int, Written]) -> list[Reading]:
    """Return what is read to know the past of a ref; commits that are ``known`` are not read again."""

    def take_history(rows: list[Row]) -> None:
        numbers = [number for commits, _ in rows for number in unpack_numbers(bytes(commits))]
        moved = [msgpack.decode(zlib.decompress(some), type=Moved) for _, some in rows]
        fetched.past = numbers, moved[0] if moved else {}, {}

    def take_commits(rows: list[Row]) -> None:
        known.update({number: Written(bytes(digest), bytes(data)) for number, digest, data in rows})

    history = "SELECT commits, moved FROM shirube.histories WHERE repo = %s AND ref = %s AND form = %s"
    commits = "SELECT commit, hash, data FROM shirube.commits WHERE repo = %s AND commit > %s"
    last = max(known, default=0)
    return [(Statement(history, place), take_history), (Statement(commits, (place[0], last)), take_commits)]


def need_bodies(repo: int, numbers: Collection[int], bodies: dict[int, str], needs: LookNeeds) -> None:
    """Note that the bodies of some commits' messages are needed."""
    missing = [number for number in numbers if number not in bodies]
    if missing:

        def take(rows: list[Row]) -> None:
            bodies.update(dict.fromkeys(missing, ""))
            bodies.update({number: unpack_text(bytes(body)) if body else "" for number, body in rows})

        sql = "SELECT commit, body FROM shirube.commits WHERE repo = %s AND commit = ANY(%s::int[])"
        needs.others.append((Statement(sql, (repo, missing)), take))


def asked_numbers(past: Past, asked: Any) -> list[int]:
    """Return the commits that a look-up is about."""
    return past.of(asked.paths, asked.since) if isinstance(asked, PastChanges) else past.named(asked.commits)


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Return numbers in order as the differences between them, packed: most follow one another."""
    import numpy as np

    return zlib.compress(np.diff(np.array(sorted(numbers), dtype="<u4"), prepend=np.uint32(0)).astype("<u4").tobytes())


def unpack_numbers(data: bytes) -> list[int]:
    """Return the numbers that ``pack_numbers`` packed."""
    import numpy as np

    numbers: list[int] = np.cumsum(np.frombuffer(zlib.decompress(data), dtype="<u4"), dtype=np.uint32).tolist()
    return numbers


# --- writing ---------------------------------------------------------------------------------------------------


def write_changes(
    connection: "psycopg.Connection[Row]",
    place: tuple[int, str, str],
    changes: Iterable[PastChange],
    removed: Collection[str],
) -> None:
    """Add commits to a ref and remove others; of a commit that the ref has only the files are replaced.

    What is stored of a commit never changes, because others have it too: one that was read otherwise gets a new number.
    """
    sql = "SELECT commits, moved FROM shirube.histories WHERE repo = %s AND ref = %s AND form = %s"
    row = connection.execute(sql, place).fetchone()
    members = set(unpack_numbers(row[0])) if row else set()
    moved = msgpack.decode(zlib.decompress(row[1]), type=Moved) if row else {}
    changes = list(changes)
    known = _known(connection, place[0], [*removed, *(change.commit for change in changes)], members)
    for commit in removed:
        number = known.get(commit, (0, b""))[0]
        members.discard(number)
        moved.pop(number, None)
    changes = [_as_known(connection, place[0], change, known, members) for change in changes]
    new = [change for change in changes if known.get(change.commit, (0, b""))[1] != packed(change)]
    numbers = {commit: number for commit, (number, _) in known.items()}
    members -= {numbers.get(change.commit, 0) for change in new}
    numbers |= _insert(connection, place[0], new)
    for change in changes:
        number = numbers[change.commit]
        members.add(number)
        today = {at: file.path for at, file in enumerate(change.files) if file.then}
        moved.pop(number, None)
        moved |= {number: today} if today else {}
    connection.execute(
        "INSERT INTO shirube.histories (repo, ref, form, commits, moved) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT (repo, ref, form) DO UPDATE SET commits = excluded.commits, moved = excluded.moved",
        (*place, pack_numbers(members), zlib.compress(msgpack.encode(moved))),
    )
    sql = "UPDATE shirube.refs SET history = history + 1 WHERE repo = %s AND ref = %s AND form = %s"
    connection.execute(sql, place)


Known = Mapping[str, tuple[int, bytes]]
"""Number and data of commits by hash."""


def _known(connection: "psycopg.Connection[Row]", repo: int, commits: Iterable[str], members: Collection[int]) -> Known:
    """Return the commits that are stored: of several with one hash the member of the ref, else the newest."""
    sql = "SELECT hash, commit, data FROM shirube.commits WHERE repo = %s AND hash = ANY(%s::bytea[])"
    rows = connection.execute(sql, (repo, [bytes.fromhex(commit) for commit in commits])).fetchall()
    rows.sort(key=lambda row: (row[1] in members, row[1]))
    return {bytes(digest).hex(): (number, bytes(data)) for digest, number, data in rows}


def _as_known(
    connection: "psycopg.Connection[Row]", repo: int, change: PastChange, known: Known, members: Collection[int]
) -> PastChange:
    """Return a commit with the message that the ref has of it, if it has one."""
    number, data = known.get(change.commit, (0, b""))
    if number not in members:
        return change
    seconds, author, subject, weight, _ = msgpack.decode(data, type=Commit)
    as_known = replace(change, seconds=seconds, author=author, subject=subject, weight=weight)
    if packed(as_known) == data:
        return as_known
    sql = "SELECT body FROM shirube.commits WHERE repo = %s AND commit = %s"
    row = connection.execute(sql, (repo, number)).fetchone()
    return replace(as_known, body=unpack_text(row[0]) if row and row[0] else "")


def packed(change: PastChange) -> bytes:
    """Return a commit as it is stored, which never changes."""
    files = [(file.then or file.path, file.before, " ".join(file.symbols)) for file in change.files]
    return msgpack.encode((change.seconds, change.author, change.subject, change.weight, files))


def _insert(connection: "psycopg.Connection[Row]", repo: int, changes: Sequence[PastChange]) -> dict[str, int]:
    """Store new commits and the terms of their messages; return their numbers."""
    if not changes:
        return {}
    sql = "UPDATE shirube.counters SET next_commit = next_commit + %s WHERE repo = %s RETURNING next_commit"
    row = connection.execute(sql, (len(changes), repo)).fetchone()
    first = row[0] - len(changes) if row else 0
    numbers = {change.commit: number for number, change in enumerate(changes, first)}
    rows = [
        (repo, numbers[c.commit], bytes.fromhex(c.commit), packed(c), pack_text(c.body) if c.body else b"")
        for c in changes
    ]
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO shirube.commits VALUES (%s, %s, %s, %s, %s)", rows)
        _insert_terms(cursor, repo, {numbers[change.commit]: message_terms(change) for change in changes})
    return numbers


def _insert_terms(cursor: "psycopg.Cursor[Row]", repo: int, worths: Mapping[int, Mapping[str, int]]) -> None:
    import numpy as np

    added: dict[bytes, list[tuple[int, int]]] = {}
    for number, terms in worths.items():
        for term, worth in terms.items():
            added.setdefault(term.encode("utf-8", "replace"), []).append((number, worth))
    rows = [(repo, term, np.array(some, dtype=ROW).tobytes()) for term, some in sorted(added.items())]
    cursor.executemany(
        "INSERT INTO shirube.commit_terms VALUES (%s, %s, %s)"
        " ON CONFLICT (repo, term) DO UPDATE SET rows = commit_terms.rows || excluded.rows",
        rows,
    )
