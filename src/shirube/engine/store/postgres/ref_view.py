"""A ref at one moment: its layers, and which of their files a newer layer has replaced.

Whatever a question finds in it belongs to one generation, because layers never change.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from shirube.engine.store.lexical import key_of, place_of
from shirube.engine.store.port import Candidate, Links, Totals
from shirube.engine.store.postgres.layer import Layer
from shirube.engine.store.postgres.postings import norms
from shirube.engine.store.scope import ScopeFilter
from shirube.types import Edge, FileRecord, RawImport, Scope

MOST_DESCRIBED = 40_000
"""How many chunks are kept as candidates, about 10 MB; when it is full, it is cleared."""


class Spot(NamedTuple):
    """Where a file is: the layer, by its place among the layers, and its place in that layer."""

    layer: int
    place: int


class RefView:
    """The layers of a ref, the oldest first."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        import numpy as np

        self.layers = tuple(layers)
        self.alive: list[Any] = [np.ones(len(layer.files.paths), dtype=bool) for layer in layers]
        """Of each layer which of its files no newer layer has replaced or removed."""
        for at, newer in enumerate(layers):
            replaced = (*newer.files.paths, *newer.files.removed)
            for older, alive in zip(layers[:at], self.alive, strict=False):
                places = older.places
                for path in replaced:
                    if (place := places.get(path)) is not None:
                        alive[place] = False

        self._norms: dict[str, list[Any]] = {}
        self._spots: dict[int, Spot | None] = {}
        self._described: dict[int, tuple[Any, ...]] = {}
        """Key → the fields of a candidate but for its scores."""
        self._unembedded: tuple[int, list[int]] = (-1, [])

    # --- files ---------------------------------------------------------------------------------------------

    def spot(self, path: str) -> Spot | None:
        """Return where the file of a path is."""
        for at in range(len(self.layers) - 1, -1, -1):
            if (place := self.layers[at].places.get(path)) is not None:
                return Spot(at, place) if self.alive[at][place] else None
        return None

    def spot_of(self, number: int) -> Spot | None:
        """Return where the file of a number is; None for one that was replaced."""
        if number not in self._spots:
            places = ((at, layer.by_number.get(number)) for at, layer in enumerate(self.layers))
            alive = (Spot(at, place) for at, place in places if place is not None and self.alive[at][place])
            self._spots[number] = next(alive, None)
        return self._spots[number]

    def spots(self) -> Iterator[Spot]:
        """Yield where every file is."""
        for at, alive in enumerate(self.alive):
            yield from (Spot(at, place) for place in alive.nonzero()[0].tolist())

    def path_of(self, spot: Spot) -> str:
        """Return the path of a file."""
        return self.layers[spot.layer].files.paths[spot.place]

    def language_of(self, spot: Spot) -> str:
        """Return the language of a file; empty for one that is not indexed."""
        return self.layers[spot.layer].files.languages[spot.place]

    def number_of(self, spot: Spot) -> int:
        """Return the number of a file."""
        return self.layers[spot.layer].files.numbers[spot.place]

    def record(self, spot: Spot) -> FileRecord:
        """Return the record of a file."""
        return self.layers[spot.layer].record(spot.place)

    def records(self, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """Return the records of the given files, or of all."""
        spots = self.spots() if paths is None else filter(None, map(self.spot, paths))
        return {record.path: record for record in map(self.record, spots)}

    @cached_property
    def indexed(self) -> tuple[Spot, ...]:
        """Where the files are that are indexed."""
        return tuple(spot for spot in self.spots() if self.language_of(spot))

    def meant(self, scope: Scope) -> Callable[[Spot], bool]:
        """Return a test whether a file is within a scope's path and languages."""
        is_meant = ScopeFilter(scope)
        return lambda spot: is_meant(self.path_of(spot), self.language_of(spot))

    def unembedded(self, model: str, embedded: Collection[int]) -> list[int]:
        """Return the numbers of indexed files that are not known to have vectors of a model, in order."""
        if self._unembedded[0] != len(embedded):  # files are only ever added to those
            spots = (spot for spot in self.indexed if model not in self.layers[spot.layer].models)
            numbers = sorted(number for spot in spots if (number := self.number_of(spot)) not in embedded)
            self._unembedded = len(embedded), numbers
        return self._unembedded[1]

    @cached_property
    def files(self) -> int:
        """How many files are known."""
        return sum(int(alive.sum()) for alive in self.alive)

    @cached_property
    def chunks(self) -> int:
        """How many chunks there are."""
        import numpy as np

        counts = (np.array(layer.files.chunks, dtype=np.int64) for layer in self.layers)
        return sum(int(some[alive].sum()) for some, alive in zip(counts, self.alive, strict=True))

    def totals(self, links: Links, languages: dict[str, int], disk_bytes: int, generation: int) -> Totals:
        """Return the counts and sizes; the links have to be those of this view."""
        return Totals(
            files=len(self.indexed),
            chunks=self.chunks,
            symbols=sum(self.layers[spot.layer].files.symbols[spot.place] for spot in self.spots()),
            edges=len(links.edges()),
            source_bytes=sum(self.record(spot).size for spot in self.indexed),
            disk_bytes=disk_bytes,
            generation=generation,
            lexical="postgresql",
            languages=languages,
        )

    # --- chunks; their directories have to be there --------------------------------------------------------

    @cached_property
    def is_whole(self) -> list[bool]:
        """Of each layer whether all of its files are alive."""
        return [bool(alive.all()) for alive in self.alive]

    @cached_property
    def alive_chunks(self) -> list[Any]:
        """Of each layer which of its chunks belong to files that are alive."""
        return [alive[layer.directory.owners] for layer, alive in zip(self.layers, self.alive, strict=True)]

    def within(self, scope: Scope) -> list[Any]:
        """Return of each layer which of its chunks are in a scope."""
        import numpy as np

        meant, masks = self.meant(scope), list[Any]()
        for at, layer in enumerate(self.layers):
            masks.append(self.alive_chunks[at])
            if scope.path or scope.languages:
                files = [place for place in self.alive[at].nonzero()[0].tolist() if meant(Spot(at, place))]
                masks[at] = masks[at] & np.isin(layer.directory.owners, files)
            if scope.kinds:
                masks[at] = masks[at] & layer.directory.of_kinds(scope.kinds)
        return masks

    def norms(self, field: str) -> list[Any]:
        """Return of each layer how much the length of each chunk dampens a frequency of a term in a field."""
        if field not in self._norms:
            directories = [layer.directory for layer in self.layers]
            lengths = (one.lengths[field][alive] for one, alive in zip(directories, self.alive_chunks, strict=True))
            tokens = sum(int(some.sum(dtype="int64")) for some in lengths)
            steps = norms(tokens / self.chunks if self.chunks else 0.0)
            self._norms[field] = [steps[one.rounded(field)] for one in directories]
        return self._norms[field]

    def place_of_key(self, key: int) -> tuple[Spot, int] | None:
        """Return where a chunk's file is, and the chunk's place in its layer; None when it is gone."""
        if (spot := self.spot_of(key >> 20)) is None:
            return None
        return spot, self.layers[spot.layer].directory.firsts.item(spot.place) + (key & ((1 << 20) - 1))

    def candidates(
        self, keys: Iterable[int], scores: Mapping[int, float], cosines: Mapping[int, float]
    ) -> list[Candidate]:
        """Return chunks as candidates, without those that are gone."""
        if len(self._described) > MOST_DESCRIBED:
            self._described.clear()
        found = []
        for key in keys:
            if (known := self._described.get(key)) is None:
                if (place := self.place_of_key(key)) is None:
                    continue
                known = self._described[key] = self._describe(*place)
            found.append(Candidate._make((*known, scores.get(key, 0.0), cosines.get(key))))
        return found

    def _describe(self, spot: Spot, chunk: int) -> tuple[Any, ...]:
        files, directory = self.layers[spot.layer].files, self.layers[spot.layer].directory
        return (
            directory.keys.item(chunk),
            files.paths[spot.place],
            directory.starts.item(chunk),
            directory.ends.item(chunk),
            directory.symbols[chunk],
            directory.names_of_kinds[directory.kinds.item(chunk)],
            files.languages[spot.place],
        )

    def key_at(self, spot: Spot, line: int) -> int:
        """Return the key of the chunk that holds what begins on a line of a file."""
        number, layer = self.number_of(spot), self.layers[spot.layer]
        span = layer.directory.of_file(spot.place)
        starts = layer.directory.starts[span.start : span.stop].tolist()
        return key_of(number, place_of(starts, line) if starts else 0)


class ViewLinks:
    """The edges of a view, walked in memory; the links of its layers have to be there."""

    def __init__(self, view: RefView) -> None:
        self._view = view

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of the given files, or of all."""
        sources = dict.fromkeys(paths) if paths else self._sources()
        return _in_order(edge for source in sources for edge in self._edges_of(source))

    def targets(self, paths: Collection[str]) -> dict[str, set[str]]:
        """Return the files that each of these files leads to."""
        found = {path: {edge.target for edge in self._edges_of(path) if edge.kind == "path"} for path in paths}
        return {path: targets for path, targets in found.items() if targets}

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges into files or packages; skips targets with more than ``most`` edges."""
        edges: list[Edge] = []
        for target in dict.fromkeys(targets):
            found = [edge for source in self._known_sources(target) for edge in self._edges_of(source)]
            found = [edge for edge in found if edge.target == target]
            edges += found if not most or len(found) <= most else ()
        return _in_order(edges)

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the file-to-file edges that begin or end at any of these files."""
        wanted = set(paths)
        sources = wanted.union(source for path in wanted for source in self._sources_of(path))
        edges = (edge for source in sources for edge in self._edges_of(source))
        return _in_order(e for e in edges if e.kind == "path" and not wanted.isdisjoint((e.source, e.target)))

    def imported(self, paths: Collection[str]) -> set[str]:
        """Return which of these files are the target of an edge."""
        return {path for path in paths if self._sources_of(path)}

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""
        view = self._view
        spots = view.spots() if paths is None else filter(None, map(view.spot, paths))
        return {view.path_of(spot): view.layers[spot.layer].imports(spot.place) for spot in spots}

    def _sources(self) -> dict[str, None]:
        """Return every file that may have outgoing edges."""
        return dict.fromkeys(
            source for layer in self._view.layers for source in (layer.links.edges if layer.links else ())
        )

    def _edges_of(self, source: str) -> tuple[Edge, ...]:
        """Return the edges of a file as the newest layer that knows them has them; none of a file that is gone."""
        for layer in reversed(self._view.layers):
            if (edges := layer.edges(source)) is not None:
                return edges
            if source in layer.removed:
                return ()
        return ()

    def _known_sources(self, target: str) -> dict[str, None]:
        """Return the files that have an edge to a target, or had one in an older layer."""
        return dict.fromkeys(source for layer in self._view.layers for source in layer.sources_of.get(target, ()))

    def _sources_of(self, target: str) -> list[str]:
        """Return the files with an edge to a target."""
        sources = self._known_sources(target)
        return [source for source in sources if any(edge.target == target for edge in self._edges_of(source))]


def _in_order(edges: Any) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda e: (e.source, e.line, e.target, e.kind, e.rel)))
