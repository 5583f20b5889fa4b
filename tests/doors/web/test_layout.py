"""Where the boxes of a graph stand."""

from itertools import combinations

from shirube.doors.web.layout import MOST_DOWN, TALL, WIDE, lay_out


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
