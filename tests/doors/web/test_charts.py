"""Drawings."""

import re
from xml.etree import ElementTree

from shirube.doors.web.rendering import template_environment
from shirube.types import Reason


def drawn(call: str, **values: object) -> str:
    """Return what a macro of ``charts.html`` draws."""
    template = f"{{% import 'charts.html' as charts %}}{{{{ charts.{call} }}}}"
    return template_environment().from_string(template).render(values)


def widths(text: str) -> list[float]:
    return [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', text)]


def test_a_bar_is_as_long_as_its_share_and_never_longer():
    assert widths(drawn("bar(1, 4, 'x')")) == [100, 25]
    assert widths(drawn("bar(9, 4, 'x')")) == [100, 100]
    assert widths(drawn("bar(1, 0, 'x')")) == [100, 0]
    assert "low" in drawn("bar(-1, 4, 'x')")


def test_parts_of_a_sum_stand_side_by_side():
    reasons = [Reason("words", 1.0), Reason("path", 3.0), Reason("bad", -1.0)]
    text = drawn("stack(reasons, 4.0, 'score')", reasons=reasons)
    assert widths(text) == [200, 50, 150, 0]
    assert re.findall(r' x="([\d.]+)"', text) == ["0.0", "50.0", "200.0"]
    assert "<title>words +1</title>" in text


def test_counts_share_one_bar():
    assert widths(drawn("share({'good': 1, 'bad': 3}, 'x', {'good': 'good'})")) == [200, 50, 150]
    assert widths(drawn("share({}, 'x', {})")) == [200]


def test_lines_go_from_turn_to_turn_from_bottom_to_top():
    text = drawn("lines({'a': [0.0, 1.0], 'b': [0.5, 2.0]}, 'course')")
    points = re.findall(r'points="([^"]+)"', text)
    assert [point.split(",")[1] for point in points[0].split()] == ["160.0", "10.0"]
    assert points[1].split()[1].endswith(",10.0")
    assert text.count("<circle") == 4


def test_a_radar_has_a_corner_for_each_measure():
    text = drawn("radar(rows, 'end')", rows={"plan": dict.fromkeys("abcdef", 1.0)})
    assert text.count("<polygon") == 5
    assert len(re.findall(r'class="shape"', text)) == 1
    assert drawn("radar({}, 'end')") == ""


def test_names_in_drawings_are_text():
    text = drawn("lines({'<script>': [1.0]}, label)", label='"><script>') + drawn("legend(['<b>'])")
    text += drawn("radar({'<i>': {'<u>': 1, 'b': 0, 'c': 0}}, '')")
    text += drawn("columns({'<b>': {'<i>\u202e': 1}}, {'<i>\u202e': 'good'}, '<s>')")
    assert not re.search("<(script|b|i|u|s)>", text)
    assert "<title>&lt;b&gt;: &lt;i&gt;⟨U+202E⟩ 1</title>" in text
    ElementTree.fromstring(f"<div>{text}</div>")


def test_columns_are_as_tall_as_their_counts_and_named():
    rows = {"2026-01-01": {"won": 3, "lost": 1}, "2026-01-02": {"won": 0, "lost": 0}}
    made = drawn("columns(rows, {'won': 'good'}, 'by day')", rows=rows)
    assert 'aria-label="by day"' in made
    assert "<title>2026-01-01: won 3</title>" in made
    assert 'height="90.0"' in made
    assert ">01-01<" in made
    assert made.count("<title>") == 2
    assert 'class="swatch good"' in made


def test_many_columns_have_few_labels():
    rows = {f"2026-01-{day:02}": {"won": 1} for day in range(1, 32)}
    made = drawn("columns(rows, {'won': 'good'}, 'x')", rows=rows)
    assert 4 <= made.count("tick mid") <= 7


def test_columns_of_nothing_are_no_error():
    assert "<svg" in drawn("columns({}, {}, 'nothing')")


def test_a_place_that_moved_is_drawn_from_old_to_new():
    assert 'class="better"' in drawn("dumbbell(5, 1, 'x')")
    assert 'class="worse"' in drawn("dumbbell(1, 0, 'x')")
    assert 'class="still"' in drawn("dumbbell(0, 0, 'x')")
