from pathlib import Path

import pytest

from shirube.engine.embed.open import LIGHT, open_embedder, open_usable
from shirube.engine.embed.weights import Weights
from shirube.errors import UnknownName
from shirube.settings import choices
from tests.engine.embed.tiny import write_model


def weights(tmp_path: Path, source: object = "owner/name") -> Weights:
    return Weights(str(source), tmp_path / "models", tmp_path / "hub")


@pytest.mark.parametrize("name", choices("embed.model"))
def test_every_model_the_configuration_allows_can_be_opened(name: str, tmp_path: Path):
    embedder = open_embedder(name, weights(tmp_path, write_model(tmp_path / "tiny")))
    assert embedder.query("hello").shape == (1, embedder.dimensions)


def test_opening_twice_gives_models_of_the_same_name():
    assert open_embedder("hashed").name == open_embedder("hashed").name


def test_an_unknown_model_is_refused_and_the_nearest_named():
    with pytest.raises(UnknownName, match="hashd") as caught:
        open_embedder("hashd")
    assert caught.value.nearest == "hashed"


def test_workers_run_the_models_that_are_in_the_package_and_no_other():
    assert set(choices("embed.model")) - set(LIGHT) == {"e5"}


def test_a_model_that_is_not_there_gives_way_to_the_bundled_one_and_says_where_it_belongs(tmp_path: Path):
    model, embedder, note = open_usable("e5", weights(tmp_path))
    assert (model, embedder.name) == ("static", open_embedder("static").name)
    assert str(tmp_path / "models" / "owner--name") in note
    assert "onnx/model.onnx, tokenizer.json, config.json" in note
    assert "the bundled model answers instead" in note


def test_when_the_bundled_model_is_gone_too_the_words_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def gone(*args: object) -> None:
        raise FileNotFoundError("rows.npy is missing")

    monkeypatch.setattr("shirube.engine.embed.static.StaticEmbedder.__init__", gone)
    model, embedder, note = open_usable("e5", weights(tmp_path))
    assert (model, embedder.name) == ("hashed", open_embedder("hashed").name)
    assert "owner--name" in note
    assert "rows.npy is missing" in note


def test_a_model_that_is_there_is_used_without_a_word(tmp_path: Path):
    found = open_usable("e5", weights(tmp_path, write_model(tmp_path / "tiny")))
    assert (found.model, found.note) == ("e5", "")
    assert open_usable("static").note == ""


def test_whoever_lacks_the_library_and_the_files_is_told_of_the_library_first(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("shirube.engine.embed.e5.find_spec", lambda name: None)
    assert (
        "onnxruntime is not installed (in the clone: make install EXTRA=e5; "
        in open_usable("e5", weights(tmp_path)).note
    )
