"""Pages side by side are the whole: for every operation that has a cursor, whatever the limits."""

import json
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from shirube import Project, open_workspace
from shirube.codec import shown_json
from shirube.errors import BadArgument, ShirubeError, StaleCursor
from shirube.operations import OPERATIONS
from tests.cases import for_each
from tests.conftest import isolate, make_state_dirs

QUESTIONS: dict[str, tuple[dict[str, Any], str, int]] = {
    "search": ({"query": "needle thread"}, "forest_hits", 100),
    "search_forest": ({"query": "needle thread"}, "forest_hits", 100),
    "files_search": ({"query": "needle thread"}, "results", 200),
    "search_text": ({"patterns": ["needle"], "case_sensitive": False}, "matches", 1000),
    "find_definitions": ({"symbol": "stitch"}, "definitions", 500),
    "find_references": ({"symbol": "Needle"}, "references", 1000),
    "symbol": ({"symbol": "Needle"}, "uses", 1000),
    "get_symbols": ({"path": "."}, "symbols", 2000),
    "analyze_structure": ({"path": "."}, "files", 500),
    "list_plans": ({"query": "needle"}, "plans", 500),
    "show_plan": ({"plan_id": "long"}, "iterations", 500),
}
"""For each operation with a cursor: a question with many answers, where they stand, and the highest limit."""
PAGED = [operation.name for operation in OPERATIONS if "cursor" in operation.request.__struct_fields__]
LIMITS = [(1,), (2,), (3,), (7,), (10,), (40,), (76,), (1, 5, 2, 30)]


def write_tree(root: Path) -> None:
    """Write files with very unlike shares of the answers; some use a class under two names."""
    root.mkdir()
    (root / "needle.py").write_text("class Needle:\n    def stitch(self, thread: str) -> str:\n        return thread\n")
    for number in range(14):
        uses = "".join(f"needle_{turn} = N()  # a Needle with thread\n\n" for turn in range(number**2 // 8))
        more = "".join(
            f"def stitch_{turn}(thread):\n    return Needle().stitch(thread)\n\n\n" for turn in range(number % 4)
        )
        imports = "from needle import Needle\nfrom needle import Needle as N\n\n"
        (root / f"part_{number:02}.py").write_text(f"{imports}{uses}\ndef stitch(thread):\n    return N()\n\n\n{more}")


def keep_long_plan(project: Project) -> None:
    """Keep a plan with twenty turns, and some more."""
    project.query_plan("needle", max_iterations=1)
    document = json.loads(project.export_plans().document)
    (plan,) = document["plans"]
    (turn,) = plan["iterations"]
    turns = [{**turn, "iterationNumber": number} for number in range(1, 21)]
    more = [{**plan, "planId": f"plan-{number}"} for number in range(90)]
    document["plans"] = [{**plan, "planId": "long", "iterations": turns}, *more]
    project.import_plans(document=json.dumps(document))


@pytest.fixture(scope="module")
def sewing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    base = tmp_path_factory.mktemp("sewing")
    write_tree(base / "tree")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        project = open_workspace(base / "tree")
        project.sync_index()
        keep_long_plan(project)
    with project:
        yield project


def items_of(result: Any, field: str) -> list[str]:
    """Return the items of a page in one form that can be compared; the uses of a symbol are grouped by file."""
    items = shown_json(result)[field]
    if field == "uses":
        items = [{**use, "file": one["file"], "how": one["how"]} for one in items for use in one["uses"]]
    return [json.dumps(item, sort_keys=True) for item in items]


def pages(project: Project, name: str, arguments: Mapping[str, Any], limits: tuple[int, ...]) -> list[list[str]]:
    """Follow the cursor to its end; return the items of each page."""
    _, field, highest = QUESTIONS[name]
    found: list[list[str]] = []
    cursor = ""
    for limit in cycle(limits):
        result = project.call(name, **arguments, limit=min(limit, highest), cursor=cursor)
        found.append(items_of(result, field))
        assert len(found[-1]) <= limit
        assert result.truncated is bool(result.next_cursor)
        cursor = result.next_cursor
        if not cursor:
            return found
        assert found[-1], "a page with a next one shows something"
    raise AssertionError


def test_every_operation_with_a_cursor_is_asked_here():
    assert sorted(PAGED) == sorted(QUESTIONS)
    results = {operation.name: operation.result for operation in OPERATIONS}
    assert all("next_cursor" in results[name].__struct_fields__ for name in PAGED)


@for_each("limits", LIMITS)
@pytest.mark.parametrize("name", PAGED)
def test_pages_side_by_side_are_the_whole(sewing: Project, name: str, limits: tuple[int, ...]):
    arguments, _, highest = QUESTIONS[name]
    (whole,) = pages(sewing, name, arguments, (highest,))
    assert len(whole) > 10
    together = [item for page in pages(sewing, name, arguments, limits) for item in page]
    # A line that uses a name twice is two uses of it, of which ``symbol`` tells only the line.
    assert len(set(together)) == (len(set(whole)) if name == "symbol" else len(together)), "each once"
    # Text comes with a share of each file first; all others come in the order of the whole.
    assert (sorted(together) == sorted(whole)) if name == "search_text" else (together == whole)


@pytest.mark.parametrize("limit", [50, 333, 1000])
def test_the_pages_of_a_text_search_have_every_line_however_many_there_are(sample_repo: Path, limit: int):
    """Of 1,800 lines in six files, a reader who followed the cursor once saw 536."""
    for name in "abcdef":
        (sample_repo / f"{name}.txt").write_text("a needle\nhay\n" * 300)
    with open_workspace(sample_repo) as project:
        found = [
            json.loads(item)
            for page in pages(project, "search_text", {"patterns": "needle"}, (limit,))
            for item in page
        ]
    places = [(one["file"], one["line"]) for one in found]
    assert len(places) == 1800
    assert set(places) == {(f"{name}.txt", 2 * turn + 1) for name in "abcdef" for turn in range(300)}


def test_a_question_that_takes_no_cursor_gives_none(sewing: Project):
    result = sewing.semantic_search("needle thread", collection="forest", n_results=2)
    assert (len(result.forest_hits), result.truncated, result.next_cursor) == (2, True, "")


# --- what a cursor is bound to -----------------------------------------------------------------------------


def first_cursor(project: Project, name: str, **arguments: Any) -> str:
    cursor = project.call(name, **arguments, limit=2).next_cursor
    assert cursor
    return str(cursor)


def refusal(project: Project, name: str, **arguments: Any) -> ShirubeError:
    with pytest.raises(ShirubeError) as caught:
        project.call(name, **arguments)
    assert "without cursor" in caught.value.hint
    return caught.value


@for_each("name", PAGED)
def test_a_cursor_of_another_question_is_refused(sewing: Project, name: str):
    arguments, _, _ = QUESTIONS[name]
    cursor = first_cursor(sewing, name, **arguments)
    (key, value), *_ = arguments.items()
    other = {**arguments, key: ["other"] if isinstance(value, list) else "part_03.py"}
    error = refusal(sewing, name, **other, cursor=cursor)
    assert isinstance(error, BadArgument)
    assert "another question" in error.message


def test_a_cursor_of_another_operation_is_refused(sewing: Project):
    cursor = first_cursor(sewing, "search", query="needle thread")
    for name in ("files_search", "search_forest"):
        assert "another question" in refusal(sewing, name, query="needle thread", cursor=cursor).message


def test_a_cursor_of_another_project_is_refused(sewing: Project, tmp_path: Path, state_dirs: object):
    write_tree(tmp_path / "twin")
    with open_workspace(tmp_path / "twin") as twin:
        cursor = first_cursor(twin, "search_text", patterns="needle")
    error = refusal(sewing, "search_text", patterns="needle", cursor=cursor)
    assert error.message.code == "asking.other_cursor"


@for_each("name", PAGED)
def test_a_cursor_with_any_character_changed_is_refused(sewing: Project, name: str):
    arguments, _, _ = QUESTIONS[name]
    cursor = first_cursor(sewing, name, **arguments)
    for at, old in enumerate(cursor):
        if old != ".":
            changed = f"{cursor[:at]}{'b' if old != 'b' else 'c'}{cursor[at + 1 :]}"
            refusal(sewing, name, **arguments, cursor=changed)


@for_each("cursor", ["junk", "..", "a.b.c", "WzFd", "あ.い.う", "." * 9000, " "])
@for_each("name", PAGED)
def test_garbage_is_refused(sewing: Project, name: str, cursor: str):
    arguments, _, _ = QUESTIONS[name]
    assert refusal(sewing, name, **arguments, cursor=cursor).code == "bad_argument"


@pytest.mark.parametrize("name", PAGED)
def test_after_a_change_of_the_index_a_cursor_is_refused(tmp_path: Path, state_dirs: object, name: str):
    arguments, _, _ = QUESTIONS[name]
    write_tree(tmp_path / "tree")
    with open_workspace(tmp_path / "tree") as project:
        if name in ("show_plan", "list_plans"):
            keep_long_plan(project)
        cursor = first_cursor(project, name, **arguments)
        assert project.call(name, **arguments, limit=2, cursor=cursor).next_cursor, "good on the first call as well"
        (tmp_path / "tree" / "new.py").write_text("needle = 1\n")
        project.sync_index()
        error = refusal(project, name, **arguments, cursor=cursor)
        assert isinstance(error, StaleCursor)
        assert error.message.code == "asking.stale_cursor"


def test_a_change_that_the_next_page_is_the_first_to_see_is_told(tmp_path: Path, state_dirs: object):
    write_tree(tmp_path / "tree")
    with open_workspace(tmp_path / "tree") as project:
        cursor = first_cursor(project, "get_symbols", path=".")
    (tmp_path / "tree" / "a_first.py").write_text("def stitch(): ...\n")
    with open_workspace(tmp_path / "tree") as project:
        assert refusal(project, "get_symbols", path=".", cursor=cursor).code == "stale_cursor"


def test_an_index_made_anew_is_another_one(tmp_path: Path, state_dirs: object):
    write_tree(tmp_path / "tree")
    with open_workspace(tmp_path / "tree") as project:
        cursor = first_cursor(project, "get_symbols", path=".")
        project.workspace.store.reset()
        project.sync_index()
        assert refusal(project, "get_symbols", path=".", cursor=cursor).code == "stale_cursor"


def test_a_cursor_goes_on_in_another_process(tmp_path: Path, state_dirs: object):
    write_tree(tmp_path / "tree")
    with open_workspace(tmp_path / "tree") as project:
        first = project.get_symbols(".", limit=5)
    with open_workspace(tmp_path / "tree") as project:
        rest = project.get_symbols(".", limit=2000, cursor=first.next_cursor)
        assert (*first.symbols, *rest.symbols) == project.get_symbols(".", limit=2000).symbols
