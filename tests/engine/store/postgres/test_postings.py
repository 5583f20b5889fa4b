"""Blocks of postings, and scores like tantivy's."""

import random

import numpy as np
import pytest

from shirube.engine.store.lexical import FIELDS, Where
from shirube.engine.store.port import Doc
from shirube.engine.store.postgres.postings import (
    Block,
    block_key,
    blocks_of,
    merged_blocks,
    norms,
    pack_block,
    rounded,
    unpack_block,
    weight,
)
from shirube.engine.store.tantivy import TantivyLexical

pytestmark = pytest.mark.dice


@pytest.mark.parametrize("most", [1, 255, 256, 65_535, 65_536])
def test_a_block_comes_back_as_it_was_and_is_as_short_as_its_counts_allow(most: int):
    places, counts = np.array([0, 3, 70_000], dtype=np.uint32), np.array([1, most, 1], dtype=np.uint32)
    data = pack_block(places, counts)
    block = unpack_block(data)
    assert (block.places.tolist(), block.counts.tolist()) == ([0, 3, 70_000], [1, most, 1])
    assert len(data) == 1 + 3 * (4 + (1 if most < 256 else 2 if most < 65_536 else 4))


def test_documents_become_blocks_in_the_order_of_their_keys():
    docs = [Doc("b a b", "a", "p"), Doc("", "", ""), Doc("a 日本", "", "")]
    blocks, lengths = blocks_of(docs)
    unpacked = {key: unpack_block(data) for key, data in blocks}
    found = {key: [one.places.tolist(), one.counts.tolist()] for key, one in unpacked.items()}
    assert found == {
        block_key("content", "a"): [[0, 2], [1, 1]],
        block_key("content", "b"): [[0], [2]],
        block_key("content", "日本"): [[2], [1]],
        block_key("path", "p"): [[0], [1]],
        block_key("symbols", "a"): [[0], [1]],
    }
    assert [key for key, _ in blocks] == sorted(found)
    assert lengths == {"content": [3, 0, 2], "symbols": [1, 0, 0], "path": [1, 0, 0]}
    assert blocks_of([]) == ([], {field: [] for field in FIELDS})


def test_merged_blocks_are_those_of_the_documents_that_are_left(seed: int):
    dice = random.Random(seed)
    words = [f"w{number}" for number in range(30)]
    first, second = (
        [Doc(" ".join(dice.choices(words, k=dice.randrange(9))), dice.choice(words), "") for _ in range(40)]
        for _ in range(2)
    )
    kept = [dice.random() < 0.6 for _ in range(80)]
    order = [at for at in range(80) if kept[at]]
    dice.shuffle(order)
    moved = np.full(80, -1, dtype=np.int64)
    moved[order] = np.arange(len(order))
    every = [*first, *second]
    rows = [(layer, *row) for layer, docs in ((1, first), (2, second)) for row in blocks_of(docs)[0]]
    merged = list(merged_blocks(rows, {1: moved[:40], 2: moved[40:]}))
    assert merged == blocks_of([every[at] for at in order])[0]
    assert list(merged_blocks([], {})) == []


def scores_of(docs: list[Doc], field: str, term: str) -> dict[int, float]:
    """Return what the store on a server gives each document for a term."""
    blocks, lengths = blocks_of(docs)
    block = unpack_block(dict(blocks)[block_key(field, term)])
    steps = norms(sum(lengths[field]) / len(docs))[rounded(np.array(lengths[field]))]
    counts = block.counts.astype(np.float32)
    values = weight(len(docs), len(block.places), 1.7) * (counts / (counts + steps[block.places]))
    return dict(zip(block.places.tolist(), values.tolist(), strict=True))


def test_scores_are_those_of_tantivy(tmp_path, seed: int):
    dice = random.Random(seed)
    words = [f"w{number}" for number in range(40)]
    docs = [
        Doc(
            " ".join(dice.choices(words, weights=range(1, 41), k=dice.choice([1, 5, 39, 41, 90, 700, 3000]))),
            " ".join(dice.choices(words, k=dice.randrange(4))),
            dice.choice(words),
        )
        for _ in range(120)
    ]
    engine = TantivyLexical(tmp_path)
    for number, doc in enumerate(docs):
        engine.replace(number, "python", [doc])
    engine.commit()
    for field in FIELDS:
        for term in ("w3", "w20", "w39"):
            theirs = {key >> 20: score for key, score in engine.search({field: {term: 1.7}}, Where(), 1000)}
            ours = scores_of(docs, field, term)
            assert ours.keys() == theirs.keys()
            assert ours == pytest.approx(theirs, rel=1e-6)


def test_lengths_are_rounded_down_to_steps_of_an_eighth():
    lengths = [0, 1, 39, 40, 41, 42, 55, 56, 59, 60, 95, 96, 10**9]
    steps = rounded(np.array(lengths))
    assert steps[:4].tolist() == [0, 1, 39, 40]
    assert (steps[4] == steps[3], steps[5] > steps[4], steps[7] == steps[8], steps[9] > steps[8]) == (True,) * 4
    assert len(set(rounded(np.arange(3_000_000)).tolist())) < 256
    assert isinstance(Block(steps, steps).places, np.ndarray)
