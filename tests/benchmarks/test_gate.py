"""The benchmark of the gate asks every kind of question and leaves the project as it was."""

from pathlib import Path

from benchmarks.gate.__main__ import LIMIT_MS, Bench, Cost, measure, questions, report
from tests.conftest import needs_git
from tests.features.guard.conftest import git


@needs_git
def test_every_question_is_asked_and_answered_as_expected(tmp_path: Path):
    root = (tmp_path / "shop").resolve()
    root.mkdir()
    for number in range(10):
        (root / f"{number}.py").write_text(f"x = {number}\n")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "begin")):
        git(root, *words)
    before = {path: path.read_bytes() for path in root.glob("*.py")}
    bench = Bench(root, tmp_path.resolve() / "scratch", 1)
    bench.begin()
    asked = questions(bench)
    costs = measure(bench, asked, 1)
    assert {len(each) for each in costs.values()} == {1}
    assert all(cost.cpu > 0 for each in costs.values() for cost in each)
    text = report(bench, asked, costs, (0.0, 0.0))
    assert all(f"| {question.name} |" in text for question in asked)
    assert {path: path.read_bytes() for path in root.glob("*.py")} == before


def test_after_a_tool_the_limit_is_for_trees_that_are_not_too_large(tmp_path: Path):
    bench = Bench.__new__(Bench)
    bench.root, bench.files = tmp_path, 75_000
    asked = questions(bench)
    costs = {question.name: [Cost(max(LIMIT_MS.values()) + 1, 1.0)] * 2 for question in asked}
    large = report(bench, asked, costs, (0.0, 0.0))
    bench.files = 5_000
    small = report(bench, asked, costs, (0.0, 0.0))
    assert large.count("**not met**") == sum(question.moment == "before" for question in asked)
    assert small.count("**not met**") == sum(question.moment in ("before", "after", "stop") for question in asked)
