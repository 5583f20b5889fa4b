"""The measure: known rankings give known figures."""

import numpy as np

from shirube.engine.embed.static import Vocabulary
from training import evaluate


def test_the_first_place_is_worth_all_and_the_second_less() -> None:
    targets = ((1,),)
    assert evaluate.ndcg(np.array([0.1, 0.9]), targets) == 1
    assert round(evaluate.ndcg(np.array([0.9, 0.1]), targets), 4) == 0.6309
    assert evaluate.ndcg(np.array([0.9, 0.0]), targets) == 0


def test_a_file_is_scored_by_its_chunks_in_four_ways() -> None:
    chunks = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    asked = np.array([[1, 0]], np.float32)
    scores = evaluate.file_scores(asked @ chunks.T, asked, chunks, np.array([0, 2]))
    assert np.allclose(scores["max"], [[1, 0.6]])
    assert np.allclose(scores["mean"], [[0.5**0.5, 0.6]])
    assert np.allclose(scores["square"], [[1, 0.36]])


def test_terms_find_their_symbols() -> None:
    vocabulary = Vocabulary(["user", "load", "ユーザ", "読込"])
    rows = np.array([[1, 0], [0, 1], [1, 0.1], [0.1, 1]], np.float32)
    pairs: list[dict] = [
        {"repo": "r", "japanese": "ユーザ", "symbol": "user"},
        {"repo": "r", "japanese": "読込", "symbol": "user"},
    ]
    found = evaluate.find_terms(rows, vocabulary, pairs, {"r": ["load", "user"]})
    assert found == {"pairs": 2, "top 1": 0.5, "top 10": 1.0, "top 1 strict": 0.5}
    pairs[1]["also"] = ["load"]
    assert evaluate.find_terms(rows, vocabulary, pairs, {"r": ["load", "user"]})["top 1"] == 1
