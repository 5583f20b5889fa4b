"""What is packed, and what is left out."""

import json
from pathlib import Path

import pytest

from training import data, licences

COPIED = "def handle(self, request, stream): response = self.transport.send(request, stream); return response.body"


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources of these tests are free; others are what the table says."""
    made = {
        name: licences.Source(name, "pypi", 1, 1, 0, "MIT", "a test")
        for name in ("demo", "bundle", "x", "pypi:requests")
    }
    known = {**licences.sources(), **made}
    monkeypatch.setattr(licences, "sources", lambda: known)


def row(**changes: str) -> dict[str, str]:
    base = {"q": "Insert a key into the tree and keep it in balance", "c": "def insert(tree, key): tree.add(key)"}
    return {**base, "n": "insert", "l": "python", "s": "demo", **changes}


def test_rows_of_the_benchmark_are_left_out_by_name_and_by_content(tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(COPIED)
    rows = [row(), row(s="pypi:requests"), row(c=COPIED, s="bundle"), row(s="deb:edict")]
    kept, report = data.clean(rows, ["psf/requests"], [tmp_path], [])
    assert kept == [row()]
    assert report["dropped"]["name"] == report["dropped"]["copied code"] == report["dropped"]["licence"] == 1


def test_japanese_questions_are_left_out() -> None:
    strings = [{"e": "open", "j": "開く", "s": "x"}, {"e": "login feature", "j": "ログイン機能", "s": "x"}]
    kept, _ = data.clean(strings, [], [], ["ログイン機能"])
    assert [one["j"] for one in kept] == ["開く"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    data.write(tmp_path / "a.jsonl.xz", [row()])
    assert list(data.read(tmp_path)) == [row()]


def test_questions_come_from_either_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text(json.dumps([{"query": "a"}, {"japanese": "b"}]))
    assert data.questions([tmp_path / "q.json"]) == ["a", "b"]


def test_a_source_that_nobody_has_looked_up_is_left_out() -> None:
    kept, report = data.clean([row(), row(s="pypi:never-heard-of")], [], [], [])
    assert kept == [row()]
    assert report["dropped"]["licence"] == 1


def test_a_small_run_reads_the_first_rows_of_each_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        data.write(tmp_path / f"{name}.jsonl.xz", [row(n=f"{name}{number}") for number in range(3)])
    assert [one["n"] for one in data.read(tmp_path, 2)] == ["a0", "a1", "b0", "b1"]


def test_rows_of_histories_bear_their_kind_and_one_string_of_names(tmp_path: Path) -> None:
    told = {**row(), "p": "src/tree.py", "n": ["insert", "tree"]}
    data.write(tmp_path / "ja_commits.jsonl.xz", [told])  # type: ignore[list-item]
    assert list(data.read(tmp_path)) == [{**told, "k": "ja_commits", "n": "insert tree"}]


def test_japanese_messages_that_are_questions_are_left_out() -> None:
    told = row(q="ログイン機能", p="login.py", k="ja_commits")
    assert data.clean([told, row()], [], [], ["ログイン機能"])[0] == [row()]


def test_what_copies_the_held_out_half_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "free", lambda name: True)
    assert data.clean([row(s="pypi:msgspec"), row()], [], [], [])[0] == [row()]
