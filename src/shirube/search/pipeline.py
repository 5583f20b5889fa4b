"""From a question to hits: terms and vector, candidates, one score with its reasons, previews."""

from collections.abc import Sequence
from dataclasses import dataclass

from shirube.config import SearchConfig
from shirube.embed import Embedder
from shirube.embed.quantize import to_int8
from shirube.search.fusion import fuse
from shirube.store import Ask, Candidate, Store
from shirube.text import Strategy, tokenize
from shirube.types import Hit, Mode, Query, Reason

WIDENED = "words: nothing has the compounds as written, so their parts were searched"


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of one page, and whether there are more."""

    hits: tuple[Hit, ...]
    more: bool
    total: int
    degraded: tuple[str, ...]
    certain: bool = True
    """Whether the words of the question were found as written, rather than their parts or their neighbours."""


def search(query: Query, store: Store, embedder: Embedder, config: SearchConfig) -> Found:
    """Return the hits for a question, best first."""
    tokens = tuple(tokenize(query.text, Strategy(config.tokenization)))
    terms = tokens if query.mode != Mode.DENSE else ()
    dense = query.mode in (Mode.DENSE, Mode.HYBRID)
    vector = to_int8(embedder.query(query.text, tokens)).tobytes() if dense else b""
    weights = {"content": config.fields.content, "symbols": config.fields.symbols, "path": config.fields.path}
    wanted = max(config.candidates, query.offset + query.limit + 1)
    found = store.candidates(Ask(terms, weights, vector, query.scope, wanted))
    ranked = _ranked(found.items, query.mode)
    degraded = found.degraded
    parts = tuple(tokenize(query.text, Strategy.HYBRID)) if terms and not ranked else ()
    if set(parts) > set(terms):
        found = store.candidates(Ask(parts, weights, vector, query.scope, wanted))
        ranked, degraded = _ranked(found.items, query.mode), (*found.degraded, WIDENED)
    page = ranked[query.offset : query.offset + query.limit]
    texts = store.texts([candidate.key for candidate, _ in page])
    hits = tuple(_hit(candidate, why, texts, config.preview_lines) for candidate, why in page)
    more, worded = len(ranked) > query.offset + query.limit, any(one.lexical > 0 for one in found.items)
    certain = worded and WIDENED not in degraded
    return Found(hits, more, len(ranked), degraded if ranked else found.degraded, certain)


def _ranked(items: Sequence[Candidate], mode: Mode) -> list[tuple[Candidate, tuple[Reason, ...]]]:
    """Return candidates with their reasons in the order of the score; ties go by path, then line."""
    if mode == Mode.HYBRID:
        reasons = _fused(items)
    elif mode == Mode.DENSE:
        reasons = [(c, (Reason("dense", c.cosine, "cosine"),)) for c in items if c.cosine is not None]
    else:
        reasons = [(c, (Reason("bm25", c.lexical),)) for c in items if c.lexical > 0]
    return sorted(reasons, key=lambda pair: (-_score(pair[1]), pair[0].path, pair[0].start_line, pair[0].end_line))


def _fused(items: Sequence[Candidate]) -> list[tuple[Candidate, tuple[Reason, ...]]]:
    by_words = sorted((c for c in items if c.lexical > 0), key=lambda c: (-c.lexical, c.path, c.start_line))
    by_sense = sorted((c for c in items if c.cosine is not None), key=_by_cosine)
    shares = fuse({"bm25": [c.key for c in by_words], "dense": [c.key for c in by_sense]})
    known = {c.key: c for c in items}
    return [
        (known[key], tuple(Reason(f"rrf:{leg}", points) for leg, points in legs.items()))
        for key, legs in shares.items()
    ]


def _by_cosine(candidate: Candidate) -> tuple[float, str, int]:
    return (-(candidate.cosine or 0.0), candidate.path, candidate.start_line)


def _score(why: tuple[Reason, ...]) -> float:
    return sum(reason.points for reason in why)


def _hit(candidate: Candidate, why: tuple[Reason, ...], texts: dict[int, str], lines: int) -> Hit:
    return Hit(
        path=candidate.path,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        symbol=candidate.symbol,
        kind=candidate.kind,
        language=candidate.language,
        score=round(_score(why), 6),
        similarity=None,
        why=why,
        preview="\n".join(texts.get(candidate.key, "").rstrip("\n").split("\n")[:lines]),
    )
