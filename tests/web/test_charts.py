"""Drawings."""

import re
from xml.etree import ElementTree

from shirube.web.charts import bar, legend, lines, radar, share, stack


def widths(drawn: str) -> list[float]:
    return [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', drawn)]


def test_a_bar_is_as_long_as_its_share_and_never_longer():
    assert widths(bar(1, 4, "x")) == [100, 25]
    assert widths(bar(9, 4, "x")) == [100, 100]
    assert widths(bar(1, 0, "x")) == [100, 0]
    assert "low" in bar(-1, 4, "x")


def test_parts_of_a_sum_stand_side_by_side():
    drawn = stack([("words", 1.0), ("path", 3.0), ("bad", -1.0)], 4.0, "score")
    assert widths(drawn) == [200, 50, 150, 0]
    assert re.findall(r' x="([\d.]+)"', drawn) == ["0.0", "50.0", "200.0"]
    assert "<title>words +1</title>" in drawn


def test_counts_share_one_bar():
    assert widths(share({"good": 1, "bad": 3}, "x", {"good": "good"})) == [200, 50, 150]
    assert widths(share({}, "x", {})) == [200]


def test_lines_go_from_turn_to_turn_from_bottom_to_top():
    drawn = lines({"a": [0.0, 1.0], "b": [0.5, 2.0]}, "course")
    points = re.findall(r'points="([^"]+)"', drawn)
    assert [point.split(",")[1] for point in points[0].split()] == ["160.0", "10.0"]
    assert points[1].split()[1].endswith(",10.0")
    assert drawn.count("<circle") == 4


def test_a_radar_has_a_corner_for_each_measure():
    drawn = radar({"plan": dict.fromkeys("abcdef", 1.0)}, "end")
    assert drawn.count("<polygon") == 5
    assert len(re.findall(r'class="shape"', drawn)) == 1
    assert radar({}, "end") == ""


def test_names_in_drawings_are_text():
    drawn = (
        lines({"<script>": [1.0]}, '"><script>') + legend({"<b>": 1}) + radar({"<i>": {"<u>": 1, "b": 0, "c": 0}}, "")
    )
    assert "<script" not in drawn
    assert "<u>" not in drawn
    ElementTree.fromstring(f"<div>{drawn}</div>")
