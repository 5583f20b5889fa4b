"""Drawings: what they hold, and names that would break them."""

import pytest

from shirube.engine.graph.closure import Closure, Direction, Link, Node, dot, mermaid

ODD = 'we"ird\\<b>;#.py'


def closure(*names: str) -> Closure:
    kinds = {"numpy": "package", ".gone": "unresolved"}
    nodes = [Node(kinds.get(name, "path"), name, min(at, 1), Direction.OUTBOUND) for at, name in enumerate(names)]
    links = [Link(names[0], name, kinds.get(name, "path"), "import", 1, 1) for name in names[1:]]
    return Closure(names[0], tuple(nodes), tuple(links), 1)


@pytest.mark.requirement("N001-GRAPH-01")
def test_dot_tells_files_packages_and_what_nobody_could_place_apart():
    drawn = dot(closure("a.py", "b.py", "numpy", ".gone")).split("\n")
    assert drawn[0] == "digraph dependencies {"
    assert '  "a.py" [shape=box, penwidth=2];' in drawn
    assert '  "numpy" [shape=ellipse];' in drawn
    assert '  ".gone" [shape=box, style=dashed];' in drawn
    assert '  "a.py" -> "numpy";' in drawn
    assert drawn[-1] == "}"


def test_mermaid_numbers_its_nodes():
    assert mermaid(closure("a.py", "日本.py", "numpy", ".gone")).split("\n") == [
        "flowchart LR",
        '  n0["a.py"]',
        '  n1["日本.py"]',
        '  n2(["numpy"])',
        '  n3{{".gone"}}',
        "  n0 --> n1",
        "  n0 --> n2",
        "  n0 --> n3",
    ]


def test_no_name_breaks_out_of_its_quotes():
    assert '  "a.py" -> "we\\"ird\\\\<b>;#.py";' in dot(closure("a.py", ODD))
    assert 'n1["we#34;ird#92;#60;b#62;#59;#35;.py"]' in mermaid(closure("a.py", ODD))
