"""Finding the files of a model, and fetching them when somebody asks for it."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from shirube.engine.embed.weights import FETCHED, Weights, fetch, graph_in, locate, missing
from shirube.errors import ModelFault
from tests.refusals import refusal

NAME = "intfloat/multilingual-e5-small"


def put(folder: Path, *names: str) -> Path:
    for name in names or ("onnx/model.onnx", "tokenizer.json", "config.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    return Weights(NAME, tmp_path / "models", tmp_path / "hub")


def snapshot(weights: Weights, revision: str, *, current: str = "") -> Path:
    """Write what the hub's own programs leave behind."""
    folder = weights.hub / "models--intfloat--multilingual-e5-small"
    if current:
        (folder / "refs").mkdir(parents=True, exist_ok=True)
        (folder / "refs" / "main").write_text(current)
    return put(folder / "snapshots" / revision)


@pytest.mark.parametrize("graph", ["onnx/model.onnx", "model.onnx"])
def test_a_directory_is_taken_as_it_is(tmp_path: Path, graph: str):
    folder = put(tmp_path / "mine", graph, "tokenizer.json", "config.json")
    assert locate(Weights(str(folder), tmp_path, tmp_path)) == folder
    assert graph_in(folder) == folder / graph


def test_the_hub_s_place_of_the_network_comes_first(tmp_path: Path):
    assert graph_in(put(tmp_path, "model.onnx", "onnx/model.onnx")) == tmp_path / "onnx" / "model.onnx"


def test_a_home_directory_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = put(tmp_path / "mine")
    assert locate(Weights("~/mine", tmp_path, tmp_path)) == folder


def test_files_put_in_our_own_place_by_hand_come_before_what_was_fetched(weights: Weights):
    fetched = snapshot(weights, "abc")
    assert locate(weights) == fetched
    own = put(weights.own / "intfloat--multilingual-e5-small")
    assert locate(weights) == own == weights.place


def test_of_several_fetched_versions_the_current_one_is_taken(weights: Weights):
    snapshot(weights, "aaa", current="bbb")
    current = snapshot(weights, "bbb")
    assert locate(weights) == current


def test_a_current_version_that_is_not_whole_gives_way_to_one_that_is(weights: Weights):
    whole = snapshot(weights, "aaa", current="bbb")
    (snapshot(weights, "bbb") / "tokenizer.json").unlink()
    assert locate(weights) == whole


def test_what_is_missing_is_named_with_the_place_where_it_belongs(weights: Weights):
    put(weights.place, "tokenizer.json")
    with pytest.raises(ModelFault) as caught:
        locate(weights)
    assert caught.value.message == f"onnx/model.onnx, config.json of {NAME} are missing"
    assert caught.value.hint == f"put them into {weights.place}, or run 'shirube doctor --repair' to fetch them"
    assert missing(weights.place) == ("onnx/model.onnx", "config.json")


def test_off_the_network_nothing_is_offered_to_be_fetched(weights: Weights):
    with pytest.raises(ModelFault) as caught:
        locate(Weights(NAME, weights.own, weights.hub, offline=True))
    assert caught.value.hint == f"put them into {weights.place}"


@pytest.mark.parametrize("source", ["models", "./models/e5", "../e5", "a/b/c", "", "C:\\models"])
def test_a_source_that_would_depend_on_where_we_stand_is_refused(tmp_path: Path, source: str):
    with refusal(ModelFault, "model.source"):
        locate(Weights(source, tmp_path, tmp_path))


def hub(monkeypatch: pytest.MonkeyPatch, download) -> None:
    """Put a library in the place of the hub's own."""
    library = ModuleType("huggingface_hub")
    library.snapshot_download = download
    library.__spec__ = __import__("importlib.machinery").machinery.ModuleSpec("huggingface_hub", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", library)


def test_fetching_brings_the_files_into_the_hub_s_cache(weights: Weights, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def download(name, **options):
        asked.append((name, options))
        snapshot(weights, "abc", current="abc")

    hub(monkeypatch, download)
    place = fetch(weights)
    assert asked == [(NAME, {"allow_patterns": list(FETCHED), "cache_dir": weights.hub})]
    assert place == weights.hub / "models--intfloat--multilingual-e5-small" / "snapshots" / "abc"
    assert fetch(weights) == place
    assert len(asked) == 1, "what is here is not fetched again"


def test_a_hub_out_of_reach_is_told_with_the_place_for_the_files(weights: Weights, monkeypatch: pytest.MonkeyPatch):
    def download(name, **options):
        raise ConnectionError("no route to host\nand much more")

    hub(monkeypatch, download)
    with pytest.raises(ModelFault) as caught:
        fetch(weights)
    assert caught.value.message == f"{NAME} cannot be fetched: no route to host"
    assert caught.value.hint == f"put onnx/model.onnx, tokenizer.json, config.json of it into {weights.place}"


def test_nothing_is_fetched_off_the_network_nor_for_a_directory(weights: Weights, monkeypatch: pytest.MonkeyPatch):
    hub(monkeypatch, lambda *args, **options: pytest.fail("the network was touched"))
    for other in (
        Weights(NAME, weights.own, weights.hub, offline=True),
        Weights(str(weights.own / "mine"), weights.own, weights.hub),
    ):
        with refusal(ModelFault, "model.missing"):
            fetch(other)


def test_without_the_hub_s_library_the_files_are_to_be_put_by_hand(weights: Weights, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shirube.engine.embed.weights.find_spec", lambda name: None)
    with pytest.raises(ModelFault, match="huggingface_hub is not installed") as caught:
        fetch(weights)
    assert str(weights.place) in caught.value.hint
