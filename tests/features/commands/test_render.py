import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.errors import BadArgument
from shirube.features.commands.run import MOST_CHARACTERS, placeholders, render, template_names
from tests.cases import for_each


@pytest.mark.requirement("N000-RENDER-03")
def test_only_an_adaptation_has_something_to_fall_back_on():
    assert template_names("", "") == ("f_default.md",)
    assert template_names("long", "") == ("f_long.md",)
    assert template_names("long", "short") == ("f_long_short.md", "f_long.md")


@pytest.mark.requirement("N000-RENDER-04")
@for_each(
    ("template", "text"),
    [
        ("{{input_text}} ${input_text} {input_text}", "X X X"),
        ("{{ input_text }} ${ input_text } { input_text }", "X X X"),
        ("{uv-scope}/{{uv-scope}}", "S/S"),
        ("${{input_text}}", "$X"),
        ("{destination_path} {unknown} ${HOME} {{nobody}}", "{destination_path} {unknown} ${HOME} {{nobody}}"),
        ("function() { return {a: 1}; } {} {{}} ${}", "function() { return {a: 1}; } {} {{}} ${}"),
        ("{input_text\n}", "X"),
    ],
)
def test_three_forms_are_filled_in_and_everything_else_stays(template: str, text: str):
    assert render(template, {"input_text": "X", "uv-scope": "S"}).text == f"{text}\n"


@pytest.mark.requirement("N000-RENDER-05", "N000-SAFE-02")
def test_a_value_is_never_read_as_a_template():
    values = {"input_text": "{uv-a} ${uv-a} {{uv-a}} $& \\1 ---\nx: 1\n---\n", "uv-a": "{input_text}"}
    assert render("{uv-a}|{input_text}", values).text == f"{{input_text}}|{values['input_text']}"
    front = "---\nsecret: kept\n---\nrest\n"
    assert render("{input_text}", {"input_text": front}).text == front


@pytest.mark.requirement("N000-RENDER-06")
@for_each(
    ("template", "text"),
    [
        ("---\nc1: git\n---\n\n\n# Title\n", "# Title\n"),
        ("---\r\nc1: git\r\n---\r\n# Title", "# Title\n"),
        ("# Title\n\n---\nkept\n---\n", "# Title\n\n---\nkept\n---\n"),
        ("---\nfirst: 1\n---\n---\nsecond\n---\n", "---\nsecond\n---\n"),
        ("text\n\n\n", "text\n\n\n"),
        ("", "\n"),
    ],
)
def test_leading_front_matter_goes_and_a_newline_ends_it(template: str, text: str):
    assert render(template, {}).text == text


def test_what_is_left_is_told_once_and_only_what_was_meant():
    rendered = render("{uv-a} {uv-a} {input_text} ${HOME} {id} {{whatever}} {uv-b}", {"uv-b": "x"})
    assert rendered.unresolved == ("uv-a", "input_text", "whatever")
    assert placeholders("{uv-a} {input_text_file} {x} {{y}} ${base_prompt_dir}") == (
        "uv-a",
        "input_text_file",
        "y",
        "base_prompt_dir",
    )


def test_an_empty_value_counts_as_none():
    assert render("{input_text}", {"input_text": ""}).text == "{input_text}\n"


def test_a_template_cannot_blow_a_value_up():
    with pytest.raises(BadArgument, match="4,000,000 characters"):
        render("{input_text}" * 5000, {"input_text": "x" * 10_000})
    assert len(render("{input_text}", {"input_text": "x" * MOST_CHARACTERS}).text) == MOST_CHARACTERS + 1


NAMES = st.sampled_from(["input_text", "uv-a", "uv-b", "other"])
PIECES = st.one_of(
    st.text(alphabet="ab \n$日", max_size=4),
    NAMES.map(lambda name: f"{{{name}}}"),
    NAMES.map(lambda name: f"${{{name}}}"),
    NAMES.map(lambda name: f"{{{{{name}}}}}"),
)


@given(st.lists(PIECES, max_size=8), st.dictionaries(NAMES, st.text(alphabet="xyz;|&", min_size=1), max_size=3))
def test_one_pass_does_what_three_passes_do_when_values_hold_no_braces(pieces, values):
    template = "".join(pieces)
    expected = template.lstrip()
    for form in ("{{%s}}", "${%s}", "{%s}"):
        for name, value in values.items():
            expected = expected.replace(form % name, value)
    expected = expected.lstrip()
    assert render(template, values).text == (expected if expected.endswith("\n") else f"{expected}\n")
