from enum import StrEnum
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import MAX_TEXT, Arg, Record, canonical, read_request, unpacked
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.guard.operations import FrameRequest, SubmitSemanticRequest
from shirube.operations import operation_named
from tests.cases import for_each


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Part(Record):
    path: Annotated[str, Arg("Where it is.")]
    score: Annotated[float, Arg("What it is worth.", low=0)] = 0.0


class Sample(Record):
    query: Annotated[str, Arg("What to look for.")]
    limit: Annotated[int | None, Arg("How many.", also="top_k", low=1, high=100)] = None
    path_prefix: Annotated[str, Arg("Only below.")] = ""
    languages: Annotated[tuple[str, ...], Arg("Only these.", also="language")] = ()
    size: Annotated[Size, Arg("How large.")] = Size.SMALL
    full: Annotated[bool, Arg("All of it.", also="force")] = False
    share: Annotated[float, Arg("How much.", low=0)] = 0.5
    numbers: Annotated[tuple[int, ...], Arg("Some numbers.", low=0, high=9)] = ()
    parts: Annotated[tuple[Part, ...], Arg("Some parts.")] = ()


ALIASES = ("top_k", "force", "language")


def read(**sent):
    return read_request(Sample, sent)


def refused(**sent) -> BadArgument:
    with pytest.raises(BadArgument) as caught:
        read(**sent)
    return caught.value


def test_what_is_left_out_takes_its_default():
    assert read(query="x") == Sample("x")


@for_each("name", ["path_prefix", "pathPrefix", "path-prefix", "PathPrefix", "PATH_PREFIX"])
def test_every_spelling_of_a_name_means_the_same(name: str):
    assert read(query="x", **{name: "src"}).path_prefix == "src"


@for_each(
    ("alias", "value", "own"),
    [("top_k", 3, "limit"), ("topK", 3, "limit"), ("force", True, "full"), ("language", ["go"], "languages")],
)
def test_a_seeds_name_stands_for_ours(alias: str, value: object, own: str):
    wanted = tuple(value) if isinstance(value, list) else value
    assert getattr(read(query="x", **{alias: value}), own) == wanted


def test_nothing_sent_for_an_argument_is_as_if_it_were_left_out():
    assert read(query="x", limit=None, languages=None, size=None) == Sample("x")


def test_an_unknown_argument_is_refused_and_the_nearest_named():
    with pytest.raises(UnknownName, match="limti") as caught:
        read(query="x", limti=9)
    assert caught.value.nearest == "limit"


def test_an_unknown_argument_is_refused_even_when_it_holds_nothing():
    with pytest.raises(UnknownName):
        read(query="x", limti=None)


def test_an_argument_given_under_two_names_is_refused():
    assert "given twice" in refused(query="x", limit=3, top_k=4).message


def test_a_missing_argument_is_named_with_its_meaning():
    error = refused(limit=3)
    assert (error.message, error.hint) == ("missing argument 'query'", "'query': What to look for.")


def test_a_required_argument_that_holds_nothing_is_missing():
    assert "missing argument 'query'" in refused(query=None).message


@for_each(
    ("sent", "wanted"),
    [
        (["go", "php"], ("go", "php")),
        (("go",), ("go",)),
        ('["go", "php"]', ("go", "php")),
        (' ["go"]', ("go",)),
        ("go", ("go",)),
        ("[go", ("[go",)),
        ([], ()),
        ("[]", ()),
    ],
)
def test_a_list_may_come_as_json_or_as_one_value(sent: object, wanted: tuple[str, ...]):
    assert read(query="x", languages=sent).languages == wanted


@for_each("sent", [{"a": 1}, 3, True])
def test_what_is_no_list_is_refused(sent: object):
    assert refused(query="x", languages=sent).message.startswith("'languages' must be a list")


@for_each("sent", [["a", 3], [["a"]], '["a", null]'])
def test_a_list_of_the_wrong_things_is_refused(sent: object):
    assert "'languages' must be text" in refused(query="x", languages=sent).message


@for_each("sent", ["[0]", "[1, 2]", "[null]", "[x]"])
def test_a_string_that_is_no_list_of_texts_is_a_text(sent: str):
    assert read(query="x", languages=sent).languages == (sent,)


def test_a_deeply_nested_list_sent_as_json_is_refused():
    with pytest.raises(ShirubeError):
        read(query="x", languages="[" * 15_000 + "]" * 15_000)


@for_each("sent", [[{"path": "a", "score": "2"}], '[{"path": "a", "score": 2}]', ({"Path": "a", "SCORE": 2},)])
def test_a_list_of_objects_is_read_like_a_request(sent: object):
    assert read(query="x", parts=sent).parts == (Part("a", 2.0),)


def test_what_is_left_out_of_an_object_takes_its_default():
    assert read(query="x", parts=[{"path": "a"}]).parts == (Part("a"),)


@for_each("sent", ["a.py", ["a.py"], [3], [["path"]], '["a.py"]', [None]])
def test_what_is_no_object_is_refused_by_the_name_of_the_list(sent: object):
    error = refused(query="x", parts=sent)
    assert error.message.startswith("'parts' must be a list of objects, not ")
    assert error.hint == "'parts': Some parts."


def test_what_is_wrong_inside_an_object_is_named_by_its_own_name():
    assert refused(query="x", parts=[{"score": 1}]).message == "missing argument 'path'"
    assert refused(query="x", parts=[{"path": "a", "score": -1}]).message == "'score' must be at least 0, not '-1'"
    with pytest.raises(UnknownName) as caught:
        read(query="x", parts=[{"path": "a", "socre": 1}])
    assert caught.value.nearest == "score"


def test_each_number_of_a_list_is_held_to_the_bounds():
    assert read(query="x", numbers="[1, 2]").numbers == (1, 2)
    assert "from 0 to 9" in refused(query="x", numbers=[1, 10]).message


@for_each(("sent", "wanted"), [(7, 7), ("7", 7), (7.0, 7), (" 7 ", 7), (1, 1), (100, 100)])
def test_a_number_may_come_as_text(sent: object, wanted: int):
    assert read(query="x", limit=sent).limit == wanted


@for_each("sent", ["seven", "", 7.5, True, [7], {}, float("nan"), float("inf"), "7.5"])
def test_what_is_no_whole_number_is_refused(sent: object):
    error = refused(query="x", limit=sent)
    assert error.message.startswith("'limit' must be a")
    assert error.hint == "'limit': How many."


@for_each("sent", [0, -1, 101, "0", 10**30])
def test_a_number_out_of_bounds_is_refused_with_the_bounds(sent: object):
    assert refused(query="x", limit=sent).message.startswith("'limit' must be from 1 to 100, not ")


def test_a_number_too_long_to_write_down_is_refused():
    with pytest.raises(ShirubeError):
        read(query="x", limit=10**5000)


@for_each("sent", [-0.1, float("nan")])
def test_a_fraction_below_its_bound_is_refused(sent: float):
    assert "at least 0" in refused(query="x", share=sent).message


@for_each(("sent", "wanted"), [("0.25", 0.25), (1, 1.0), (0, 0.0)])
def test_a_fraction_may_come_as_text_or_as_a_whole_number(sent: object, wanted: float):
    assert read(query="x", share=sent).share == wanted


@for_each(("sent", "wanted"), [(True, True), ("true", True), ("False", False), (False, False)])
def test_a_switch_may_come_as_text(sent: object, wanted: bool):
    assert read(query="x", full=sent).full is wanted


@for_each("sent", ["yes", 1, 0, "", []])
def test_what_is_no_switch_is_refused(sent: object):
    assert "must be true or false" in refused(query="x", full=sent).message


def test_a_choice_is_read_in_any_case():
    assert read(query="x", size="LARGE").size is Size.LARGE


def test_an_unknown_choice_is_refused_and_the_nearest_named():
    with pytest.raises(UnknownName, match="size") as caught:
        read(query="x", size="larg")
    assert caught.value.nearest == "large"


@for_each("sent", [5, ["a"], {"a": 1}, True, 1.5])
def test_what_is_no_text_is_refused(sent: object):
    assert refused(query=sent).message.startswith("'query' must be text, not ")


def test_the_longest_text_is_taken_and_a_longer_one_refused():
    assert len(read(query="あ" * MAX_TEXT).query) == MAX_TEXT
    error = refused(query="x" * (MAX_TEXT + 1))
    assert f"has {MAX_TEXT + 1} characters" in error.message
    assert error.hint == "send the part that matters"


@pytest.mark.requirement("N001-TEXT-03")
def test_half_a_surrogate_pair_is_refused_because_a_mark_in_its_place_would_be_looked_for():
    assert "no text" in refused(query="a\ud800b").message
    assert read(query="😀").query == "😀"


def test_a_refusal_does_not_repeat_a_long_value():
    assert len(refused(query=["x" * 100_000]).message) < 200


def test_a_refusal_does_not_repeat_a_long_name():
    with pytest.raises(UnknownName) as caught:
        read(query="x", **{"q" * 100_000: 1})
    assert len(caught.value.message) < 1000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*Sample.__struct_fields__, *ALIASES, "other"]), JSON, max_size=5))
def test_anything_sent_is_read_or_refused_in_our_words(sent: dict[str, object]):
    refusal = None
    try:
        assert isinstance(read_request(Sample, sent), Sample)
    except ShirubeError as error:
        refusal = error
    assert refusal is None or (refusal.message and refusal.hint)


def test_a_keyed_list_may_come_as_an_object():
    class Request(Record):
        options: Annotated[tuple[str, ...], Arg("Flags.", keyed=True)] = ()

    wanted = ("edition=long", "uv-a=1", "uv-b=二")
    for sent in (
        list(wanted),
        {"edition": "long", "uv": {"a": 1, "b": "二"}, "file": None},
        '{"edition": "long", "uv": {"a": 1, "b": "二"}}',
    ):
        assert read_request(Request, {"options": sent}).options == wanted
    assert read_request(Request, {"options": "{not json"}).options == ("{not json",)
    with pytest.raises(BadArgument, match="must be a list"):
        read_request(Request, {"options": 7})


def test_a_text_may_have_a_bound_of_its_own():
    class Request(Record):
        text: Annotated[str, Arg("Much.", high=MAX_TEXT + 5)] = ""

    assert len(read_request(Request, {"text": "x" * (MAX_TEXT + 5)}).text) == MAX_TEXT + 5
    with pytest.raises(BadArgument, match=f"the limit is {MAX_TEXT + 5}"):
        read_request(Request, {"text": "x" * (MAX_TEXT + 6)})


def test_members_of_a_container_count_as_sent_beside_it_and_needless_switches_are_dropped():
    sent = {"goal": "x", "artifacts": {"hints": ["a"], "diff": None}, "includeTokensEstimate": True}
    flat = unpacked(sent, ("artifacts",), ("include_tokens_estimate",))
    assert flat == {"goal": "x", "hints": ["a"], "diff": None}
    assert unpacked({"artifacts": None}, ("artifacts",), ()) == {}


def test_an_object_may_come_as_a_json_string_and_a_plain_text_where_that_is_meant():
    made = read_request(
        SubmitSemanticRequest, {"session_id": "s", "semantic_reason": "x", "hypotheses": ["a", '{"text": "b"}']}
    )
    assert [one.text for one in made.hypotheses] == ["a", "b"]
    frame = read_request(FrameRequest, {"session_id": "s", "target_feature": '{"value": "a", "quote": "b"}'})
    assert (frame.target_feature.value, frame.target_feature.quote) == ("a", "b")
    with pytest.raises(BadArgument, match="'target_feature' must be an object, not"):
        read_request(FrameRequest, {"session_id": "s", "target_feature": 3})


def test_what_was_sent_is_known_by_its_own_names():
    search = operation_named("search")
    assert canonical(search.request, {"topK": 3, "query": "x", "session_id": "s", "nonsense": 1}) == {
        "limit": 3,
        "query": "x",
    }


def test_an_object_may_be_the_record_itself_and_is_held_to_the_same_rules():
    assert read(query="x", parts=[Part("a", 2.0)]).parts == (Part("a", 2.0),)
    with pytest.raises(BadArgument):
        read(query="x", parts=[Part(3)])
