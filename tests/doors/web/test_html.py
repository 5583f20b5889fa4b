"""Text that cannot become markup, wherever in a template it stands."""

import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import TemplateSyntaxError, UndefinedError
from markupsafe import Markup

import shirube.doors.web
from shirube.doors.web.html import STEERING, cut, plain, shown
from shirube.doors.web.rendering import template_environment

TEMPLATES = Path(shirube.doors.web.__file__).parent / "templates"
STEERED = "a\u202eb\x1b[31m\x00"


def filled(template: str, **values: object) -> str:
    """Return a template as the pages fill it in."""
    return template_environment().from_string(template).render(values)


def test_text_is_escaped_in_elements_and_attributes():
    made = filled('<a href="{{ x }}" title="{{ y }}">{{ z }}</a>', x='"><b>', y="x & y", z="<script>alert(1)</script>")
    assert made == '<a href="&quot;&gt;&lt;b&gt;" title="x &amp; y">&lt;script&gt;alert(1)&lt;/script&gt;</a>'


def test_markup_inside_markup_stays_and_text_does_not():
    made = filled("<p>{{ a }}{{ b }}{{ c }}{{ d }}</p>", a=Markup("<b>a</b>"), b="<b>", c=None, d=3)
    assert made == "<p><b>a</b>&lt;b&gt;3</p>"
    assert filled("{% macro m(x) %}<i>{{ x }}</i>{% endmacro %}{{ m('<u>') }}") == "<i>&lt;u&gt;</i>"


def test_markup_is_refused_where_it_cannot_stand():
    for template in ('<a title="{{ x }}">', '<a href="{{ x }}">', "<title>{{ x }}</title>"):
        with pytest.raises(TypeError, match="no markup can stand here"):
            filled(template, x=Markup("<b>"))


@pytest.mark.parametrize(
    "template",
    [
        "<a {{ x }}>",
        "<a href={{ x }}>",
        "<a href='{{ x }}'>",
        "<{{ x }}>",
        "a</{{ x }}>",
        '<b class="a"{{ x }}>',
        '<b onclick="{{ x }}">',
        '<b style="color: {{ x }}">',
        "<script>{{ x }}</script>",
        "<style>{{ x }}</style>",
    ],
)
def test_a_value_where_escaping_does_not_help_does_not_compile(template: str):
    with pytest.raises(TemplateSyntaxError, match="no value can stand here"):
        filled(template, x="x")


def test_what_is_not_given_is_an_error_and_no_empty_text():
    with pytest.raises(UndefinedError):
        filled("{{ nothing }}")
    with pytest.raises(UndefinedError):
        filled("{{ x.nothing }}", x="text")


def test_what_steers_is_shown_instead():
    in_text = 'a<span class="odd">U+202E</span>b<span class="odd">U+001B</span>[31m<span class="odd">U+0000</span>'
    in_words = "a⟨U+202E⟩b⟨U+001B⟩[31m⟨U+0000⟩"
    assert shown(STEERED) == in_text
    assert plain(STEERED) == in_words
    assert filled("<p>{{ x }}</p>", x=STEERED) == f"<p>{in_text}</p>"
    for name in ("title", "aria-label", "placeholder", "alt", "data-head"):
        assert filled(f'<i {name}="{{{{ x }}}}">', x=STEERED) == f'<i {name}="{in_words}">'
    for name in ("title", "text"):
        assert filled(f"<{name}>{{{{ x }}}}</{name}>{{{{ x }}}}", x=STEERED) == f"<{name}>{in_words}</{name}>{in_text}"


def test_what_is_typed_comes_back_as_it_was():
    assert filled('<input value="{{ x }}">', x="a\u202eb") == '<input value="a\u202eb">'
    assert filled("<textarea>{{ x }}</textarea>", x="a\u202e<b>") == "<textarea>a\u202e&lt;b&gt;</textarea>"


def test_the_place_is_known_behind_conditions_loops_and_other_attributes():
    template = '<i{% if y %} class="{{ y }}"{% endif %} title="{% for one in z %}{{ one }}{% endfor %}">{{ x }}</i>'
    made = filled(template, x="\u202e", y="\u202e", z=["\u202e", ">"])
    assert made == '<i class="\u202e" title="⟨U+202E⟩&gt;"><span class="odd">U+202E</span></i>'


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


def test_line_breaks_of_a_template_are_layout_and_those_of_values_are_not():
    template = '<p class="a"\n   title="b">\n  {{ x }}\n  <b>c</b> {{ x }}\n</p>\n'
    assert filled(template, x="1\n2") == '<p class="a" title="b">1\n2<b>c</b> 1\n2</p>'


def test_long_text_is_cut_and_the_rest_counted():
    assert cut("abcdef", 3) == "abc … +3"
    assert cut("abc", 3) == "abc"


@given(st.text())
def test_no_text_opens_an_element_or_ends_an_attribute(text: str):
    made = shown(text)
    assert "<" not in made.replace('<span class="odd">', "").replace("</span>", "")
    quoted = filled('<i title="{{ x }}" value="{{ x }}">', x=text)
    assert quoted.count('"') == 4
    assert quoted.count(">") == quoted.count("<") == 1


def test_no_template_leaves_the_escaping():
    for path in TEMPLATES.iterdir():
        text = path.read_text("utf-8")
        assert "safe" not in text, path.name
        assert "autoescape" not in text, path.name


def test_every_template_compiles():
    names = template_environment().list_templates()
    assert len(names) == len(list(TEMPLATES.iterdir())) > 10
    for name in names:
        template_environment().get_template(name)
