"""Chooses the ref of the server that a work tree is compared with, and lets it be another one."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from msgspec import json, msgpack

from shirube.codec import replace
from shirube.engine.store.overlay.local_file import LocalFile, OverlayFacts, PinnedRef, count_up, set_fact
from shirube.engine.store.postgres import writing
from shirube.engine.store.postgres.history import Moved, pack_numbers, unpack_numbers
from shirube.engine.store.postgres.layer import LinksPart, pack, unpack
from shirube.engine.store.postgres.moment import RefPlace
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Server, Statement
from shirube.errors import IndexBusy

MOST_REFS = 12
"""How many refs of a repository, the latest first, are compared with what is checked out."""
_REFS = (
    "SELECT ref, layers, notes::text FROM shirube.refs WHERE repo = %s AND form = %s AND cardinality(layers) > 0"
    " ORDER BY notes ->> 'state' = 'complete' DESC, ref = %s DESC, updated DESC LIMIT %s"
)
_STILL = "SELECT count(*) FROM shirube.layers WHERE repo = %s AND layer = ANY(%s::int[])"
_WHOLE = (
    "SELECT r.layers, r.notes::text, h.commits, h.moved,"
    " ARRAY(SELECT l.numbers FROM shirube.layers l WHERE l.repo = r.repo AND l.layer = ANY(r.layers))"
    " FROM shirube.refs r LEFT JOIN shirube.histories h USING (repo, ref, form)"
    " WHERE repo = %s AND ref = %s AND form = %s"
)
Distances = Callable[[Sequence[str]], Mapping[str, int]]
"""Tells of commits how many files differ in what is checked out, as far as git knows them."""


class Choice(NamedTuple):
    """A base that may be chosen, and the notes of its ref."""

    base: PinnedRef
    notes: Mapping[str, str]


def where(server: Server, place: RefPlace) -> tuple[str, str, str]:
    """Return what a base belongs to; of another server, repository or version none can be used."""
    return server.shown, place.repository, place.form


def commit_of(notes: Mapping[str, str]) -> str:
    """Return the commit that a ref was made of: noted by a worker, else the one that its past changes lead to."""
    return notes.get("commit") or notes.get("history_read", "").rpartition("|")[2]


def choices(server: Server, place: RefPlace, pinned: PinnedRef | None) -> list[Choice]:
    """Return what may be the base: the pinned one while it is there, then the own branch, then the latest."""
    (rows,) = server.ask([Statement("SELECT repo FROM shirube.repositories WHERE name = %s", (place.repository,))])
    if not rows:
        return []
    repo = int(rows[0][0])
    pinned = pinned if pinned is not None and pinned.repo == repo else None
    still = list(pinned.layers) if pinned is not None else []
    refs, counts = server.ask(
        [Statement(_REFS, (repo, place.form, place.ref, MOST_REFS)), Statement(_STILL, (repo, still))]
    )
    found = [Choice(pinned, {})] if pinned is not None and counts[0][0] == len(still) else []
    for ref, layers, text in refs:
        notes: dict[str, str] = json.decode(text)
        found.append(Choice(PinnedRef(repo, ref, tuple(layers), commit_of(notes), where(server, place)), notes))
    return found


def nearest(found: Sequence[Choice], ref: str, distances: Distances) -> Choice | None:
    """Return the choice that what is checked out differs from least.

    Of those that git does not know it is the newest of the branch's own name, else the first.
    """
    commits = list(dict.fromkeys(one.base.commit for one in found if one.base.commit))
    far = distances(commits) if len(commits) > 1 else {}

    def order(one: Choice) -> tuple[bool, int, bool]:
        known = far.get(one.base.commit)
        return known is None, known or 0, known is None and (one.base.ref != ref or not one.notes)

    return min(found, key=order) if found else None


Difference = writing.LayerRows | None
"""All that differs from a base, as one layer; None for nothing."""


class Pinning(NamedTuple):
    """A ref as it is when it becomes the base."""

    base: PinnedRef
    notes: Mapping[str, str]
    members: Sequence[int]
    """The numbers of its past changes."""
    moved: Moved
    files: Set[int]
    """The numbers of all files of its layers."""


def read_whole(server: Server, choice: Choice, form: str) -> Pinning | None:
    """Return all that is noted of a base, as it is at one moment; None when it is no more."""
    import numpy as np

    (rows,) = server.ask([Statement(_WHOLE, (choice.base.repo, choice.base.ref, form))])
    if not rows or not rows[0][0]:
        return None
    layers, text, commits, moved, numbers = rows[0]
    notes: dict[str, str] = json.decode(text)
    base = replace(choice.base, layers=tuple(layers), commit=commit_of(notes))
    files = {number for some in numbers for number in np.frombuffer(bytes(some), dtype="<i8").tolist()}
    if commits is None:
        return Pinning(base, notes, [], {}, files)
    renames = msgpack.decode(zlib.decompress(bytes(moved)), type=Moved)
    return Pinning(base, notes, unpack_numbers(bytes(commits)), renames, files)


def pin(file: LocalFile, made: Pinning, own: Difference, facts: OverlayFacts) -> None:
    """Let a ref be the base from now on; ``own`` is what is known to differ from it."""
    # What resolves to files that differ was resolved against the base before.
    is_linked = not facts.own and made.notes.get("state") == "complete"
    notes = {**made.notes, "state": "complete" if is_linked else "building"}

    def work(db: Any) -> None:
        replace_own(db, facts, own)
        kept = {("layers", "layer"): set(made.base.layers), ("base_commits", "number"): set(made.members)}
        kept["vectors", "file"] = {*made.files, *(own.files.numbers if own is not None else ())}
        for (table, key), numbers in kept.items():
            had = db.execute(f"SELECT {key} FROM {table} WHERE {key} > 0").fetchall()
            gone = [row for row in had if row[0] not in numbers]
            db.executemany(f"DELETE FROM {table} WHERE {key} = ?", gone)
        db.execute("DELETE FROM own_commits")  # those that lead to what is checked out are read again
        set_fact(db, "base", msgpack.encode(made.base))
        set_fact(db, "notes", msgpack.encode(notes))
        set_fact(db, "members", pack_numbers(made.members))
        set_fact(db, "moved", msgpack.encode(made.moved))
        count_up(db, "history")

    file.change(work)


def replace_own(db: Any, facts: OverlayFacts, own: Difference) -> None:
    """Let one layer, or none, be all that differs; refuse if somebody has written since."""
    sql = "SELECT layer FROM layers WHERE layer < 0 ORDER BY layer DESC"
    if tuple(row[0] for row in db.execute(sql)) != facts.own:
        raise IndexBusy("store.written_elsewhere")
    for table in ("layers", "postings", "names"):
        db.execute(f"DELETE FROM {table} WHERE layer < 0")
    kept = set(own.files.numbers if own is not None else ())
    had = (row[0] for row in db.execute("SELECT file FROM files").fetchall())
    gone = [(number,) for number in had if number not in kept]
    for table in ("files", "vectors"):
        db.executemany(f"DELETE FROM {table} WHERE file = ?", gone)
    if own is not None:
        insert_layer(db, own)
    count_up(db, "revision")


def unpin(file: LocalFile) -> None:
    """Forget a base that is no longer to be had; what differs from nothing is not kept."""

    def work(db: Any) -> None:
        for table in ("layers", "postings", "names", "files", "vectors", "own_commits", "base_commits"):
            db.execute(f"DELETE FROM {table}")
        # Numbers go on: whoever has the file open must not take what comes for what was.
        db.execute("DELETE FROM facts WHERE key NOT IN ('layers', 'files', 'revision', 'vectors', 'history')")
        for key in ("revision", "vectors", "history"):
            count_up(db, key)

    file.change(work)


def insert_layer(db: Any, rows: writing.LayerRows) -> int:
    """Store a layer of what differs; return its number."""
    number = -count_up(db, "layers")
    values = (number, pack(rows.files), rows.chunks, rows.links, msgpack.encode(rows.models))
    db.execute("INSERT INTO layers (layer, files, chunks, links, models) VALUES (?, ?, ?, ?, ?)", values)
    for table, some in (("postings", rows.postings), ("names", rows.names)):
        db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", [(number, *row) for row in some])
    return number


def merged_own(view: RefView, base: int, file: LocalFile, *, is_new_base: bool) -> Difference:
    """Return one layer of all that differs, without what the base has, too; None where nothing is left.

    ``base`` is how many of the layers are the base's.
    """
    below, seen = RefView(view.layers[:base]), RefView(view.layers)
    same = set(_drop_same(below, seen, base))

    def read(table: str, column: str) -> writing.Read:
        return lambda layers: file.all_rows(table, column, layers)

    rows = writing.merged(seen, base, read("postings", "term"), read("names", "name"))
    rows.files.removed = [path for path in rows.files.removed if path not in same and below.spot(path) is not None]
    links = unpack(rows.links, LinksPart)
    if is_new_base:  # edges of unchanged files were resolved among other files
        links.edges = {path: edges for path, edges in links.edges.items() if path in {*rows.files.paths}}
        rows.links = pack(links)
    return rows if rows.files.paths or rows.files.removed or links.edges else None


def _drop_same(below: RefView, seen: RefView, base: int) -> Iterator[str]:
    """Let files that the base has, too, count as the base's; yield their paths."""
    for at in range(base, len(seen.layers)):
        for place in seen.alive[at].nonzero()[0].tolist():
            path = seen.layers[at].files.paths[place]
            spot = below.spot(path)
            if spot is not None and below.record(spot) == seen.layers[at].record(place):
                seen.alive[at][place] = False
                yield path
