"""What a ref of the server was when it was looked at."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import json

from shirube.engine.store.postgres.history import Past
from shirube.engine.store.postgres.ref_view import RefView
from shirube.engine.store.postgres.server import Row, Statement

_COLUMNS = (
    "ref, generation, vectors, layers, notes::text, history, CASE WHEN lease > now() THEN writer ELSE '' END"
    " FROM shirube.refs WHERE repo = %s AND form = %s"
)
_STATE = (
    f"SELECT * FROM (SELECT 0 AS place, {_COLUMNS} AND ref = %s UNION ALL"
    f" (SELECT 1, {_COLUMNS} ORDER BY updated DESC LIMIT 1)) AS found ORDER BY place LIMIT 1"
)


class RefPlace(NamedTuple):
    """Which index of the server: a repository by its remote, one of its branches, and by which rules it is made."""

    repository: str
    ref: str
    form: str = ""


class Moment(NamedTuple):
    """A ref at one moment."""

    repo: int = 0
    """The number of the repository; 0 while the server does not know it."""
    asked: str = ""
    """The ref that was asked for."""
    ref: str | None = None
    """The ref whose layers these are: while the own one was never written, the one of its repository written last.

    None while there is none.
    """
    form: str = ""
    generation: int = 0
    vectors: int = 0
    layers: tuple[int, ...] = ()
    """Their numbers, the oldest first."""
    notes: Mapping[str, str] = {}
    history: int = 0
    writer: str = ""
    view: RefView | None = None
    """The layers, when they were read."""
    past: Past | None = None
    """The past changes, when they were read."""

    @property
    def shown(self) -> RefView:
        """The layers, which were read."""
        assert self.view is not None
        return self.view


NOWHERE = Moment(view=RefView(()), past=Past(0, (), {}, {}))
"""A ref of a repository that the server does not know."""


def state_query(repo: int, place: RefPlace) -> Statement:
    """Return the query for the state of a ref; of one that does not exist, of the one that it would begin with."""
    return Statement(_STATE, (repo, place.form, place.ref, repo, place.form))


def moment_of(repo: int, place: RefPlace, rows: list[Row], last: Moment) -> Moment:
    """Return the moment that a row of the state tells; of the last one what is still true is kept."""
    if not rows:
        return NOWHERE._replace(repo=repo, asked=place.ref, form=place.form)
    _, ref, generation, vectors, layers, notes, revision, writer = rows[0]
    is_same = repo == last.repo and tuple(layers) == last.layers and last.view is not None
    is_same_past = repo == last.repo and ref == last.ref and revision == last.history
    found: dict[str, Any] = json.decode(notes)
    view = last.view if is_same else None if layers else RefView(())
    past = last.past if is_same_past else None
    fields = (repo, place.ref, ref, place.form, generation, vectors, tuple(layers), found, revision, writer)
    return Moment(*fields, view, past)
