"""The benchmark of bundles: what counts as read, and what the page says."""

from benchmarks.context.readers import _until
from benchmarks.context.recall import aimed, point, recall
from benchmarks.context.report import markdown
from benchmarks.quality.data import Labelled

QUESTION = Labelled("repo", 0, "q", "semantic", ("src/a.py", "src/b.py"))


def test_recall_counts_needed_files_and_aim_the_tokens_spent_on_them():
    reads = [("repo/src/a.py", 30), ("x.py", 70), ("src/a.py", 100)]
    assert recall(reads, QUESTION) == 0.5
    assert aimed(reads, QUESTION) == 130 / 200
    assert aimed([], QUESTION) == 0.0


def test_what_begins_inside_the_budget_is_read_in_part():
    reads = iter([("a", 60), ("b", 60), ("c", 60)])
    assert _until(100, reads) == [("a", 60), ("b", 40)]


def test_a_point_is_the_mean_over_repositories():
    others = [Labelled("other", number, "q", "semantic", ("z.py",)) for number in range(3)]
    found = point(lambda question, budget: [("src/a.py", budget)], [QUESTION, *others], 10)
    assert (found.recall, found.files, found.tokens) == (0.25, 1, 10)


def test_the_page_has_a_row_for_each_way_to_read():
    row = {"recall": 0.9, "aimed": 0.25, "files": 3.0, "tokens": 990.0}
    results = {
        "date": "today",
        "repositories": 1,
        "questions": 2,
        "curve": {"context_bundle": {"1000": row}, "whole files": {"1000": row}},
        "ahead": {"whole files": {"1000": (0.1, 0.0, 0.2)}},
    }
    page = markdown(results)
    assert "| context_bundle | 0.900 (25%, 3.0) |" in page
    assert "| ours minus whole files | +0.100 [+0.000, +0.200] |" in page
