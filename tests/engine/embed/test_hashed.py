import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.engine.embed import hashed
from shirube.engine.embed.hashed import DIMENSIONS, HashedEmbedder
from shirube.engine.text.tokens import index_terms

TEXTS = [
    "def charge_card(amount): return amount",
    "支払いに失敗したときは再試行する",
    "class PaymentGateway: pass",
    "",
    "HTTPServer getUserName 決済API",
]


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder()


def test_another_process_gives_the_same_bytes(embedder: HashedEmbedder):
    program = (
        "import sys; from shirube.engine.embed.hashed import HashedEmbedder; "
        f"sys.stdout.buffer.write(HashedEmbedder().contents({TEXTS!r}).tobytes())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs == [embedder.contents(TEXTS).tobytes()] * 2


def test_a_text_has_the_same_row_in_every_batch(embedder: HashedEmbedder):
    together = embedder.contents(TEXTS)
    for place, text in enumerate(TEXTS):
        assert embedder.contents([text])[0].tobytes() == together[place].tobytes()
    assert embedder.contents(TEXTS[::-1])[::-1].tobytes() == together.tobytes()


def test_a_fresh_embedder_and_a_used_one_agree(embedder: HashedEmbedder):
    embedder.contents(TEXTS * 3)
    assert embedder.contents(TEXTS).tobytes() == HashedEmbedder().contents(TEXTS).tobytes()


def test_a_full_memory_of_tokens_changes_no_vector(monkeypatch: pytest.MonkeyPatch, embedder: HashedEmbedder):
    monkeypatch.setattr(hashed, "CACHE_LIMIT", 2)
    assert HashedEmbedder().contents(TEXTS).tobytes() == embedder.contents(TEXTS).tobytes()


def test_terms_cut_beforehand_give_the_same_rows(embedder: HashedEmbedder):
    terms = [index_terms(text) for text in TEXTS]
    assert embedder.contents(TEXTS, terms).tobytes() == embedder.contents(TEXTS).tobytes()


def test_a_question_is_one_row_of_length_one(embedder: HashedEmbedder):
    row = embedder.query("where are payments retried")
    assert row.shape == (1, DIMENSIONS)
    assert row.dtype == np.float32
    assert float(np.linalg.norm(row)) == pytest.approx(1.0, abs=1e-6)


def test_placed_contents_have_length_one_even_when_they_say_nothing(embedder: HashedEmbedder):
    placed = embedder.place(embedder.contents(TEXTS), "src/shop/payment.py")
    assert placed.shape == (len(TEXTS), DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(placed, axis=1), 1.0, atol=1e-6)


def test_a_question_without_words_is_a_row_of_zeros(embedder: HashedEmbedder):
    assert not embedder.query("").any()
    assert not embedder.query("  \n").any()


def test_no_texts_give_no_rows(embedder: HashedEmbedder):
    assert embedder.contents([]).shape == (0, DIMENSIONS)
    assert embedder.place(embedder.contents([]), "a.py").shape == (0, DIMENSIONS)


def test_the_same_words_are_nearer_than_other_words(embedder: HashedEmbedder):
    question = embedder.query("charge the card")[0]
    rows = embedder.place(embedder.contents(TEXTS), "x.py")
    cosines = rows @ question
    assert int(cosines.argmax()) == 0


def test_another_form_of_a_word_is_as_near_as_the_word(embedder: HashedEmbedder):
    assert embedder.query("charging cards").tobytes() == embedder.query("charge card").tobytes()


def test_japanese_words_count_as_well(embedder: HashedEmbedder):
    cosines = embedder.place(embedder.contents(TEXTS), "x.py") @ embedder.query("再試行")[0]
    assert int(cosines.argmax()) == 1


def test_where_a_text_stands_takes_part(embedder: HashedEmbedder):
    contents = embedder.contents(["pass"])
    question = embedder.query("billing")[0]
    near = embedder.place(contents, "billing/a.py") @ question
    far = embedder.place(contents, "other/a.py") @ question
    assert near[0] > far[0]


def test_placing_leaves_the_contents_as_they_were(embedder: HashedEmbedder):
    contents = embedder.contents(TEXTS)
    before = contents.copy()
    embedder.place(contents, "a.py")
    assert (contents == before).all()


def test_signs_and_places_are_independent():
    """Seed 001's upstream took both from one hash: all tokens of a place had the same sign."""
    slots = hashed._Slots()
    seen: dict[int, set[int]] = {}
    for number in range(4000):
        slot = slots[f"token{number}"]
        seen.setdefault(slot >> 9, set()).add(slot & 1)
    assert sum(len(signs) == 2 for signs in seen.values()) > 0.95 * DIMENSIONS


@given(st.text(max_size=80))
def test_any_text_gives_finite_numbers(text: str):
    embedder = HashedEmbedder()
    rows = embedder.place(embedder.contents([text]), text)
    assert np.isfinite(rows).all()
    assert np.isfinite(embedder.query(text)).all()


def test_a_lone_surrogate_is_no_obstacle(embedder: HashedEmbedder):
    assert np.isfinite(embedder.query("half \ud800 pair")).all()
