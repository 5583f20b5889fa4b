import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.errors import BadArgument
from shirube.features.map.frontmatter import read, write
from tests.cases import for_each

TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=40)


def page(*lines: str, body: str = "text") -> str:
    return "\n".join(["---", *lines, "---", "", body])


def test_fields_lists_and_the_page_below_are_read():
    text = page(
        "a: plain: with colon", 'b: "quo\\nted"', "c: 'it''s'", "d: [x, 'y', \"z\"]", "e:", "  - one", "  - two", "f: ~"
    )
    fields, extra, body = read(text, "abcdef")
    assert fields == {
        "a": "plain: with colon",
        "b": "quo\nted",
        "c": "it's",
        "d": ("x", "y", "z"),
        "e": ("one", "two"),
        "f": "",
    }
    assert (extra, body) == ((), "text")


@pytest.mark.parametrize(
    "term",
    [
        *("C# の #region", "[WIP] login", "*args の処理", "&self の借用", "@app.route の意味", "!important の扱い"),
        *("%s 書式", "`fetch` の使い方", "{id} の埋め込み", "'use strict' の意味", "> 引用", "a: b: c", "- から", "no"),
        *("1e3", "0777", "2026-01-01", "!!python/object/apply:os._exit [3]"),
    ],
)
def test_a_plain_value_is_the_rest_of_its_line_because_older_tools_escaped_nothing(term: str):
    assert read(page(f"a: {term}"), "a")[0] == {"a": term}


def test_what_is_not_asked_for_is_handed_back_untouched():
    lines = ("tags: [a]", "owner:", "  name: Ann", "  team: [x")
    fields, extra, _ = read(page("a: 1", *lines), "a")
    assert fields == {"a": "1"}
    assert extra == lines
    assert read(write(fields, extra, "b"), "a") == (fields, extra, "b")


@pytest.mark.requirement("N003-YAML-01")
@given(value=TEXT, body=TEXT)
def test_what_is_written_is_read_again_whatever_it_holds(value: str, body: str):
    fields, _, _ = read(write({"term": value}, (), body), {"term"})
    assert fields.get("term", "") == value


def test_a_page_from_another_system_is_read():
    assert read("\ufeff---\r\na: 1\r\n---\r\n\r\nbody\r\n", "a") == ({"a": "1"}, (), "body")


@for_each(
    ("text", "line", "why"),
    [
        ("no front matter", 1, "does not begin"),
        ("---\na: 1\n", 3, "not closed"),
        ("---\nwhat is this\n---\n", 2, "no 'key: value'"),
        ("---\na: 1\na: 2\n---\n", 3, "twice"),
        ('---\na: "open\n---\n', 2, "not closed"),
        ("---\n<<<<<<< HEAD\na: 1\n---\n", 2, "merge conflict"),
        ("---\n  - a\n---\n", 2, "belongs to no key"),
        ("---\na: x\n  b: y\n---\n", 3, "does not belong"),
    ],
)
@pytest.mark.requirement("N004-BROKEN-01")
def test_what_cannot_be_read_is_told_with_its_line(text: str, line: int, why: str):
    with pytest.raises(BadArgument, match=f"line {line}: .*{why}") as caught:
        read(text, "ab")
    assert caught.value.hint


@for_each("term", ["123", "2025-01-12", "1.5", "0x1F", "12:30", "1e3"])
@pytest.mark.requirement("N003-YAML-01")
def test_a_term_that_looks_like_a_number_or_a_date_is_quoted(term: str):
    page = write({"nl_term": term, "line": 3, "learned_at": "2025-01-12T14:35:00"}, (), "")
    assert page.split("\n")[1:4] == [f'nl_term: "{term}"', "line: 3", "learned_at: 2025-01-12T14:35:00"]
    assert read(page, ("nl_term", "line", "learned_at"))[0]["nl_term"] == term
