"""The places of an answer: their order, the lines to show of each, and the preview."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from heapq import merge
from itertools import islice

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.search.evidence import Evidence, spellings
from shirube.engine.search.rank import FileScores, Ranked
from shirube.engine.search.signals import CALLABLES, frame_reason, nearest_frame
from shirube.engine.store.port import Candidate
from shirube.engine.store.store import Store
from shirube.types import Hit, Place, Reason, Symbol

ALSO = 3
"""How many further places of a file a hit lists beside its own."""
WHOLE_LINES = 120
"""A function up to this many lines is shown as one place, though it was indexed in pieces."""
VERBATIM = 0.5
"""A run with more of the question than this is what the preview shows."""
AROUND = 24
"""Of a long place so many lines are shown together, or about so many."""
ALL_LINES = 10_000
"""So many lines of a place are all of it, because no chunk is longer."""
LEAST_GAP = 1e-3
"""How many points less than the best place of its file a further place has at least."""


class RankedPlace(Struct, frozen=True):
    """A place in the order of the answer."""

    file: Ranked
    number: int
    score: float


def in_order(ranking: FileScores, ranked: Sequence[Ranked]) -> Iterator[RankedPlace]:
    """Yield all places: the best one of each file in the order of the files, then the further ones.

    One further place, the best of all, stands among the files where its own points put it: the second place of a sure
    file is more likely right than the first of a poor one. If pasted output names places, it is these instead.
    """
    yield from _sought(ranking, ranked)
    among = _among(ranking, ranked)
    yield from merge(map(best_place, ranked), among, key=lambda place: -place.score)  # most are never asked for
    candidates = ranking.evidence.places
    rest = [place for file in ranked for place in _further(ranking, file) if place not in among]
    rest.sort(key=lambda place: (-place.score, place.file.path, candidates[place.number].start_line))
    least = min([ranked[-1].score, *(place.score for place in among)])
    for at, place in enumerate(rest, 1):  # below all of these
        yield replace(place, score=least * (1 - at / (len(rest) + 1)))


def by_turns(ranking: FileScores, ranked: Sequence[Ranked]) -> Iterator[RankedPlace]:
    """Yield all places by the rank of their file times their rank in it, which is how likely they answer.

    So the third place of the best file comes before the best place of the fourth. Places that pasted output names
    keep their order.
    """
    if ranking.evidence.frames:
        yield from in_order(ranking, ranked)
        return
    yield from _sought(ranking, ranked)
    further = cache(lambda number: _further(ranking, ranked[number - 1]))
    for product in range(1, len(ranked) + 1):
        turn = [best_place(ranked[product - 1])]
        for number in (number for number in range(1, product // 2 + 1) if product % number == 0):
            turn += further(number)[product // number - 2 :][:1]
        yield from sorted(turn, key=lambda place: -place.score)
    rest = [
        (number * turn, -place.score, place)
        for number in range(1, len(ranked) + 1)
        for turn, place in enumerate(further(number), 2)
        if number * turn > len(ranked)
    ]
    yield from (place for _, _, place in sorted(rest, key=lambda one: one[:2]))


def _sought(ranking: FileScores, ranked: Sequence[Ranked]) -> Iterator[RankedPlace]:
    """Yield the places that define a name asked for."""
    files = {file.number: file for file in ranked} if ranking.sought else {}
    for at, (score, _) in ranking.sought.items():
        yield RankedPlace(files[int(ranking.evidence.owners[at])], at, score)


def best_place(file: Ranked) -> RankedPlace:
    """Return the best place of a file, which has the score of the file."""
    return RankedPlace(file, file.numbers[0], file.score)


def _among(ranking: FileScores, ranked: Sequence[Ranked]) -> list[RankedPlace]:
    """Return the further places that stand among the files, best first: those pasted output names, or the best one."""
    if ranking.evidence.frames:
        every = [place for file in ranked for place in _further(ranking, file)]
        named = set(ranking.framed([place.number for place in every]))
        return sorted((one for one in every if one.number in named and one.score > 0), key=lambda one: -one.score)
    best: list[RankedPlace] = []
    for file in ranked:
        if best and best[0].score >= file.score:
            break  # further places have less than their file
        best = sorted([*best, *_further(ranking, file)[:1]], key=lambda place: -place.score)[:1]
    return [place for place in best if place.score > 0]


def _further(ranking: FileScores, file: Ranked) -> list[RankedPlace]:
    """Return the further places of a file, best first; each has less than the file by what it lacks beside the best."""
    points, first = ranking.place_points, file.numbers[0]
    unit = ranking.table.further * ranking.evidence.question.words
    return [
        RankedPlace(file, at, file.score - unit * max(float(points[first] - points[at]), LEAST_GAP))
        for at in file.numbers[1:]
    ]


def with_spans(
    places: Iterator[RankedPlace], ranking: FileScores, store: Store, most: int
) -> list[tuple[RankedPlace, tuple[int, int]]]:
    """Return the first places with the lines to show: a function that was cut into pieces once, and whole."""
    shown: dict[tuple[str, str, int], tuple[RankedPlace, tuple[int, int]]] = {}
    while some := list(islice(places, most - len(shown))):
        chunks = [ranking.evidence.places[place.number] for place in some]
        symbols = store.symbols_of([chunk.key for chunk in chunks if chunk.kind in CALLABLES])
        for place, chunk in zip(some, chunks, strict=True):
            span = shown_span(chunk, symbols.get(chunk.key, ()))
            # Not by its first line: the comment above a function belongs to its first piece only.
            shown.setdefault((chunk.path, chunk.symbol, span[1]), (place, span))
    return list(shown.values())


def shown_span(chunk: Candidate, symbols: Sequence[Symbol]) -> tuple[int, int]:
    """Return the lines to show for a chunk: of a function that is not too long, the whole of it."""
    for symbol in symbols if chunk.kind in CALLABLES else ():
        inside = symbol.start_line <= chunk.end_line and chunk.start_line <= symbol.end_line
        if inside and symbol.qualified == chunk.symbol and symbol.end_line - symbol.start_line < WHOLE_LINES:
            return min(symbol.start_line, chunk.start_line), max(symbol.end_line, chunk.end_line)
    return chunk.start_line, chunk.end_line


def texts_of(
    page: Sequence[tuple[RankedPlace, tuple[int, int]]], ranking: FileScores, store: Store, most: int
) -> dict[int, tuple[str, int]]:
    """Return, by place, the text to choose the preview from and its first line: the chunk, or all of a function."""
    chunks = [ranking.evidence.places[place.number] for place, _ in page]
    texts = store.texts([chunk.key for chunk in chunks])
    found = {}
    for (place, span), chunk in zip(page, chunks, strict=True):
        found[place.number] = texts.get(chunk.key, ""), chunk.start_line
        if span != (chunk.start_line, chunk.end_line) and most > chunk.end_line - chunk.start_line:
            lines = store.text(chunk.path).split("\n")[span[0] - 1 : span[1]]
            found[place.number] = "\n".join(lines), span[0]
    return found


def hit_of(
    place: RankedPlace,
    span: tuple[int, int],
    ranking: FileScores,
    texts: Mapping[int, tuple[str, int]],
    lines: int,
    similar: Callable[[float], float] | None,
) -> Hit:
    """Turn a place into a hit; ``similarity`` is set only when the search used vectors."""
    evidence, file = ranking.evidence, place.file
    chunk = evidence.places[place.number]
    others = [other for at in file.numbers if not span[0] <= (other := evidence.places[at]).start_line <= span[1]]
    more = place.score - file.score
    frame = nearest_frame(evidence, chunk.path, (chunk.start_line, chunk.end_line))[1]
    why = tuple(replace(one, name=frame_reason(frame)) if frame and _is_frame(one) else one for one in file.why)
    why += (Reason("further place", more),) if more else ()
    text, begin = texts[place.number]
    if place.number in ranking.sought:
        frame = ranking.sought[place.number][1]
    focus = frame - begin if frame else _matched_line(evidence, place.number, chunk.start_line - begin)
    if focus is None and lines:
        focus = _telling_line(text, evidence, AROUND if lines >= ALL_LINES else 1)
    shown, first = _preview(text, focus or 0, lines)
    return Hit(
        path=chunk.path,
        start_line=span[0],
        end_line=span[1],
        symbol=chunk.symbol,
        kind=chunk.kind,
        language=chunk.language,
        score=round(place.score, 6),
        similarity=similar(chunk.cosine) if similar and chunk.cosine is not None else None,
        why=why,
        preview=shown,
        preview_line=begin + first,
        match_line=0 if focus is None else begin + focus,
        also=tuple(Place(other.start_line, other.end_line, other.symbol) for other in others[:ALSO]),
    )


def _is_frame(reason: Reason) -> bool:
    return reason.name.partition(":")[0] == "frame"


def _matched_line(evidence: Evidence, number: int, above: int) -> int | None:
    """Return the line of a text where the words of the question begin, if most of it stands there in order."""
    run = evidence.runs.get(number)
    return above + run.line if run and run.share > VERBATIM else None


def _preview(text: str, middle: int, most: int) -> tuple[str, int]:
    """Return the lines to show, and the number of the first of them: the beginning, or what is around the middle."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= most:
        return "\n".join(lines), 0
    first = min(max(0, middle - most // 2), len(lines) - most) if middle >= most else 0
    return "\n".join(lines[first : first + most]), first


def _telling_line(text: str, evidence: Evidence, around: int) -> int | None:
    """Return the line with most of the question in it, or in so many lines around it; the first of equals, if any."""
    lower = text.lower()
    shares = [0.0] * (lower.count("\n") + 1)
    for rare, concept in zip(evidence.rarity, evidence.question.concepts, strict=True):
        for line in {line for term in spellings(concept) for line in _lines_with(term, lower)}:
            shares[line] += rare
    if not any(shares):
        return None
    if around == 1 or len(shares) <= around:
        return shares.index(max(shares))
    sums = [sum(shares[at : at + around]) for at in range(len(shares) - around + 1)]
    first = sums.index(max(sums))
    return first + around // 2


def _lines_with(term: str, text: str) -> Iterator[int]:
    """Yield the numbers of the lines that contain a term."""
    line = begin = 0
    while (at := text.find(term, begin)) >= 0:
        line += text.count("\n", begin, at)
        yield line
        begin = at + len(term)
