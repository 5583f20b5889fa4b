"""Golden rankings: which file has to come first for which question, behind every engine."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each
from tests.ranking.conftest import ENGINES, Asking, order, shown
from tests.ranking.sample import FILES

ROWS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "golden.toml").read_text("utf-8"))["question"]
KEYS = {"ask", "first", "order", "profile", "boost_profile"}


def name_of(row: dict[str, Any]) -> str:
    """Return what a row is called in a report."""
    return " ".join([row["ask"], *(f"{key}={row[key]}" for key in ("profile", "boost_profile") if key in row)])


def test_the_table_is_whole():
    assert len({name_of(row) for row in ROWS}) == len(ROWS) >= 40
    assert [row for row in ROWS if ("first" in row) == ("order" in row) or set(row) - KEYS] == []
    assert {path for row in ROWS for path in row.get("order", [row.get("first")])} <= set(FILES)
    assert sum(not row["ask"].isascii() for row in ROWS) >= 15


@pytest.mark.parametrize("engine", ENGINES)
@for_each("row", ROWS)
def test_the_file_that_answers_comes_first(ask: Asking, row: dict[str, Any], engine: str):
    options = {key: row[key] for key in ("profile", "boost_profile") if key in row}
    result = ask(row["ask"], engine, **options)
    wanted, found = row.get("order", [row.get("first")]), order(result)
    assert found[:1] == wanted[:1], shown(result)
    assert [path for path in found if path in wanted] == wanted, shown(result)


@pytest.mark.requirement("001-FTS-02", "N001-DEGRADE-01")
@for_each("engine", ENGINES)
def test_an_engine_that_is_not_the_best_says_so(ask: Asking, engine: str):
    said = [line for line in ask("session", engine).degraded if "tantivy" in line]
    assert bool(said) is (engine in ("fts5", "scan"))


@pytest.mark.requirement("N001-DEGRADE-01")
def test_the_note_goes_away_by_itself_when_the_best_engine_is_back(tmp_path: Path, state_dirs):
    from shirube import open_workspace
    from tests.ranking.conftest import only, write_project

    with open_workspace(write_project(tmp_path / "orchid")) as project:
        with only("fts5"):
            worse = project.search("page-agent Lambda handler")
        better = project.search("page-agent Lambda handler")
    assert (len(worse.degraded), better.degraded) == (1, ())
    assert order(worse)[0] == order(better)[0] == "lambda/page-agent/src/handler.ts"
