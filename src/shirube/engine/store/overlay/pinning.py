"""Chooses the ref of the server that a work tree is compared with, and lets it be another one."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import json, msgpack

from shirube.engine.store.overlay.local_file import LocalFile, OverlayFacts, PinnedRef, count_up, set_fact
from shirube.engine.store.postgres import writing
from shirube.engine.store.postgres.history import Moved, pack_numbers, unpack_numbers
from shirube.engine.store.postgres.layer import LinksPart, pack, unpack
from shirube.engine.store.postgres.moment import RefPlace
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Row, Server, Statement
from shirube.errors import IndexBusy

MOST_REFS = 12
"""How many refs of a repository, the latest first, are compared with what is checked out."""
_REFS = (
    "SELECT ref, layers, notes::text FROM shirube.refs WHERE repo = %s AND form = %s AND cardinality(layers) > 0"
    " AND notes ->> 'state' = 'complete' ORDER BY ref = %s DESC, updated DESC LIMIT %s"
)
_STILL = "SELECT count(*) FROM shirube.layers WHERE repo = %s AND layer = ANY(%s::int[])"
_PAST = "SELECT commits, moved FROM shirube.histories WHERE repo = %s AND ref = %s AND form = %s"
Distances = Callable[[Sequence[str]], Mapping[str, int]]
"""Tells of commits how many files differ in what is checked out, as far as git knows them."""


class Choice(NamedTuple):
    """A base that may be chosen, and the notes of its ref."""

    base: PinnedRef
    notes: Mapping[str, str]


def where(server: Server, place: RefPlace) -> tuple[str, str, str]:
    """Return what a base belongs to; of another server, repository or version none can be used."""
    return server.shown, place.repository, place.form


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
        found.append(Choice(PinnedRef(repo, ref, tuple(layers), notes.get("commit", ""), where(server, place)), notes))
    return found


def nearest(found: Sequence[Choice], distances: Distances) -> Choice | None:
    """Return the choice that what is checked out differs from least; of equal ones the first."""
    commits = list(dict.fromkeys(one.base.commit for one in found if one.base.commit))
    far = distances(commits) if len(commits) > 1 else {}
    unknown = max(far.values(), default=0) + 1
    return min(found, key=lambda one: far.get(one.base.commit, unknown)) if found else None


Difference = writing.LayerRows | None
"""All that differs from a base, as one layer; None for nothing."""


def past_of(server: Server, base: PinnedRef, form: str) -> list[Row]:
    """Return which past changes a base has."""
    return server.ask([Statement(_PAST, (base.repo, base.ref, form))])[0]


def pin(file: LocalFile, choice: Choice, past: Sequence[Row], own: Difference, facts: OverlayFacts) -> None:
    """Let a ref be the base from now on; ``past`` are its past changes, ``own`` is what is known to differ from it."""
    base, rows = choice.base, past
    members = unpack_numbers(bytes(rows[0][0])) if rows else []
    moved = msgpack.decode(zlib.decompress(bytes(rows[0][1])), type=Moved) if rows else {}
    # What resolves to files that differ was resolved against the base before.
    notes = {**choice.notes, "state": "building" if facts.own else "complete"}

    def work(db: Any) -> None:
        replace_own(db, facts, own)
        db.execute(f"DELETE FROM layers WHERE layer > 0 AND layer NOT IN ({', '.join(map(str, base.layers))})")
        set_fact(db, "base", msgpack.encode(base))
        set_fact(db, "notes", msgpack.encode(notes))
        set_fact(db, "members", pack_numbers(members))
        set_fact(db, "moved", msgpack.encode(moved))
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
        for table in ("facts", "layers", "postings", "names", "files", "vectors", "own_commits", "base_commits"):
            db.execute(f"DELETE FROM {table}")

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
