"""Markup that cannot be anything else than what it was meant to be."""

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from shirube.doors.web.html import STEERING, Html, cut, el, join, plain, shown


def test_text_is_escaped_in_elements_and_attributes():
    made = el("a", "<script>alert(1)</script>", href='"><b>', title="x & y")
    assert made == ('<a href="&quot;&gt;&lt;b&gt;" title="x &amp; y">&lt;script&gt;alert(1)&lt;/script&gt;</a>')


def test_markup_inside_markup_stays_and_text_does_not():
    assert el("p", el("b", "a"), "<b>", None, 3, [Html("<i></i>"), "&"]) == "<p><b>a</b>&lt;b&gt;3<i></i>&amp;</p>"


def test_attributes_may_be_bare_or_absent():
    assert el("input", type="text", required=True, checked=False, value=None) == '<input type="text" required>'
    assert el("svg", aria_label="x", data_into="y") == '<svg aria-label="x" data-into="y"></svg>'


def test_what_steers_is_shown_instead():
    text = "a\u202eb\x1b[31m\x00"
    assert shown(text) == (
        'a<span class="odd">U+202E</span>b<span class="odd">U+001B</span>[31m<span class="odd">U+0000</span>'
    )
    assert plain(text) == "a⟨U+202E⟩b⟨U+001B⟩[31m⟨U+0000⟩"
    assert el("i", title=text) == '<i title="a⟨U+202E⟩b⟨U+001B⟩[31m⟨U+0000⟩"></i>'


def test_every_control_and_direction_of_unicode_is_known():
    steering = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = {
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in steering and chr(code) not in "\n\t"
    }
    assert {char for char in found if not STEERING.fullmatch(char)} == set()


def test_japanese_and_windows_line_ends_are_left_alone():
    assert shown("検索　索引\r\n次\t行") == "検索　索引\n次\t行"


def test_what_is_typed_comes_back_as_it_was():
    assert el("input", value="a\u202eb") == '<input value="a\u202eb">'


def test_long_text_is_cut_and_the_rest_counted():
    assert cut("abcdef", 3) == "abc … +3"
    assert cut("abc", 3) == "abc"


@given(st.text())
def test_no_text_opens_an_element(text: str):
    made = join([text])
    assert "<" not in made.replace('<span class="odd">', "").replace("</span>", "")
