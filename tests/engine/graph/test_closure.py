"""Following edges: one way, both ways, to a depth, in circles, and no further than allowed."""

import random

import pytest

from shirube.engine.graph.closure import Closure, ClosureLimits, Direction, close
from shirube.engine.store.store import Store
from shirube.types import Edge
from tests.engine.search.conftest import entry, filled


def project(*pairs: str) -> Store:
    """Return a store with an edge for each ``a > b``; a name without an ending is a package."""
    edges: dict[str, list[Edge]] = {}
    for line, pair in enumerate(pairs, 1):
        source, target = pair.split(" > ")
        kind = "path" if target.endswith(".py") else "unresolved" if target.startswith(".") else "package"
        edges.setdefault(source, []).append(Edge(source, target, kind, "import", line))
    names = sorted({name for pair in pairs for name in pair.split(" > ") if name.endswith(".py")})
    return filled(*(entry(name, "x") for name in names), edges=edges)


def reached(closure: Closure) -> dict[str, int]:
    return {node.target: node.depth for node in closure.nodes}


CHAIN = project("a.py > b.py", "b.py > c.py", "c.py > d.py", "x.py > a.py", "y.py > x.py", "b.py > numpy")


@pytest.mark.requirement("001-CLOSURE-01")
def test_outbound_is_what_a_file_uses_to_a_depth():
    found = close(CHAIN, "a.py", Direction.OUTBOUND, ClosureLimits(depth=2))
    assert reached(found) == {"a.py": 0, "b.py": 1, "c.py": 2, "numpy": 2}
    assert [(link.from_, link.to, link.depth) for link in found.edges] == [
        ("a.py", "b.py", 1),
        ("b.py", "c.py", 2),
        ("b.py", "numpy", 2),
    ]
    assert (found.truncated, found.whole_to) == (False, 2)


@pytest.mark.requirement("001-CLOSURE-02")
def test_inbound_is_who_uses_it_and_its_edges_keep_their_direction():
    found = close(CHAIN, "a.py", Direction.INBOUND, ClosureLimits(depth=2))
    assert reached(found) == {"a.py": 0, "x.py": 1, "y.py": 2}
    assert [(link.from_, link.to) for link in found.edges] == [("x.py", "a.py"), ("y.py", "x.py")]


def test_both_goes_down_and_up_and_does_not_turn_round():
    store = project("a.py > b.py", "sibling.py > b.py", "x.py > a.py", "x.py > cousin.py")
    found = close(store, "a.py", Direction.BOTH, ClosureLimits(depth=3))
    assert {node.target: str(node.direction) for node in found.nodes} == {
        "a.py": "both",
        "b.py": "outbound",
        "x.py": "inbound",
    }


@pytest.mark.requirement("001-CLOSURE-03")
def test_packages_can_be_left_out_and_what_nobody_could_place_stays():
    store = project("a.py > numpy", "a.py > .gone", "a.py > b.py")
    with_packages = close(store, "a.py", Direction.OUTBOUND)
    assert {node.target: node.kind for node in with_packages.nodes} == {
        "a.py": "path",
        "b.py": "path",
        "numpy": "package",
        ".gone": "unresolved",
    }
    without = close(store, "a.py", Direction.OUTBOUND, ClosureLimits(packages=False))
    assert "numpy" not in reached(without)
    assert ".gone" in reached(without)


def test_a_circle_ends_and_each_edge_is_told_once():
    store = project("a.py > b.py", "b.py > c.py", "c.py > a.py", "a.py > a.py")
    found = close(store, "a.py", Direction.BOTH, ClosureLimits(depth=9))
    assert reached(found) == {"a.py": 0, "b.py": 1, "c.py": 1}
    assert sorted((link.from_, link.to) for link in found.edges) == [
        ("a.py", "b.py"),
        ("b.py", "c.py"),
        ("c.py", "a.py"),
    ]


def test_an_import_written_twice_is_one_edge_at_its_first_line():
    store = filled(
        entry("a.py", "x"),
        entry("b.py", "x"),
        edges={"a.py": [Edge("a.py", "b.py", "path", "import", n) for n in (7, 3)]},
    )
    assert [link.line for link in close(store, "a.py", Direction.OUTBOUND).edges] == [3]


def test_what_is_cut_off_is_said_with_the_depth_that_is_whole():
    store = project("a.py > b.py", *(f"b.py > c{number}.py" for number in range(9)), "c0.py > d.py")
    found = close(store, "a.py", Direction.OUTBOUND, ClosureLimits(depth=3, nodes=5))
    assert len(found.nodes) == 5
    assert (found.truncated, found.whole_to) == (True, 1)
    names = set(reached(found))
    assert all({link.from_, link.to} <= names for link in found.edges)


def test_a_package_of_the_same_name_as_a_file_is_not_taken_for_it():
    store = filled(
        entry("a.py", "x"),
        entry("b.py", "x"),
        edges={"b.py": [Edge("b.py", "a.py", "package")]},
    )
    assert reached(close(store, "a.py", Direction.INBOUND)) == {"a.py": 0}


def test_any_graph_gives_shortest_ways_and_the_same_answer_twice(seed: int):
    chance = random.Random(seed)
    names = [f"f{number}.py" for number in range(30)]
    pairs = sorted({f"{chance.choice(names)} > {chance.choice(names)}" for _ in range(70)})
    store = project(*pairs)
    root = pairs[0].split(" > ")[0]
    found = close(store, root, Direction.OUTBOUND, ClosureLimits(depth=30))
    assert found == close(store, root, Direction.OUTBOUND, ClosureLimits(depth=30))
    assert reached(found) == shortest(pairs, root)


def shortest(pairs: list[str], root: str) -> dict[str, int]:
    """Return distances by relaxing every edge until nothing changes: slow, and surely right."""
    far = {root: 0}
    for _ in pairs:
        for pair in pairs:
            source, target = pair.split(" > ")
            if source in far:
                far[target] = min(far.get(target, 99), far[source] + 1)
    return far
