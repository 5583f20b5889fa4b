"""Groups the store's chunks by file and scores the text and the path of each file that may answer."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from msgspec import Struct

from shirube.engine.embed.quantize import nearness
from shirube.engine.search.question import Question
from shirube.engine.store.port import Candidate, Candidates, Definition
from shirube.engine.text.bm25 import idf, saturation
from shirube.engine.text.tokens import index_terms
from shirube.settings import BoostProfile, Profile, SearchConfig
from shirube.types import Mode, Reason

K = 60
"""The constant of reciprocal rank fusion, from seed 000 and the paper: so high that no single list decides alone."""

Key = TypeVar("Key", bound=Hashable)


def fuse(lists: Mapping[str, Sequence[Key]]) -> dict[Key, dict[str, float]]:
    """Return each key's share from each list (reciprocal rank fusion): rank 1 gives 1/61, rank 2 1/62, …"""
    shares: dict[Key, dict[str, float]] = {}
    for name, keys in lists.items():
        for rank, key in enumerate(keys, 1):
            shares.setdefault(key, {})[name] = 1 / (K + rank)
    return shares


FACES = frozenset({"mod", "index", "init", "main", "lib", "package", "default"})
"""File names that represent their directory: ``auth/index.ts`` is what ``auth.ts`` would be."""


def name_of(path: str) -> str:
    """Return the name that identifies a file: ``src/user_repo.test.py`` → ``user_repo``, ``auth/mod.rs`` → ``auth``."""
    *above, last = path.split("/")
    name = last.split(".")[0] or last
    return above[-1] if above and name.strip("_").lower() in FACES else name


def fits(paths: Iterable[str], terms: Mapping[str, float], files: int, known: Mapping[str, int]) -> dict[str, float]:
    """Return how well each whole path matches the terms; ``known``: term → how many of ``files`` paths contain it."""
    return _bm25({path: _path_terms(path) for path in paths}, terms, files, known)


def names_fit(
    paths: Iterable[str], terms: Mapping[str, float], files: int, known: Mapping[str, int]
) -> dict[str, float]:
    """Return how well each file's name matches the terms."""
    return _bm25({path: _name_terms(path) for path in paths}, terms, files, known)


@lru_cache(maxsize=1 << 16)
def _path_terms(path: str) -> tuple[str, ...]:
    return tuple(index_terms(path))


@lru_cache(maxsize=1 << 16)
def _name_terms(path: str) -> tuple[str, ...]:
    return tuple(index_terms(name_of(path)))


def _bm25(
    documents: Mapping[str, tuple[str, ...]], terms: Mapping[str, float], files: int, known: Mapping[str, int]
) -> dict[str, float]:
    average = sum(map(len, documents.values())) / max(1, len(documents))
    weights = {term: worth * idf(max(files, known.get(term, 0)), known.get(term, 0)) for term, worth in terms.items()}
    scores = {}
    for path, words in documents.items():
        if there := weights.keys() & words:
            length = len(words)
            scores[path] = sum(weights[term] * saturation(words.count(term), length, average) for term in sorted(there))
    return scores


@dataclass(slots=True)
class FileMatch:
    """A file that may answer, with its chunks, best first."""

    path: str
    language: str
    chunks: list[Candidate]
    text: tuple[Reason, ...] = ()
    """The score of its text, from 0 to 1, split into legs: by words and by sense (vectors)."""
    place: float = 0.0
    """How well its path matches, relative to the best raw text score."""
    definitions: tuple[Definition, ...] = ()

    @property
    def worth(self) -> float:
        """Return the sum of the legs."""
        return sum(reason.points for reason in self.text)


class Evidence(Struct, frozen=True):
    """Everything the signals may look at."""

    question: Question
    config: SearchConfig
    profile: Profile
    boosts: BoostProfile
    files: Mapping[str, FileMatch]
    phrases: Mapping[str, Mapping[str, float]] = {}
    """Phrase → path → how well the file matches the phrase, from 0 to 1 relative to the best file."""
    written: frozenset[int] = frozenset()
    """Keys of the chunks that contain a quoted phrase exactly as written."""
    editing: frozenset[str] = frozenset()
    imported: Mapping[str, tuple[float, str]] = {}
    """Path → the share of anchors (the best and the edited files) that import it, and one of these anchors."""
    near: Mapping[str, float] = {}
    """Directory → the text score of the best or edited file in it."""
    alike: Mapping[str, float] = {}
    """Path → how similar its outline is to that of an edited file, from 0 to 1."""
    recent: Mapping[str, float] = {}
    together: Mapping[str, float] = {}
    learned: Mapping[str, float] = {}
    """Path → the share by which past outcomes raise or lower its score."""


def gather(
    question: Question, candidates: Candidates, config: SearchConfig, mode: Mode, background: float = 0.0
) -> dict[str, FileMatch]:
    """Group candidates by file, and score the text and the path of each file.

    ``background`` is the usual cosine of unrelated texts: only the part above it counts.
    """
    files: dict[str, FileMatch] = {}
    for item in candidates.items:
        if (match := files.get(item.path)) is None:
            match = files[item.path] = FileMatch(item.path, item.language, [])
        match.chunks.append(item)
    for definition in candidates.definitions:
        files[definition.path].definitions += (definition,)
    raw = {
        path: _combined([c.lexical for c in match.chunks], config.signals.coherence) for path, match in files.items()
    }
    best = max(raw.values(), default=0.0)
    if mode != Mode.DENSE:
        _score_paths(files, question, candidates, config, best)
    wholes = candidates.wholes
    if background:
        wholes = {path: nearness(cosine, background) for path, cosine in wholes.items()}
    sense = _sense(files, wholes, config, background) if mode != Mode.LEXICAL else {}
    _score_texts(files, raw, sense, mode, config)
    return files


def _combined(scores: list[float], power: float) -> float:
    """Combine chunk scores by a p-norm: several good chunks count more than one, many poor ones little."""
    if len(scores) == 1:
        return scores[0]
    top = max(scores, default=0.0)
    return top * sum((score / top) ** power for score in scores) ** (1 / power) if top > 0 else 0.0


def _score_paths(
    files: dict[str, FileMatch], question: Question, candidates: Candidates, config: SearchConfig, best: float
) -> None:
    terms = {**question.forms, **question.terms}
    paths = fits(files, terms, candidates.files, candidates.in_paths)
    names = names_fit(files, terms, candidates.files, candidates.in_paths)
    total = {
        path: config.fields.path * paths.get(path, 0.0) + config.fields.name * names.get(path, 0.0) for path in files
    }
    unit = best or max(total.values(), default=0.0) or 1.0
    for path, value in total.items():
        files[path].place = value / unit


def _score_texts(
    files: dict[str, FileMatch],
    raw: Mapping[str, float],
    sense: Mapping[str, float],
    mode: Mode,
    config: SearchConfig,
) -> None:
    """Set the text score of each file, from 0 to 1: by words, by sense, or by both, depending on the mode."""
    words = _scaled(raw, 0.0) if mode != Mode.DENSE else {}
    shares = _fused(words, sense, config) if mode == Mode.HYBRID else _blended(words, sense, 1.0)
    best = max((sum(legs.values()) for legs in shares.values()), default=0.0) or 1.0
    for path, match in files.items():
        legs = shares.get(path, {})
        match.text = tuple(Reason(f"text:{leg}", points / best) for leg, points in legs.items() if points > 0)


def _fused(words: Mapping[str, float], sense: Mapping[str, float], config: SearchConfig) -> dict[str, dict[str, float]]:
    """Combine scores by words and by sense: by rank alone (``rrf``), or by a weighted sum."""
    if config.fusion == "rrf":
        legs = {"words": words, "sense": sense}
        return fuse({leg: sorted(scores, key=lambda path: (-scores[path], path)) for leg, scores in legs.items()})
    return _blended(words, sense, config.signals.sense)


def _blended(words: Mapping[str, float], sense: Mapping[str, float], weight: float) -> dict[str, dict[str, float]]:
    return {
        path: {"words": words.get(path, 0.0), "sense": weight * sense.get(path, 0.0)}
        for path in dict.fromkeys([*words, *sense])
    }


def _sense(
    files: Mapping[str, FileMatch], wholes: Mapping[str, float], config: SearchConfig, background: float
) -> dict[str, float]:
    """Return how near each file is in meaning, from 0 to 1: by its chunks, plus a share for the file as a whole.

    Files whose chunks are below ``sense_floor`` of the nearest file get nothing for their chunks.
    """
    power = config.signals.sense_coherence
    near = {
        path: _combined([nearness(chunk.cosine or 0.0, background) for chunk in match.chunks], power)
        for path, match in files.items()
    }
    chunks = _scaled(near, config.signals.sense_floor)
    whole = _scaled({path: cosine for path, cosine in wholes.items() if path in files}, 0.0)
    share = config.signals.sense_whole
    return _scaled({path: chunks.get(path, 0.0) + share * whole.get(path, 0.0) for path in [*chunks, *whole]}, 0.0)


def _scaled(values: Mapping[str, float], floor: float) -> dict[str, float]:
    """Scale values to 0–1, where 0 is ``floor`` times the best; omits values at or below that."""
    best = max(values.values(), default=0.0)
    low = floor * best
    return {path: (value - low) / (best - low) for path, value in values.items() if value > low}
