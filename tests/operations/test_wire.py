import json

from shirube.codec.wire import shown_json

from shirube.graph import Link
from shirube.operations.results.search import SearchResult
from shirube.types import Hit, Mode, Place, Reason


def test_values_become_objects_tuples_lists_and_enums_words():
    hit = Hit("a.py", 1, 2, "f", "function", "python", 0.5, None, (Reason("text:words", 0.5),), "def f", (Place(7, 9),))
    wire = shown_json(SearchResult("q", forest_hits=(hit,), degraded=("slow",)))
    assert wire["forest_hits"] == [
        {
            "path": "a.py",
            "start_line": 1,
            "end_line": 2,
            "symbol": "f",
            "kind": "function",
            "language": "python",
            "score": 0.5,
            "similarity": None,
            "why": [{"name": "text:words", "points": 0.5, "detail": ""}],
            "preview": "def f",
            "also": [{"start_line": 7, "end_line": 9, "symbol": ""}],
        }
    ]
    assert (wire["source"], wire["status"], wire["answer"]) == ("forest", "HYPOTHESIS", "unknown")
    assert wire["degraded"] == ["slow"]


def test_a_wire_value_is_plain_json():
    wire = shown_json({"mode": Mode.AUTO, 3: (1, [2, ("x",)]), "none": None, "ok": True})
    assert wire == {"mode": "auto", "3": [1, [2, ["x"]]], "none": None, "ok": True}
    assert json.loads(json.dumps(wire)) == wire
    assert type(wire["mode"]) is str


def test_a_class_is_not_taken_for_a_value():
    assert shown_json(SearchResult) is SearchResult


def test_what_went_out_comes_back_by_its_type():
    from shirube.operations.wire import from_wire

    from shirube.operations.results.search import SearchResult
    from shirube.types import Answer, Judgement

    judged = Judgement(1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, "f", ("s",), ("a",), ("b",))
    result = SearchResult("q", answer=Answer.FOUND, degraded=("x",), evaluation=judged)
    sent = {**shown_json(result), "unheard_of": 1}
    assert from_wire(SearchResult, sent) == result
    assert from_wire(SearchResult, {"query": "q"}) == SearchResult("q")


def test_a_field_named_by_a_word_of_the_language_loses_its_underscore():
    assert shown_json(Link("a.py", "b.py", "path", "import", 1, 2))["from"] == "a.py"
