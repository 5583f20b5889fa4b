"""Finds chunks by words, by vector and by name in the layers of a ref, with what a look has at hand.

The order of things is that of the embedded store, so that both offer the same candidates.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import FIELDS, Scored, wanted_chunks
from shirube.engine.store.lookups import NameMentions, WhereKnown
from shirube.engine.store.port import Ask, Candidates, Definition, Known, Mentions, Terms, by_score
from shirube.engine.store.postgres.layer import Named
from shirube.engine.store.postgres.needs import Fetched, LookNeeds
from shirube.engine.store.postgres.postings import MOST_KEY, Block, block_key, weight
from shirube.engine.store.postgres.ref_view import RefView, Spot
from shirube.engine.text.tokens import index_terms
from shirube.types import BIG_KINDS, Scope, Symbol

PHRASE_POOL = 400
"""How many chunks with all words of a phrase are found, as in the embedded store."""


def name_key(name: str) -> bytes:
    """Return the key under which the symbols of a name are kept."""
    return name.lower().encode("utf-8", "replace")[:MOST_KEY]


# --- what is needed --------------------------------------------------------------------------------------------


def need_ask(ask: Ask, needs: LookNeeds) -> None:
    """Note what a question needs."""
    needs.directory = True
    needs.terms.update(block_key(field, term) for field, terms in ask.fields.items() for term in terms)
    needs.terms.update(block_key("content", term) for phrase in ask.phrases for term in phrase)
    needs.names.update(name_key(name) for name in (*ask.names, *ask.topics))


def need_known(asked: WhereKnown, needs: LookNeeds) -> None:
    """Note what it takes to tell where terms occur."""
    needs.directory = True
    needs.terms.update(block_key(field, term) for field in FIELDS for term in asked.terms)
    needs.names.update(map(name_key, asked.names))


def need_mentions(asked: NameMentions, needs: LookNeeds) -> None:
    """Note what it takes to find the files that have a name."""
    needs.directory = True
    needs.terms.update(block_key("content", term) for term in index_terms(asked.name))


# --- by words --------------------------------------------------------------------------------------------------


class WordSearch:
    """Searches the layers of a ref by words."""

    def __init__(self, view: RefView, fetched: Fetched) -> None:
        self._view, self._fetched = view, fetched

    def blocks(self, field: str, term: str) -> list[Block]:
        """Return of each layer the chunks of files that are alive that have a term."""
        key = block_key(field, term)
        blocks = []
        for at, layer in enumerate(self._view.layers):
            block = self._fetched.blocks[layer.number, key]
            if len(block.places) and not self._view.is_whole[at]:
                kept = self._view.alive_chunks[at][block.places]
                block = Block(block.places[kept], block.counts[kept])
            blocks.append(block)
        return blocks

    def frequency(self, field: str, term: str) -> int:
        """Return how many chunks have a term in a field."""
        return sum(len(block.places) for block in self.blocks(field, term))

    def frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """Return how many chunks have each of some terms in a field."""
        return {term: self.frequency(field, term) for term in terms}

    def search(self, fields: Mapping[str, Terms], within: Sequence[Any], limit: int) -> Scored:
        """Return the chunks that have any of the terms, best first."""
        scores = self._zeros()
        for field, terms in fields.items():
            for term, worth in terms.items():
                if worth > 0:
                    self._add(scores, field, self.blocks(field, term), worth)
        return self._best(scores, within, limit)

    def together(self, terms: Sequence[str], within: Sequence[Any], limit: int) -> Scored:
        """Return the chunks whose content has all of the terms, best first."""
        import numpy as np

        if not terms or limit <= 0:
            return []
        scores = self._zeros()
        has_all = [np.ones(len(layer), dtype=bool) for layer in scores]
        for term in dict.fromkeys(terms):
            blocks = self.blocks("content", term)
            self._add(scores, "content", blocks, 1.0)
            for at, block in enumerate(blocks):
                has = np.zeros(len(has_all[at]), dtype=bool)
                has[block.places] = True
                has_all[at] &= has
        return self._best(scores, [mask & some for mask, some in zip(has_all, within, strict=True)], limit)

    def with_all(self, terms: Sequence[str], within: Sequence[Any]) -> dict[Spot, None]:
        """Return the files with a chunk that has all of the terms."""
        found: dict[Spot, None] = {}
        for at, layer in enumerate(self._view.layers):
            mask = within[at].copy()
            for term in dict.fromkeys(terms):
                has = mask & False
                has[self._fetched.blocks[layer.number, block_key("content", term)].places] = True
                mask &= has
            owners = layer.directory.owners[mask]
            found.update(dict.fromkeys(Spot(at, place) for place in dict.fromkeys(owners.tolist())))
        return found

    def _zeros(self) -> list[Any]:
        import numpy as np

        return [np.zeros(len(layer.directory.owners), dtype=np.float32) for layer in self._view.layers]

    def _add(self, scores: list[Any], field: str, blocks: Sequence[Block], worth: float) -> None:
        """Add what a term is worth to the scores of the chunks that have it."""
        having = sum(len(block.places) for block in blocks)
        if not having:
            return
        worth = weight(self._view.chunks, having, worth)
        for total, block, lengths in zip(scores, blocks, self._view.norms(field), strict=True):
            if len(block.places):
                counts = block.counts.astype(total.dtype)
                total[block.places] += worth * (counts / (counts + lengths[block.places]))

    def _best(self, scores: Sequence[Any], within: Sequence[Any], limit: int) -> Scored:
        """Return the best chunks by their keys, which decide between equal scores."""
        import numpy as np

        if limit <= 0 or not scores:
            return []
        chosen = [np.flatnonzero((some > 0) & mask) for some, mask in zip(scores, within, strict=True)]
        layers = zip(self._view.layers, scores, chosen, strict=True)
        found = [(layer.directory.keys[places], some[places]) for layer, some, places in layers]
        keys, values = np.concatenate([key for key, _ in found]), np.concatenate([value for _, value in found])
        if len(keys) > limit:
            least = np.partition(values, -limit)[-limit]
            kept = values >= least
            keys, values = keys[kept], values[kept]
        order = np.lexsort((keys, -values))[:limit]
        return list(zip(keys[order].tolist(), values[order].tolist(), strict=True))


# --- by name ---------------------------------------------------------------------------------------------------


def named(view: RefView, fetched: Fetched, name: str) -> list[tuple[Spot, Named]]:
    """Return the symbols of a name in files that are alive."""
    found = []
    for at, layer in enumerate(view.layers):
        for row in fetched.named[layer.number, name_key(name)]:
            place = layer.by_number.get(row[0])
            if place is not None and view.alive[at][place]:
                found.append((Spot(at, place), row))
    return found


def definitions(view: RefView, fetched: Fetched, ask: Ask) -> list[Definition]:
    """Return the definitions of the names asked for, each with the chunk that holds its first line."""
    rows = [row for name in dict.fromkeys(ask.names) for row in named(view, fetched, name)]
    return [
        Definition(view.key_at(spot, row[5]), view.path_of(spot), Symbol(*row[2:]))
        for spot, row in _in_order(view, rows, ask)
    ]


def topics(view: RefView, fetched: Fetched, ask: Ask) -> list[Definition]:
    """Return big definitions named by a topic word, with the file's first chunk and no docs."""
    rows = [row for name in dict.fromkeys(ask.topics) for row in named(view, fetched, name) if row[1][4] in BIG_KINDS]
    return [
        Definition(view.number_of(spot) << 20, view.path_of(spot), Symbol(*row[2:7]))
        for spot, row in _in_order(view, rows, ask)
    ]


def _in_order(view: RefView, rows: list[tuple[Spot, Named]], ask: Ask) -> list[tuple[Spot, Named]]:
    outer = f"{ask.outer}." if ask.outer else ""

    def place(item: tuple[Spot, Named]) -> tuple[bool, str, int, int]:
        spot, row = item
        return outer not in row[3].lower(), view.path_of(spot), row[5], row[1]

    return sorted(rows, key=place)[: ask.limit if ask.scope == Scope() else None]


# --- all together ----------------------------------------------------------------------------------------------


def candidates(view: RefView, fetched: Fetched, ask: Ask, dense: DenseRows) -> Candidates:
    """Return the matching chunks, found by words and by vector; ``dense`` has the vectors of the view."""
    words, within = WordSearch(view, fetched), view.within(ask.scope)
    by_words = {field: ask.fields[field] for field in ("content", "symbols") if ask.fields.get(field)}
    by_path = {"path": ask.fields["path"]} if ask.fields.get("path") else {}
    scores = dict(words.search(by_words, within, ask.limit))
    places = words.search(by_path, within, max(1, ask.limit // 4))
    phrases = [dict(words.together(terms, within, PHRASE_POOL)) for terms in ask.phrases]
    cosines = dict(_nearest(view, dense, ask, within)) if ask.vector else {}
    defined, about = definitions(view, fetched, ask), topics(view, fetched, ask)
    others = {key for key, _ in places}.union(*phrases, (one.key for one in defined), _chunks_at(view, ask.lines))
    items = view.candidates({*scores, *cosines, *others}, scores, cosines)
    if missing := ask.others.keys() - {item.path for item in items}:
        items += view.candidates(_chunks_at(view, {path: ask.others[path] for path in missing}), {}, {})
    if ask.scope != Scope():
        items = [item for item in items if _is_within(view, within, item.key)]
    paths = {item.key >> 20: item.path for item in items}
    items.sort(key=by_score)
    keys = {item.key for item in items}
    return Candidates(
        tuple(items),
        tuple({key: score for key, score in phrase.items() if key in keys} for phrase in phrases),
        (
            *[definition for definition in defined if definition.key in keys][: ask.limit],
            *[definition for definition in about if definition.key >> 20 in paths],
        ),
        view.files,
        words.frequencies("path", ask.fields.get("path", ())),
        view.chunks,
        words.frequencies("content", ask.fields.get("content", ())),
        dense.wholes(ask.vector, paths) if ask.vector else {},
    )


def _nearest(view: RefView, dense: DenseRows, ask: Ask, within: Sequence[Any]) -> Scored:
    """Return the nearest chunks in scope; a scope is filled by looking at more and more of them."""
    if ask.scope == Scope():
        return dense.nearest(ask.vector, ask.limit)[: ask.limit]
    fetch = ask.limit * 4
    while True:
        near = dense.nearest(ask.vector, fetch)
        passed = [item for item in near if _is_within(view, within, item[0])][: ask.limit]
        if len(passed) >= ask.limit or len(near) < fetch:
            return passed
        fetch *= 4


def _is_within(view: RefView, within: Sequence[Any], key: int) -> bool:
    found = view.place_of_key(key)
    return found is not None and bool(within[found[0].layer][found[1]])


def _chunks_at(view: RefView, wanted: Mapping[str, Collection[int]] | Mapping[str, Collection[str]]) -> list[int]:
    """Return the chunks of files that hold these lines or symbols, or a file's first chunk where none does."""
    keys = []
    for path, some in wanted.items():
        if (spot := view.spot(path)) is not None:
            directory = view.layers[spot.layer].directory
            rows = (
                (directory.keys.item(at), directory.starts.item(at), directory.ends.item(at), directory.symbols[at])
                for at in directory.of_file(spot.place)
            )
            keys += wanted_chunks(rows, some)
    return keys


def known(view: RefView, fetched: Fetched, asked: WhereKnown) -> Known:
    """Return where terms occur, and which of the names are defined."""
    words = WordSearch(view, fetched)
    counts = {field: words.frequencies(field, asked.terms) for field in FIELDS}
    defined = frozenset(name for name in asked.names if named(view, fetched, name))
    return Known(view.files, counts["path"], counts["symbols"], counts["content"], defined)


def mentions(view: RefView, fetched: Fetched, asked: NameMentions) -> Mentions:
    """Return the files whose text may contain a name."""
    within = view.within(Scope(asked.scope.path, asked.scope.languages))
    if terms := tuple(dict.fromkeys(index_terms(asked.name))):
        spots: Iterable[Spot] = WordSearch(view, fetched).with_all(terms, within)
    else:
        meant = view.meant(asked.scope)
        spots = [spot for spot in view.indexed if meant(spot)]
    return Mentions(dict(sorted((view.path_of(spot), view.language_of(spot)) for spot in spots)))
