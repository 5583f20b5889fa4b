import pytest

from shirube.session.record import asked_words, read_result
from shirube.session.state import MapHit, Recorded

SEARCH = Recorded("search", "search")


def hit(path: str, *reasons: str, **more):
    why = [{"name": name, "points": 1.0, "detail": ""} for name in reasons]
    return {"path": path, "start_line": 1, "end_line": 2, "symbol": "f", "kind": "function", "why": why, **more}


def test_a_hit_shows_its_file_and_symbol():
    read = read_result(SEARCH, {"forest_hits": [hit("a.py", "text:words")], "answer": "found"})
    assert (read.seen, read.symbols, read.hits, read.answer) == (("a.py",), ("f",), 1, "found")


@pytest.mark.requirement("004-FOREST-01")
def test_a_hit_found_by_sense_alone_is_a_guess_with_everything_in_it():
    also = [{"start_line": 5, "end_line": 6, "symbol": "g"}]
    read = read_result(SEARCH, {"forest_hits": [hit("a.py", "text:sense", "boost:doc", also=also)]})
    assert (read.seen, read.guessed, read.symbols, read.hits) == ((), ("a.py",), (), 0)
    assert not read.tells
    named = read_result(SEARCH, {"forest_hits": [hit("a.py", "text:sense", "path-keyword")]})
    assert named.seen == ("a.py",)


def test_a_file_that_is_shown_and_guessed_is_shown():
    read = read_result(SEARCH, {"forest_hits": [hit("a.py", "text:sense"), hit("a.py", "text:words")]})
    assert (read.seen, read.guessed) == (("a.py",), ())


@pytest.mark.parametrize(
    ("operation", "result", "seen", "symbols"),
    [
        (
            "find_definitions",
            {
                "symbol": "x",
                "definitions": [{"name": "f", "qualified": "A.f", "file": "a.py", "line": 3, "kind": "method"}],
            },
            ("a.py",),
            ("A.f",),
        ),
        (
            "get_symbols",
            {"path": "a.py", "symbols": [{"name": "A", "kind": "class", "start_line": 1}]},
            ("a.py",),
            ("A",),
        ),
        (
            "analyze_structure",
            {
                "path": "src",
                "files": [
                    {
                        "file": "a.py",
                        "language": "python",
                        "symbols": [
                            {
                                "name": "A",
                                "type": "class",
                                "start_line": 1,
                                "children": [{"name": "f", "type": "method", "start_line": 2}],
                            }
                        ],
                    }
                ],
            },
            ("a.py",),
            ("A", "f"),
        ),
        (
            "get_function_at_line",
            {"file": "a.py", "line": 4, "function": {"name": "f", "start_line": 3, "content": "def f"}},
            ("a.py",),
            ("f",),
        ),
        ("snippets_get", {"path": "a.py", "start_line": 1, "content": "x"}, ("a.py",), ()),
        (
            "context_bundle",
            {
                "context": [{"path": "a.py", "range": [1, 9], "why": ["text:words"]}],
                "omitted": [{"path": "b.py", "range": [1, 2]}],
            },
            ("a.py",),
            (),
        ),
        (
            "search_text",
            {
                "matches": [{"file": "a.py", "line": 1, "symbol": "f"}],
                "files": [{"file": "b.py", "total": 3, "shown": 0}],
            },
            ("a.py",),
            ("f",),
        ),
        ("files_search", {"results": [{"path": "a.py", "matchLine": 3, "why": []}]}, ("a.py",), ()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_results_of_every_shape_are_read(operation, result, seen, symbols):
    read = read_result(Recorded(operation, "symbols"), result)
    assert read.seen == seen
    assert read.symbols == symbols
    assert read.hits
    assert read.answer == "found"


def test_a_plan_is_read_through_its_steps_and_not_through_its_arguments():
    steps = [{"tool": "search", "arguments": {"path": "x.py", "line": 1}, "results": [hit("a.py", "text:words")]}]
    read = read_result(Recorded("query", "plan"), {"step_outputs": steps})
    assert read.seen == ("a.py",)


def test_what_only_names_files_shows_none_of_them():
    closure = {"root": "a.py", "nodes": [{"path": "b.py", "depth": 1, "line": 3}], "answer": "found"}
    read = read_result(Recorded("deps_closure", "symbols"), closure)
    assert (read.seen, read.listed, read.hits) == ((), ("b.py",), 1)
    asked = read_result(Recorded("semantic_rerank", "search"), {"candidates": [{"path": "a.py", "semantic": 0.3}]})
    assert (asked.seen, asked.listed) == ((), ("a.py",))


def test_upkeep_and_what_tells_about_the_result_show_nothing():
    assert read_result(Recorded("index_status", "index"), {"skips": [{"path": "a.py", "text": "x"}]}).seen == ()
    freshness = {"stale_files": ["a.py"], "path": "a.py", "line": 3}
    assert read_result(SEARCH, {"freshness": freshness, "answer": "none"}).seen == ()


def test_headings_of_documents_are_no_symbols():
    assert read_result(SEARCH, {"forest_hits": [hit("a.md", "text:words", kind="section")]}).symbols == ()


def test_an_answer_that_is_not_given_is_unknown_when_nothing_was_shown():
    assert read_result(SEARCH, {"forest_hits": []}).answer == "unknown"


@pytest.mark.requirement("004-STATE-01")
def test_agreements_are_read_with_their_similarity_and_freshness():
    item = {"nl_term": "ログイン", "symbol": "Auth", "files": ["src/a.py:42"], "similarity": 0.9, "fresh": True}
    read = read_result(Recorded("search_map", "map"), {"map_hits": [item, {**item, "similarity": None}]})
    assert read.maps == (MapHit("ログイン", "Auth", ("src/a.py",), 0.9, True),)
    stale = {"term": "x", "symbol": "y", "path": "b.py", "similarity": 1, "state": "changed"}
    assert read_result(SEARCH, {"map_hits": [stale]}).maps[0] == MapHit("x", "y", ("b.py",), 1.0, False)
    demoted = {**item, "state": "fresh", "standing": "demoted"}
    assert not read_result(SEARCH, {"map_hits": [demoted]}).maps[0].fresh


def test_an_agreement_shows_no_code_by_itself():
    item = {"nl_term": "x", "symbol": "y", "path": "b.py", "start_line": 3, "similarity": 1.0}
    assert read_result(SEARCH, {"map_hits": [item]}).seen == ()


def test_the_words_of_arguments_are_kept_without_the_handle():
    arguments = {
        "session_id": "s_1",
        "query": "a b",
        "candidates": [{"path": "x.py", "score": 1}],
        "patterns": ["p", "q"],
    }
    assert asked_words(arguments) == "a b\nx.py\np\nq"
