"""From a question to hits: read the question, find candidates, group them by file, rank the files, return a page."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import to_int8
from shirube.engine.search.confidence import HitSigns, likelihood, signs_of
from shirube.engine.search.definitions import is_part
from shirube.engine.search.evidence import Evidence, gather, message_weights, read_places, string_share, to_read
from shirube.engine.search.message import holding, is_string, likely, strings, terms_of
from shirube.engine.search.names import own_words
from shirube.engine.search.places import best_place, by_turns, hit_of, in_order, texts_of, with_spans
from shirube.engine.search.question import Phrase, Question, read_question
from shirube.engine.search.rank import NO_BOOST, FileScores, Ranked, rank
from shirube.engine.search.shapes import shapes
from shirube.engine.search.signals import likeness, outline
from shirube.engine.search.verbatim import Run, best_run, words_of
from shirube.engine.search.votes import POWER, POWER_JAPANESE, SIMILAR, Vote, most_voted, translation, votes
from shirube.engine.store.lookups import (
    Busy,
    ChunkSymbols,
    ChunkTexts,
    EveryLink,
    FileSymbols,
    FileTexts,
    SimilarChanges,
    WhereKnown,
)
from shirube.engine.store.port import Ask, Candidate, Candidates, Known, Links, Lookup
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import Strategy, folded
from shirube.messages import Message, say
from shirube.settings import SearchConfig
from shirube.types import Hit, Mode, Query

VOTED_FILES, VOTED_SYMBOLS, LEAST_VOTE = 10, 2, 0.1
"""How many files that similar commits changed become candidates for that alone, with how many of the symbols touched
there, and by how many votes at least."""
BUILT_ALIKE = 30
"""How many of the best files are compared with the edited ones by what they define."""
FEW = 2
"""A word in at most this many paths is never too common to be a name."""
SHORT_NAME, MOST_LONGER = 5, 50
"""A name with fewer letters is no part of a longer one; so many names that contain it are looked at."""
MESSAGE = 0.25
"""A run with more of the question than this, and longer than what it quotes, shows that it is a pasted message."""
FRAME_SURE = 0.9
"""How sure an answer is at least whose first file pasted output names: what the question itself names is meant."""
PARTS_SURE = 0.5
"""How sure an answer is at most when a compound of the question is nowhere, and its parts were searched."""
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
    frames: Mapping[str, Mapping[int, float]] = {}
    """Path → line → how near to the fault pasted output says it is, from 0 to 1."""
    printed: bool = False
    """Whether the question is what pasted output says."""
    is_change: bool = False
    """Whether the question asks for a change: then files that change often are likelier."""


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
    """Return the hits for a question, best first.

    ``auto`` searches by words and sense at once; a bare name by words alone.
    """
    around = around or Around()
    question = read_question(query.text, config, around.printed)
    if query.mode == Mode.AUTO:
        query = replace(query, mode=Mode.LEXICAL if question.bare else Mode.HYBRID)
    ranking, degraded = weigh(query, question, store, embedder, config, around)
    ranked = ranking.ranked()
    if not ranked:
        return HitPage((), False, 0, degraded)
    ordered = by_turns if query.by_turns else in_order
    places = map(best_place, ranked) if query.files else ordered(ranking, ranked)
    shown = with_spans(places, ranking, store, query.offset + query.limit + 1)
    page = shown[query.offset : query.offset + query.limit]
    more = len(shown) > query.offset + query.limit
    texts = texts_of(page, ranking, store, config.preview_lines)
    made = partial(hit_of, ranking=ranking, texts=texts, lines=config.preview_lines, similar=around.similar)
    hits = tuple(made(place, span) for place, span in page)
    signs = signs_of(ranking, ranked)
    sure = likelihood(signs, ranking.table)
    if ranked[0].path in ranking.evidence.frames:
        sure = max(sure, FRAME_SURE)
    elif say("asking.compounds") in degraded and not ranking.evidence.strings:
        sure = min(sure, PARTS_SURE)
    total = len(ranked) if query.files else ranking.count(ranked)
    return HitPage(hits, more, total, degraded, sure, signs, tuple(ranked))


def first_lookups(text: str, config: SearchConfig) -> list[Lookup[Any]]:
    """Return what a search for a text looks up first; over a network it comes along with an earlier look."""
    question = read_question(text, config)
    compounds = _compounds(question)
    prose = [some for count in (1, len(compounds)) for some in combinations(compounds, count)] if compounds else []
    readings = [question, *(_reread(question, some, config) for some in prose)]
    known = [_where_known(compounds)] if compounds else []
    return [*known, *(SimilarChanges(one.terms, SIMILAR) for one in readings)]


def weigh(
    query: Query, question: Question, store: Store, embedder: Embedder, config: SearchConfig, around: Around
) -> tuple[FileScores, tuple[Message, ...]]:
    """Ask the store in the query's mode and weigh what it offers; compounds that are only prose count as words."""
    question, is_absent = (question, False) if query.mode == Mode.DENSE else _without_prose(question, store, config)
    plain = (query.boost_profile or config.boost_profile) == NO_BOOST
    counts = config.signals.history and not plain and query.mode != Mode.DENSE
    is_english = question.text.isascii()
    power = POWER if is_english else POWER_JAPANESE
    voted = votes(store.similar_changes(question.terms, SIMILAR), power) if counts else {}
    if voted and not is_english:
        question = replace(question, terms={**question.terms, **translation(voted, question.terms)})
    candidates = _candidates(query, question, store, embedder, config, _wanted(around.frames, voted))
    question, candidates = _with_longer_names(query, question, candidates, store)
    degraded = (*candidates.degraded, say("asking.compounds")) if is_absent else candidates.degraded
    evidence = _evidence(query, question, candidates, store, config, around)
    degraded += _absent_phrases(evidence, candidates)
    busy = store.busy(evidence.paths) if voted and around.is_change else {}
    evidence = replace(evidence, votes=voted, busy=busy)
    return rank(evidence, shapes(), plain, query.additive and not plain), degraded


def _wanted(frames: Mapping[str, Mapping[int, float]], voted: Mapping[str, Vote]) -> Ask:
    """Return what is asked of the store whatever the question's words: what output names, and what commits vote for."""
    likely = ((path, vote) for path, vote in most_voted(voted, VOTED_FILES) if vote.share > LEAST_VOTE)
    return Ask(
        lines={path: tuple(named) for path, named in frames.items()},
        others={path: tuple(vote.symbols)[:VOTED_SYMBOLS] for path, vote in likely},
    )


def _candidates(
    query: Query,
    question: Question,
    store: Store,
    embedder: Embedder,
    config: SearchConfig,
    wanted: Ask,
) -> Candidates:
    """Ask the store for candidates by words, by sense or by both, depending on the query's mode."""
    dense = query.mode in (Mode.DENSE, Mode.HYBRID)
    row = to_int8(embedder.query(question.text, tuple(question.terms))) if dense else None
    vector = row.tobytes() if row is not None and row.any() else b""  # all zeros: the model knows none of the words
    # Every page needs the same candidates, or pages would overlap. With tags take all, because most will be left out.
    limit = store.size() + 1 if query.scope.tags else config.candidates
    wanted = replace(wanted, vector=vector, scope=query.scope, limit=limit)
    if query.mode == Mode.DENSE:
        return _with_tags(store.candidates(wanted), query, store)
    forms = question.in_names
    fields = {
        "content": {term: config.fields.content * worth for term, worth in question.terms.items()},
        "symbols": {term: config.fields.symbols * worth for term, worth in forms.items()},
        "path": forms,
    }
    phrases = (*(phrase.terms for phrase in question.phrases), *map(terms_of, question.pieces))
    names = tuple(name for name, surety in question.names.items() if surety == 1.0)
    names += (question.title,) if question.title else ()
    topics = tuple(name for name in question.names if name not in names)
    outer = next((question.scopes[name] for name in names if name in question.scopes), "")
    ask = replace(wanted, fields=fields, phrases=phrases, names=names, topics=topics, outer=outer)
    return _with_tags(store.candidates(ask), query, store)


def _with_longer_names(
    query: Query, question: Question, candidates: Candidates, store: Store
) -> tuple[Question, Candidates]:
    """Take a name that nothing has for the head or the tail of longer ones: ``ENGINE_STATE`` → ``SET_ENGINE_STATE``."""
    defined = {known.symbol.name.lower() for known in candidates.definitions}
    spelled = {form: name for form, name in question.spelled.items() if question.names[form] == 1.0}
    absent = set(spelled.values()) - {spelled[form] for form in spelled.keys() & defined}
    longer: dict[str, str] = {}
    for form, name in spelled.items() if question.about_names and query.mode != Mode.DENSE else ():
        if name in absent and len(form) >= SHORT_NAME and len(own_words(name)) > 1:
            known = [one for one in store.names(form, MOST_LONGER) if is_part(name, one)]
            longer |= {one.lower(): one for one in known[:FEW]}
    if not longer:
        return question, candidates
    found = _with_tags(store.candidates(Ask(names=tuple(longer), scope=query.scope, limit=MOST_LONGER)), query, store)
    known_keys = {item.key for item in candidates.items}
    items = (*candidates.items, *(item for item in found.items if item.key not in known_keys))
    question = replace(
        question,
        names={**question.names, **dict.fromkeys(longer, 1.0)},
        spelled={**question.spelled, **longer},
    )
    definitions = (*candidates.definitions, *found.definitions)
    return question, replace(candidates, items=items, definitions=definitions)


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


def _without_prose(question: Question, store: Store, config: SearchConfig) -> tuple[Question, bool]:
    """Return the question without compounds that are only prose here, and whether one of them occurs nowhere.

    A compound that is in no symbol, and in no path or too many, is prose (``case-insensitive``), not a name. Its words
    then count separately, not as a phrase.
    """
    compounds = _compounds(question)
    if not compounds:
        return question, False
    known = store.look(_where_known(compounds))[0]
    prose = tuple(phrase for phrase in compounds if not _is_name(phrase, known, config))
    if not prose:
        return question, False
    return _reread(question, prose, config), any(not known.in_content[phrase.terms[0]] for phrase in prose)


def _compounds(question: Question) -> tuple[Phrase, ...]:
    return tuple(phrase for phrase in question.phrases if not phrase.quoted)


def _where_known(compounds: Sequence[Phrase]) -> WhereKnown:
    terms = dict.fromkeys(phrase.terms[0] for phrase in compounds)
    return WhereKnown(tuple(terms), tuple(dict.fromkeys(phrase.text.lower() for phrase in compounds)))


def _reread(question: Question, prose: Sequence[Phrase], config: SearchConfig) -> Question:
    """Return the question with these compounds as separate words."""
    parts = read_question(" ".join(phrase.text for phrase in prose), replace(config, tokenization=Strategy.HYBRID))
    return replace(
        question,
        terms={**parts.terms, **question.terms},
        forms={**parts.forms, **question.forms},
        phrases=tuple(phrase for phrase in question.phrases if phrase not in prose),
    )


def _is_name(phrase: Phrase, known: Known, config: SearchConfig) -> bool:
    """Tell whether a compound is a name here: defined, part of a symbol, or in some but not too many paths.

    With an underscore it is a name wherever it occurs: prose has none.
    """
    (term,) = phrase.terms
    if phrase.is_snake and known.in_content[term]:
        return True
    common = max(FEW, known.files * config.signals.phrase_common)
    return bool(phrase.text.lower() in known.defined or known.in_symbols[term] or 0 < known.in_paths[term] <= common)


def _evidence(
    query: Query, question: Question, candidates: Candidates, store: Store, config: SearchConfig, around: Around
) -> Evidence:
    """Collect everything that signals use; anchors are the best files and those being edited."""
    profile = config.profiles[query.profile or config.profile]
    candidates, said = _with_strings(question, candidates, store)
    choice = (profile, config.boosts[query.boost_profile or config.boost_profile])
    evidence = gather(question, candidates, config, query.mode, choice, around.background)
    worth = evidence.words + config.signals.sense * evidence.sense
    worth = worth / (float(worth.max(initial=0.0)) or 1.0)
    order = sorted(zip((-worth).tolist(), evidence.paths, strict=True))
    best = {path: -less for less, path in order[: max(BUILT_ALIKE, config.signals.anchors)]}
    anchors = dict(list(best.items())[: config.signals.anchors]) | dict.fromkeys(around.editing, 1.0)
    read = {evidence.places[at].key: at for at in to_read(evidence)} if query.mode != Mode.DENSE else {}
    quoted = [
        key
        for phrase, scores in zip(question.phrases, candidates.phrases, strict=False)
        for key in (_likely_to_have(scores) if phrase.quoted else ())
    ]
    wanted = ChunkTexts(tuple(dict.fromkeys((*read, *quoted))))
    compared = (FileSymbols((*around.editing, *list(best)[:BUILT_ALIKE])),) if around.editing else ()
    texts, links, *_ = store.look(wanted, EveryLink(), *compared, likely=_shown_later(evidence.places))
    known = {at: texts[key] for key, at in read.items() if key in texts}
    sought = {at: said[place.key] for at, place in enumerate(evidence.places) if place.key in said}
    present, runs = read_places(evidence, known | sought, candidates, sought)
    found, runs = strings(runs, evidence.places, string_share(question, message_weights(question, candidates)))
    phrases, written = _phrase_shares(question.phrases, candidates, texts, config.signals.phrase_enough)
    if _is_message(question, {at: runs[at] for at in found} or runs):
        unquoted = tuple(replace(phrase, first=False) for phrase in question.phrases)
        evidence, written = replace(evidence, question=replace(question, phrases=unquoted)), frozenset()
    return replace(
        evidence,
        present=present,
        runs=runs,
        strings=found,
        phrases=phrases,
        written=written,
        editing=frozenset(around.editing),
        imported=_imported(links, anchors) if profile.dependency else {},
        near=_near_directories(anchors),
        alike=_built_alike(around.editing, list(best)[:BUILT_ALIKE], store),
        recent=around.recent,
        together=around.together,
        learned=around.learned,
        frames=around.frames,
    )


def _with_strings(question: Question, candidates: Candidates, store: Store) -> tuple[Candidates, dict[int, str]]:
    """Return the candidates, of those with a piece of a message only what has its string, and the texts of these."""
    pools = candidates.phrases[len(question.phrases) :]
    if not any(pools):
        return candidates, {}
    wanted = ChunkTexts(tuple(likely(pools, candidates.items)))
    (texts,) = store.look(wanted, likely=[EveryLink(), *_shown_later(candidates.items)])
    weights = message_weights(question, candidates)
    least = string_share(question, weights)
    said = {
        key: texts[key]
        for key in holding(question.pieces, texts)
        if is_string(best_run(question.message, weights, texts[key], least), least)
    }
    others = {key for pool in pools for key in pool} - said.keys()
    kept = tuple(one for one in candidates.items if one.lexical or one.cosine or one.key not in others)
    return replace(candidates, items=kept), said


def _shown_later(places: Sequence[Candidate]) -> list[Lookup[Any]]:
    """Return what may be looked up of the places when they are shown: any of them may turn out to be good."""
    keys, paths = tuple(place.key for place in places), tuple(dict.fromkeys(place.path for place in places))
    return [ChunkTexts(keys), ChunkSymbols(keys), FileTexts(paths), Busy(paths)]


def _imported(links: Links, anchors: Mapping[str, float]) -> dict[str, tuple[float, str]]:
    """Return the files that anchors import, each with its share of their scores and one anchor that imports it."""
    imports = links.targets(anchors)
    imported: dict[str, tuple[float, str]] = {}
    for path, worth in anchors.items():
        targets = imports.get(path, set()) - {path}
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
    phrases: Sequence[Phrase], candidates: Candidates, texts: Mapping[int, str], enough_share: float
) -> tuple[dict[str, dict[str, float]], frozenset[int]]:
    """Return phrase → path → how well the file matches (0 to 1), and the keys of chunks that contain a quoted phrase.

    Quoted words must occur as written. A compound is a term of the index, scored relative to the best chunk; a file
    that defines it gets 1.
    """
    paths = {item.key: item.path for item in candidates.items} if phrases else {}
    shares: dict[str, dict[str, float]] = {}
    quoted_keys: set[int] = set()
    for phrase, scores in zip(phrases, candidates.phrases, strict=False):
        matching = _as_written(phrase, scores, texts) if phrase.quoted else scores
        enough = 0.0 if phrase.quoted else enough_share * max(matching.values(), default=0.0)
        file_shares = shares.setdefault(phrase.text, {})
        for key, score in matching.items():
            if key in paths:
                share = min(1.0, score / enough) if enough else 1.0
                file_shares[paths[key]] = max(file_shares.get(paths[key], 0.0), share)
        defining = {known.path for known in candidates.definitions if known.symbol.name.lower() == phrase.text.lower()}
        file_shares.update(dict.fromkeys(defining & file_shares.keys(), 1.0))
        quoted_keys.update(matching if phrase.first else ())
    return shares, frozenset(quoted_keys)


def _is_message(question: Question, runs: Mapping[int, Run]) -> bool:
    """Tell whether a question with a quoted phrase is a message that stands in the code: it has a longer run.

    Messages quote their values ("Table 'users' does not exist"); what they quote is not what is asked for.
    """
    longest = max((len(words_of(phrase.text)) for phrase in question.phrases if phrase.first), default=0)
    return longest > 0 and any(run.share > MESSAGE and len(run.words) > longest + 1 for run in runs.values())


def _likely_to_have(scores: Mapping[int, float]) -> list[int]:
    """Return the best chunks that have the words of a phrase: those that are read to see whether they have it."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:MOST_VERIFIED]


def _as_written(phrase: Phrase, scores: Mapping[int, float], texts: Mapping[int, str]) -> dict[int, float]:
    """Return the best chunks that contain a quoted phrase as written, ignoring case and spacing."""
    sought = folded(phrase.text)
    return {key: scores[key] for key in _likely_to_have(scores) if key in texts and sought in folded(texts[key])}


def _absent_phrases(evidence: Evidence, candidates: Candidates) -> tuple[Message, ...]:
    """Say which phrases in double quotes stand nowhere as written; nothing where not all places could be checked."""
    paths = [path.lower() for path in evidence.paths]
    absent = [
        f'"{phrase.text}"'
        for phrase, scores in zip(evidence.question.phrases, candidates.phrases, strict=False)
        if phrase.first and not evidence.phrases.get(phrase.text) and len(scores) <= MOST_VERIFIED
        if not any(phrase.text.lower() in path for path in paths)
    ]
    return (say("asking.phrases", names=absent),) if absent else ()


def _built_alike(editing: Sequence[str], best: Sequence[str], store: Store) -> dict[str, float]:
    """Return how similar each of the best files is to the edited ones, by what they define."""
    if not editing:
        return {}
    symbols = store.symbols_in((*editing, *best))
    edited = [outline(symbols.get(path, ())) for path in editing]
    built = {path: outline(symbols.get(path, ())) for path in best if path not in editing}
    return {path: max(likeness(own, other) for own in edited) for path, other in built.items()}
