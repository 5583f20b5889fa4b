from collections.abc import Sequence
from threading import Event
from typing import Any

import pytest

from shirube import Project, open_workspace
from shirube.engine.index.pool import Worker
from shirube.engine.index.reading import FileReading, Task
from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup.results import IndexStatus, SearchResult
from shirube.operation import Call
from shirube.operations import run
from tests.conftest import read_here

PATIENCE_SECONDS = 60.0
"""How long to wait before a test fails; what is waited for comes in milliseconds."""


def test_a_call_returns_the_typed_result(shop: Project):
    assert isinstance(run(shop.workspace, "search", {"query": "retry"}), SearchResult)
    assert isinstance(run(shop.workspace, "index_status", {}), IndexStatus)


def test_other_spellings_are_understood_before_the_strict_check(shop: Project):
    plain = run(shop.workspace, "search", {"query": "retry", "limit": 1, "languages": ["python"]})
    seeds = run(shop.workspace, "search", {"query": "retry", "topK": "1", "language": '["python"]'})
    assert seeds.forest_hits == plain.forest_hits
    assert len(seeds.forest_hits) == 1


def test_an_unknown_operation_is_refused_before_anything_else(shop: Project):
    with pytest.raises(UnknownName, match="operation 'serch'"):
        run(shop.workspace, "serch", {"query": "x"})


def test_a_bad_argument_is_refused_before_the_operation_runs(shop: Project):
    told: list[tuple[str, int, int]] = []
    with pytest.raises(BadArgument):
        run(shop.workspace, "sync_index", {"full": "perhaps"}, Call(progress=lambda *step: told.append(step)))
    assert told == []


def test_progress_is_told_to_the_one_who_asked(sample_repo, monkeypatch: pytest.MonkeyPatch):
    told: list[tuple[str, int, int]] = []
    heard = Event()

    def hear(*step: Any) -> None:
        told.append(step)
        heard.set()

    def read_when_heard(worker: Worker, tasks: Sequence[Task]) -> list[FileReading]:
        assert heard.wait(PATIENCE_SECONDS)
        return read_here(worker, tasks)

    monkeypatch.setattr(Worker, "ask", read_when_heard)
    with open_workspace(sample_repo) as project:
        run(project.workspace, "sync_index", {}, Call(progress=hear))
    assert told
    assert all(0 <= done <= total for _, done, total in told if total)
