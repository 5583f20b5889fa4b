import pytest

import shirube
from shirube import Project, open_workspace
from shirube.errors import BadArgument, NotADirectory, UnknownName
from shirube.operations import OPERATIONS
from tests.cases import for_each


@for_each("operation", OPERATIONS)
def test_every_operation_is_a_documented_method_with_its_result(operation):
    assert getattr(Project, operation.name) is operation
    assert getattr(Project.__new__(Project), operation.name).__doc__ == operation.summary


def test_a_method_and_a_call_by_name_are_the_same(shop: Project):
    assert shop.search("retry", limit=2).forest_hits == shop.call("search", query="retry", limit=2).forest_hits


def test_the_first_question_indexes_by_itself(sample_repo):
    with open_workspace(str(sample_repo)) as project:
        assert project.search("cartTotal").forest_hits
        assert project.index_status().state == "complete"


def test_settings_are_given_by_their_dotted_names(sample_repo):
    with open_workspace(sample_repo, search__limit=1, store__backend="memory") as project:
        result = project.search("retry payment shop")
        assert len(result.forest_hits) == 1
        assert project.index_status().lexical == "memory"


def test_an_unknown_setting_is_refused_and_the_nearest_named(sample_repo):
    with pytest.raises(UnknownName) as caught:
        open_workspace(sample_repo, index__worker=1)
    assert caught.value.nearest == "workers"


def test_an_unknown_argument_is_refused_and_the_nearest_named(shop: Project):
    with pytest.raises(UnknownName) as caught:
        shop.search("retry", limt=1)
    assert caught.value.nearest == "limit"


@pytest.mark.parametrize("name", ["missing", "file.txt"])
def test_what_is_no_directory_is_refused(tmp_path, state_dirs, name: str):
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(NotADirectory, match=name) as caught:
        open_workspace(tmp_path / name)
    assert caught.value.hint


def test_errors_leave_the_project_usable(shop: Project):
    with pytest.raises(BadArgument):
        shop.search("")
    assert shop.search("retry").forest_hits


def test_closing_twice_is_harmless(sample_repo):
    project = open_workspace(sample_repo)
    project.search("retry")
    project.close()
    project.close()


def test_the_index_is_kept_for_the_next_time(sample_repo):
    with open_workspace(sample_repo) as project:
        project.sync_index()
    with open_workspace(sample_repo) as project:
        assert project.index_status().state == "complete"
        assert project.sync_index().totals["parsed"] == 0


def test_nothing_is_written_into_the_project(sample_repo):
    before = sorted(sample_repo.rglob("*"))
    with open_workspace(sample_repo) as project:
        project.search("retry")
    assert sorted(sample_repo.rglob("*")) == before


def test_the_package_offers_the_library_and_nothing_it_does_not_have():
    assert shirube.open_workspace is open_workspace
    with pytest.raises(AttributeError, match="no_such_name"):
        shirube.no_such_name  # noqa: B018
