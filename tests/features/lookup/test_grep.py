import json
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shirube import Project, open_workspace
from shirube.codec import replace, shown_json
from shirube.deadline import Deadline
from shirube.doors.mcp.server import Door, tool_of
from shirube.engine.repo.read import FileReader
from shirube.errors import BadArgument, Cancelled, NotReadable, OutsideRoot, ShirubeError, UnknownName
from shirube.features.lookup import grep as text
from shirube.features.lookup.results import TextResult
from shirube.operation import Call
from shirube.operations import operation_named, run
from shirube.types import Answer
from tests.cases import for_each


def places(result: TextResult) -> list[tuple[str, int, int]]:
    return [(match.file, match.line, match.column) for match in result.matches]


def files(result: TextResult) -> set[str]:
    return {match.file for match in result.matches}


@pytest.mark.requirement("003-TEXT-01", "003-TEXT-02")
def test_a_text_is_found_with_its_place_and_what_encloses_it(shop: Project):
    result = shop.search_text("receipt-")
    assert (result.answer, result.total, result.total_files, result.truncated) == (Answer.FOUND, 3, 2, False)
    assert places(result) == [
        ("src/shop/payment.py", 19, 18),
        ("src/shop/payment.py", 24, 36),
        ("tests/test_payment.py", 5, 46),
    ]
    first = result.matches[0]
    assert first.content == '        return f"receipt-{amount}"'
    assert (first.symbol, first.patterns, first.end_column) == ("PaymentGateway.charge_card", ("receipt-",), 26)
    assert result.next == "read src/shop/payment.py:19"
    assert (result.degraded, result.not_searched) == ((), {"secret": 1})


@pytest.mark.requirement("N003-TEXT-01")
def test_up_to_five_patterns_are_looked_for_at_once(shop: Project):
    result = shop.search_text(["with_retries", "cartTotal", "再試行", "checkout", "zyzzyva"])
    assert files(result) >= {"README.md", "src/shop/retry.py", "web/cart.ts", "tests/test_payment.py"}
    by_line = {(match.file, match.line): match.patterns for match in result.matches}
    assert by_line["src/shop/payment.py", 3] == ("with_retries",)
    assert by_line["src/shop/retry.py", 11] == ("再試行",)


def test_several_patterns_on_one_line_are_all_named(shop: Project):
    (match,) = shop.search_text(["try", "three times", "retried"], path="README.md", word=True).matches
    assert match.patterns == ("three times", "retried")


@pytest.mark.requirement("N003-TEXT-02")
@for_each(
    "arguments",
    [
        {"pattern": "cartTotal", "path": ".", "file_type": "ts", "case_sensitive": True, "max_results": 5},
        {"pattern": '["cartTotal"]', "language": "typescript", "limit": "5"},
        {"patterns": ["cartTotal"], "languages": '["typescript"]', "contextLines": 0},
    ],
)
def test_the_spellings_of_the_sources_are_understood(shop: Project, arguments: dict[str, object]):
    assert places(shop.call("search_text", **arguments)) == [("web/cart.ts", 9, 17)]


def test_a_text_in_brackets_is_a_text_unless_it_is_a_list_of_texts(sample_repo: Path):
    (sample_repo / "a.py").write_text("x = [0]\n")
    with open_workspace(sample_repo) as project:
        assert places(project.call("search_text", pattern="[0]")) == [("a.py", 1, 5)]


@pytest.mark.requirement("003-TEXT-03")
def test_lines_around_a_match_are_shown_when_asked(shop: Project):
    (match,) = shop.search_text("amount too large", context_lines=1).matches
    assert match.context_before == ("        if amount > MAX_AMOUNT:",)
    assert match.context_after == ('        return f"receipt-{amount}"',)
    (bare,) = shop.search_text("amount too large").matches
    assert (bare.context_before, bare.context_after) == ((), ())


def test_an_expression_is_one_only_when_said_to_be(shop: Project):
    assert shop.search_text(r"def \w+_retries").answer == Answer.NONE
    assert places(shop.search_text(r"def \w+_retries", regex=True)) == [("src/shop/retry.py", 10, 1)]


def test_case_and_words_can_be_chosen(shop: Project):
    assert not shop.search_text("carttotal").matches
    assert files(shop.search_text("carttotal", case_sensitive=False)) == {"web/cart.ts"}
    assert shop.search_text("retr").matches
    assert not shop.search_text("retr", word=True).matches


@for_each(
    ("path", "languages", "wanted"),
    [
        ("web", (), {"web/cart.ts", "web/price.ts"}),
        ("*.ts", (), {"web/cart.ts", "web/price.ts"}),
        ("web/cart.ts", (), {"web/cart.ts"}),
        ("", ("python",), set()),
        ("", ("python", "typescript"), {"web/cart.ts", "web/price.ts"}),
    ],
)
def test_path_and_languages_narrow_the_answer(shop: Project, path: str, languages: tuple[str, ...], wanted: set[str]):
    assert files(shop.search_text("formatPrice", path=path, languages=list(languages))) == wanted


@for_each("word", ["hidden_secret_word", "generated_thing"])
def test_secrets_and_ignored_files_are_not_searched(shop: Project, word: str):
    assert shop.search_text(word).matches == ()
    assert shop.search_text(word[:3], path=".env").answer == Answer.UNKNOWN


def test_a_file_is_read_as_it_is_now(sample_repo: Path):
    with open_workspace(sample_repo, index__sync_share=1e-9) as project:
        project.sync_index()
        text = (sample_repo / "web/cart.ts").read_text()
        (sample_repo / "web/cart.ts").write_text(f"// brandnew\n{text}")
        result = project.search_text(["brandnew", "cartTotal"])
        assert places(result) == [("web/cart.ts", 1, 4), ("web/cart.ts", 10, 17)]
        assert result.freshness.stale_files == ("web/cart.ts",)
        assert [match.symbol for match in result.matches] == ["", ""]


# --- what an empty answer means ----------------------------------------------------------------------------


def test_what_is_not_there_is_said_not_to_be_there_and_what_was_not_read(shop: Project):
    result = shop.search_text("zyzzyva")
    assert (result.answer, result.matches, result.total) == (Answer.NONE, (), 0)
    assert result.next.startswith(f"no line of {result.searched} files matches (1 file was not read")
    assert result.not_searched == {"secret": 1}
    assert "try other words" in result.next
    assert shop.search_text("zyzzyva", path="web").not_searched == {}
    assert shop.search_text("zyzzyva", languages=["python"]).not_searched == {}


@for_each(
    ("pattern", "options", "advice"),
    [
        ("CARTTOTAL", {}, "1 line matches with case_sensitive=false"),
        ("foo|cartTotal", {}, "regex=true reads them"),
        (r"\bcart\b.*zyzzyva", {"regex": True}, "word=true knows others"),
    ],
)
def test_another_reading_of_the_pattern_is_proposed(shop: Project, pattern: str, options: dict[str, bool], advice: str):
    result = shop.search_text(pattern, **options)
    assert result.answer == Answer.NONE
    assert advice in result.next


@for_each(("path", "words"), [("nothing/here", "nothing at 'nothing/here'"), (".env", "secret")])
def test_a_place_where_nothing_is_indexed_is_unknown_and_not_none(shop: Project, path: str, words: str):
    result = shop.search_text("retry", path=path)
    assert result.answer == Answer.UNKNOWN
    assert words in result.next


def test_a_language_that_is_not_there_is_unknown_and_not_none(shop: Project):
    result = shop.search_text("retry", languages=["rust"])
    assert result.answer == Answer.UNKNOWN
    assert "rust" in result.next


def test_before_it_is_said_that_something_is_not_there_the_tree_is_looked_at(sample_repo: Path):
    with open_workspace(sample_repo, index__sync_share=0.0) as project:
        project.sync_index()
        (sample_repo / "new.py").write_text("def bravo(): pass\n")
        assert project.search_text("bravo").answer == Answer.FOUND
        (sample_repo / "new.py").unlink()
        assert project.search_text("bravo").answer == Answer.NONE


@pytest.mark.usefixtures("worker_processes")  # the index reads in another process, where nothing is refused
def test_a_file_that_cannot_be_read_now_makes_an_absence_unknown(shop: Project, monkeypatch: pytest.MonkeyPatch):
    read = FileReader.read

    def refuse(shelf: FileReader, path: str, max_bytes: int) -> bytes:
        if path == "web/cart.ts":
            raise NotReadable(path, "unreadable", "Permission denied")
        return read(shelf, path, max_bytes)

    monkeypatch.setattr(FileReader, "read", refuse)
    result = shop.search_text("zyzzyva")
    assert (result.answer, result.not_searched) == (Answer.UNKNOWN, {"secret": 1, "unreadable": 1})
    assert "web/cart.ts was not searched: unreadable" in result.next
    found = shop.search_text("with_retries")
    assert (found.answer, found.degraded) == (Answer.PARTIAL, ("web/cart.ts was not searched: unreadable",))


def test_a_file_that_cannot_be_searched_whole_makes_an_absence_unknown(shop: Project, monkeypatch: pytest.MonkeyPatch):
    for name, value in (("MIN_WINDOW", 8), ("WINDOW_WORK", 8), ("LINE_WORK", 100)):
        monkeypatch.setattr(f"shirube.engine.repo.grep_scan.{name}", value)
    result = shop.search_text("zyzzyva")
    assert result.answer == Answer.UNKNOWN
    assert "a line too long for a pattern" in result.next
    assert result.not_searched["long_line"] > 0
    assert "text.long_line" in [line.code for line in result.degraded]


def test_time_that_runs_out_makes_a_partial_answer_and_no_absence(shop: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text, "SECONDS", 0.0)
    result = shop.search_text("retry")
    assert (result.answer, result.truncated, result.matches) == (Answer.UNKNOWN, True, ())
    assert "time" in result.degraded[0]
    assert "narrow" in result.next


def test_a_caller_that_gave_up_is_not_answered(shop: Project):
    deadline = Deadline()
    deadline.cancel()
    with pytest.raises(Cancelled):
        run(shop.workspace, "search_text", {"pattern": "retry"}, Call(deadline=deadline))


def test_an_index_that_is_being_built_gives_no_whole_answer(shop: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(type(shop.workspace.keeper), "building", True)
    assert shop.search_text("retry").answer == Answer.PARTIAL
    assert shop.search_text("zyzzyva").answer == Answer.UNKNOWN


# --- how much is shown -------------------------------------------------------------------------------------


@pytest.fixture
def crowd(sample_repo: Path) -> Path:
    """Return a project where one file has nearly all of the lines."""
    (sample_repo / "a.txt").write_text("needle\n" * 300)
    for name in "bcd":
        (sample_repo / f"{name}.txt").write_text("needle\n" * 3)
    return sample_repo


def test_one_file_does_not_fill_the_answer_and_the_rest_is_told(crowd: Path):
    with open_workspace(crowd) as project:
        result = project.search_text("needle", limit=20)
        shown = {file.file: (file.total, file.shown_lines) for file in result.files}
        assert shown == {"a.txt": (300, 11), "b.txt": (3, 3), "c.txt": (3, 3), "d.txt": (3, 3)}
        assert (result.total, result.total_files, result.truncated) == (309, 4, True)
        assert result.next == "next_cursor shows more lines; path or languages narrow it"
        rest = project.search_text("needle", limit=20, cursor=result.next_cursor)
        assert places(rest) == [("a.txt", line, 1) for line in range(12, 32)]
        assert len(project.search_text("needle", path="a.txt", limit=20).matches) == 20


@pytest.mark.parametrize("limit", [1, 3, 7, 50])
def test_pages_of_one_file_side_by_side_are_the_whole_answer(crowd: Path, limit: int):
    with open_workspace(crowd) as project:
        found, cursor = [], ""
        for _ in range(400):
            page = project.search_text("needle", path="a.txt", limit=limit, cursor=cursor)
            assert len(page.matches) <= limit
            assert page.total == 300
            found += [match.line for match in page.matches]
            cursor = page.next_cursor
            if not cursor:
                break
        assert found == list(range(1, 301))


def test_an_answer_has_an_end_however_long_the_lines_are(sample_repo: Path):
    (sample_repo / "long.txt").write_text(("x" * 2000 + "needle" + "y" * 2000 + "\n") * 300)
    with open_workspace(sample_repo, index__max_file_bytes=1 << 22) as project:
        result = project.search_text("needle", limit=1000, context_lines=10)
        assert result.truncated
        assert result.next_cursor
        assert len(json.dumps(shown_json(result))) < 2 * text.PAGE_CHARACTERS
        assert all(len(match.content) <= 302 for match in result.matches)


def test_counting_that_was_given_up_is_told(crowd: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep"], "COUNTED_LINES", 100)
    with open_workspace(crowd) as project:
        result = project.search_text("needle", limit=3)
        assert result.total == 300
        assert result.degraded == ("total: counting stopped at 300 lines",)


def test_a_pattern_that_makes_other_engines_hang_is_answered(sample_repo: Path):
    (sample_repo / "a.txt").write_text("a" * 1_000_000 + "!")
    with open_workspace(sample_repo) as project:
        assert project.search_text("(a+)+$", regex=True, path="a.txt").answer == Answer.NONE
        hard = project.search_text("(?:(?:.?a?b?){30}c?){30}z", regex=True, path="a.txt")
        assert hard.answer == Answer.UNKNOWN


# --- refusals ----------------------------------------------------------------------------------------------


@for_each(
    ("arguments", "cause"),
    [
        ({"patterns": []}, "no pattern was given"),
        ({"patterns": ""}, "an empty pattern"),
        ({"patterns": ["a", ""]}, "an empty pattern"),
        ({"patterns": list("abcdef")}, "6 patterns were given, the limit is 5"),
        ({"patterns": "x" * 100_000}, "the limit is"),
        ({"patterns": "x" * 5_000}, "the limit is 1000"),
        ({"patterns": "a\nb"}, "line break"),
        ({"patterns": "(a", "regex": True}, "missing ) at character 1"),
        ({"patterns": "a(?!b)", "regex": True}, "'(?!' at character 2"),
        ({"patterns": "a", "limit": 0}, "from 1 to 1000"),
        ({"patterns": "a", "context_lines": 11}, "from 0 to 10"),
        ({"patterns": "a", "cursor": "junk"}, "cursor is not one of ours"),
        ({"patterns": "a", "path": "/x/*"}, "glob must be relative"),
        ({}, "missing argument 'patterns'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_cause_and_a_next_step(
    shop: Project, arguments: dict[str, object], cause: str
):
    with pytest.raises(BadArgument) as caught:
        shop.call("search_text", **arguments)
    assert cause in caught.value.message
    assert caught.value.hint


def test_paths_outside_and_unknown_names_are_refused(shop: Project):
    with pytest.raises(OutsideRoot):
        shop.search_text("a", path="../..")
    with pytest.raises(UnknownName, match="language"):
        shop.search_text("a", languages=["pyhton"])
    with pytest.raises(UnknownName, match="argument"):
        shop.search_text("a", limti=3)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pattern=st.text(min_size=1, max_size=20), regex=st.booleans(), word=st.booleans())
def test_any_pattern_is_answered_or_refused_in_our_words(shop: Project, pattern: str, regex: bool, word: bool):
    refusal = None
    try:
        assert isinstance(shop.search_text([pattern], regex=regex, word=word), TextResult)
    except ShirubeError as error:
        refusal = error
    assert refusal is None or refusal.hint


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_piece_of_a_line_is_found_where_python_has_it(shop: Project, data: st.DataObject):
    path = data.draw(st.sampled_from(["README.md", "src/shop/payment.py", "web/cart.ts"]))
    lines = (shop.workspace.root / path).read_text("utf-8").split("\n")
    line = data.draw(st.sampled_from([line for line in lines if line]))
    start = data.draw(st.integers(0, len(line) - 1))
    piece = line[start : data.draw(st.integers(start + 1, len(line)))]
    wanted = [(path, number, line.index(piece) + 1) for number, line in enumerate(lines, 1) if piece in line]
    assert places(shop.search_text([piece], path=path)) == wanted


def test_the_listing_is_short(shop: Project):
    tool = tool_of("grep", operation_named("search_text"), Door(shop.workspace.root, {}))
    listed = json.dumps({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
    assert len(listed) / 4 <= 300


def test_the_same_question_has_the_same_answer(shop: Project):
    first, second = shop.search_text("retry"), shop.search_text("retry")
    assert replace(first, freshness=second.freshness) == second
