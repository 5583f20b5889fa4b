"""Load paths: a file named from one of several folders, in some directory above the importing file."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from shirube.engine.index.resolvers.paths import ancestors, under
from shirube.engine.index.resolvers.table import FileTable


def from_homes(directory: str, folders: tuple[str, ...], tails: Iterable[str], table: FileTable) -> str | None:
    """The file with one of the tails in the nearest home; an earlier folder or tail wins over a later one.

    ``("a/b", ("include",), ("x.h",))`` looks for ``a/b/include/x.h``, ``a/include/x.h`` and ``include/x.h``.
    """
    ranks = _ranks(directory, folders)
    offered = (
        (ranks[home], order, under(home, tail))
        for order, tail in enumerate(tails)
        for home in _holding(tail, ranks, table)
    )
    best = min(offered, default=None)
    return best[2] if best else None


@lru_cache(maxsize=4096)
def _ranks(directory: str, folders: tuple[str, ...]) -> dict[str, int]:
    homes = [under(above, folder) for above in ancestors(directory) for folder in folders]
    return {home: rank for rank, home in reversed(list(enumerate(homes)))}


def _holding(tail: str, ranks: dict[str, int], table: FileTable) -> Iterator[str]:
    """The homes with such a file, found from whichever end is shorter."""
    matches = table.matches(tail)
    if len(matches) <= len(ranks):
        yield from (home for path in matches if (home := path[: -len(tail)].rstrip("/")) in ranks)
    else:
        yield from (home for home in ranks if under(home, tail) in table.paths)
