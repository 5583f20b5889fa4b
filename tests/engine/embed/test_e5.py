"""A model of the E5 family through the real libraries, on files the test writes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shirube.engine.embed import e5
from shirube.engine.embed.e5 import E5Embedder
from shirube.errors import ModelFault
from tests.engine.embed.tiny import DIMENSIONS, WORDS, expected, write_model
from tests.refusals import refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def embedder(folder: Path) -> E5Embedder:
    return E5Embedder(folder)


@pytest.mark.requirement("003-EMBED-01", "N003-EMBED-02")
def test_a_question_and_a_text_are_told_apart_by_their_prefixes(embedder: E5Embedder):
    assert np.allclose(embedder.query("login")[0], expected("query", ":", "login"), atol=1e-6)
    assert np.allclose(embedder.contents(["login"])[0], expected("passage", ":", "login"), atol=1e-6)


@pytest.mark.requirement("003-EMBED-02")
def test_a_row_is_the_mean_of_its_tokens_at_length_one(embedder: E5Embedder):
    rows = embedder.contents(["cart price price", "something else"])
    assert np.allclose(rows[0], expected("passage", ":", "cart", "price", "price"), atol=1e-6)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    assert rows.dtype == np.float32


def test_padding_does_not_count(embedder: E5Embedder):
    texts = ["login", "cart " * 40, "", "price cart"]
    together = embedder.contents(texts)
    for place, text in enumerate(texts):
        assert np.allclose(embedder.contents([text])[0], together[place], atol=1e-6)


@pytest.mark.parametrize("types", [True, False])
def test_a_model_may_ask_for_token_types_or_not(tmp_path: Path, types: bool):
    made = E5Embedder(write_model(tmp_path, types=types, graph="model.onnx"))
    assert np.allclose(made.query("login")[0], expected("query", ":", "login"), atol=1e-6)


@pytest.mark.requirement("003-EMBED-02")
def test_how_long_a_vector_is_is_read_from_the_model(embedder: E5Embedder):
    assert embedder.dimensions == DIMENSIONS
    assert embedder.contents([]).shape == (0, DIMENSIONS)
    assert embedder.place(embedder.contents([]), "a.py").shape == (0, DIMENSIONS)
    assert embedder.trained


def test_a_long_text_is_cut_at_512_tokens(embedder: E5Embedder):
    kept = 512 - 4  # the marks of beginning and end, and the prefix
    row = embedder.contents(["login " * kept + "cart " * 1000])[0]
    assert np.allclose(row, expected("passage", ":", *["login"] * kept), atol=1e-5)


def test_a_model_with_fewer_places_cuts_earlier(tmp_path: Path):
    config = write_model(tmp_path) / "config.json"
    config.write_text(json.dumps({"hidden_size": DIMENSIONS, "max_position_embeddings": 6}))
    row = E5Embedder(tmp_path).contents(["login login cart cart"])[0]
    assert np.allclose(row, expected("passage", ":", "login", "login"), atol=1e-6)


def test_what_a_text_defines_goes_before_it(embedder: E5Embedder):
    rows = embedder.contents(["cart", "cart"], symbols=["login", ""])
    assert np.allclose(rows[0], expected("passage", ":", "login", "cart"), atol=1e-6)
    assert np.allclose(rows[1], expected("passage", ":", "cart"), atol=1e-6)


def test_the_cosine_with_a_placed_text_is_the_weighted_sum_of_text_and_path(embedder: E5Embedder):
    contents, question = embedder.contents(["cart", "price"]), embedder.query("login")[0]
    where = embedder.contents(["src/login.py"])[0]
    mixed = contents @ question + e5.PATH_SHARE * (where @ question)
    lengths = np.linalg.norm(contents + e5.PATH_SHARE * where, axis=1)
    assert np.allclose(embedder.place(contents, "src/login.py") @ question, mixed / lengths, atol=1e-6)
    assert np.array_equal(contents, embedder.contents(["cart", "price"])), "placing leaves the contents alone"


def test_japanese_meets_english(embedder: E5Embedder):
    cosines = embedder.contents(["login", "cart", "price"]) @ embedder.query("ログイン")[0]
    assert cosines.argmax() == 0
    assert cosines.min() > embedder.background, "as with the large ones, all cosines are high"


def test_texts_of_like_length_are_read_together_and_never_too_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(e5, "BATCH_TOKENS", 20)
    lengths = [3, 10, 2, 9, 30, 1]
    batches = list(e5._batches(lengths))
    assert batches == [[4], [1, 3], [0, 2, 5]]
    assert list(e5._batches([])) == []


def test_a_question_without_words_is_near_to_nothing(embedder: E5Embedder):
    assert not embedder.query(" \n").any()


def test_half_a_surrogate_is_no_obstacle(embedder: E5Embedder):
    assert np.isfinite(embedder.query("half \ud800 pair")).all()


def test_the_name_follows_the_files_and_not_their_place(folder: Path, tmp_path: Path):
    name = E5Embedder(folder).name
    assert name.startswith(f"e5-{DIMENSIONS}-")
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert E5Embedder(copy).name == name
    assert E5Embedder(write_model(tmp_path / "other", shift=0.5)).name != name
    tokenizer = copy / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace(WORDS[-1], "other"))
    assert E5Embedder(copy).name != name


def test_a_change_anywhere_in_a_large_file_is_noticed_by_samples(tmp_path: Path):
    whole = write_model(tmp_path)
    (whole / "onnx" / "model.onnx_data").write_bytes(bytes(4_000_000))
    before = E5Embedder(whole).name
    (whole / "onnx" / "model.onnx_data").write_bytes(b"\1" * 4_000_000)
    assert E5Embedder(whole).name != before


@pytest.mark.parametrize("broken", ["onnx/model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_told_when_it_is_needed_and_not_read_twice(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
):
    (write_model(tmp_path) / broken).write_bytes(b"not what it should be")
    made = E5Embedder(tmp_path)
    with refusal(ModelFault, "model.unusable") as caught:
        made.query("login")
    assert str(tmp_path) in caught.value.message
    monkeypatch.setattr(e5, "_load", lambda *args: pytest.fail("it was read again"))
    with refusal(ModelFault, "model.unusable"):
        made.contents(["login"])


@pytest.mark.parametrize("config", ["{", "{}", '{"hidden_size": 0}', '{"hidden_size": "wide"}', "[]"])
def test_a_configuration_that_does_not_say_how_long_vectors_are_is_refused(tmp_path: Path, config: str):
    (write_model(tmp_path) / "config.json").write_text(config)
    with pytest.raises(ModelFault, match="hidden_size"):
        E5Embedder(tmp_path)


def test_vectors_of_another_length_than_promised_are_refused(tmp_path: Path):
    made = E5Embedder(write_model(tmp_path, hidden=384))
    with pytest.raises(ModelFault, match="vectors of 16, not 384 numbers"):
        made.query("login")


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_named_with_the_way_to_get_it(folder: Path, library: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(e5, "find_spec", lambda name: None if name == library else name)
    with pytest.raises(ModelFault, match=library) as caught:
        E5Embedder(folder)
    assert caught.value.hint.startswith("in the clone: make install EXTRA=e5; with a wheel: pip install 'PATH/TO/michi")


def test_no_more_threads_are_used_than_allowed(folder: Path, monkeypatch: pytest.MonkeyPatch):
    import onnxruntime

    seen = []
    real = onnxruntime.InferenceSession

    def session(path, options, **rest):
        seen.append((options.intra_op_num_threads, options.inter_op_num_threads))
        return real(path, options, **rest)

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    E5Embedder(folder, threads=3).query("login")
    assert seen == [(3, 1)]


def test_opening_loads_no_library(folder: Path):
    script = (
        "import sys; from pathlib import Path; from shirube.engine.embed.e5 import E5Embedder;"
        "E5Embedder(Path(sys.argv[1]));"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'huggingface_hub'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
