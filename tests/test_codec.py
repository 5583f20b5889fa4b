import json

import pytest

from shirube.codec import Record, pack, packaged, plain, read_json, record_from, shown_json, unpack
from shirube.engine.graph.closure import Link
from shirube.features.lookup.results import SearchResult
from shirube.messages import Message, Speech, render, say
from shirube.types import Answer, Freshness, Hit, Mode, Place, Reason


class Kept(Record):
    query: str
    answer: Answer = Answer.UNKNOWN
    notes: tuple[Message, ...] = ()
    freshness: Freshness = Freshness()


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
            "preview_line": 0,
            "match_line": 0,
        }
    ]
    assert (wire["source"], wire["status"], wire["answer"]) == ("forest", "HYPOTHESIS", "unknown")
    assert wire["degraded"] == ["slow"]


def test_a_wire_value_is_plain_json():
    wire = shown_json({"mode": Mode.AUTO, 3: (1, [2, ("x",)]), "none": None, "ok": True})
    assert wire == {"mode": "auto", "3": [1, [2, ["x"]]], "none": None, "ok": True}
    assert json.loads(json.dumps(wire)) == wire
    assert type(wire["mode"]) is str


def test_what_was_kept_comes_back_by_its_type():
    kept = Kept("q", Answer.FOUND, (say("index.building"),), Freshness("now", stale_files=("a.py",)))
    packed = {**json.loads(json.dumps(pack(kept))), "unheard_of": 1}
    again = unpack(Kept, packed)
    assert again == kept
    assert again.notes[0].code == "index.building"
    assert unpack(Kept, {"query": "q", "notes": ["an old sentence"]}) == Kept("q", notes=(Message("an old sentence"),))
    with pytest.raises(ValueError, match="query"):
        unpack(Kept, {"query": 3})


def test_a_reader_gets_messages_as_text_and_numbers_that_can_be_read():
    japanese = Speech("ja")
    shown = shown_json({"next": say("index.building"), "score": 0.123456789}, japanese)
    assert shown == {"next": render(say("index.building"), japanese), "score": 0.1235}
    assert shown["next"].isascii() is False


def test_what_is_no_value_is_refused():
    for write in (shown_json, pack):
        with pytest.raises(TypeError):
            write({"x": object()})


def test_a_field_named_by_a_word_of_the_language_loses_its_underscore():
    assert shown_json(Link("a.py", "b.py", "path", "import", 1, 2))["from"] == "a.py"


def test_a_file_for_others_has_messages_as_text_and_numbers_as_they_are():
    found = plain([say("asking.read_lines", path="a.py", start=1, end=2), 0.123456])
    assert found == ["read a.py:1-2", 0.123456]
    assert type(found[0]) is str


def test_a_record_takes_the_fields_it_shares_with_another_unless_they_are_given():
    place = Place(7, 9, "f")
    hit = record_from(Hit, place, path="a.py", kind="", language="", score=0.5, similarity=None, why=(), preview="")
    assert (hit.start_line, hit.end_line, hit.symbol, hit.path, hit.also) == (7, 9, "f", "a.py", ())
    assert record_from(Place, hit, symbol="g") == Place(7, 9, "g")
    with pytest.raises(TypeError, match="query"):
        record_from(Kept, place)


def test_a_text_that_is_no_json_is_what_was_given_for_that():
    assert read_json('{"a": [1]}', "x") == {"a": [1]}
    assert (read_json("{"), read_json("{", "x"), read_json("[" * 100_000, "x")) == (None, "x", "x")


def test_files_that_come_with_the_program_are_read_once():
    words = packaged("shirube.features.plan", "words.toml")
    assert words["MODIFY"].keys() == {"en", "ja"}
    assert packaged("shirube.features.plan", "words.toml") is words
