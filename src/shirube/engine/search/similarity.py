"""How likely two texts belong together, as a probability that is comparable across models and projects.

A cosine means little by itself: unrelated texts have 0.0 in one model and 0.75 in another, and in a project about one
subject all texts are near each other. So a cosine is compared with the background: the cosines between unrelated names
of this project. Its distance from their mean, in standard deviations ("steps"), goes through a curve fitted on labelled
pairs, which gives a probability. At 0.5 a true pair and a background pair are equally likely; ``benchmarks/similarity``
fits and draws the curve.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import exp
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import unit
from shirube.engine.store.lookups import SymbolSample
from shirube.engine.store.port import Lookup
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import split_identifier

if TYPE_CHECKING:
    from shirube.engine.embed.port import Rows

SAMPLE_FILES, SAMPLE_NAMES = 64, 256
"""How many files and names are sampled; with twice as many, the background moves by less than a tenth of a step."""
ASKED = 4
"""Every fourth name is also used as a query, to see how near unrelated names are."""
GROWN = 1.25
"""A new sample is drawn when the index has grown or shrunk by more than this factor."""
RELATED = 0.05
"""The share of the highest cosines that is left out of the background, because these names may be related."""
MOST_KEPT = 8192
"""Rows in the cache, about 8 MB."""
LEAST_STEP = 1e-3
"""The smallest standard deviation of a background; avoids a division by zero."""
COMMON_NAMES = (
    *("open file", "close stream", "parse expression", "render page", "send message", "load image", "write log"),
    *("create table", "delete row", "update cache", "start worker", "stop timer", "read line", "sort list"),
    *("build query", "format date", "find node", "merge branch", "split string", "draw line", "compute hash"),
    *("encode url", "retry request", "run test", "print report", "count words", "validate input", "handle error"),
    *("register plugin", "copy buffer", "resize window", "rotate matrix", "scale vector", "mix color"),
    *("play sound", "compress block", "flush queue", "lock mutex", "spawn process", "bind socket"),
    *("resolve host", "route packet", "schedule task", "emit event", "dispatch action", "mount component"),
    *("apply style", "measure width", "scroll view", "click button", "translate text", "tokenize source"),
    *("compile module", "link library", "emit bytecode", "collect garbage", "allocate memory", "free page"),
    *("map region", "swap entry", "round number", "sum values", "average score", "sample distribution"),
    *("fit curve", "solve equation", "multiply polynomial", "invert graph", "visit tree", "walk directory"),
    *("rename folder", "watch changes", "commit transaction", "rollback migration", "index document"),
    *("rank result", "highlight match", "page cursor", "export chart", "import archive", "charge invoice"),
    *("ship order", "add item", "discount price", "book seat", "cancel reservation", "rate movie"),
    *("follow topic", "post comment", "upload photo", "sensor reading", "motor speed", "pixel format"),
    *("frame rate", "voxel grid", "gene sequence", "patient record", "weather forecast", "stock quote"),
    *("tax bracket", "default option", "command line", "environment variable", "version string", "release note"),
    *("license header", "stack trace", "debug flag", "feature toggle", "time zone"),
)
"""Used as a sample for a project that has few names of its own."""


class Curve(Struct, frozen=True):
    """A logistic curve over steps above the background."""

    slope: float
    bias: float

    def at(self, steps: float) -> float:
        """Return the probability, from 0 to 1."""
        return round(1 / (1 + exp(-(self.slope * steps + self.bias))), 3)


class Curves(Struct, frozen=True):
    """The curves of one model: for comparing a name with a term, and a passage with a question."""

    names: Curve
    passages: Curve


FITTED = {
    "static": Curves(names=Curve(0.94, -2.82), passages=Curve(0.74, -3.65)),
    "hashed": Curves(names=Curve(0.25, -0.38), passages=Curve(0.2, -0.95)),
}
"""By the first word of the model's name. The hashed model hardly distinguishes true pairs, so its curves are flat."""
UNFITTED = FITTED["static"]
"""For a model without fitted curves: steps are comparable between models, although cosines are not."""


class Background(Struct, frozen=True):
    """The distribution of cosines between unrelated names of this project."""

    rows: "Rows"
    """The sampled names."""
    mean: float
    step: float
    """The standard deviation."""
    chunks: int
    """The number of chunks in the index when the sample was drawn."""

    def steps(self, cosine: float) -> float:
        """Return how many steps a cosine is above the mean."""
        return (cosine - self.mean) / self.step


class Similarity:
    """Calibrated similarity in one project, by one model."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._curves = FITTED.get(embedder.name.partition("-")[0], UNFITTED)
        self._last_background: Background | None = None
        self._cached: dict[str, Any] = {}

    def names(self, term: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return for each name how likely it means the same as the term; 0 when the model knows no word of the term.

        The background is the cosines of the same term with other names of the project.
        """
        asked = self._embedder.query(term)[0]
        return tuple(map(self._curves.names.at, self._steps_of(asked, names))) if asked.any() else (0.0,) * len(names)

    def name_steps(self, term: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return how many steps each name is above the term's cosines with other names of the project."""
        return self._steps_of(self._embedder.query(term)[0], names)

    def _steps_of(self, asked: "Rows", names: Sequence[str]) -> tuple[float, ...]:
        mean, step = _unrelated(self._background().rows @ asked)
        return tuple((float(cosine) - mean) / step for cosine in self._rows(names) @ asked)

    def passage(self, cosine: float) -> float:
        """Return how likely a passage answers a question, given their cosine."""
        return self.passages()(cosine)

    def passages(self) -> Callable[[float], float]:
        """Return ``passage`` as a function for one question; it looks the background up on first use, and only once."""
        background = cache(self._background)
        return lambda cosine: self._curves.passages.at(background().steps(cosine))

    def steps(self, cosine: float) -> float:
        """Return how many steps a cosine is above those of unrelated names of the project."""
        return self._background().steps(cosine)

    def _background(self) -> Background:
        size = self._store.size()
        background = self._last_background
        if background is None or not background.chunks / GROWN <= size <= background.chunks * GROWN:
            background = self._last_background = self._draw(size)
        return background

    def first_lookups(self) -> list[Lookup[Any]]:
        """Return what is looked up when a likeness is asked for the first time."""
        return [] if self._last_background else [SymbolSample(SAMPLE_FILES)]

    def _draw(self, size: int) -> Background:
        import numpy as np

        names = _sample(self._store)
        rows = self._rows(names)
        asked = np.vstack([self._embedder.query(name) for name in names[::ASKED]])
        cosines = asked @ rows.T
        cosines[np.arange(len(asked)), np.arange(len(asked)) * ASKED] = np.nan  # a name's cosine with itself
        return Background(rows, *_unrelated(cosines[~np.isnan(cosines)]), size)

    def _rows(self, names: Sequence[str]) -> "Rows":
        """Return a row for each name; rows are cached, because every question compares the same map of names."""
        import numpy as np

        cached = self._cached if len(self._cached) + len(names) <= MOST_KEPT else {}
        if new := [name for name in dict.fromkeys(names) if name not in cached]:
            rows = unit(self._embedder.contents([" ".join(split_identifier(name)) or name for name in new]))
            cached = self._cached = {**cached, **dict(zip(new, rows, strict=True))}
        return np.stack([cached[name] for name in names]) if names else self._embedder.contents([])


def _unrelated(cosines: "Rows") -> tuple[float, float]:
    """Return mean and standard deviation of cosines, without the highest, which may be related pairs."""
    import numpy as np

    rest = np.sort(cosines)[: -max(1, int(len(cosines) * RELATED))]
    return float(rest.mean()), max(float(rest.std()), LEAST_STEP)


def _sample(store: Store) -> list[str]:
    """Return distinct names spread evenly over the project, filled up with common names when there are few."""
    defined = (symbol.name for symbols in store.sample(SAMPLE_FILES).values() for symbol in symbols)
    distinct = sorted({name for name in defined if len(name) > 3})
    names = distinct[:: max(1, len(distinct) // SAMPLE_NAMES)][:SAMPLE_NAMES]
    return [*names, *COMMON_NAMES[: max(0, len(COMMON_NAMES) - len(names))]]
