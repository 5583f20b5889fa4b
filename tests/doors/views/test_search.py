import re

import pytest

from shirube.codec import replace
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.screen import Paint, Screen
from shirube.doors.views.search import SEARCH_TOKENS, search
from shirube.engine.text.budget import tokens_of
from shirube.errors import BadArgument
from shirube.features.lookup.results import SearchResult
from shirube.messages import verbatim
from shirube.operation import OPERATIONS
from shirube.types import Answer, Freshness, Hit, MapHit, Reason
from tests.cases import for_each
from tests.refusals import refusal

PLAIN = Screen(Paint(False), speech_for(OPERATIONS["search"], "en"))
EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\x00\x08\u202e"
HIT = Hit(
    "src/a.py", 3, 9, "Bank.pay", "method", "python", 2.5, None, (Reason("text:words", 2.5),), "def pay():\n\treturn 1"
)
RESULT = SearchResult("pay", forest_hits=(HIT,), answer=Answer.FOUND, total=1, confidence=0.96)


def steers(text: str) -> bool:
    return any(not (char.isprintable() or char in "\n\t") for char in text)


def lines_of(result: SearchResult, screen: Screen = PLAIN, **given: object) -> list[str]:
    """Return the lines for a result, as a reader gets them who asked with these arguments."""
    return search(result, replace(screen, given=given)).whole.split("\n")


def hits(count: int, lines: int = 3) -> tuple[Hit, ...]:
    body = "".join(f"\n    step({number})" for number in range(1, lines))
    return tuple(
        replace(HIT, path=f"src/{at}.py", start_line=1, end_line=lines, preview=f"def pay(self, at={at}):{body}")
        for at in range(count)
    )


def test_a_hit_is_place_kind_symbol_and_its_code_as_it_is():
    assert lines_of(RESULT) == ["found (96% sure):", "src/a.py:3-9 method Bank.pay", "def pay():", "\treturn 1"]


def test_the_best_places_have_their_code_and_the_others_a_line_with_their_signature():
    told = lines_of(replace(RESULT, forest_hits=hits(12, lines=20)))
    assert told[1:4] == ["src/0.py:1-20 method Bank.pay", "def pay(self, at=0):", "    step(1)"]
    coded = sum(line == "    step(1)" for line in told)
    assert 1 <= coded < 12
    listed = [line for line in told if line.startswith("src/") and line.endswith("):")]
    assert listed == [f"src/{at}.py:1-20 def pay(self, at={at}):" for at in range(coded, coded + len(listed))]
    assert listed
    assert told[-1] == f"more: --skip {coded}"


def test_the_other_places_of_a_file_share_its_line():
    first, *others = hits(5, lines=60)
    listed = tuple(replace(hit, path="src/b.py", start_line=at) for at, hit in enumerate(others, 5))
    told = lines_of(replace(RESULT, forest_hits=(first, *listed), confidence=0.0), replace(PLAIN, tokens=150))
    assert "src/b.py:5-60 def pay(self, at=1):, 6 pay, 7 pay, 8 pay" in told


def test_all_places_that_fit_have_their_code_and_nothing_more_is_named():
    told = lines_of(replace(RESULT, forest_hits=hits(2)))
    assert sum(line == "    step(1)" for line in told) == 2
    assert told[-1] == "    step(2)"


def test_of_a_long_place_the_lines_around_the_match_are_shown_and_what_is_left_out_is_named():
    (hit,) = hits(1, lines=300)
    told = lines_of(replace(RESULT, forest_hits=(replace(hit, match_line=150),)))
    assert "    step(149)" in told
    assert told[2] == "def pay(self, at=0):"
    first, last = told[3].removeprefix("… 2-"), told[-1].removeprefix("… ").removesuffix("-300")
    assert told[4:-1] == [f"    step({number})" for number in range(int(first), int(last) - 1)]
    assert tokens_of("\n".join(told)) <= SEARCH_TOKENS


@for_each("tokens", [60, 100, 200, 400])
def test_a_budget_holds_and_the_last_line_says_how_to_go_on(tokens: int):
    result = replace(RESULT, forest_hits=hits(40, lines=30))
    told = lines_of(result, replace(PLAIN, tokens=tokens, model=True))
    assert tokens_of("\n".join(told)) <= tokens
    assert told[1].startswith("src/0.py:1-30 ")
    coded = sum(bool(re.match(r"src/\d+.py:1-30 method Bank.pay$", line)) for line in told)
    assert told[-1] == (f"more: --skip {coded}" if coded else told[-1])


def test_a_sure_answer_shows_more_code_and_an_unsure_one_names_more_places():
    def counts(confidence: float) -> tuple[int, int]:
        told = lines_of(replace(RESULT, forest_hits=hits(40, lines=30), confidence=confidence))
        return sum("step" in line for line in told), sum(line.startswith("src/") for line in told)

    (code, named), (less_code, more_named) = counts(1.0), counts(0.0)
    assert code > less_code
    assert named < more_named


def test_a_signature_over_several_lines_is_joined_and_a_comment_is_none():
    body = "# pay takes the money\ndef pay(\n    self,\n    amount: int,\n) -> None:\n    ...".ljust(3000)
    told = lines_of(replace(RESULT, forest_hits=(*hits(1, lines=300), replace(HIT, preview=body))))
    assert "src/a.py:3-9 def pay( self, amount: int, ) -> None:" in told


def test_a_budget_without_room_for_one_place_names_the_smallest_that_has():
    with refusal(BadArgument, "view.small_budget") as caught:
        lines_of(RESULT, replace(PLAIN, tokens=2, model=True))
    least = int(caught.value.message.values["least"])
    assert lines_of(RESULT, replace(PLAIN, tokens=least, model=True))


def test_what_was_sent_before_is_named_and_not_sent_again():
    sent = replace(PLAIN, sent=lambda path, start, end, text: path == "src/a.py")
    assert lines_of(RESULT, sent)[1:] == ["src/a.py:3-9 def pay(): (shown before; --again true sends it)"]


def test_reasons_are_shown_when_asked():
    assert "2.5 = text:words +2.5" in lines_of(RESULT, explain=True)
    assert not any("text:words" in line for line in lines_of(RESULT))


def test_a_hit_without_a_symbol_leaves_no_trailing_space():
    result = replace(RESULT, forest_hits=(replace(HIT, symbol="", preview="x = 1"),))
    assert lines_of(result)[1:] == ["src/a.py:3-9", "x = 1"]


def test_a_reason_that_takes_away_is_shown_with_its_sign():
    less = replace(HIT, score=1.25, why=(Reason("text:words", 2.5), Reason("boost:doc", -1.25, "×0.5")))
    shown = lines_of(replace(RESULT, forest_hits=(less,)), explain=True)
    assert "1.25 = text:words +2.5  boost:doc -1.25" in shown


def test_an_answer_says_above_the_hits_how_sure_it_is():
    result = replace(RESULT, answer=Answer.PARTIAL, confidence=0.327, degraded=(verbatim("FTS5 answered"),))
    assert lines_of(result)[0] == "unsure (33%):"
    assert lines_of(result)[-1] == "! FTS5 answered"
    assert lines_of(replace(result, answer=Answer.FOUND))[0] == "found (33% sure):"
    assert lines_of(replace(result, answer=Answer.FOUND, confidence=0.998))[0] == "found (99% sure):"
    assert "unsure" not in "".join(lines_of(replace(result, forest_hits=())))
    japanese = replace(PLAIN, speech=speech_for(OPERATIONS["search"], "ja"))
    assert lines_of(result, japanese)[0] == "不確か（確度 33%）:"


def test_the_following_places_go_on_counting():
    told = lines_of(replace(RESULT, forest_hits=hits(12, lines=20)), skip=4)
    coded = sum(line == "    step(1)" for line in told)
    assert (told[0], told[-1]) == ("further places:", f"more: --skip {4 + coded}")


def test_no_hits_say_what_that_means_and_what_to_do():
    result = SearchResult("pay", answer=Answer.NONE, next=verbatim("try other words"))
    assert lines_of(result) == ["none: try other words"]


def test_what_was_degraded_stale_or_cut_is_said_below_the_hits():
    result = replace(
        RESULT,
        degraded=(verbatim("FTS5 answered"),),
        freshness=Freshness(stale_files=("src/a.py",)),
    )
    assert lines_of(result)[-2:] == ["! FTS5 answered", "! changed since indexed: src/a.py"]


@for_each(
    "changed",
    [
        *({field: f"a{EVIL}b"} for field in ("path", "symbol", "kind", "preview")),
        {"why": (Reason(f"phrase:a{EVIL}b", 1.0),)},
    ],
)
def test_no_part_of_a_hit_can_steer_the_terminal(changed: dict[str, object]):
    result = replace(RESULT, forest_hits=(replace(HIT, **changed),))
    assert not steers("\n".join(lines_of(result, explain=True)))


def test_no_note_below_the_hits_can_steer_the_terminal():
    result = replace(RESULT, degraded=(verbatim(f"a{EVIL}b"),))
    assert not steers("\n".join(lines_of(result)))
    result = replace(RESULT, freshness=Freshness(stale_files=(f"a{EVIL}b",)))
    assert not steers("\n".join(lines_of(result)))


AGREED = MapHit(
    "src/a.py",
    3,
    9,
    "Bank.pay",
    "method",
    "python",
    0.7,
    1.0,
    (Reason("map:hypothesis", 0.0, "demoted"),),
    "",
    nl_term="till",
)


def test_an_agreement_in_doubt_says_why():
    for state, why in (("fresh", "demoted"), ("changed", "changed")):
        told = lines_of(replace(RESULT, map_hits=(replace(AGREED, state=state),)))
        assert told[-1] == f"agreed till → Bank.pay  src/a.py:3-9  (similarity 100%, now a guess ({why}))"
    rule = replace(AGREED, symbol="", path=".shirube/agreements/till.md", state="fresh", fresh=True)
    assert lines_of(replace(RESULT, map_hits=(rule,)))[-1] == "similar term: till  .shirube/agreements/till.md  (100%)"


@pytest.mark.requirement("004-FIELDS-01")
def test_an_answer_of_the_map_says_that_the_code_was_not_searched_and_what_is_next():
    step = verbatim("agreed, so the code was not searched: read src/a.py:3-9")
    held = replace(AGREED, state="fresh", fresh=True, alone=True, preview="def pay():")
    told = lines_of(SearchResult("till", map_hits=(held,), short_circuit=True, answer=Answer.FOUND, total=1, next=step))
    assert told[-1] == step
