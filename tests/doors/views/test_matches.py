"""Lines that match, as a person reads them."""

from shirube.codec import replace
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.screen import Paint, Screen
from shirube.doors.views.search import search_text
from shirube.features.lookup.results import TextFile, TextMatch, TextResult
from shirube.messages import say, verbatim
from shirube.operations import operation_named
from shirube.types import Answer
from tests.cases import for_each

PLAIN, COLOUR = Paint(False), Paint(True)
EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\x00\x08\u202e"
MATCH = TextMatch("src/a.py", 3, 5, 8, "def pay():", "pay", ("pay",), (), ())
OTHER = replace(MATCH, file="src/b.py", line=9)
RESULT = TextResult(
    pattern="pay",
    patterns=("pay",),
    answer=Answer.FOUND,
    matches=(MATCH, OTHER),
    files=(TextFile("src/a.py", 1, 1), TextFile("src/b.py", 1, 1)),
    total=2,
    total_files=2,
    truncated=False,
    next_cursor="",
    searched=7,
    not_searched={},
    degraded=(),
)


def matches_text(result: TextResult, paint: Paint, headings: bool) -> str:
    return search_text(result, Screen(paint, speech_for(operation_named("search_text"), "en"), headings)).whole


def match_notes(result: TextResult, language: str = "en") -> tuple[str, ...]:
    return search_text(result, Screen(PLAIN, speech_for(operation_named("search_text"), language))).notes


def test_a_pipe_gets_path_line_and_column_on_every_line():
    assert matches_text(RESULT, PLAIN, headings=False) == "src/a.py:3:5:def pay():\nsrc/b.py:9:5:def pay():"


def test_a_terminal_gets_lines_below_their_files_with_the_match_lit():
    assert matches_text(RESULT, PLAIN, headings=True) == "src/a.py\n3:def pay():\n\nsrc/b.py\n9:def pay():"
    assert "def \x1b[1;31mpay\x1b[0m():" in matches_text(RESULT, COLOUR, headings=True)


@for_each(("content", "column", "end"), [("…def pay():", 900, 903), ("pay", 1, 1), ("pay", 9, 12)])
def test_a_line_whose_match_is_not_where_the_column_says_is_not_lit(content: str, column: int, end: int):
    match = replace(MATCH, content=content, column=column, end_column=end)
    assert "\x1b[1;31m" not in matches_text(replace(RESULT, matches=(match,)), COLOUR, headings=True)


def test_context_is_marked_and_gaps_are_shown():
    first = replace(MATCH, context_before=("a", "b"), context_after=("c",))
    near = replace(MATCH, line=5, context_after=("d",))
    far = replace(MATCH, line=20, context_before=("e",))
    text = matches_text(replace(RESULT, matches=(first, near, far)), PLAIN, headings=True)
    assert text.splitlines() == [
        "src/a.py",
        *("1-a", "2-b", "3:def pay():", "4-c", "5:def pay():", "6-d", "--", "19-e", "20:def pay():"),
    ]


def test_a_whole_answer_needs_no_notes():
    assert match_notes(RESULT) == ()


def test_what_is_missing_is_told():
    cut = replace(
        RESULT, truncated=True, total=40, files=(TextFile("src/a.py", 39, 1),), degraded=(verbatim("slow disk"),)
    )
    assert match_notes(cut) == (
        "slow disk",
        "2 of 40 lines shown (src/a.py 1/39); --limit shows more, --path narrows it",
    )
    many = replace(cut, degraded=(), files=tuple(TextFile(f"{name}.py", 9, 1) for name in "abcd"))
    assert "(a.py 1/9, b.py 1/9, c.py 1/9, …)" in match_notes(many)[0]
    late = replace(RESULT, answer=Answer.PARTIAL, next=say("text.late"))
    assert match_notes(late) == ("partial: time ran out; narrow it by --path or --lang",)


def test_an_empty_answer_says_what_it_means_in_the_words_of_the_command_line():
    advice = say("text.other_case", count=3)
    empty = replace(RESULT, matches=(), files=(), total=0, answer=Answer.NONE, next=advice)
    assert match_notes(empty) == ("none: 3 lines match with --ignore-case",)
    assert match_notes(empty, "ja") == ("none: --ignore-case なら 3 行が一致します",)


def test_a_page_that_is_not_the_last_names_the_next():
    (note,) = match_notes(replace(RESULT, truncated=True, total=9, next_cursor="abc"))
    assert "--cursor abc goes on" in note


@for_each("field", ["file", "content", "context_before", "context_after"])
@for_each("headings", [True, False])
def test_no_part_of_a_match_can_steer_the_terminal(field: str, headings: bool):
    value = (f"a{EVIL}b",) if field.startswith("context") else f"a{EVIL}b"
    text = matches_text(replace(RESULT, matches=(replace(MATCH, **{field: value}),)), PLAIN, headings=headings)
    assert all(char.isprintable() or char in "\n\t" for char in text)
