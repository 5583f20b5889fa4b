"""Step 1: what speaks for itself. What the search found, and what tests, output, diffs, hints and open files name."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from shirube.engine.search import HitPage
from shirube.engine.search.rank import Ranked, Role, role_of
from shirube.engine.store.port import Ask, Candidate, Definition, Store
from shirube.errors import BadDiff
from shirube.features.lookup.context.clues import Clues
from shirube.features.lookup.context.cut import Pages
from shirube.features.lookup.context.offers import Offers
from shirube.features.lookup.context.patch import FilePatch, spots
from shirube.features.lookup.context.pick import Picker
from shirube.messages import Message, say
from shirube.settings import ContextConfig, Profile
from shirube.types import Piece, Reason

MOST_FILES = 80
"""Files of the search that are offered; behind these nothing is worth its tokens."""
MOST_PLACES = 6
"""Places of one file that are offered."""
MOST_HUNKS = 40
MOST_TOLD = 5
MOST_NAMES = 40


class Tools(Struct, frozen=True):
    """What every step needs."""

    store: Store
    pages: Pages
    picker: Picker
    config: ContextConfig
    profile: Profile


def gather(clues: Clues, found: HitPage, tools: Tools) -> tuple[Offers, tuple[Message, ...]]:
    """Return everything that speaks for itself, and what the caller should be warned of."""
    offers = Offers()
    _from_search(offers, found, clues.editing, tools)
    _from_mentions(offers, clues, tools)
    _from_tests(offers, clues, tools)
    _from_hints(offers, clues, tools)
    warnings = (*clues.warnings, *_from_patches(offers, clues.patches, tools))
    for path in clues.editing:
        _of_file(offers, path, Reason("artifact:editing_path", tools.profile.editing / 2), tools)
    return offers, warnings


def _from_search(offers: Offers, found: HitPage, editing: Sequence[str], tools: Tools) -> None:
    """Offer the places of the files found: the first for what the file is worth, each further one for less."""
    files = found.ranked[:MOST_FILES]
    others = [file.score for file in files if file.path not in editing] or [file.score for file in files]
    top = max(others, default=1.0)
    for file in files:
        reasons = [Reason(reason.name, reason.points / top, reason.detail) for reason in file.why]
        for place, chunk in enumerate(file.chunks[:MOST_PLACES]):
            share = _beside(chunk, file) * tools.config.further**place
            piece = Piece(0, 0, chunk.start_line, chunk.end_line, chunk.symbol, chunk.kind)
            less = Reason("further place", (share - 1) * file.score / top)
            offers.add(file.path, piece, [*reasons, less] if place else reasons)


def _beside(chunk: Candidate, file: Ranked) -> float:
    """Return what a chunk is worth beside the best of its file, by words or else by sense."""
    best = max(one.lexical for one in file.chunks)
    if best > 0:
        return chunk.lexical / best
    near = max(one.cosine or 0.0 for one in file.chunks)
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
    """Offer the tests that fail: by what defines their name, or by their title in a file that was named."""
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


def _from_hints(offers: Offers, clues: Clues, tools: Tools) -> None:
    for path in clues.files:
        _of_file(offers, path, Reason("artifact:hint", tools.config.hint), tools)
    for found, wanted in _defined(clues.names, tools.store):
        _of_definition(offers, found, Reason(f"artifact:hint:{wanted}", tools.config.hint), tools)


def _from_patches(offers: Offers, patches: Sequence[FilePatch], tools: Tools) -> tuple[Message, ...]:
    """Offer what a diff changes, as it stands now; a file that is not indexed is told, not guessed."""
    unknown, hunks = [], 0
    for patch in patches:
        path = next((name for name in (patch.new, patch.old) if name and tools.pages.pieces(name)), "")
        if not path:
            unknown.append(patch)
            continue
        for spot in spots(patch, tools.pages.lines(path)) if patch.new else []:
            hunks += 1
            for piece in _touched(tools.pages.pieces(path), spot.start, spot.end) if hunks <= MOST_HUNKS else ():
                focus = max(spot.start, piece.start_line)
                offers.add(path, piece, [Reason("artifact:diff", tools.config.diff)], focus)
    if unknown and len(unknown) == len(patches) and any(patch.old for patch in patches):
        raise BadDiff("bundle.diff_nowhere", path=unknown[0].path)
    told = [say("bundle.diff_changes", path=patch.path) for patch in unknown if patch.new][:MOST_TOLD]
    if hunks > MOST_HUNKS:
        told.append(say("bundle.diff_hunks", count=hunks, most=MOST_HUNKS))
    return tuple(told)


def _touched(pieces: Iterable[Piece], start: int, end: int) -> list[Piece]:
    return [piece for piece in pieces if piece.start_line <= end and piece.end_line >= start]


def _defined(names: Sequence[str], store: Store) -> list[tuple[Definition, str]]:
    """Return where names are defined, in what they are said to be in."""
    wanted = {name: name.rpartition(".") for name in names[:MOST_NAMES] if " " not in name and name}
    if not wanted:
        return []
    found = store.candidates(Ask(names=tuple({last.lower() for _, _, last in wanted.values()}))).definitions
    return [
        (one, name)
        for name, (outer, _, last) in wanted.items()
        for one in found
        if one.symbol.name == last and (not outer or _is_in(one, outer))
    ]


def _is_in(found: Definition, outer: str) -> bool:
    """Tell whether a definition is in what its name says: a class, a module, or (in Rust) a directory."""
    inner = outer.rpartition(".")[2].lower()
    return inner in found.symbol.scope.lower().split(".") or inner in found.path.lower() or not found.symbol.scope


def _of_definition(offers: Offers, found: Definition, reason: Reason, tools: Tools) -> None:
    piece = tools.pages.piece_at(found.path, found.symbol.start_line)
    if piece is not None:
        offers.add(found.path, piece, [reason], found.symbol.start_line)


def _of_file(offers: Offers, path: str, reason: Reason, tools: Tools) -> None:
    """Offer the best part of a file that was named as a whole."""
    known = offers.of(path)
    if known:
        piece = Piece(0, 0, known[0].start, known[0].end, known[0].symbol, known[0].kind)
        offers.add(path, piece, [reason])
    elif (best := tools.picker.best(path)) is not None:
        offers.add(path, best[0], [reason])
