"""The five steps of seed 001's ``context_bundle``: gather, add what is connected, rank, cut, fit.

It starts with what the search found and what tests, output, diffs, hints and open files name. It adds files that the
best of these import or are imported by, one or two steps away, and files of the named directories that contain the
words. Each added file contributes its best piece, with more points the better it fits the question.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.engine.embed.port import Embedder
from shirube.engine.graph.closure import Direction, SpreadShare, spread
from shirube.engine.parse.languages import language_of
from shirube.engine.search import HitPage
from shirube.engine.search.question import Question
from shirube.engine.search.rank import Ranked
from shirube.engine.search.roles import Role, role_of
from shirube.engine.store.lookups import EveryLink
from shirube.engine.store.port import Ask, Candidate, Candidates, Definition
from shirube.engine.store.scope import ScopeFilter
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import index_terms
from shirube.features.lookup.context.clues import Clues
from shirube.features.lookup.context.fit import Offers, Room, Snippet, SourceFiles, fit
from shirube.features.lookup.context.named import spellings, told_by_words
from shirube.features.lookup.context.patch import FilePatch, Hunk, LineSpan, place_hunk
from shirube.features.lookup.results import Omitted
from shirube.messages import Message, say
from shirube.settings import ContextConfig, Profile
from shirube.types import BIG_KINDS, Chunk, Reason, Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMED = 1.0
"""The points for defining a name that was asked for; matching every word, or the full meaning, gives 1 as well."""
MOST_FILES = 80
"""How many files of the search are offered; later ones are not worth their tokens."""
MOST_PLACES = 6
"""How many places of one file are offered."""
MOST_TOLD_FILES = 12
"""In how many of the best files the names of functions are compared with the goal's words."""
NEARLY = 0.99
"""What a function told by its name is worth at most of the best place of its file: files keep their order."""
HEAD_LINES = 8
"""How many lines of a class are offered for its name alone."""
MOST_OF_A_NAME = 3
"""How many definitions of one name are offered."""
MOST_HUNKS = 40
MOST_TOLD = 5
MOST_NAMES = 40
DEPTH = 2
MOST_SEEDS = 12
MOST_ADDED = 16
MOST_DIRECTORIES = 3
NEAR_CHUNKS = 12


@dataclass(slots=True)
class Picker:
    """Compares pieces of files with one question."""

    pages: SourceFiles
    embedder: Embedder
    question: str
    terms: frozenset[str] = field(default_factory=frozenset)
    _vector: "NDArray[Any] | None" = None

    def __post_init__(self) -> None:
        self.terms = frozenset(index_terms(self.question))

    def best(self, path: str, names: Collection[str] = ()) -> tuple[Chunk, float] | None:
        """Return the piece of a file that fits best, and how well: from 0 (not at all) to 1 (all words and meaning)."""
        pieces = self.pages.pieces(path)
        if not pieces:
            return None
        telling = [at for at, piece in enumerate(pieces) if not self.pages.is_bare(path, piece)]
        near = self._cosines(path) if self.embedder.trained else {}
        fits = [self._fit(path, piece, near.get(at, 0.0)) for at, piece in enumerate(pieces)]
        named = [NAMED * (piece.symbol.rpartition(".")[2] in names) for piece in pieces]
        at = max(telling or range(len(pieces)), key=lambda at: (fits[at] + named[at], bool(pieces[at].symbol), -at))
        return pieces[at], min(1.0, fits[at])

    def _fit(self, path: str, piece: Chunk, cosine: float) -> float:
        there = self.pages.text(path, piece.start_line, piece.end_line).lower()  # stems are parts of words
        words = sum(term in there for term in self.terms) / len(self.terms) if self.terms else 0.0
        return (words + max(0.0, cosine)) / 2 if self.embedder.trained else words

    def _cosines(self, path: str) -> Mapping[int, float]:
        if self._vector is None:
            self._vector = self.embedder.query(self.question)[0]
        nothing = self.embedder.background
        near = cosines(self.pages.store.vectors(path), self._vector)
        return {at: (cosine - nothing) / (1 - nothing) for at, cosine in enumerate(near)}


def cosines(vectors: bytes, wanted: "NDArray[Any]") -> list[float]:
    """Return the cosine of each stored vector with another; stored vectors are quantized to bytes."""
    import numpy as np

    rows = np.frombuffer(vectors, dtype=np.int8).reshape(-1, len(wanted)).astype(np.float32)
    values: list[float] = (rows @ wanted / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)).tolist()
    return values


class Tools(Struct, frozen=True):
    """What every step needs."""

    store: Store
    pages: SourceFiles
    picker: Picker
    config: ContextConfig
    profile: Profile
    words: Mapping[str, float] = {}
    """The words of the goal as names have them, in English, with their weights."""
    scope: Scope = Scope()
    """Where names are looked up."""

    @classmethod
    def of(
        cls, store: Store, embedder: Embedder, question: Question, config: ContextConfig, profile: Profile
    ) -> "Tools":
        """Return the tools for one question."""
        pages = SourceFiles(store)
        return cls(store, pages, Picker(pages, embedder, question.text), config, profile, question.in_names)


def gather(clues: Clues, found: HitPage, tools: Tools) -> tuple[Offers, tuple[Message, ...]]:
    """Return the offers from the search and the clues, and warnings for the caller."""
    offers = Offers()
    named = (mention.path for mention in clues.mentions)
    patched = (path for patch in clues.patches for path in patch.files)
    defining = (found.path for asked in tools.store.look(*definition_asks(clues)) for found in asked.definitions)
    artifacts = [*named, *patched, *clues.files, *clues.editing, *defining]
    files = (file.path for file in found.ranked[:MOST_FILES])
    tools.store.expect(EveryLink(), *tools.pages.lookups([*files, *artifacts]), *_asks_near(artifacts, tools).values())
    _from_search(offers, found, clues.editing, tools)
    _from_names(offers, clues, found, tools)
    _from_mentions(offers, clues, tools)
    _from_tests(offers, clues, tools)
    for path in clues.files:
        _of_file(offers, path, Reason("artifact:hint", tools.config.hint), tools)
    for hinted, wanted in _defined(clues.names, tools.store):
        _of_definition(offers, hinted, Reason(f"artifact:hint:{wanted}", tools.config.hint), tools)
    warnings = _from_patches(offers, clues, tools)
    for path in clues.editing:
        _of_file(offers, path, Reason("artifact:editing_path", tools.profile.editing / 2), tools)
    return offers, warnings


def _from_search(offers: Offers, found: HitPage, editing: Sequence[str], tools: Tools) -> None:
    """Offer the places of the files found: the first with the full score of its file, each further one with less."""
    files = found.ranked[:MOST_FILES]
    others = [file.score for file in files if file.path not in editing] or [file.score for file in files]
    top = max(others, default=1.0)
    for file in files:
        reasons = [Reason(reason.name, reason.points / top, reason.detail) for reason in file.why]
        places = [chunk for chunk in file.chunks[:MOST_PLACES] if not tools.pages.is_bare(file.path, chunk)]
        if not places and (best := _telling(file.path, tools)) is not None:
            offers.add(file.path, best[0], reasons)
        for place, chunk in enumerate(places):
            share = _beside(chunk, file) * tools.config.further**place
            piece = Chunk(0, 0, chunk.start_line, chunk.end_line, chunk.symbol, chunk.kind)
            less = Reason("further place", (share - 1) * file.score / top)
            offers.add(file.path, piece, [*reasons, less] if place else reasons)


def _telling(path: str, tools: Tools, names: Collection[str] = ()) -> tuple[Chunk, float] | None:
    """Return the best piece of a file that nobody named; None for a file of imports."""
    best = tools.picker.best(path, names)
    return None if best is None or tools.pages.is_bare(path, best[0]) else best


def _from_names(offers: Offers, clues: Clues, found: HitPage, tools: Tools) -> None:
    """Offer the definitions that the goal names, and functions of the best files that its words tell."""
    ranks = {file.path: rank for rank, file in enumerate(found.ranked)}
    worth = {file.path: file.score / found.ranked[0].score for file in found.ranked[:MOST_TOLD_FILES]}
    within = ScopeFilter(tools.scope)
    inside = [pair for pair in _defined(clues.called, tools.store) if within(pair[0].path, language_of(pair[0].path))]
    for name, defined in groupby(inside if not tools.scope.tags else (), lambda pair: pair[1]):
        every = sorted(
            (one for one, _ in defined if one.symbol.kind != "test"), key=lambda one: ranks.get(one.path, len(ranks))
        )
        likely = [one for one in every if role_of(one.path, "") is not Role.TEST] or every
        reason = Reason(f"definition:{name}", tools.config.hint / max(1, len(likely) / MOST_OF_A_NAME))
        for one in likely[:MOST_OF_A_NAME]:
            _of_definition(offers, one, reason, tools, HEAD_LINES if one.symbol.kind in BIG_KINDS else 0)
            worth[one.path] = 1.0
    for path, symbol, fits in told_by_words(tools.store.symbols_in(worth), tools.words):
        if (piece := tools.pages.piece_at(path, symbol.start_line)) is not None:
            offer = offers.add(path, piece, (), symbol.start_line)
            points = min(tools.config.named * fits * worth[path], NEARLY * worth[path] - offer.score)
            offers.add(path, piece, [Reason(f"definition:{symbol.name}", max(0.0, points))])


def _beside(chunk: Candidate, file: Ranked) -> float:
    """Return the score of a chunk relative to the best of its file, by words or else by meaning."""
    best = max(item.lexical for item in file.chunks)
    if best > 0:
        return chunk.lexical / best
    near = max(item.cosine or 0.0 for item in file.chunks)
    return (chunk.cosine or 0.0) / near if near > 0 else 1.0


def _from_mentions(offers: Offers, clues: Clues, tools: Tools) -> None:
    """Offer the places that output names."""
    lines = {mention.path for mention in clues.mentions if mention.line}
    for mention in clues.mentions:
        points = tools.config.error * mention.weight
        piece = tools.pages.piece_at(mention.path, mention.line) if mention.line else None
        if piece is not None:
            reason = Reason(f"artifact:output:{mention.line}", points, mention.message)
            offers.add(mention.path, piece, [reason], mention.line)
        elif mention.path not in lines:
            _of_file(offers, mention.path, Reason("artifact:failing_test", points / 2), tools)


def _from_tests(offers: Offers, clues: Clues, tools: Tools) -> None:
    """Offer the failing tests: the definitions of their names, or the lines with their titles in named files."""
    files = {mention.path for mention in clues.mentions}
    for found, wanted in _defined(clues.tests, tools.store):
        if found.path in files or not files or role_of(found.path, "") is Role.TEST:
            _of_definition(offers, found, Reason(f"artifact:failing_test:{wanted}", tools.config.test), tools)
    for title in (test for test in clues.tests if " " in test):
        last = title.rpartition(" > ")[2].rpartition(" › ")[2]
        for path in sorted(files):
            line = next((n for n, text in enumerate(tools.pages.lines(path), 1) if last in text), 0)
            if line and (piece := tools.pages.piece_at(path, line)) is not None:
                offers.add(path, piece, [Reason(f"artifact:failing_test:{last}", tools.config.test)], line)


def _from_patches(offers: Offers, clues: Clues, tools: Tools) -> tuple[Message, ...]:
    """Offer what the diffs change, as far as it is here; return warnings that name the rest, and the next step."""
    faults, absent, hunks, found = list(clues.warnings), [], 0, False
    for patch in clues.patches:
        wanted = patch.hunks[: max(0, MOST_HUNKS - hunks)] if patch.new else []
        path, places = _placed(patch, wanted, tools)
        found = found or bool(path)
        if not path and patch.path:
            absent.append(say("bundle.diff_changes" if patch.new else "bundle.diff_deletes", path=patch.path))
        elif path and patch.hunks and patch.new:
            hunks += len(patch.hunks)
            faults += _of_hunks(offers, path, list(zip(wanted, places, strict=True)), tools)
        elif path:
            for file in patch.files:
                points = tools.config.diff / 2 / len(patch.files)
                _of_file(offers, file, Reason("artifact:diff", points), tools)
    if hunks > MOST_HUNKS:
        absent.append(say("bundle.diff_hunks", count=hunks, most=MOST_HUNKS))
    more = [say("bundle.diff_more", count=len(faults) - MOST_TOLD)] if len(faults) > MOST_TOLD else []
    lost = not found and any(patch.old and patch.new for patch in clues.patches)
    again = [say("bundle.diff_again")] if faults or lost else []
    return (*faults[:MOST_TOLD], *more, *absent[:MOST_TOLD], *again)


def _of_hunks(
    offers: Offers, path: str, places: Sequence[tuple[Hunk, tuple[LineSpan, bool] | None]], tools: Tools
) -> list[Message]:
    """Offer the pieces that hunks change; return a warning for each hunk that no longer fits."""
    faults = []
    for number, (hunk, place) in enumerate(places, 1):
        if place is None:
            # Half the points for the function that the hunk's heading names, else for the best piece of the file.
            half = Reason("artifact:diff", tools.config.diff / 2)
            words = set(re.findall(r"\w+", hunk.heading))
            named = (piece for piece in tools.pages.pieces(path) if piece.symbol.rpartition(".")[2] in words)
            if (headed := next(named, None)) is not None:
                offers.add(path, headed, [half])
            else:
                _of_file(offers, path, half, tools)
            faults.append(say("bundle.diff_unfit", path=path, number=number))
            continue
        span, fits = place
        for piece in tools.pages.pieces(path):
            if piece.start_line <= span.end and piece.end_line >= span.start:
                reason = Reason("artifact:diff", tools.config.diff)
                offers.add(path, piece, [reason], max(span.start, piece.start_line))
        faults += [] if fits else [say("bundle.diff_near", path=path, number=number)]
    return faults


def _placed(
    patch: FilePatch, hunks: Sequence[Hunk], tools: Tools
) -> tuple[str, Sequence[tuple[LineSpan, bool] | None]]:
    """Return the file that a patch is about, and where its hunks are; "" if it is not here.

    It is the file of that name, else the one its path may mean that has its lines.
    """
    exact = [name for name in (patch.new, patch.old) if name in patch.files][:1]
    places = {}
    for path in exact or patch.files:
        lines = [line.rstrip() for line in tools.pages.lines(path)] if hunks else []
        places[path] = [place_hunk(hunk, lines) for hunk in hunks]
    best = max(places, key=lambda path: sum(place is not None for place in places[path]), default="")
    if not exact and hunks and not any(places.get(best, ())):
        return "", ()
    return best, places.get(best, ())


def _defined(names: Sequence[str], store: Store) -> list[tuple[Definition, str]]:
    """Return the definitions of names, else of other spellings; what stands before a name must fit scope or path."""
    ask = _defining(_plain(names))
    found = store.candidates(ask).definitions if ask else ()
    defined = []
    for name in dict.fromkeys(_plain(names)):
        outer, _, last = name.rpartition(".")
        inside = [item for item in found if not outer or _is_in(item, outer)]
        exact = [item for item in inside if item.symbol.name == last]
        alike = spellings(last)
        defined += [(item, name) for item in exact or inside if exact or item.symbol.name.lower() in alike]
    return defined


def _defining(names: Iterable[str]) -> Ask | None:
    forms = dict.fromkeys(form for name in names for form in spellings(name.rpartition(".")[2]))
    return Ask(names=tuple(forms)) if forms else None


def _plain(names: Sequence[str]) -> list[str]:
    return [name for name in names[:MOST_NAMES] if " " not in name and name]


def definition_asks(clues: Clues) -> list[Ask]:
    """Return what is asked about the names in the goal, of failing tests and hints."""
    return [ask for names in (clues.called, clues.tests, clues.names) if (ask := _defining(_plain(names)))]


def _is_in(found: Definition, outer: str) -> bool:
    """Tell whether a definition is inside what its name says: a class, a module, or (in Rust) a directory."""
    inner = outer.rpartition(".")[2].lower()
    return inner in found.symbol.scope.lower().split(".") or inner in found.path.lower() or not found.symbol.scope


def _of_definition(offers: Offers, found: Definition, reason: Reason, tools: Tools, lines: int = 0) -> None:
    """Offer the piece with a definition, or only so many lines of it."""
    start = found.symbol.start_line
    piece = tools.pages.piece_at(found.path, start)
    if piece is not None and 0 < lines <= piece.end_line - start:
        piece = Chunk(0, 0, start, start + lines - 1, found.symbol.qualified, found.symbol.kind)
    if piece is not None:
        offers.add(found.path, piece, [reason], start)


def _of_file(offers: Offers, path: str, reason: Reason, tools: Tools) -> None:
    """Offer the best piece of a file that was named as a whole."""
    known = offers.of(path)
    if known:
        piece = Chunk(0, 0, known[0].start, known[0].end, known[0].symbol, known[0].kind)
        offers.add(path, piece, [reason])
    elif (best := tools.picker.best(path)) is not None:
        offers.add(path, best[0], [reason])


def expand(offers: Offers, tools: Tools) -> None:
    """Add files connected by imports, and files in the same directories."""
    worth: dict[str, float] = {}  # the best score of each file before anything is added
    for offer in offers.ranked():
        worth.setdefault(offer.path, offer.score)
    seeds = dict(list(worth.items())[:MOST_SEEDS])
    reached = spread(tools.store, seeds, DEPTH, tools.config.decay)
    nearest = sorted(reached, key=lambda path: (-reached[path].share, path))[:MOST_ADDED]
    near = _near(offers, tools)
    beside = (item.path for found in near.values() for item in found.items)
    tools.store.expect(*tools.pages.lookups([*nearest, *beside]))
    imports = _imported_names(tools, {path: reached[path] for path in nearest})
    for path in nearest:
        if (best := _telling(path, tools, imports.get(path, ()))) is not None:
            reach, (piece, fits) = reached[path], best
            name = f"dep:{reach.source}" if reach.direction is Direction.OUTBOUND else f"dep:uses {reach.source}"
            points = tools.config.dependency * tools.profile.dependency * reach.share * (0.5 + fits)
            offers.add(path, piece, [Reason(name, points, f"{reach.depth} steps")])
    # Of the directories of files named by output, a diff or the editor: files that contain the words.
    for directory, found in near.items():
        most = max((item.lexical for item in found.items), default=0.0)
        for item in found.items if most > 0 else ():
            points = tools.config.proximity * tools.profile.proximity * item.lexical / most
            place = tools.pages.piece_at(item.path, item.start_line)
            if place is not None and item.lexical > 0 and not tools.pages.is_bare(item.path, place):
                offers.add(item.path, place, [Reason(f"near:{directory or '.'}", points)])


def _imported_names(tools: Tools, reached: Mapping[str, SpreadShare]) -> dict[str, tuple[str, ...]]:
    """Return the names that its importer takes from each file; the pieces that define them are the ones to show."""
    importers = {
        reach.source for reach in reached.values() if reach.direction is Direction.OUTBOUND and reach.depth == 1
    }
    imports = tools.store.imports(sorted(importers)) if importers else {}
    by_line = {(path, item.line): item.names for path, entries in imports.items() for item in entries}
    return {path: by_line.get((reach.source, reach.line), ()) for path, reach in reached.items()}


def _near(offers: Offers, tools: Tools) -> dict[str, Candidates]:
    """Return by directory what has the words beside files that were named."""
    named = [offer.path for offer in offers.ranked() if any(name.startswith("artifact:") for name in offer.reasons)]
    asks = _asks_near(named, tools)
    return dict(zip(asks, tools.store.look(*asks.values()), strict=True))


def _asks_near(paths: Iterable[str], tools: Tools) -> dict[str, Ask]:
    """Return by directory what is asked about the neighbours of the first of these files."""
    directories = list(dict.fromkeys(path.rpartition("/")[0] for path in paths))[:MOST_DIRECTORIES]
    terms = dict.fromkeys(sorted(tools.picker.terms), 1.0)
    fields = {"content": terms, "symbols": terms}
    scopes = ((directory, Scope(path=f"{directory}/*" if directory else "*")) for directory in directories)
    return {directory: Ask(fields, scope=scope, limit=NEAR_CHUNKS) for directory, scope in scopes}


class Bundle(Struct, frozen=True):
    """What to read, and what was left out."""

    snippets: tuple[Snippet, ...]
    omitted: tuple[Omitted, ...]
    """The best offers that did not fit."""
    omitted_total: int
    """How many offers did not fit."""
    tokens: int
    warnings: tuple[Message, ...]


def assemble(clues: Clues, found: HitPage, tools: Tools, room: Room) -> Bundle:
    """Build a bundle from what the clues name, what the search found, and what is connected to either."""
    offers, warnings = gather(clues, found, tools)
    expand(offers, tools)
    snippets, omitted, total = fit(offers.ranked(), tools.pages, room)
    if clues.elsewhere:
        warnings += (say("bundle.no_file", count=clues.elsewhere),)
    return Bundle(snippets, omitted, total, sum(item.tokens for item in snippets), warnings)
