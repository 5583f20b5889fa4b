"""The pure parts of the speed benchmark; what it measures is asserted nowhere."""

import os
import subprocess
import sys

from benchmarks.speed import edits
from benchmarks.speed.measure import cpu_of, percentile, summary
from benchmarks.speed.questions import keywords, questions, time_each
from benchmarks.speed.report import markdown, number, table
from benchmarks.speed.rows import Row, rows_of_install
from tests.cases import for_each


@for_each(("share", "expected"), [(0.5, 5), (0.95, 10), (0.0, 1), (1.0, 10)])
def test_a_percentile_is_one_of_the_values(share, expected):
    assert percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], share) == expected


def test_a_percentile_of_one_value_is_that_value():
    assert percentile([7.0], 0.5) == percentile([7.0], 0.95) == 7.0


def test_a_summary_tells_best_median_and_worst():
    assert summary([4.0, 1.0, 2.0, 9.0]) == {"best": 1.0, "median": 3.0, "worst": 9.0, "count": 4}


def test_the_cpu_clock_of_another_process_runs():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert cpu_of(child.pid) >= 0.0
        child.kill()
    assert cpu_of(os.getpid()) > 0.0


def test_a_row_without_a_limit_has_no_verdict():
    assert Row("x", "s", 1.0).verdict == ""
    assert Row("x", "s", 1.0, limit=1.0).verdict == "met"
    assert Row("x", "s", 1.1, limit=1.0).verdict == "**not met**"


def test_a_table_has_a_column_for_each_peer():
    rows = [Row("a", "s", 1.5, {"one": 2.0}), Row("b", "files", 0, {"two": 3}, limit=0)]
    assert table(rows).splitlines() == [
        "| measured | shirube | one | two | limit |  |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
        "| a | 1.50 s | 2.00 s |  |  |  |",
        "| b | 0 files |  | 3 files | ≤ 0 files | met |",
    ]


@for_each(
    ("value", "unit", "text"),
    [
        (0.01234, "s", "0.012 s"),
        (12.345, "s", "12.35 s"),
        (512.3, "MB", "512 MB"),
        (0, "files", "0 files"),
        (60, "", "60"),
    ],
)
def test_numbers_are_as_exact_as_makes_sense(value, unit, text):
    assert number(value, unit) == text


def test_an_installation_is_held_against_its_limits():
    rows = rows_of_install({"disk_bytes": 251e6, "wheel_bytes": 89e6, "distributions": 60})
    assert [row.verdict for row in rows] == ["**not met**", "met", ""]


def test_the_questions_hold_words_identifiers_and_japanese():
    asked = questions()
    assert 35 <= len(asked) <= 45
    assert len(set(asked)) == len(asked)
    assert any(not line.isascii() for line in asked)
    assert any("_" in line for line in asked)
    assert not any(" " in word or '"' in word for word in keywords())


def test_each_question_is_asked_once_more_than_it_is_timed():
    asked = []
    found = time_each(asked.append, ["a", "b"], rounds=3)
    assert asked == ["a", "b"] * 4
    assert found["wall"]["p50"] <= found["wall"]["p95"] <= found["wall"]["slowest_call"]


def test_edits_after_the_first_keep_size_and_time(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("x = 1")
    with edits.restored(path):
        stats = []
        for word in edits.words(3, keep_time=True):
            edits.put(path, word, keep_time=True)
            assert path.read_text() == f"x = 1\n# {word}\n"
            stats.append(path.stat())
    assert stats[1].st_size == stats[2].st_size
    assert stats[0].st_mtime_ns == stats[2].st_mtime_ns
    assert path.read_text() == "x = 1"


def test_a_run_on_a_busy_machine_says_so():
    assert "had other work" in markdown(_results(load=[0.3, 6.0]))
    assert "had other work" not in markdown(_results(load=[0.3, 1.5]))


def test_a_report_names_command_date_machine_and_verdicts():
    text = markdown(_results(load=[0.1, 0.2]))
    assert "`python -m benchmarks.speed --middle some` on 2026-01-31" in text
    assert "python 3.11" in text
    assert "## middle: some at abc (10 files, 2.0 MB; chunks: shirube 5, semble 4)" in text
    assert "| cold index, wall, against semble | 2.00 × | 1.00 × |" in text
    assert "| ≤ 1.00 × | **not met** |" in text


def _results(load):
    both = {"best": 1.0, "median": 1.0, "worst": 1.0, "count": 1}
    spent = {"wall": both, "cpu": both}
    twice = {"wall": both | {"best": 2.0}, "cpu": both}
    asked = dict.fromkeys(("p50", "p95", "p95_all_calls"), 1.0)
    query = {"wall": asked, "cpu": asked}
    warm = {"query": query, "query_hybrid": query, "unchanged": spent, "edit": spent, "edit_kept_time": spent}
    found = {
        "size": "middle",
        "name": "some",
        "commit": "abc",
        "tree": {"files": 10, "source_bytes": 2_000_000},
        "cold": {
            "shirube": {**twice, "whole_process": twice, "held": {"chunks": 5}},
            "semble": {**spent, "whole_process": spent, "held": {"chunks": 4}},
        },
        "memory": {"shirube": 1e6, "semble": 2e6},
        "warm": {"shirube": warm | {"first_edit": {"wall": 0.1}}, "semble": warm, "ripgrep": {}},
        "fresh_sync": {"index": spent},
        "branches": [{"wall": 1.0, "changed": 5, "parsed": parsed} for parsed in (5, 0, 0)],
        "disk": {"shirube": 3e6, "semble": 1e6, "semble_save": {"wall": 0.1}},
        "door": {"shirube": spent, "bare": spent},
    }
    return {
        "date": "2026-01-31",
        "command": "python -m benchmarks.speed --middle some",
        "machine": {"python": "3.11"},
        "load": load,
        "repositories": {"middle": found},
        "install": {},
    }
