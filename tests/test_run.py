import pytest

from shirube import Project
from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup.index_results import IndexStatus
from shirube.features.lookup.results import SearchResult
from shirube.operation import Call
from shirube.operations import run


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


def test_progress_is_told_to_the_one_who_asked(sample_repo):
    from shirube import open_workspace

    told: list[tuple[str, int, int]] = []
    with open_workspace(sample_repo) as project:
        run(project.workspace, "sync_index", {}, Call(progress=lambda *step: told.append(step)))
    assert told
    assert all(0 <= done <= total for _, done, total in told if total)
