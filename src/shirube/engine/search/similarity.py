"""How likely two texts belong together: a number that means the same for every model and every project.

A cosine means little by itself: one model has unrelated texts at 0.0, another at 0.75, and where everything is about
the same thing everything is near. So it is measured in steps above the background, which is what the names of this
project have in common with each other, and a curve fitted on labelled pairs makes a probability of that. At 0.5 a
true pair and a background pair are equally likely; ``benchmarks/similarity`` fits and draws the curve.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import exp
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import unit
from shirube.engine.store.port import Store
from shirube.engine.text.tokens import split_identifier

if TYPE_CHECKING:
    from shirube.engine.embed.port import Rows

SAMPLE_FILES, SAMPLE_NAMES = 64, 256
"""How many files and names are sampled; twice as many change no background by a tenth of a step."""
ASKED = 4
"""Every fourth name is also used as a query, to see how near unrelated names are."""
GROWN = 1.25
"""The sample is drawn anew when the index has grown or shrunk by more than this."""
RELATED = 0.05
"""The share of a sample that is left out, because some of the names may be what is asked for."""
MOST_KEPT = 8192
"""Rows kept, 8 MB of them."""
LEAST_STEP = 1e-3
"""No background is narrower than this."""
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
"""Stand in for the names of a project that has few of its own."""


class Curve(Struct, frozen=True):
    """A logistic curve over steps above the background."""

    slope: float
    bias: float

    def at(self, steps: float) -> float:
        """Return the probability, from 0 to 1."""
        return round(1 / (1 + exp(-(self.slope * steps + self.bias))), 3)


class Curves(Struct, frozen=True):
    """The curves of one model: for a name beside a term, and for a passage beside a question."""

    names: Curve
    passages: Curve


FITTED = {
    "static": Curves(names=Curve(0.94, -2.82), passages=Curve(0.74, -3.65)),
    "hashed": Curves(names=Curve(0.25, -0.38), passages=Curve(0.2, -0.95)),
}
"""By the first word of the model's name. The hashed one hardly tells true pairs from others, and its curve says so."""
UNFITTED = FITTED["static"]
"""For a model that nobody has fitted: steps above the background are alike between models, cosines are not."""


class Background(Struct, frozen=True):
    """What unrelated texts of this project have in common."""

    rows: "Rows"
    """The sampled names."""
    mean: float
    step: float
    chunks: int
    """How large the index was when the sample was drawn."""

    def steps(self, cosine: float) -> float:
        """Return how far a cosine is above this."""
        return (cosine - self.mean) / self.step


class Similarity:
    """Calibrated similarity in one project, by one model."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._curves = FITTED.get(embedder.name.partition("-")[0], UNFITTED)
        self._drawn: Background | None = None
        self._kept: dict[str, Any] = {}

    def names(self, term: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return for each name how likely it is what the term means; 0 for a term of which the model knows nothing.

        Measured against what the same term has in common with the other names of the project.
        """
        asked = self._embedder.query(term)[0]
        return tuple(map(self._curves.names.at, self._steps_of(asked, names))) if asked.any() else (0.0,) * len(names)

    def name_steps(self, term: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return how far each name is above what the term has in common with other names of the project."""
        return self._steps_of(self._embedder.query(term)[0], names)

    def _steps_of(self, asked: "Rows", names: Sequence[str]) -> tuple[float, ...]:
        mean, step = _unrelated(self._background().rows @ asked)
        return tuple((float(cosine) - mean) / step for cosine in self._rows(names) @ asked)

    def passage(self, cosine: float) -> float:
        """Return how likely a passage answers a question, by the cosine of the two."""
        return self.passages()(cosine)

    def passages(self) -> Callable[[float], float]:
        """Return ``passage`` for one question: what it is measured against is looked up when needed, and once."""
        background = cache(self._background)
        return lambda cosine: self._curves.passages.at(background().steps(cosine))

    def steps(self, cosine: float) -> float:
        """Return how far a cosine is above what unrelated names of the project have in common."""
        return self._background().steps(cosine)

    def _background(self) -> Background:
        size = self._store.size()
        drawn = self._drawn
        if drawn is None or not drawn.chunks / GROWN <= size <= drawn.chunks * GROWN:
            drawn = self._drawn = self._draw(size)
        return drawn

    def _draw(self, size: int) -> Background:
        import numpy as np

        names = _sample(self._store)
        rows = self._rows(names)
        asked = np.vstack([self._embedder.query(name) for name in names[::ASKED]])
        cosines = asked @ rows.T
        cosines[np.arange(len(asked)), np.arange(len(asked)) * ASKED] = np.nan  # a name is no background of itself
        return Background(rows, *_unrelated(cosines[~np.isnan(cosines)]), size)

    def _rows(self, names: Sequence[str]) -> "Rows":
        """Return a row for each name; those asked for lately are kept, because a map is asked with every question."""
        import numpy as np

        kept = self._kept if len(self._kept) + len(names) <= MOST_KEPT else {}
        if new := [name for name in dict.fromkeys(names) if name not in kept]:
            rows = unit(self._embedder.contents([" ".join(split_identifier(name)) or name for name in new]))
            kept = self._kept = {**kept, **dict(zip(new, rows, strict=True))}
        return np.stack([kept[name] for name in names]) if names else self._embedder.contents([])


def _unrelated(cosines: "Rows") -> tuple[float, float]:
    """Return mean and deviation of cosines without the highest: those may well be related."""
    import numpy as np

    rest = np.sort(cosines)[: -max(1, int(len(cosines) * RELATED))]
    return float(rest.mean()), max(float(rest.std()), LEAST_STEP)


def _sample(store: Store) -> list[str]:
    """Return names spread evenly over the project, each once, with common ones when there are few."""
    paths = [path for path, record in sorted(store.files().items()) if record.language]
    some = paths[:: max(1, len(paths) // SAMPLE_FILES)][:SAMPLE_FILES]
    defined = (symbol.name for symbols in store.symbols_in(some).values() for symbol in symbols)
    found = sorted({name for name in defined if len(name) > 3})
    names = found[:: max(1, len(found) // SAMPLE_NAMES)][:SAMPLE_NAMES]
    return [*names, *COMMON_NAMES[: max(0, len(COMMON_NAMES) - len(names))]]
