import os
import sys
from pathlib import Path

import pytest

from shirube.deadline import Deadline
from shirube.engine.repo.grep import GrepOptions, GrepResult, grep
from shirube.engine.repo.regex import Spelling, compile_pattern


def look(root: Path, files, *patterns: str, deadline: Deadline | None = None, spelling=None, **options) -> GrepResult:
    compiled = [compile_pattern(pattern, spelling or Spelling()) for pattern in patterns]
    return grep(root, compiled, files, GrepOptions(**options), deadline)


def places(result: GrepResult) -> list[tuple[str, int, int]]:
    return [(file.path, line.number, line.column) for file in result.files for line in file.lines]


def texts(result: GrepResult) -> list[str]:
    return [line.text for file in result.files for line in file.lines]


def test_finds_plain_text_with_line_and_columns(tmp_path, make):
    root = make(tmp_path, {"a.py": "x\n  é foo(a+)\n", "b/c.py": "foo(a+)\r\n", "d.py": "foo(aa)"})
    result = look(root, ["a.py", "b/c.py", "d.py"], "foo(a+)")
    assert places(result) == [("a.py", 2, 5), ("b/c.py", 1, 1)]
    assert texts(result) == ["  é foo(a+)", "foo(a+)"]
    assert [line.end_column for file in result.files for line in file.lines] == [12, 8]
    assert (result.total, result.total_files, bool(result.next), result.late, result.unread) == (2, 2, False, False, {})


def test_any_of_several_patterns_is_enough_and_which_is_told(tmp_path, make):
    root = make(tmp_path, {"a": "one\ntwo\nthree\ntwo one\n"})
    result = look(root, ["a"], "two", "one")
    assert places(result) == [("a", 1, 1), ("a", 2, 1), ("a", 4, 1)]
    assert [line.patterns for line in result.files[0].lines] == [(1,), (0,), (0, 1)]


def test_files_come_in_order_and_once(tmp_path, make):
    root = make(tmp_path, dict.fromkeys(["b", "a/z", "a-b", "a/c/d"], "x"))
    assert [file.path for file in look(root, ["b", "a/z", "b", "a-b", "a/c/d"], "x").files] == [
        "a-b",
        "a/c/d",
        "a/z",
        "b",
    ]


def test_a_line_ends_before_its_end_whatever_that_is(tmp_path, make):
    root = make(tmp_path, {"a": "one;\r\ntwo\r\n\r\nthree"})
    for pattern, wanted in (("[^;]$", [2, 4]), ("^$", [3]), ("o.$", []), ("two$", [2]), (r"\r$", [1, 2, 3])):
        result = look(root, ["a"], pattern, spelling=Spelling(regex=True))
        assert [line for _, line, _ in places(result)] == wanted, pattern
        assert not any("\r" in text for text in texts(result))


@pytest.mark.parametrize("encoding", ["cp932", "euc-jp", "iso2022_jp", "utf-16", "utf-32", "utf-8-sig"])
def test_old_encodings_are_read(tmp_path, make, encoding):
    root = make(tmp_path, {"a": "これは注文の一覧です\n".encode(encoding)})
    assert places(look(root, ["a"], "注文")) == [("a", 1, 4)]
    assert places(look(root, ["a"], "^これ", spelling=Spelling(regex=True))) == [("a", 1, 1)]


def test_bytes_that_are_no_text_stand_for_one_sign(tmp_path, make):
    root = make(tmp_path, {"a": b"caf\xe9 foo\n\xff\xfe\x00\n", "b": b"ok \xe9\xa8 foo"})
    result = look(root, ["b"], "foo")
    assert places(result) == [("b", 1, 6)]
    assert texts(result) == ["ok � foo"]


def test_what_cannot_be_searched_is_told_with_the_reason(tmp_path, make):
    make(tmp_path / "outside", {"secret": "needle"})
    root = make(tmp_path / "p", {"bin": b"needle\n\0\0", "big": "needle\n" + "x" * 100, "a": "needle\n"})
    (root / "link").symlink_to("../outside/secret")
    (root / "folder").symlink_to("../outside")
    os.mkfifo(root / "pipe")
    files = ["bin", "big", "a", "link", "folder/secret", "pipe", "gone", "a/under"]
    result = look(root, files, "needle", max_file_bytes=50)
    assert places(result) == [("a", 1, 1)]
    assert result.unread == {
        "bin": "binary",
        "big": "too_large",
        "link": "outside_link",
        "pipe": "special",
    }


def test_a_long_line_is_cut_around_the_match_with_marks(tmp_path, make):
    root = make(
        tmp_path, {"a": "x" * 1000 + "needle" + "y" * 1000, "b": "needle" + "y" * 1000, "c": "x" * 1000 + "needle"}
    )
    middle, first, last = texts(look(root, ["a", "b", "c"], "needle"))
    assert (middle[0], middle[-1], first[-1], last[0]) == ("…", "…", "…", "…")
    assert first.startswith("needle")
    assert last.endswith("needle")
    assert "needle" in middle
    assert {len(middle), len(first), len(last)} == {302, 301}
    assert places(look(root, ["a"], "needle")) == [("a", 1, 1001)]


def test_context_is_shown_once(tmp_path, make):
    root = make(tmp_path, {"a": "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n"})
    lines = look(root, ["a"], "x", context_lines=2).files[0].lines
    shown = [(line.before, line.number, line.after) for line in lines]
    assert shown == [(("1", "2"), 3, ("4",)), ((), 5, ("6", "7")), (("8", "9"), 10, ())]


def test_lines_beyond_the_limit_are_counted_and_the_rest_is_said_to_follow(tmp_path, make):
    root = make(tmp_path, {"a": "x\n" * 5, "b": "x\n"})
    result = look(root, ["a", "b"], "x", limit=3)
    assert (len(places(result)), result.total, result.total_files, result.hidden, result.next) == (
        3,
        6,
        2,
        3,
        (0, "a", 3),
    )
    whole = look(root, ["a", "b"], "x", limit=6)
    assert (len(places(whole)), whole.hidden, whole.next) == (6, 0, None)


def test_one_file_does_not_fill_the_page_before_the_others_had_their_share(tmp_path, make):
    root = make(tmp_path, {"a": "x\n" * 50, "b": "x\n" * 3, "c": "x\n" * 50})

    def shares(**options):
        result = look(root, ["a", "b", "c"], "x", **options)
        return [len(file.lines) for file in result.files], bool(result.next)

    assert shares(limit=10, per_file=4) == ([4, 3, 3], True)
    assert shares(limit=30, per_file=4) == ([23, 3, 4], True)
    assert shares(limit=103, per_file=4) == ([50, 3, 50], False)
    assert shares(limit=5, per_file=5) == ([5], True)


def test_what_the_shares_hide_comes_on_the_next_page(tmp_path, make):
    root = make(tmp_path, {"a": "x\n" * 50, "b": "x\n"})
    result = look(root, ["a", "b"], "x", limit=5, per_file=4)
    assert ([len(file.lines) for file in result.files], result.hidden, result.next) == ([4, 1], 46, (0, "b", 1))
    rest = look(root, ["a", "b"], "x", limit=50, per_file=4, after=result.next)
    assert (places(rest), rest.next) == ([("a", line, 1) for line in range(5, 51)], None)


@pytest.mark.parametrize("share", [1, 2, 3, 4])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 20])
def test_pages_side_by_side_are_the_whole_answer(tmp_path, make, limit, share):
    root = make(tmp_path, dict.fromkeys("abc", "x\ny\n" * 4))
    found, after = [], None
    for _ in range(30):
        page = look(root, "abc", "x", limit=limit, per_file=share, context_lines=1, after=after)
        found += places(page)
        assert page.total == 12
        after = page.next
        if not after:
            break
    assert sorted(found) == [(name, number, 1) for name in "abc" for number in (1, 3, 5, 7)]


def test_the_whole_page_is_bounded(tmp_path, make):
    root = make(tmp_path, dict.fromkeys("abc", ("x" * 200 + "\n") * 10))
    result = look(root, "abc", "x", max_characters=2000)
    assert 1 <= len(places(result)) < 10
    assert result.next
    assert len(places(look(root, "abc", "x", max_characters=1))) == 1


def test_counting_ends_when_nobody_would_read_on(tmp_path, make, monkeypatch):
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep"], "COUNTED_LINES", 20)
    root = make(tmp_path, {f"{number:02}": "x\n" * 10 for number in range(10)})
    result = look(root, [f"{number:02}" for number in range(10)], "x", limit=5, per_file=5)
    assert (result.total, result.uncounted, bool(result.next)) == (20, True, True)
    assert not look(root, ["00", "01"], "x", limit=50).uncounted


def test_time_that_has_run_out_is_said_to_have(tmp_path, make):
    root = make(tmp_path, {"a": "needle"})
    assert look(root, ["a"], "needle", deadline=Deadline(0.0)).late


def test_a_line_too_costly_to_search_is_told(tmp_path, make, monkeypatch):
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "MIN_WINDOW", 8)
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "WINDOW_WORK", 8)
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "LINE_WORK", 1000)
    root = make(tmp_path, {"a": "x" * 1000 + "needle"})
    result = look(root, ["a"], "needle")
    assert (places(result), result.unread) == ([], {"a": "long_line"})
