"""Groups the store's chunks by file, and measures for each file and place how much of the question is there.

A question weighs hundreds of chunks, so measures are arrays: one number for each file, or for each place.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.search.message import PRINTED
from shirube.engine.search.names import name_terms, path_terms, symbol_terms
from shirube.engine.search.question import Question
from shirube.engine.search.verbatim import GAP, Run, best_run
from shirube.engine.search.votes import Vote
from shirube.engine.store.port import Candidate, Candidates, Definition
from shirube.engine.text.bm25 import idf, saturation
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import index_terms
from shirube.settings import BoostProfile, Profile, SearchConfig
from shirube.types import Mode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

K = 60
"""The constant of reciprocal rank fusion, from seed 000 and the paper: so high that no single list decides alone."""
READ_BY_WORDS, READ_BY_SENSE = 80, 40
"""How many of the best chunks by words, and by sense, are read to see how much of the question is in them."""
RUNS = 24
"""How many of the chunks with most of the question are searched for its words in order."""
LONG_RUN = 5
"""Words of a run that counts in full."""
LEAST_STRING = 0.25
"""How much of a question a string has at least, whatever are values, unless output is wrapped around it."""
STOP_WEIGHT = 0.3
"""What a stop word weighs in a run, and a value: a message has them too, but they tell little."""

Key = TypeVar("Key", bound=Hashable)


def fuse(lists: Mapping[str, Sequence[Key]]) -> dict[Key, dict[str, float]]:
    """Return each key's share from each list (reciprocal rank fusion): rank 1 gives 1/61, rank 2 1/62, …"""
    shares: dict[Key, dict[str, float]] = {}
    for name, keys in lists.items():
        for rank, key in enumerate(keys, 1):
            shares.setdefault(key, {})[name] = 1 / (K + rank)
    return shares


def fits(paths: Iterable[str], terms: Mapping[str, float], files: int, known: Mapping[str, int]) -> dict[str, float]:
    """Return how well each whole path matches the terms; ``known``: term → how many of ``files`` paths contain it."""
    return _bm25(list(paths), path_terms, _weights(terms, files, known))


def names_fit(
    paths: Iterable[str], terms: Mapping[str, float], files: int, known: Mapping[str, int]
) -> dict[str, float]:
    """Return how well each file's name matches the terms."""
    return _bm25(list(paths), name_terms, _weights(terms, files, known))


def _weights(terms: Mapping[str, float], files: int, known: Mapping[str, int]) -> dict[str, float]:
    return {term: worth * idf(max(files, known.get(term, 0)), known.get(term, 0)) for term, worth in terms.items()}


def _bm25(
    paths: Sequence[str], terms_of: Callable[[str], tuple[str, ...]], weights: Mapping[str, float]
) -> dict[str, float]:
    documents = [terms_of(path) for path in paths]
    average = sum(map(len, documents)) / max(1, len(documents))
    scores = {}
    asked = weights.keys()
    for path, words in zip(paths, documents, strict=True):
        if not asked.isdisjoint(words):
            there = sorted(asked & words)
            scores[path] = sum(weights[term] * saturation(words.count(term), len(words), average) for term in there)
    return scores


class Evidence(Struct, frozen=True, dict=True):
    """Everything the signals may look at: files and places by number, and what is known of them."""

    question: Question
    config: SearchConfig
    profile: Profile
    boosts: BoostProfile
    paths: tuple[str, ...]
    languages: tuple[str, ...]
    places: tuple[Candidate, ...]
    owners: "Numbers"
    """The number of each place's file."""
    lexical: "Numbers" = ()  # type: ignore[assignment]
    """How well each place matches by words."""
    cosines: "Numbers" = ()  # type: ignore[assignment]
    """How near each place is in meaning; 0 for one that was not compared."""
    definitions: Mapping[str, tuple[Definition, ...]] = {}
    """Path → the definitions in it of names asked for."""
    words: "Numbers" = ()  # type: ignore[assignment]
    """How well each file's text matches by words, from 0 to 1 (the best file)."""
    sense: "Numbers" = ()  # type: ignore[assignment]
    """How near each file's chunks are in meaning, from 0 to 1 (the nearest file)."""
    whole: "Numbers" = ()  # type: ignore[assignment]
    """How near each file as a whole is in meaning, from 0 to 1."""
    in_path: "Numbers" = ()  # type: ignore[assignment]
    """How well each path matches, relative to the best raw text score."""
    rarity: tuple[float, ...] = ()
    """How rare each concept of the question is."""
    present: Mapping[int, tuple[bool, ...]] = {}
    """Place → which concepts of the question are in its text, for the places that were read."""
    runs: Mapping[int, Run] = {}
    """Place → the question's words as they stand there, in order."""
    strings: Mapping[int, float] = {}
    """Place → how surely the string of the message that was asked for stands there, from 0 to 1."""
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
    votes: Mapping[str, Vote] = {}
    """Path → what commits with similar messages say of it."""
    busy: Mapping[str, float] = {}
    """Path → how much it changed lately, from 0 to 1; only where the question asks for a change."""
    frames: Mapping[str, Mapping[int, float]] = {}
    """Path → line → how near to the fault pasted output says it is, from 0 to 1."""

    def covered_by(self, rows: "Numbers | Sequence[Sequence[bool]]") -> "Numbers":
        """Return for each row which part of the question is there; a row tells of each concept whether it is."""
        import numpy as np

        rarity = np.array(self.rarity)
        present = np.asarray(rows, dtype=bool).reshape(len(rows), len(rarity))
        return np.asarray((present * rarity).sum(axis=1) / (rarity.sum() or 1.0))

    @cached_property
    def shares(self) -> "Numbers":
        """Return which part of the question each place has: in its path, its name and, where it was read, its text."""
        import numpy as np

        concepts = self.question.concepts
        asked = {term for concept in concepts for term in concept}

        def has(terms: Iterable[str]) -> list[bool]:
            there = asked.intersection(terms)
            return [not there.isdisjoint(concept) for concept in concepts] if there else [False] * len(concepts)

        symbols = {symbol: at for at, symbol in enumerate(dict.fromkeys(place.symbol for place in self.places))}
        of_paths = np.array([has(path_terms(path)) for path in self.paths], dtype=bool)
        of_symbols = np.array([has(symbol_terms(symbol)) for symbol in symbols], dtype=bool)
        rows = of_paths[self.owners] | of_symbols[[symbols[place.symbol] for place in self.places]]
        if self.present:
            rows[list(self.present)] |= self.rows
        return self.covered_by(rows)

    @cached_property
    def rows(self) -> "Numbers":
        """Return ``present`` as an array: a row for each place that was read, a column for each concept."""
        import numpy as np

        return np.array(list(self.present.values()), dtype=bool).reshape(len(self.present), len(self.rarity))


def gather(
    question: Question,
    candidates: Candidates,
    config: SearchConfig,
    mode: Mode,
    choice: tuple[Profile, BoostProfile],
    background: float = 0.0,
) -> Evidence:
    """Group candidates by file, and measure the text and the path of each file.

    ``background`` is the usual cosine of unrelated texts: only the part above it counts.
    """
    import numpy as np

    languages = {item.path: item.language for item in candidates.items}
    numbers = {path: number for number, path in enumerate(languages)}
    owners = np.array([numbers[item.path] for item in candidates.items], dtype=np.int64)
    definitions: dict[str, tuple[Definition, ...]] = {}
    for definition in candidates.definitions:
        definitions[definition.path] = (*definitions.get(definition.path, ()), definition)
    size, signals = len(numbers), config.signals
    lexical = np.array([item.lexical for item in candidates.items])
    cosines = np.array([item.cosine or 0.0 for item in candidates.items])
    raw = _combined(lexical, owners, size, signals.coherence)
    best = float(raw.max(initial=0.0))
    sense = whole = np.zeros(size)
    if mode != Mode.LEXICAL:
        nearness = _nearness(cosines, background)
        near = _scaled(_combined(nearness, owners, size, signals.sense_coherence), signals.sense_floor)
        whole = _scaled(_nearness(np.array([candidates.wholes.get(path, 0.0) for path in numbers]), background))
        sense = _scaled(near + signals.sense_whole * whole)
    words = _scaled(raw) if mode != Mode.DENSE else np.zeros(size)
    if config.fusion == "rrf" and mode == Mode.HYBRID:
        words, sense = _by_rank(words), _by_rank(sense)
    return Evidence(
        question,
        config,
        *choice,
        paths=tuple(numbers),
        languages=tuple(languages.values()),
        places=candidates.items,
        owners=owners,
        lexical=lexical,
        cosines=cosines,
        definitions=definitions,
        words=words,
        sense=sense,
        whole=whole,
        in_path=_in_paths(tuple(numbers), question, candidates, config, best) if mode != Mode.DENSE else np.zeros(size),
        rarity=_rarity(question, candidates),
    )


def _combined(scores: "Numbers", owners: "Numbers", size: int, power: float) -> "Numbers":
    """Combine chunk scores by a p-norm: several good chunks count more than one, many poor ones little."""
    import numpy as np

    top = float(scores.max(initial=0.0))
    if top <= 0:
        return np.zeros(size)
    sums = np.bincount(owners, weights=np.maximum(scores / top, 0.0) ** power, minlength=size)
    return np.asarray(top * sums ** (1 / power))


def _nearness(cosines: "Numbers", background: float) -> "Numbers":
    import numpy as np

    return np.maximum(0.0, (cosines - background) / (1 - background))


def _scaled(values: "Numbers", floor: float = 0.0) -> "Numbers":
    """Scale values to 0–1, where 0 is ``floor`` times the best or less."""
    import numpy as np

    best = float(values.max(initial=0.0))
    if best <= 0:
        return np.zeros(len(values))
    return np.maximum(0.0, (values - floor * best) / (best - floor * best))


def _by_rank(values: "Numbers") -> "Numbers":
    """Replace values by their reciprocal ranks, from 1 (the best) down; nothing stays nothing."""
    import numpy as np

    ranks = np.argsort(np.argsort(-values, kind="stable"), kind="stable")
    return np.where(values > 0, (K + 1) / (K + 1 + ranks), 0.0)


def _in_paths(
    paths: Sequence[str], question: Question, candidates: Candidates, config: SearchConfig, best: float
) -> "Numbers":
    import numpy as np

    terms = question.in_names
    whole = fits(paths, terms, candidates.files, candidates.in_paths)
    names = names_fit(paths, terms, candidates.files, candidates.in_paths)
    total = np.array(
        [config.fields.path * whole.get(path, 0.0) + config.fields.name * names.get(path, 0.0) for path in paths]
    )
    return np.asarray(total / (best or float(total.max(initial=0.0)) or 1.0))


def _rarity(question: Question, candidates: Candidates) -> tuple[float, ...]:
    chunks = max(1, candidates.chunks)
    return tuple(
        idf(chunks, min(chunks, max(candidates.in_content.get(term, 0) for term in concept)))
        for concept in question.concepts
    )


def to_read(evidence: Evidence) -> list[int]:
    """Return the numbers of the places whose text is worth reading: the best by words and by sense."""
    places = evidence.places
    by_words = sorted((at for at, item in enumerate(places) if item.lexical > 0), key=lambda at: -places[at].lexical)
    by_sense = sorted((at for at, item in enumerate(places) if item.cosine), key=lambda at: -(places[at].cosine or 0.0))
    return list(dict.fromkeys([*by_words[:READ_BY_WORDS], *by_sense[:READ_BY_SENSE]]))


def read_places(
    evidence: Evidence, texts: Mapping[int, str], candidates: Candidates, sought: Collection[int] = ()
) -> tuple[dict[int, tuple[bool, ...]], dict[int, Run]]:
    """Return, for each place that was read, which concepts it has and, for the best, the words in order.

    They are looked for in the ``sought`` places in any case.
    """
    question, places = evidence.question, evidence.places
    rows = _concepts_in(texts.values(), question.concepts)
    present = dict(zip(texts, map(tuple, rows.tolist()), strict=True))
    if len(question.message) < 2:
        return present, {}
    weights = message_weights(question, candidates)
    least = string_share(question, weights)
    shares = dict(zip(texts, evidence.covered_by(rows).tolist(), strict=True))
    likely = sorted(present, key=lambda at: (-shares[at], -places[at].lexical, at))[:RUNS]
    likely = [*dict.fromkeys((*(at for at in likely if sum(present[at]) > 1), *sought))]
    runs = {at: best_run(question.message, weights, texts[at], least) for at in likely}
    return present, {at: replace(run, share=run.share * _length(run)) for at, run in runs.items() if run.words}


def _length(run: Run) -> float:
    """Return how much a run counts for its length, from 0 to 1: two words stand side by side by chance."""
    return min(1.0, (sum(word != GAP for word in run.words) - 1) / (LONG_RUN - 1))


def spellings(concept: Sequence[str]) -> list[str]:
    """Return how the stems of a concept stand in a text: ``retry`` is in "retry", but not in "retries"."""
    return [*concept, *(f"{term[:-1]}ie" for term in concept if term.endswith("y"))]


def _concepts_in(texts: Iterable[str], concepts: Sequence[tuple[str, ...]]) -> "Numbers":
    """Return one row for each text, which tells of each concept whether it is there."""
    import numpy as np

    spelled = [spellings(concept) for concept in concepts]
    terms = [term for written in spelled for term in written]
    lower = map(str.lower, texts)
    found = np.array([[term in text for term in terms] for text in lower], dtype=bool)  # stems are parts of words
    begins = np.cumsum([0, *map(len, spelled)])[:-1]
    return np.logical_or.reduceat(found, begins, axis=1) if found.size else found.reshape(len(found), len(concepts))


def message_weights(question: Question, candidates: Candidates) -> list[float]:
    """Return what each word of a question weighs in a run: rare ones more."""
    chunks, known = max(1, candidates.chunks), candidates.in_content
    weights = []
    for word in question.message:
        counts = [known[term] for term in (stem(word), *index_terms(word)) if term in known]
        rare = idf(chunks, min(chunks, *counts)) if counts else 1.0
        slight = word in stop_words() or (word in question.values and question.string == PRINTED)
        weights.append(STOP_WEIGHT if slight else rare)
    return weights


def string_share(question: Question, weights: Sequence[float]) -> float:
    """Return how much of a question a string has to be; what are only its values is no part of a string."""
    own = sum(weight for word, weight in zip(question.message, weights, strict=True) if word not in question.values)
    return max(LEAST_STRING, question.string * own / (sum(weights) or 1.0)) if question.string != PRINTED else PRINTED
