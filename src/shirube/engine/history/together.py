"""What past changes tell of files: which changed lately, and which change together."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from msgspec import Struct

from shirube.engine.store.lookups import ChangedTogether, PastChanges
from shirube.engine.store.port import PastChange
from shirube.engine.store.store import Store

LEAST_TOGETHER = 2
"""Commits with both; one alone may be chance."""
RECENT_DAYS = 14
_DAY, _HOUR = 86_400, 3_600


class Companion(Struct, frozen=True):
    """A file that changed together with others."""

    times: int
    share: float
    """The commits with both, as a share of those with either (Jaccard)."""
    seconds: int
    """The last time."""
    symbols: tuple[str, ...] = ()
    """What was touched in it then, most often first."""


def day(seconds: int) -> str:
    """Return the day of a commit: ``2024-03-02``."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def recency(store: Store, now_seconds: int) -> dict[str, float]:
    """Return how recently paths were changed: 1 for now, falling to 0 after two weeks."""
    fresh: dict[str, float] = {}
    for change in _telling(store.look(recent_lookup(now_seconds))[0]):
        value = min(1.0, 1 - (now_seconds - change.seconds) / (RECENT_DAYS * _DAY))
        for file in change.files if value >= 0 else ():
            fresh[file.path] = max(fresh.get(file.path, 0.0), value)
    return fresh


def recent_lookup(now_seconds: int) -> PastChanges:
    """Return what ``recency`` looks up, the same within an hour."""
    return PastChanges(since=(now_seconds - RECENT_DAYS * _DAY) // _HOUR * _HOUR)


def companion_lookup(paths: Iterable[str]) -> ChangedTogether:
    """Return what ``companions`` looks up."""
    return ChangedTogether(tuple(paths), LEAST_TOGETHER)


def companions(store: Store, paths: Collection[str], symbols: Collection[str] = ()) -> dict[str, Companion]:
    """Return the files that changed together with these; with symbols, only where one of those was touched."""
    changes, alone = store.look(companion_lookup(paths))[0]
    together = [change for change in _telling(changes) if _touches(change, paths, symbols)]
    times = Counter(path for change in together for path in {file.path for file in change.files}.difference(paths))
    often = {path: count for path, count in times.items() if count >= LEAST_TOGETHER}
    found = {}
    for path, count in often.items():
        with_it = [(change, file) for change in together for file in change.files if file.path == path]
        touched = Counter(name for _, file in with_it for name in file.symbols)
        ordered = tuple(sorted(touched, key=lambda name: (-touched[name], name)))
        share = count / (len(together) + alone[path] - count)
        found[path] = Companion(count, share, max(change.seconds for change, _ in with_it), ordered)
    return found


def _telling(changes: Iterable[PastChange]) -> list[PastChange]:
    return [change for change in changes if change.weight > 0]


def _touches(change: PastChange, paths: Collection[str], symbols: Collection[str]) -> bool:
    """Tell whether a change touches one of the symbols in one of the files; any change of the files without symbols."""
    return not symbols or any(file.path in paths and not set(symbols).isdisjoint(file.symbols) for file in change.files)
