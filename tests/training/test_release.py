"""A small run on a processor: it learns, it repeats bit by bit, and its record says where it came from."""

import argparse
import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from training.export import load
from training.release import _parser, make

TOPICS = {
    "socket": ("open a connection to the server", "接続を開く", "def connect(host): socket.create_connection(host)"),
    "cache": ("keep the answer in the cache", "キャッシュに保存する", "def remember(key): cache[key] = answer"),
    "parse": ("parse the tokens of an expression", "式の解析", "def parse(tokens): return Tree(tokens)"),
    "render": ("draw the picture on the screen", "画面に描画", "def render(canvas): canvas.paint(picture)"),
}


def rows() -> list[dict[str, str]]:
    found = []
    for number in range(40):
        for name, (doc, japanese, code) in TOPICS.items():
            spelled = f"{name}_{chr(97 + number % 26)}"
            row = {"q": f"{doc} number {number}", "c": f"{code} # {spelled} {number}", "n": spelled, "l": "python"}
            found += [{**row, "s": "demo"}, {"e": f"{doc} {number}", "j": f"{japanese} {number}", "s": "demo"}]
    return found


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "packed.jsonl.xz"
    with lzma.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows())
    return path


def options(packed: Path, folder: Path, seed: int = 0) -> argparse.Namespace:
    words = [
        "--latin",
        "300",
        "--japanese",
        "200",
        "--shared",
        "32",
        "--batch",
        "32",
        "--steps",
        "12",
        "--block",
        "4",
        "--workers",
        "1",
        "--commit",
        "abc",
    ]
    return _parser().parse_args([str(packed), str(folder), *words, "--seed", str(seed)])


def test_a_small_run_is_bit_equal_when_repeated(packed: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        make(packed, tmp_path / folder, options(packed, tmp_path / folder))
    for name in ("rows.npy", "scales.npy", "terms.txt", "model.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_another_seed_gives_another_table(packed: Path, tmp_path: Path) -> None:
    for seed in (0, 1):
        make(packed, tmp_path / str(seed), options(packed, tmp_path / str(seed), seed))
    assert not np.array_equal(load(tmp_path / "0")[0], load(tmp_path / "1")[0])


def test_the_record_names_data_seed_commit_and_command(packed: Path, tmp_path: Path) -> None:
    make(packed, tmp_path, options(packed, tmp_path))
    record = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert len(record["data"]) == 64
    assert record["seed"] == 0
    assert record["commit"] == "abc"
    assert "--steps 12" in record["command"]
