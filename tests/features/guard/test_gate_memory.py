"""What the gate remembers."""

import os
from pathlib import Path

import pytest

from shirube.features.guard import gate_memory as memory
from shirube.features.guard.gate_memory import Memory, forget_old, memory_file, recall, remember


def known(held: Memory | None) -> tuple[dict, dict, dict]:
    """Return what a memory says."""
    assert held is not None
    return held.files, held.told, held.stopped


def test_what_is_remembered_comes_back(tmp_path: Path):
    file = memory_file(tmp_path / "gate", "../../evil\ud800")
    assert file.parent == tmp_path / "gate"
    assert recall(file) is None
    held = Memory({"a\udcff.py": "1 2 3 4 d"}, {"a": "1:2"}, {"b": "gone"})
    remember(file, held)
    assert known(recall(file)) == known(held)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in file.parent.iterdir()] == [file.name]


HEAD = '{"form":%s,"told":{},"stopped":{},"accepted":{}}\n'


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[]", "\xff", "{}\n{}", '{"form":2}\n{}', HEAD % 2, f"{HEAD % 2}[]"),
        f'{HEAD % 2}{{"a":1}}',
        f'{HEAD % 2}{{"a":null}}',
        f'{HEAD % 1}{{"a":"1 2 3 4 "}}',
        '{"form":2,"told":{"a":1},"stopped":{},"accepted":{}}\n{}',
        '{"form":2,"told":{},"stopped":{},"accepted":{"a":1}}\n{}',
    ],
)
def test_what_cannot_be_read_is_not_remembered(tmp_path: Path, text: str):
    file = tmp_path / "x.json"
    file.write_text(text, encoding="latin-1")
    assert recall(file) is None


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "x.json"
    remember(file, Memory())

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(memory.json, "dumps", full)
    with pytest.raises(OSError, match="no space"):
        remember(file, Memory({"a": "1 2 3 4 "}))
    assert known(recall(file)) == known(Memory())
    assert len(list(tmp_path.iterdir())) == 1


def test_an_accepted_change_is_the_new_state(tmp_path: Path):
    held = Memory({"a": "1 2 3 4 ", "b": "1 2 3 4 "}, {"a": "x"}, {"a": "x"})
    held.accept("a", "5 6 7 8 ")
    held.accept("b", None)
    assert known(held) == ({"a": "5 6 7 8 "}, {}, {})
    assert held.touched


@pytest.mark.parametrize("most", [0, 1, 500])
def test_what_was_accepted_is_remembered_whether_it_stands_beside_the_tree_or_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
):
    monkeypatch.setattr(memory, "MOST_ACCEPTED", most)
    file = tmp_path / "x.json"
    remember(file, Memory({"a": "1 2 3 4 ", "b": "1 2 3 4 ", "c": "1 2 3 4 "}))
    tree = {"a": "1 2 3 4 ", "b": "1 2 3 4 ", "c": "1 2 3 4 "}
    for path, now in (("a", "5 6 7 8 "), ("b", None), ("new", "1 1 1 1 "), ("b", "2 2 2 2 "), ("new", None)):
        held = recall(file)
        assert held is not None
        held.accept(path, now)
        remember(file, held)
        tree[path] = now or ""
        assert known(recall(file)) == ({name: entry for name, entry in tree.items() if entry}, {}, {})


def test_only_the_last_clients_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory, "KEPT", 2)
    for number in range(4):
        file = memory_file(tmp_path, str(number))
        remember(file, Memory())
        os.utime(file, ns=(number, number))
    forget_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {memory_file(tmp_path, name).name for name in ("2", "3")}
