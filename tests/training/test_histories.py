"""Commits give what they say with the code they change; Japanese comments give the code below them."""

import json
import lzma
import sys
from pathlib import Path

import pytest
from training.comments import comments
from training.commits import change, is_telling, message

from tests.cases import for_each
from tests.engine.history.repository import Repository
from training import histories, licences

BEFORE = """class Basket:
    def total(self, items):
        price = 0
        for item in items:
            price += item.price
        return price
"""
AFTER = BEFORE.replace("return price", "return round_price(price)")
COMMENTED = '''# 合計を計算する
def total(items):
    """品物の値段を足し合わせる"""
    # 税込みの値段を加える
    price = sum(item.price * TAX for item in items)

    return price
'''
JAPANESE = "fix: 合計金額を丸めるように修正 (#12)\n\n端数が残っていたため\n\nSigned-off-by: Ada <ada@example.org>\n"


@pytest.fixture
def work(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work", tmp_path / "home").init()
    made.commit("Add the basket of a customer", {"shop/basket.py": BEFORE, "tests/test_basket.py": BEFORE})
    made.commit(JAPANESE, {"shop/basket.py": AFTER, "README.md": "買い物かご"})
    made.commit("Bump version to 2.0", {"shop/basket.py": AFTER + "VERSION = 2\n"})
    made.commit("Format every file of the whole shop", {f"shop/part{n}.py": BEFORE for n in range(5)})
    return made


def mirror(work: Repository, folder: Path) -> Path:
    """Return a bare copy of a repository, as ``me/demo``."""
    target = folder / "me+demo" / "repo"
    if not target.exists():
        work.git("clone", "-q", "--bare", str(work.root), str(target))
    return target


def test_a_commit_becomes_a_row_for_each_source_file(work: Repository, tmp_path: Path) -> None:
    (row,) = histories.commit_rows(mirror(work, tmp_path), set(), japanese=True)
    assert row["q"] == "合計金額を丸めるように修正 端数が残っていたため"
    assert "return round_price(price)" in row["c"]
    assert "        return price\n" not in row["c"] + "\n"
    assert (row["p"], row["l"], row["n"][0]) == ("shop/basket.py", "python", "price")


def test_routine_commits_tests_and_what_was_said_before_give_nothing(work: Repository, tmp_path: Path) -> None:
    place, seen = mirror(work, tmp_path), set[str]()
    assert [row["p"] for row in histories.commit_rows(place, seen, japanese=False)] == ["shop/basket.py"]
    assert seen == {"add the basket of a customer"}
    assert list(histories.commit_rows(place, seen, japanese=False)) == []
    assert list(histories.commit_rows(place, set(), japanese=False, most=0)) == []


def test_a_commit_whose_file_is_missing_is_left_out_alone(work: Repository, tmp_path: Path) -> None:
    lost = work.commit("Count the items of a basket", {"shop/count.py": "def count(items): return len(items)\n"})
    work.commit("Empty the basket of a customer", {"shop/empty.py": "def empty(basket): basket.items.clear()\n"})
    place = mirror(work, tmp_path)
    number = work.git("rev-parse", f"{lost}:shop/count.py").strip()
    (place / "objects" / number[:2] / number[2:]).unlink()
    said = [row["q"] for row in histories.commit_rows(place, set(), japanese=False)]
    assert said == ["Empty the basket of a customer", "Add the basket of a customer"]


def test_a_repository_runs_no_program(work: Repository, tmp_path: Path) -> None:
    work.commit(
        "Show how a basket is drawn", {".gitattributes": "*.py diff=own\n", "shop/draw.py": "def draw(): pass\n"}
    )
    place, trace = mirror(work, tmp_path), tmp_path / "ran"
    for key in ("diff.own.textconv", "diff.own.command", "diff.external"):
        work.git("config", "--file", str(place / "config"), key, f"touch {trace}; true")
    assert "shop/draw.py" in [row["p"] for row in histories.commit_rows(place, set(), japanese=False)]
    assert not trace.exists()


def test_japanese_comments_come_with_the_code_and_symbol_below(work: Repository, tmp_path: Path) -> None:
    work.commit("Add totals", {"shop/total.py": COMMENTED})
    rows = {row["q"]: row for row in histories.comment_rows(mirror(work, tmp_path), set())}
    assert set(rows) == {"合計を計算する", "品物の値段を足し合わせる", "税込みの値段を加える"}
    assert rows["合計を計算する"]["n"] == rows["品物の値段を足し合わせる"]["n"] == "total"
    assert "品物" not in rows["品物の値段を足し合わせる"]["c"]
    assert rows["税込みの値段を加える"]["c"] == "    price = sum(item.price * TAX for item in items)"


def test_frames_and_tags_are_no_part_of_a_comment() -> None:
    text = "//=====\n/// <summary>\n/// 一覧を並べ替える\n/// </summary>\n//=====\n#define SIZE 4\n"
    assert {(said, code) for said, code, _ in comments(text, "c")} == {("一覧を並べ替える", "#define SIZE 4")}


@for_each(
    ("licence", "copied", "sources"),
    [("MIT", False, ["git:me/demo"]), ("unknown", False, []), ("MIT", True, [])],
)
def test_only_free_projects_are_read_and_copies_are_dropped(
    licence: str,
    copied: bool,
    sources: list[str],
    work: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mirror(work, tmp_path)
    names, out = tmp_path / "names", tmp_path / "rows.jsonl.xz"
    names.write_text("other/thing\n")
    source = licences.Source("git:me/demo", "git", 1, 0, 0, licence, "a test")
    monkeypatch.setattr(licences, "sources", lambda: {source.name: source})
    trees = ["--trees", str(work.root)] if copied else []
    words = ["histories", "commits", str(out), str(tmp_path), "me/demo", "--names", str(names), *trees]
    monkeypatch.setattr(sys, "argv", words)
    histories.main()
    with lzma.open(out, "rt") as lines:
        assert [json.loads(line)["s"] for line in lines] == sources


@for_each(
    ("text", "said"),
    [
        ("feat(web): Keep the list sorted (#12)\n", "Keep the list sorted"),
        ("Fixes #3 keep the list sorted\n\n* by name\n* by day\n\nmore", "keep the list sorted by name by day"),
        ("Keep it sorted\n\nCo-authored-by: A <a@b.c>\n", "Keep it sorted"),
        ("Merge branch 'main'", ""),
        ("リリース 1.2", ""),
        ("指摘事項の修正", ""),
        ("v1.2.3", ""),
    ],
)
def test_a_message_is_told_without_what_is_not_about_the_code(text: str, said: str) -> None:
    assert message(text) == said


@for_each(
    ("text", "japanese", "telling"),
    [
        ("一覧を並べ替える", True, True),
        ("並べ替え", True, False),
        ("Sort the list 一覧", True, False),
        ("Sort the list", False, True),
        ("Sort it", False, False),
        ("一覧を並べ替える sort the list", False, False),
    ],
)
def test_a_text_must_say_enough_in_its_language(text: str, japanese: bool, telling: bool) -> None:
    assert is_telling(text, japanese) is telling


def test_a_change_is_told_as_it_is_afterwards_without_licences() -> None:
    diff = [
        "@@ -1,3 +1,3 @@ def total(items):",
        " # Licensed under the MIT License",
        "-    old_sum = 1",
        "+    new_sum = 1",
    ]
    assert change(diff) == ("def total(items):\n    new_sum = 1", ["total", "items", "old_sum", "new_sum"])
