"""Drawings."""

import re
from xml.etree import ElementTree

from shirube.doors.web.charts import bar, columns, dumbbell, legend, lines, radar, share, stack


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


def test_columns_are_as_tall_as_their_counts_and_named():
    made = columns(
        {"2026-01-01": {"won": 3, "lost": 1}, "2026-01-02": {"won": 0, "lost": 0}}, {"won": "good"}, "by day"
    )
    assert 'aria-label="by day"' in made
    assert "<title>2026-01-01: won 3</title>" in made
    assert 'height="90.0"' in made
    assert ">01-01<" in made
    assert made.count("<title>") == 2
    assert 'class="swatch good"' in made


def test_many_columns_have_few_labels():
    made = columns({f"2026-01-{day:02}": {"won": 1} for day in range(1, 32)}, {"won": "good"}, "x")
    assert 4 <= made.count("tick mid") <= 7


def test_columns_of_nothing_are_no_error():
    assert "<svg" in columns({}, {}, "nothing")


def test_a_place_that_moved_is_drawn_from_old_to_new():
    assert 'class="better"' in dumbbell(5, 1, "x")
    assert 'class="worse"' in dumbbell(1, 0, "x")
    assert 'class="still"' in dumbbell(0, 0, "x")
