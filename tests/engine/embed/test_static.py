import json
from pathlib import Path

import numpy as np
import pytest

from shirube.engine.embed.static import StaticEmbedder, question

TERMS = ["user", "load", "socket", "ユーザ"]


@pytest.fixture
def embedder(tmp_path: Path) -> StaticEmbedder:
    rows = np.zeros((len(TERMS) + 2, 8), np.int8)
    rows[[0, 3], 0], rows[1, 1], rows[2, 2], rows[4:, 7] = 127, 127, 127, 127
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "scales.npy", np.full(len(rows), 1 / 127, np.float32))
    (tmp_path / "terms.txt").write_text("\n".join(TERMS) + "\n", "utf-8")
    (tmp_path / "model.json").write_text(json.dumps({"digest": "0123456789abcdef", "dimensions": 8}))
    return StaticEmbedder(tmp_path)


def test_its_name_has_width_and_digest(embedder: StaticEmbedder) -> None:
    assert (embedder.name, embedder.dimensions, embedder.trained) == ("static-8-01234567", 8, True)


def test_a_text_is_the_sum_of_its_rows(embedder: StaticEmbedder) -> None:
    assert np.allclose(embedder.contents(["load user"])[0], [1, 1, 0, 0, 0, 0, 0, 0])
    assert np.allclose(embedder.contents(["load user"], [["socket"]])[0], [0, 0, 1, 0, 0, 0, 0, 0])


def test_japanese_meets_english(embedder: StaticEmbedder) -> None:
    assert np.allclose(embedder.query("ユーザ"), embedder.query("where is the user"))


def test_path_and_symbol_are_mixed_in(embedder: StaticEmbedder) -> None:
    plain = embedder.contents(["load load load load"])
    placed = embedder.place(plain, "socket")
    assert np.allclose(np.linalg.norm(placed), 1)
    assert 0 < placed[0, 2] < placed[0, 1]
    named = embedder.contents(["load"], symbols=["socket"])
    assert 0 < named[0, 2] < named[0, 1]


def test_an_empty_text_stands_where_its_path_says(embedder: StaticEmbedder) -> None:
    assert np.allclose(embedder.place(embedder.contents([""]), "socket")[0], [0, 0, 1, 0, 0, 0, 0, 0])
    assert not embedder.query("").any()


def test_a_question_loses_its_question_words_but_not_all() -> None:
    assert question("how does the router match") == ("router match", "")
    assert question("how is it") == ("how is it", "")


def test_the_glossary_gives_the_english_of_a_japanese_question() -> None:
    assert "idempotent" in question("べき等な処理")[1].split()


def test_the_bundled_model_takes_a_japanese_term_to_the_symbol_it_means() -> None:
    bundled = StaticEmbedder()
    names = ["Auth Service", "Tree Node", "parse config", "send mail"]
    likeness = bundled.query("ログイン機能") @ bundled.place(bundled.contents(names), "").T
    assert int(likeness.argmax()) == 0


@pytest.mark.parametrize("name", ["rows.npy", "scales.npy", "terms.txt", "model.json"])
def test_a_missing_file_is_noticed_at_once(embedder: StaticEmbedder, tmp_path: Path, name: str) -> None:
    (tmp_path / name).unlink()
    with pytest.raises(FileNotFoundError):
        StaticEmbedder(tmp_path)
