from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.features.commands import yaml
from shirube.features.commands.yaml import DEEPEST, NotYaml, read_yaml, split_front
from tests.cases import for_each

BOMB = "a: &a [x, x]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in pairwise("abcdefghijklmnop"))


@pytest.fixture(params=["C", "Python"])
def parser(request, monkeypatch):
    """Read with PyYAML's two parsers: the one in C is not built everywhere."""
    import yaml as library

    if request.param == "Python":
        monkeypatch.delattr(library, "CSafeLoader")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("a: 1\nb: two words # not this\n", {"a": "1", "b": "two words"}),
        ('a: "x # y: \\"z\\"\\n"\nb: \'it\'\'s\'', {"a": 'x # y: "z"\n', "b": "it's"}),
        ("a: true\nb: False\nc: null\nd: ~\ne:\n", {"a": True, "b": False, "c": None, "d": None, "e": None}),
        ("a:\n  b:\n    c: deep\n  d: x\ne: y", {"a": {"b": {"c": "deep"}, "d": "x"}, "e": "y"}),
        ("a:\n  - x\n  - 'y'\nb:\n- z", {"a": ["x", "y"], "b": ["z"]}),
        ('a: ["x", y, \'z\']\nb: []', {"a": ["x", "y", "z"], "b": []}),
        ('c: {k: v, "l": [m]}', {"c": {"k": "v", "l": ["m"]}}),
        ("a: [x,\n    y]\nb: z", {"a": ["x", "y"], "b": "z"}),
        ("uv:\n  - a: what to do\n  - b: how (default: 3)\n", {"uv": [{"a": "what to do"}, {"b": "how (default: 3)"}]}),
        ("uv:\n  - a: 1\n    b: 2\n  -\n    c: 3\n", {"uv": [{"a": "1", "b": "2"}, {"c": "3"}]}),
        ("a: |\n  one\n    two\nb: >-\n  three\n  four\n", {"a": "one\n  two\n", "b": "three four"}),
        ("a: goes on\n   over lines\nb: x", {"a": "goes on over lines", "b": "x"}),
        ("title: 意味: 近さ\n", {"title": "意味: 近さ"}),
        ("url: http://x/y#z\n", {"url": "http://x/y#z"}),
        ("pattern: \"^(a|b)$\"\r\nb: c\r\n", {"pattern": "^(a|b)$", "b": "c"}),
        ("---\na: 1\n", {"a": "1"}),
        ("- a\n- b: c\n", ["a", {"b": "c"}]),
        ("a: no\nb: 1e3\nc: 0777\nd: 2026-01-01\n", {"a": "no", "b": "1e3", "c": "0777", "d": "2026-01-01"}),
        ("a: \"no\"\nb: 'true'\nc: \"\"\n", {"a": "no", "b": "true", "c": ""}),
        ("a: it's: b # c\nb: C#: d:\n", {"a": "it's: b", "b": "C#: d:"}),
        ("a: |\n  b: c: d\ne: f: g\n", {"a": "b: c: d\n", "e": "f: g"}),
        ("\ufeffa: 1\n", {"a": "1"}),
    ],
)  # fmt: skip
def test_what_people_write_is_read(text, value):
    assert read_yaml(text) == value


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("a: &anchor x", 1, "beyond"),
        ("a: 1\nb: *anchor", 2, "beyond"),
        (BOMB, 1, "beyond"),
        ("a: !!python/object x", 1, "beyond"),
        ("a:\n  - !!python/object/apply:os._exit [3]\n", 2, "beyond"),
        ("!!map a: 1", 1, "beyond"),
        ("&a b: 1", 1, "beyond"),
        ("[a]: 1", 1, "beyond"),
        ("a: @x", 1, "beyond"),
        ("a: 1\n---\nb: 2\n", 2, "beyond"),
        ("a: 1\na: 2", 2, "twice"),
        ("a: {b: 1, b: 2}", 1, "twice"),
        ("\ta: 1", 1, "tab"),
        ("a:\n\tb: 1", 2, "tab"),
        ("just words", 1, "pair"),
        ("a: {x}", 1, "pair_braces"),
        ("a: 1\n  b: 2\n c: 3", 2, "broken"),
        ("a:\n  b: 1\n c: 2", 3, "broken"),
        ('a: "open', 1, "broken"),
        ('a: "\\x"', 1, "broken"),
        ("a: [x, y", 1, "broken"),
        ("a: [x]]", 1, "broken"),
        ("a: [,]", 1, "broken"),
        ("a: 1\nb: \x00", 2, "character"),
        ("日本: 語\nb: \ud800", 2, "character"),
        ("\n".join(f"{' ' * level}a:" for level in range(DEEPEST + 5)), DEEPEST + 2, "deep"),
        ("a: " + "[" * 5000, 1, "deep"),
        ("a: " + "{b: " * 5000, 1, "deep"),
        ("- " * 5000, 1, "deep"),
    ],
)
def test_what_goes_beyond_is_refused_with_its_line(text, line, code):
    with pytest.raises(NotYaml, match=rf"^line {line}: ") as caught:
        read_yaml(text)
    assert caught.value.why.values["why"].code == f"commands.yaml_{code}"


def test_a_text_is_not_parsed_again_without_end(monkeypatch):
    text = "".join(f"a{number}: b: c\n" for number in range(20))
    assert len(read_yaml(text)) == 20
    monkeypatch.setattr(yaml, "MOST_PARSED", len(text) * 5)
    with pytest.raises(NotYaml, match="line 5: this is not YAML: mapping values"):
        read_yaml(text)


@given(st.text(alphabet="ab:-#[]{}\"',| >\n\t&é日", max_size=60))
def test_no_text_does_anything_but_be_read_or_refused(text):
    with suppress(NotYaml):
        read_yaml(text)


words = st.text(alphabet="abc日本 x-", min_size=1, max_size=8).map(lambda text: f"w{text}".strip())
keys = st.text(alphabet="abcxyz_", min_size=1, max_size=6).map(lambda text: f"k{text}")
trees = st.recursive(
    st.one_of(st.booleans(), words), lambda inner: st.dictionaries(keys, inner, min_size=1), max_leaves=8
)


@given(st.dictionaries(keys, trees, min_size=1))
def test_what_is_written_plainly_comes_back(tree):
    def write(value, indent):
        for key, one in value.items():
            if isinstance(one, dict):
                yield f"{' ' * indent}{key}:"
                yield from write(one, indent + 2)
            else:
                yield f"{' ' * indent}{key}: {str(one).lower() if isinstance(one, bool) else one}"

    assert read_yaml("\n".join(write(tree, 0))) == tree


@for_each(
    ("text", "front", "rest"),
    [
        ("---\na: 1\n---\nbody\n", "a: 1\n", "body\n"),
        ("\ufeff---\r\na: 1\r\n---\r\nbody", "a: 1\r\n", "body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("---\n---\nbody", "", "body"),
        ("body\n---\nkept\n---\nrest", "", "body\n---\nkept\n---\nrest"),
        ("---\nnever closed", "", "---\nnever closed"),
        ("", "", ""),
    ],
)
def test_only_leading_front_matter_is_cut_off(text, front, rest):
    assert split_front(text) == (front, rest)
