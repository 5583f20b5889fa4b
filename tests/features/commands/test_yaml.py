from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.features.commands.yaml import DEEPEST, NotYaml, read_yaml, split_front


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
    ],
)  # fmt: skip
def test_what_people_write_is_read(text, value):
    assert read_yaml(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: &anchor x",
        "a: *anchor",
        "a: !!python/object x",
        "a: 1\na: 2",
        "a: 1\n  b: 2\n c: 3",
        "\ta: 1",
        "just words",
        'a: "open',
        'a: "\\x"',
        "a: [x, y",
        "a: {x}",
        "a: [x]]",
        "a: [,]",
        "a: @x",
    ],
)
def test_what_goes_beyond_is_refused_with_its_line(text):
    with pytest.raises(NotYaml, match=r"line \d+: "):
        read_yaml(text)


def test_depth_is_bounded():
    deep = "\n".join(f"{' ' * level}a:" for level in range(DEEPEST + 5))
    with pytest.raises(NotYaml, match="nested deeper"):
        read_yaml(deep)
    with pytest.raises(NotYaml):
        read_yaml("a: " + "[" * 5000)


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


@pytest.mark.parametrize(
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
