"""What the tests of this room are made of: questions, chunks that may answer, and a store that holds files."""

from collections.abc import Mapping, Sequence

import pytest

from shirube.codec import replace
from shirube.config import load_config
from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.quantize import to_int8
from shirube.engine.search.evidence import Evidence, gather
from shirube.engine.search.question import read_question
from shirube.engine.search.rank import FileScores, rank
from shirube.engine.search.shapes import Shapes
from shirube.engine.store.lexical import pack_text
from shirube.engine.store.port import Candidate, Candidates, Definition, Entry, StoreChange
from shirube.engine.store.store import Store
from shirube.settings import BoostProfile, Profile, SearchConfig
from shirube.types import Chunk, FileRecord, Mode, Reason, Symbol
from tests.stores import memory_store, publish, write_edges

EMBEDDER = HashedEmbedder()
DEFAULTS = load_config(None, None, {"HOME": "/nowhere"}).search
PRIMES = Profile(
    text=2.0,
    path=3.0,
    editing=5.0,
    dependency=7.0,
    proximity=11.0,
    structural=13.0,
    recent=17.0,
    cochange=19.0,
    roles={},
)
"""A profile whose weights cannot be mistaken for each other."""
TENTHS = replace(
    DEFAULTS,
    signals=replace(
        DEFAULTS.signals,
        sense=0.5,
        coverage=0.7,
        verbatim=0.9,
        phrase=0.5,
        path_phrase=1.5,
        path_segment=1.0,
        path_keyword=0.5,
        file_name=0.3,
        definition=0.4,
        small_definition=0.5,
        nested_definition=0.5,
        other_capitals=0.5,
        plain_definition=0.1,
        symbol=0.8,
        dependency=0.1,
        proximity=0.2,
        structural=0.3,
        recent=0.4,
        cochange=0.6,
        frame=0.8,
    ),
)
"""Weights to reckon with by hand; those of ``defaults.toml`` may be tuned."""
EVEN = BoostProfile(**{**dict.fromkeys(BoostProfile.__struct_fields__, 1.0), "plus": {}})
"""Boosts that prefer no file."""
IDENTITY = Shapes(at=(0.0, 1.0), files={}, places={}, roles={}, confidence={})
"""A table without shapes: every measure is worth itself."""


@pytest.fixture
def config() -> SearchConfig:
    """Return the settings of ``defaults.toml``."""
    return DEFAULTS


def candidate(
    key: int, path: str = "a.py", line: int = 1, lexical: float = 0.0, cosine: float | None = None, **known: object
) -> Candidate:
    """Return a chunk of two lines as a store offers it."""
    plain = Candidate(key, path, line, line + 1, "", "module", "python", lexical, cosine)
    return plain._replace(**known)


def definition(qualified: str, kind: str = "class", key: int = 1, path: str = "src/a.py") -> Definition:
    """Return where a name is defined."""
    return Definition(key, path, Symbol(qualified.rpartition(".")[2], qualified, kind, 1, 2))


def evidence(
    text: str = "alpha beta", *items: Candidate, mode: Mode = Mode.LEXICAL, found: object = None, **known: object
) -> Evidence:
    """Return what is known for a question, under weights to reckon with by hand; "alpha beta" counts two words.

    ``found`` is what the store says beside its candidates; without any of these, one is in ``src/a.py``.
    """
    config = known.pop("config", TENTHS)
    choice = known.pop("profile", PRIMES), known.pop("boosts", EVEN)
    candidates = Candidates(items or (candidate(1, "src/a.py"),), **(found or {}))
    return replace(gather(read_question(text, config), candidates, config, mode, choice), **known)


def weighed(known: Evidence, table: Shapes = IDENTITY, plain: bool = False) -> dict[str, dict[str, float]]:
    """Return by path what each reason is worth, for all files."""
    ranking: FileScores = rank(known, table, plain)
    return {path: points(ranking.reasons(number)) for number, path in enumerate(known.paths)}


def points(reasons: Sequence[Reason]) -> dict[str, float]:
    """Return reasons as what they are worth by their names; none may come twice."""
    found = {reason.name: reason.points for reason in reasons}
    assert len(found) == len(list(reasons))
    return found


def entry(path: str, *texts: str, names: Sequence[str] = (), kind: str = "function", language: str = "python") -> Entry:
    """Return a file of one chunk for each text, each with the symbol of its place, if there is one."""
    pieces, start = [], 0
    for at, text in enumerate(texts):
        end = start + len(text.encode())
        name = names[at] if at < len(names) else ""
        pieces.append(Chunk(start, end, at + 1, at + 1, name, kind if name else "module"))
        start = end
    record = FileRecord(path, "0" * 64, start, language, len(texts))
    symbols = tuple(Symbol(name.rpartition(".")[2], name, kind, at, at) for at, name in enumerate(names, 1) if name)
    vectors = to_int8(EMBEDDER.place(EMBEDDER.contents(list(texts)), path)).tobytes()
    return Entry(record, pack_text("".join(texts)), tuple(pieces), symbols, vectors=vectors)


def filled(*entries: Entry, edges: Mapping[str, Sequence[object]] | None = None) -> Store:
    """Return a store that holds these files."""
    store = memory_store(EMBEDDER.dimensions)
    store.write(StoreChange(entries=entries))
    write_edges(store, edges or {})
    publish(store)
    return store
