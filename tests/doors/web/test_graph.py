"""The page of dependencies."""

from itertools import combinations

from shirube.doors.web.graph import MOST_DOWN, TALL, WIDE, lay_out
from tests.doors.web.conftest import Site


def test_users_and_used_are_drawn_with_what_a_change_touches(site: Site):
    text = site.get("/graph?path=src/shop/payment.py").text
    assert '<a href="/graph?path=src%2Fshop%2Fretry.py" class="node plain"' in text
    assert 'class="node must"><title>tests/test_payment.py (must be checked)</title>' in text
    assert text.count('class="node root"') == 1
    assert 'class="edge hot"' in text
    assert "What a change touches: 2 must" in text


def test_direction_and_packages_are_heeded(site: Site):
    assert "test_payment.py" not in drawing(site, "path=src/shop/payment.py&direction=outbound")
    assert "collections" in drawing(site, "path=src/shop/retry.py&packages=1")
    assert "collections" not in drawing(site, "path=src/shop/retry.py")


def drawing(site: Site, query: str) -> str:
    text = site.get(f"/graph?{query}").text
    return text[text.index('class="graph"') : text.index("</svg>", text.index('class="graph"'))]


def test_words_lead_to_the_files_they_may_mean(site: Site):
    text = site.get("/graph?path=payment").text
    assert '<a href="/graph?path=src%2Fshop%2Fpayment.py">' in text


def test_a_path_outside_is_refused(site: Site):
    text = site.get("/graph?path=../../etc/passwd").text
    assert "root:" not in text
    assert 'class="graph"' not in text


def test_users_stand_left_and_what_is_used_right():
    layout = lay_out(
        {"root": 0, "user": -1, "used": 1, "far": 2}, [("user", "root"), ("root", "used"), ("used", "far")]
    )
    across = [layout.spots[name][0] for name in ("user", "root", "used", "far")]
    assert across == sorted(across)
    assert len(set(across)) == 4


def test_no_two_boxes_touch_even_in_a_large_graph():
    layers = {"root": 0} | {f"n{number}": 1 + number % 3 for number in range(300)}
    layout = lay_out(layers, [("root", name) for name in layers if name != "root"])
    for (x1, y1), (x2, y2) in combinations(layout.spots.values(), 2):
        assert abs(x1 - x2) >= WIDE or abs(y1 - y2) >= TALL
    assert all(x + WIDE <= layout.width and y + TALL <= layout.height for x, y in layout.spots.values())
    assert layout.height < (MOST_DOWN + 2) * 40


def test_neighbours_stand_side_by_side_so_that_lines_do_not_cross():
    edges = [("a", "z"), ("b", "y"), ("c", "x")]
    layout = lay_out({"a": 0, "b": 0, "c": 0, "x": 1, "y": 1, "z": 1}, edges)
    left = [layout.spots[name][1] for name in "abc"]
    right = [layout.spots[name][1] for name in "zyx"]
    assert [left.index(y) for y in sorted(left)] == [right.index(y) for y in sorted(right)]


def test_nothing_needs_little_room():
    assert lay_out({}, []).spots == {}
