from shirube.codec import replace
from shirube.doors.cli.screen import Paint, Screen, speech_for
from shirube.doors.cli.views.search import search
from shirube.features.lookup.results import SearchResult
from shirube.messages import verbatim
from shirube.operation import OPERATIONS
from shirube.types import Answer, Freshness, Hit, Place, Reason
from tests.cases import for_each

PLAIN = Screen(Paint(False), speech_for(OPERATIONS["search"], "en"))
EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\x00\x08\u202e"
HIT = Hit(
    "src/a.py", 3, 9, "Bank.pay", "method", "python", 2.5, None, (Reason("text:words", 2.5),), "def pay():\n\treturn 1"
)
RESULT = SearchResult("pay", forest_hits=(HIT,), answer=Answer.FOUND, total=1)


def steers(text: str) -> bool:
    return any(not (char.isprintable() or char in "\n\t") for char in text)


def test_a_hit_is_place_kind_symbol_and_preview():
    assert search(RESULT, PLAIN, why=False).text == "src/a.py:3-9  method Bank.pay\n    def pay():\n    \treturn 1"


def test_reasons_are_shown_when_asked():
    assert "    2.5 = text:words +2.5" in search(RESULT, PLAIN, why=True).text


def test_a_hit_without_a_symbol_leaves_no_trailing_space():
    result = replace(RESULT, forest_hits=(replace(HIT, symbol="", preview=""),))
    assert search(result, PLAIN, why=False).text == "src/a.py:3-9  method"


def test_a_reason_that_takes_away_is_shown_with_its_sign():
    less = replace(HIT, score=1.25, why=(Reason("text:words", 2.5), Reason("boost:doc", -1.25, "×0.5")))
    shown = search(replace(RESULT, forest_hits=(less,)), PLAIN, why=True).text
    assert "    1.25 = text:words +2.5  boost:doc -1.25" in shown


def test_further_places_of_a_file_are_named_below_the_hit():
    places = (Place(20, 24, "Bank.close"), Place(30, 31))
    shown = search(replace(RESULT, forest_hits=(replace(HIT, also=places),)), PLAIN, why=False).text
    assert shown.splitlines()[-1] == "    also 20-24 Bank.close, 30-31"


def test_an_unsure_answer_says_how_sure_it_is_below_the_hits():
    result = replace(RESULT, answer=Answer.PARTIAL, confidence=0.327, degraded=(verbatim("FTS5 answered"),))
    assert search(result, PLAIN, why=False).text.splitlines()[-2:] == [
        "(unsure: 33% that the first is what you mean)",
        "! FTS5 answered",
    ]
    assert "unsure" not in search(replace(result, answer=Answer.FOUND), PLAIN, why=False).text
    assert "unsure" not in search(replace(result, forest_hits=()), PLAIN, why=False).text


@for_each("answer", [Answer.FOUND, Answer.PARTIAL])
def test_only_hits_are_counted_as_shown(answer: Answer):
    result = replace(RESULT, answer=answer, truncated=True, total=40)
    assert search(result, PLAIN, why=False).text.splitlines()[-1] == "1 of 40 or more shown; -k for more"


def test_no_hits_say_what_that_means_and_what_to_do():
    result = SearchResult("pay", answer=Answer.NONE, next=verbatim("try other words"))
    assert search(result, PLAIN, why=False).text == "none: try other words"


def test_what_was_degraded_stale_or_cut_is_said_below_the_hits():
    result = replace(
        RESULT,
        degraded=(verbatim("FTS5 answered"),),
        freshness=Freshness(stale_files=("src/a.py",)),
        truncated=True,
        total=40,
    )
    lines = search(result, PLAIN, why=False).text.splitlines()[-3:]
    assert lines == [
        "! FTS5 answered",
        "! changed since indexed: src/a.py",
        "1 of 40 or more shown; -k for more",
    ]


@for_each(
    "changed",
    [
        *({field: f"a{EVIL}b"} for field in ("path", "symbol", "kind", "preview")),
        {"also": (Place(1, 2, f"a{EVIL}b"),)},
        {"why": (Reason(f"phrase:a{EVIL}b", 1.0),)},
    ],
)
def test_no_part_of_a_hit_can_steer_the_terminal(changed: dict[str, object]):
    result = replace(RESULT, forest_hits=(replace(HIT, **changed),))
    assert not steers(search(result, PLAIN, why=True).text)


def test_no_note_below_the_hits_can_steer_the_terminal():
    result = replace(RESULT, degraded=(verbatim(f"a{EVIL}b"),))
    assert not steers(search(result, PLAIN, why=False).text)
    result = replace(RESULT, freshness=Freshness(stale_files=(f"a{EVIL}b",)))
    assert not steers(search(result, PLAIN, why=False).text)
