from tests.cases import for_each

from shirube.engine.index.resolvers.toolkit import part, read_object, strings


@for_each(
    "text",
    [
        '{"a": "http://x/*y*/"}',
        '{// why\n"a": /* b */ "http://x/*y*/",}',
        '\ufeff{"a": "http://x/*y*/", /* last */ }',
    ],
)
def test_comments_and_trailing_commas_are_forgiven_and_strings_kept(text):
    assert read_object(text) == {"a": "http://x/*y*/"}


def test_commas_inside_strings_stay():
    assert read_object('{"a": ",}", "b": [1,],}') == {"a": ",}", "b": [1]}


@for_each("text", ["", "[1]", "nonsense {", "null"])
def test_broken_or_other_text_is_an_empty_object(text):
    assert read_object(text) == {}


def test_parts_and_strings_of_the_wrong_shape_are_empty():
    assert part({"a": 1}, "a") == part({}, "a") == {}
    assert strings({"import": ["a", {"x": "b"}], "none": None}) == ("a", "b")
    assert strings(3) == ()
