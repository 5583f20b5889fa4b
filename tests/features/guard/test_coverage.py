from collections.abc import Collection

from shirube.features.guard.phases import DEPTH, coverage
from shirube.features.guard.state import Coverage
from shirube.types import Edge
from tests.features.guard.sample import FakeFacts

CHAIN = [Edge(f"f{i}.py", f"f{i + 1}.py", "path") for i in range(6)]


def test_what_surrounds_a_change_is_counted_both_ways_the_nearest_first():
    found = coverage(FakeFacts().around, {"src/auth/service.py"}, {"src/web/login.py"})
    assert found == Coverage(3, 1, ("src/auth/users.py", "src/web/app.py"))


def test_each_step_is_asked_for_once_and_what_is_further_away_does_not_count():
    asked: list[set[str]] = []

    def around(paths: Collection[str]) -> list[Edge]:
        asked.append(set(paths))
        return [edge for edge in CHAIN if edge.source in paths or edge.target in paths]

    assert coverage(around, {"f0.py"}, set()).unexplored == ("f1.py", "f2.py")
    assert asked == [{"f0.py"}, {"f1.py"}]
    assert len(asked) == DEPTH


def test_a_file_alone_has_nothing_around_it():
    asked: list[Collection[str]] = []

    def around(paths: Collection[str]) -> list[Edge]:
        asked.append(paths)
        return [Edge("a.py", "a.py", "path")]

    assert coverage(around, {"a.py"}, set()) == Coverage()
    assert len(asked) == 1
