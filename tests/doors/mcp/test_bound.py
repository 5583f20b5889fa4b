"""What a result may take of a model's window."""

import json
import random

from hypothesis import example, given
from hypothesis import strategies as st

from shirube.doors.mcp.bound import ROOM, asks_for_size, cost, fit, is_broken, marked, smaller
from shirube.operations import operation_named
from tests.cases import for_each

RECORD = {"path": "src/payment/gateway.py", "line": 12, "content": "def charge_card(self, amount: int) -> str:"}


def records(count: int) -> list[dict[str, object]]:
    return [{**RECORD, "line": number} for number in range(count)]


def test_what_fits_is_left_as_it_is():
    value = {"hits": records(3)}
    assert fit(value, 4000) == (value, ())
    assert fit(value, 4000)[0] is value


def test_whole_records_go_from_the_end():
    fitted, (cut,) = fit({"query": "x", "hits": records(500)}, 1000)
    assert fitted["hits"] == records(500)[: cut.shown]
    assert (cut.field, cut.total) == ("hits", 500)
    assert 0 < cut.shown < 500
    assert 0.8 * (1000 - ROOM) < cost(fitted) <= 1000 - ROOM


def test_lists_are_cut_to_the_same_size_and_small_ones_stay():
    value = {"must": records(100), "should": records(200), "tests": records(2)}
    fitted, cuts = fit(value, 1000)
    assert [cut.field for cut in cuts] == ["must", "should"]
    assert len(fitted["tests"]) == 2
    assert abs(len(fitted["must"]) - len(fitted["should"])) <= 1


def test_a_list_inside_the_only_record_is_cut_but_a_pair_of_lines_is_not():
    value = {"files": [{"range": [1, 900], "symbols": records(300)}]}
    fitted, (cut,) = fit(value, 600)
    assert cut.field == "files.symbols"
    assert fitted["files"][0]["range"] == [1, 900]


def test_a_long_text_is_cut_after_a_line():
    fitted, (cut,) = fit({"content": "line of text\n" * 2000}, 500)
    assert fitted["content"].endswith("line of text\n")
    assert cut.total == 26_000
    assert cost(fitted) <= 500


def test_japanese_is_counted_as_a_model_counts_it():
    text = "返金処理を再試行する。" * 400
    assert cost(text) > len(text) // 2
    assert cost(fit({"content": text}, 1000)[0]) <= 1000


def test_the_result_says_what_was_cut_and_how_to_go_on():
    value, cuts = fit({"hits": records(500), "next_cursor": "abc"}, 1000)
    told = marked(value, cuts)
    assert told["truncated"] is True
    assert told["cut"] == [{"field": "hits", "shown": len(value["hits"]), "total": 500}]
    assert "next_cursor" in told["cut_hint"]
    assert cost(told) <= 1000
    assert "narrow" in marked({"hits": []}, cuts)["cut_hint"]


def test_half_of_an_export_or_a_prompt_is_told_apart():
    assert is_broken(fit({"document": "x y " * 9000}, 1000)[1])
    assert not is_broken(fit({"content": "x y " * 9000}, 1000)[1])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=60,
)


# A text in a list goes by the list's name, lists in records share one, and an empty key adds nothing to a name.
@example({"t": [None, None, [None] * 6 + [-100, -1000]], "0A0": None, "": "x" * 900, "a": ["y" * 300, "z", "z"]})
@example({"a": [{"b": ["x"] * 90}, {"b": ["x"] * 500}, {"b": ["y" * 2000] * 2}], "c": [{"d": "z" * 2000}]})
@example({"": {"a": ["x" * 99] * 9}, "a": [{"": ["y" * 99] * 9}]})
@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=5))
def test_cutting_never_fails_and_never_adds(value: dict[str, object]):
    before = json.dumps(value)
    fitted, cuts = fit(value, ROOM + 30)
    assert json.dumps(value) == before
    assert cost(fitted) <= cost(value)
    assert all(0 <= cut.shown < cut.total for cut in cuts)


def test_lists_and_texts_of_one_name_are_counted_together():
    fitted, (cut,) = fit({"a": {"b": ["x" * 40] * 50}, "a.b": ["y" * 40] * 30}, 600)
    assert (cut.field, cut.total) == ("a.b", 80)
    assert cut.shown == len(fitted["a"]["b"]) + len(fitted["a.b"])
    fitted, (records, texts) = fit({"notes": ["x" * 3000, "y", "z"]}, 300)
    assert (records.field, records.shown, records.total) == ("notes", 1, 3)
    assert (texts.field, texts.shown, texts.total) == ("notes", len(fitted["notes"][0]), 3000)


def test_any_mix_of_records_and_texts_is_brought_within_the_limit(seed: int):
    dice = random.Random(seed)
    for _ in range(30):
        value = {f"list{n}": records(dice.randrange(200)) for n in range(dice.randrange(1, 5))}
        value |= {f"text{n}": "少し長い text\n" * dice.randrange(500) for n in range(dice.randrange(3))}
        fitted, cuts = fit(value, 900)
        assert cost(marked(fitted, cuts) if cuts else fitted) <= 900


@for_each(
    ("name", "arguments", "says"),
    [
        ("search", {"query": "x"}, False),
        ("search", {"query": "x", "topK": 5}, True),
        ("files_search", {"query": "x", "limit": None}, False),
        ("context_bundle", {"goal": "x", "budget": 9000}, True),
        ("snippets_get", {"path": "a.py", "startLine": 3}, True),
    ],
)
def test_a_call_that_says_how_much_it_wants_is_known_by_its_arguments(name: str, arguments: dict, says: bool):
    assert asks_for_size(operation_named(name), arguments) is says


def test_a_page_that_was_cut_is_asked_for_again_so_that_its_cursor_fits():
    search = operation_named("search")
    value, cuts = fit({"forest_hits": records(100), "next_cursor": "abc"}, 1000)
    fewer = smaller(search, {"query": "x", "top_k": 100, "session_id": "s"}, value, cuts, 1000)
    assert fewer == {"query": "x", "limit": len(value["forest_hits"])}
    assert smaller(operation_named("analyze_impact"), {"symbol": "x"}, value, cuts, 1000) is None


def test_a_bundle_that_is_too_large_is_asked_for_with_a_smaller_budget():
    bundle = {"context": records(300), "budget": 4000, "tokens_estimate": 4000}
    _, cuts = fit(bundle, 1000)
    fewer = smaller(operation_named("context_bundle"), {"goal": "x"}, bundle, cuts, 1000)
    assert 0 < fewer["budget"] < 1000
