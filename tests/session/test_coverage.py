from shirube.session.coverage import Coverage, coverage
from shirube.types import Edge
from tests.session.sample import FakeFacts


def test_what_surrounds_a_change_is_counted_both_ways_the_nearest_first():
    found = coverage(FakeFacts().edges(), {"src/auth/service.py"}, {"src/web/login.py"})
    assert found == Coverage(3, 1, ("src/auth/users.py", "src/web/app.py"))


def test_packages_and_what_is_further_away_do_not_count():
    chain = [Edge(f"f{i}.py", f"f{i + 1}.py", "path") for i in range(6)]
    assert coverage([*chain, Edge("f0.py", "numpy", "package")], {"f0.py"}, set()).unexplored == ("f1.py", "f2.py")


def test_a_file_alone_has_nothing_around_it():
    assert coverage([Edge("a.py", "a.py", "path")], {"a.py"}, set()) == Coverage()
