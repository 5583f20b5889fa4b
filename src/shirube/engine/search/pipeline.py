"""From a question to hits: read the question, find candidates, group them by file, rank the files, return a page."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import to_int8
from shirube.engine.search.evidence import Evidence, FileMatch, gather
from shirube.engine.search.question import Phrase, Question, read_question
from shirube.engine.search.rank import NO_BOOST, HitSigns, Ranked, likelihood, rank, signs_of
from shirube.engine.search.signals import likeness, outline
from shirube.engine.store.port import Ask, Candidate, Candidates, Store
from shirube.engine.text.tokens import Strategy, normalise
from shirube.messages import Message, say
from shirube.settings import SearchConfig
from shirube.types import Hit, Mode, Place, Query, Reason

ALSO = 3
"""How many further places of a file a hit lists beside its own."""
BUILT_ALIKE = 30
"""How many of the best files are compared with the edited ones by what they define."""
FEW = 2
"""A word in at most this many paths is never too common to be a name."""
MOST_VERIFIED = 200
"""How many chunks are read to check whether they contain a quoted phrase as written."""
_FRONT_MATTER = re.compile(r"\A﻿?---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TAGS = re.compile(r"^tags?[ \t]*:[ \t]*(\[[^\]]*\]|.*(?:\n[ \t]*-[ \t]+.*)*)", re.MULTILINE | re.IGNORECASE)


def tags_of(text: str) -> frozenset[str]:
    """Return the tags in a front matter, in lower case: ``tags: [Auth, web]`` or one per line → ``{"auth", "web"}``."""
    front = _FRONT_MATTER.match(text)
    match = _TAGS.search(front[1]) if front else None
    if match is None:
        return frozenset()
    parts = re.split(r"[,\n]", match[1].strip().removeprefix("[").removesuffix("]"))
    tags = (part.strip().removeprefix("-").strip().strip("\"'").lower() for part in parts)
    return frozenset(tag for tag in tags if tag)


class Around(Struct, frozen=True):
    """Context of a question: files being edited, history, what was learned, and how to interpret a cosine."""

    editing: tuple[str, ...] = ()
    recent: Mapping[str, float] = {}
    """Path → how recently it was changed, from 0 to 1."""
    together: Mapping[str, float] = {}
    """Path → how often it changed together with the edited files, from 0 to 1."""
    learned: Mapping[str, float] = {}
    """Path → the share by which past outcomes raise or lower its score; see ``features.map.learning``."""
    similar: Callable[[float], float] | None = None
    """Turns a cosine into the probability that a passage belongs to the question."""
    background: float = 0.0
    """The usual cosine of two texts that have nothing to do with each other."""


class HitPage(Struct, frozen=True):
    """The hits of one page, and whether there are more."""

    hits: tuple[Hit, ...]
    more: bool
    total: int
    degraded: tuple[Message, ...]
    confidence: float = 0.0
    """How likely the first hit is right, from 0 to 1."""
    signs: HitSigns | None = None
    """The measurements that ``confidence`` is based on."""
    ranked: tuple[Ranked, ...] = ()


def search(
    query: Query, store: Store, embedder: Embedder, config: SearchConfig, around: Around | None = None
) -> HitPage:
    """Return the hits for a question, best first: the best place of each file, then further ones.

    ``auto`` searches by words, and if that is not confident enough, by words and sense. A bare name uses words only.
    """
    question, around = read_question(query.text, config), around or Around()

    def search_by(mode: Mode) -> HitPage:
        return _search_once(replace(query, mode=mode), question, store, embedder, config, around)

    if query.mode != Mode.AUTO:
        return search_by(query.mode)
    by_words = search_by(Mode.LEXICAL)
    return by_words if question.bare or by_words.confidence >= config.confidence.sure else search_by(Mode.HYBRID)


def _search_once(
    query: Query, question: Question, store: Store, embedder: Embedder, config: SearchConfig, around: Around
) -> HitPage:
    """Search in the query's mode; if compounds turn out to be prose, read the question again and search once more."""
    candidates = _candidates(query, question, store, embedder, config)
    degraded = candidates.degraded
    if query.mode != Mode.DENSE and (reread := _read_again(question, candidates, config)) is not None:
        question, is_absent = reread
        candidates = _candidates(query, question, store, embedder, config)
        degraded = (*candidates.degraded, say("asking.compounds")) if is_absent else candidates.degraded
    evidence = _evidence(query, question, candidates, store, config, around)
    ranked = rank(evidence, plain=(query.boost_profile or config.boost_profile) == NO_BOOST)
    places = _in_order(ranked)
    page = places[query.offset : query.offset + query.limit]
    best_keys = [chunk.key for chunk in ranked[0].chunks[: ALSO + 1]] if ranked else []
    texts = store.texts(list(dict.fromkeys([*best_keys, *(chunk.key for _, chunk, _ in page)])))
    hit_of = partial(_hit, texts=texts, lines=config.preview_lines, similar=around.similar)
    hits = tuple(hit_of(file, chunk, why) for file, chunk, why in page)
    more = len(places) > query.offset + query.limit
    if not ranked:
        return HitPage(hits, more, len(places), degraded)
    signs = signs_of(question, ranked, [texts[key] for key in best_keys if key in texts], candidates)
    return HitPage(hits, more, len(places), degraded, likelihood(signs, config.confidence), signs, tuple(ranked))


def _candidates(query: Query, question: Question, store: Store, embedder: Embedder, config: SearchConfig) -> Candidates:
    """Ask the store for candidates by words, by sense or by both, depending on the query's mode."""
    dense = query.mode in (Mode.DENSE, Mode.HYBRID)
    row = to_int8(embedder.query(question.text, tuple(question.terms))) if dense else None
    vector = row.tobytes() if row is not None and row.any() else b""  # all zeros: the model knows none of the words
    # Every page needs the same candidates, or pages would overlap. With tags take all, because most will be left out.
    limit = store.size() + 1 if query.scope.tags else config.candidates
    if query.mode == Mode.DENSE:
        return _with_tags(store.candidates(Ask(vector=vector, scope=query.scope, limit=limit)), query, store)
    forms = {**question.forms, **question.terms}
    fields = {
        "content": {term: config.fields.content * worth for term, worth in question.terms.items()},
        "symbols": {term: config.fields.symbols * worth for term, worth in forms.items()},
        "path": forms,
    }
    phrases = tuple(phrase.terms for phrase in question.phrases)
    names = tuple(name for name, surety in question.names.items() if surety == 1.0)
    names += (question.title,) if question.title else ()
    topics = tuple(name for name in question.names if name not in names)
    outer = next((question.scopes[name] for name in names if name in question.scopes), "")
    ask = Ask(
        fields=fields,
        phrases=phrases,
        names=names,
        topics=topics,
        outer=outer,
        vector=vector,
        scope=query.scope,
        limit=limit,
    )
    return _with_tags(store.candidates(ask), query, store)


def _with_tags(candidates: Candidates, query: Query, store: Store) -> Candidates:
    """Keep only candidates in files whose front matter has all tags that the query asks for."""
    if not query.scope.tags:
        return candidates
    tags = {path: tags_of(store.text(path)) for path in {item.path for item in candidates.items}}
    tagged = {path for path, named in tags.items() if named.issuperset(query.scope.tags)}
    return replace(
        candidates,
        items=tuple(item for item in candidates.items if item.path in tagged),
        definitions=tuple(definition for definition in candidates.definitions if definition.path in tagged),
    )


def _read_again(question: Question, candidates: Candidates, config: SearchConfig) -> tuple[Question, bool] | None:
    """Return the question without compounds that are only prose here, and whether one of them occurs nowhere.

    A compound that is in no symbol, and in no path or too many, is prose (``case-insensitive``), not a name. Its words
    then count separately, not as a phrase. None means that there is no such compound.
    """
    scores = dict(zip((phrase.text for phrase in question.phrases), candidates.phrases, strict=True))
    prose = [phrase for phrase in question.phrases if not phrase.quoted and not _is_name(phrase, candidates, config)]
    if not prose:
        return None
    parts = read_question(" ".join(phrase.text for phrase in prose), replace(config, tokenization=Strategy.HYBRID))
    reread = replace(
        question,
        terms={**parts.terms, **question.terms},
        forms={**parts.forms, **question.forms},
        phrases=tuple(phrase for phrase in question.phrases if phrase not in prose),
    )
    return reread, any(not scores[phrase.text] for phrase in prose)


def _is_name(phrase: Phrase, candidates: Candidates, config: SearchConfig) -> bool:
    """Tell whether a compound is a name here: defined, part of a symbol, or in some but not too many paths."""
    (term,) = phrase.terms
    common = max(FEW, candidates.files * config.signals.phrase_common)
    if any(definition.symbol.name.lower() == phrase.text.lower() for definition in candidates.definitions):
        return True
    return bool(candidates.in_symbols.get(term) or 0 < candidates.in_paths.get(term, 0) <= common)


def _evidence(
    query: Query, question: Question, candidates: Candidates, store: Store, config: SearchConfig, around: Around
) -> Evidence:
    """Collect everything that signals use; anchors are the best files and those being edited."""
    files = gather(question, candidates, config, query.mode, around.background)
    profile = config.profiles[query.profile or config.profile]
    best = sorted(files.values(), key=lambda match: (-match.worth, match.path))
    phrases, written = _phrase_shares(question.phrases, candidates, store, config.signals.phrase_enough)
    anchors = {match.path: match.worth for match in best[: config.signals.anchors]} | dict.fromkeys(around.editing, 1.0)
    return Evidence(
        question,
        config,
        profile,
        config.boosts[query.boost_profile or config.boost_profile],
        files,
        phrases=phrases,
        written=written,
        editing=frozenset(around.editing),
        imported=_imported(store, anchors) if profile.dependency else {},
        near=_near_directories(anchors),
        alike=_built_alike(around.editing, best[:BUILT_ALIKE], store),
        recent=around.recent,
        together=around.together,
        learned=around.learned,
    )


def _imported(store: Store, anchors: Mapping[str, float]) -> dict[str, tuple[float, str]]:
    """Return the files that anchors import, each with its share of their scores and one anchor that imports it."""
    imports: dict[str, set[str]] = {}
    for edge in store.edges(*anchors) if anchors else ():
        if edge.kind == "path" and edge.target != edge.source:
            imports.setdefault(edge.source, set()).add(edge.target)
    imported: dict[str, tuple[float, str]] = {}
    for path, worth in anchors.items():
        targets = imports.get(path, set())
        for target in targets:
            share, source = imported.get(target, (0.0, path))
            imported[target] = (share + worth / len(targets), source)
    return imported


def _near_directories(anchors: Mapping[str, float]) -> dict[str, float]:
    """Return the directories of the anchors, each with the score of its best anchor."""
    near: dict[str, float] = {}
    for path, worth in anchors.items():
        directory = path.rpartition("/")[0]
        near[directory] = max(near.get(directory, 0.0), worth)
    return near


def _phrase_shares(
    phrases: Sequence[Phrase], candidates: Candidates, store: Store, enough_share: float
) -> tuple[dict[str, dict[str, float]], frozenset[int]]:
    """Return phrase → path → how well the file matches (0 to 1), and the keys of chunks that contain a quoted phrase.

    Quoted words must occur as written. A compound is a term of the index, scored relative to the best chunk; a file
    that defines it gets 1.
    """
    paths = {item.key: item.path for item in candidates.items}
    shares: dict[str, dict[str, float]] = {}
    quoted_keys: set[int] = set()
    for phrase, scores in zip(phrases, candidates.phrases, strict=False):
        matching = _as_written(phrase, scores, store) if phrase.quoted else scores
        enough = 0.0 if phrase.quoted else enough_share * max(matching.values(), default=0.0)
        file_shares = shares.setdefault(phrase.text, {})
        for key, score in matching.items():
            if key in paths:
                share = min(1.0, score / enough) if enough else 1.0
                file_shares[paths[key]] = max(file_shares.get(paths[key], 0.0), share)
        defining = {known.path for known in candidates.definitions if known.symbol.name.lower() == phrase.text.lower()}
        file_shares.update(dict.fromkeys(defining & file_shares.keys(), 1.0))
        quoted_keys.update(matching if phrase.quoted else ())
    return shares, frozenset(quoted_keys)


def _as_written(phrase: Phrase, scores: Mapping[int, float], store: Store) -> dict[int, float]:
    """Return the best chunks that contain a quoted phrase as written, ignoring case and spacing."""
    sought = _plain(phrase.text)
    likely = sorted(scores, key=lambda key: (-scores[key], key))[:MOST_VERIFIED]
    return {key: scores[key] for key, text in store.texts(likely).items() if sought in _plain(text)}


def _plain(text: str) -> str:
    return " ".join(normalise(text).lower().split())


def _built_alike(editing: Sequence[str], best: Sequence[FileMatch], store: Store) -> dict[str, float]:
    """Return how similar each of the best files is to the edited ones, by what they define."""
    if not editing:
        return {}
    edited = [outline(store.symbols(path)) for path in editing]
    built = {match.path: outline(store.symbols(match.path)) for match in best if match.path not in editing}
    return {path: max(likeness(own, other) for own in edited) for path, other in built.items()}


def _in_order(ranked: Sequence[Ranked]) -> list[tuple[Ranked, Candidate, tuple[Reason, ...]]]:
    """Return all places with their reasons: the best chunk of each file, then all others, which score no higher."""
    best = [(file, file.chunks[0], file.why) for file in ranked]
    if not best:
        return best
    least, most = ranked[-1].score, ranked[0].score
    further = []
    for file in ranked:
        for chunk in file.chunks[1:]:
            points = least * file.score / most * _share_of_best(chunk, file.chunks[0])
            if points > 0:
                further.append((file, chunk, (*file.why, Reason("further place", points - file.score))))
    return best + sorted(
        further, key=lambda place: (-sum(reason.points for reason in place[2]), place[1].path, place[1].start_line)
    )


def _share_of_best(chunk: Candidate, best: Candidate) -> float:
    """Return a chunk's score relative to the best of its file (0 to 1), by words or else by sense."""
    if best.lexical > 0:
        return min(1.0, chunk.lexical / best.lexical)
    return min(1.0, (chunk.cosine or 0.0) / best.cosine) if best.cosine else 1.0


def _hit(
    file: Ranked,
    chunk: Candidate,
    why: tuple[Reason, ...],
    texts: Mapping[int, str],
    lines: int,
    similar: Callable[[float], float] | None,
) -> Hit:
    """Turn a chunk into a hit; ``similarity`` is set only when the search used vectors."""
    others = [other for other in file.chunks if other.key != chunk.key][:ALSO]
    return Hit(
        path=chunk.path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        symbol=chunk.symbol,
        kind=chunk.kind,
        language=chunk.language,
        score=round(sum(reason.points for reason in why), 6),
        similarity=similar(chunk.cosine) if similar and chunk.cosine is not None else None,
        why=why,
        preview="\n".join(texts.get(chunk.key, "").rstrip("\n").split("\n")[:lines]),
        also=tuple(Place(other.start_line, other.end_line, other.symbol) for other in others),
    )
