import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument
from shirube.features.lookup import indexing
from shirube.features.lookup.index_operations import index_status, sync_index
from shirube.operation import Call
from shirube.operations import run
from tests.conftest import needs_git
from tests.features.past import write_past
from tests.refusals import refusal


@pytest.fixture
def project(sample_repo):
    with open_workspace(sample_repo) as opened:
        yield opened


@pytest.mark.requirement("003-SYNC-06")
def test_a_first_sync_adds_every_file(project: Project):
    result = project.sync_index()
    assert "src/shop/payment.py" in result.added
    assert (result.changed, result.removed, result.renamed) == ((), (), ())
    assert result.totals["files"] == result.totals["added"] == len(result.added)
    assert result.next == "search"
    assert not result.truncated


def test_a_second_sync_has_nothing_to_do(project: Project):
    project.sync_index()
    totals = project.sync_index().totals
    assert (totals["added"], totals["changed"], totals["removed"], totals["parsed"]) == (0, 0, 0, 0)


@needs_git
def test_a_sync_counts_the_commits_it_reads_and_the_time_that_takes(tmp_path, state_dirs, monkeypatch):
    write_past(tmp_path / "shop")
    now = iter(range(1000, 9000, 10))
    with open_workspace(tmp_path / "shop") as project:
        assert project.sync_index().totals["commits"] > 3
        assert project.sync_index().totals["commits"] == 0
        monkeypatch.setattr("shirube.engine.index.keeper.monotonic", lambda: next(now))
        full = project.sync_index(full=True)
        assert full.totals["commits"] > 3
        assert full.seconds >= 10


def test_an_edit_an_addition_and_a_removal_are_told_apart(project: Project, sample_repo):
    project.sync_index()
    (sample_repo / "web/price.ts").write_text("export const price = 3;\n")
    (sample_repo / "new.py").write_text("x = 1\n")
    (sample_repo / "pyproject.toml").unlink()
    result = project.sync_index()
    assert (result.added, result.changed, result.removed) == (("new.py",), ("web/price.ts",), ("pyproject.toml",))


def test_a_full_sync_reads_everything_again_and_changes_nothing(project: Project):
    before = project.index_status()
    project.sync_index()
    filled = project.index_status()
    assert project.sync_index(full=True).totals["files"] == filled.files
    assert before.files == 0
    assert project.index_status().chunks == filled.chunks


def test_not_waiting_returns_at_once_where_the_process_goes_on(project: Project):
    result = project.sync_index(wait=False)
    assert result.warnings == ()
    assert project.sync_index().job.state == "done"
    assert project.index_status().files > 0


def test_not_waiting_is_not_possible_where_the_process_ends_with_the_answer(project: Project):
    result = run(project.workspace, "sync_index", {"wait": False}, Call(lasting=False))
    assert result.job.state == "done"
    assert result.totals["added"] > 0
    (warning,) = result.warnings
    assert "waited for" in warning


def test_a_long_list_of_changes_is_cut_and_the_totals_tell_of_the_rest(project: Project, sample_repo, monkeypatch):
    monkeypatch.setattr(indexing, "SHOWN", 3)
    result = project.sync_index()
    assert len(result.added) == 3
    assert result.truncated
    assert result.totals["added"] > 3


def test_an_empty_project_says_what_to_look_at(tmp_path, state_dirs):
    (tmp_path / "empty").mkdir()
    with open_workspace(tmp_path / "empty") as project:
        result = project.sync_index()
        assert result.totals["files"] == 0
        assert "source_dirs" in result.next
        assert project.search("anything").forest_hits == ()


def test_the_status_before_the_first_sync_says_empty(project: Project):
    status = project.index_status()
    assert (status.state, status.files, status.needs_sync, status.next) == ("empty", 0, True, "sync_index")
    assert status.freshness.indexed_at == ""


@pytest.mark.requirement("003-SYNC-05")
def test_the_status_after_a_sync_says_what_is_held(project: Project, sample_repo):
    project.sync_index()
    status = project.index_status()
    assert (status.root, status.state, status.needs_sync, status.next) == (
        str(sample_repo),
        "complete",
        False,
        "search",
    )
    assert status.languages["python"] == 4
    assert status.languages["typescript"] == 2
    assert sum(status.languages.values()) == status.files
    assert status.chunks >= status.files - 1
    assert status.symbols > 0
    assert status.edges > 0
    assert status.waiting == 0
    assert status.model.startswith("hashed")


def test_the_status_sees_that_a_file_changed(project: Project, sample_repo):
    project.sync_index()
    (sample_repo / "new.py").write_text("x = 1\n")
    assert project.index_status().needs_sync


def test_the_status_without_a_look_is_what_is_known(project: Project, sample_repo, monkeypatch: pytest.MonkeyPatch):
    assert project.index_status(look=False).needs_sync is True
    project.sync_index()
    (sample_repo / "new.py").write_text("x = 1\n")
    monkeypatch.setattr("shirube.engine.index.keeper.walk", lambda *_, **__: pytest.fail("the tree was looked at"))
    status = project.index_status(look=False)
    assert (status.needs_sync, status.next) == (None, "search")


def test_what_is_left_out_is_counted_and_named(project: Project, sample_repo):
    (sample_repo / "photo.bin").write_bytes(b"\0\1\2" * 100)
    project.sync_index()
    status = project.index_status()
    assert status.skipped["secret"] == 1
    assert status.skipped["binary"] == 1
    assert {skip.path: skip.reason for skip in status.skips}[".env"] == "secret"
    assert sum(status.skipped.values()) == len(status.skips)


def test_the_names_of_what_is_left_out_are_cut_at_the_limit(project: Project):
    project.sync_index()
    status = project.index_status(limit=1)
    assert len(status.skips) == 1
    assert status.truncated
    assert project.index_status(limit=0).skips == ()


def test_what_a_project_asked_for_beyond_its_rights_is_told(sample_repo):
    (sample_repo / ".shirube").mkdir()
    (sample_repo / ".shirube/config.toml").write_text('[store]\nbackend = "memory"\n')
    with open_workspace(sample_repo) as project:
        assert "store.backend" in project.index_status().warnings[0]
        assert "store.backend" in project.sync_index().warnings[0]


def test_a_limit_out_of_bounds_is_refused(project: Project):
    with pytest.raises(BadArgument, match="limit"):
        project.index_status(limit=-1)


def test_only_the_sync_is_marked_as_changing_something():
    assert (sync_index.read_only, index_status.read_only) == (False, True)
    assert not sync_index.destructive


def test_cancelling_when_nothing_runs_is_an_error_and_starts_nothing(sample_repo):
    from shirube import open_workspace
    from shirube.errors import BadArgument

    with open_workspace(sample_repo) as project:
        with refusal(BadArgument, "index.none_runs"):
            project.sync_index(cancel=True)
        assert project.index_status().state == "empty"


def test_a_sync_takes_the_arguments_of_the_seed_and_says_that_it_is_whole(workspace):
    project = Project(workspace)
    answer = project.call("sync_index", path="src", force=True, sync_map=False)
    assert (answer.map, [one.code for one in answer.warnings][-1:]) == ({}, ["index.whole_project"])
    assert project.call("sync_index", path=".", sync_map=True).warnings == ()
