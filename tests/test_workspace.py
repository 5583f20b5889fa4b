"""A project with everything that belongs to it."""

import os
import subprocess
import sys
from contextlib import closing

import pytest

from shirube.codec import replace
from shirube.doors.loopback import make_token_file
from shirube.errors import NotADirectory, UnknownName
from shirube.workspace import Workspace, build_workspace, index_directory
from tests.conftest import SAMPLE, sync


@pytest.mark.requirement("003-NEEDS-01")
def test_freshness_names_files_that_changed_since(workspace, sample_repo):
    sync(workspace)
    paths = ("README.md", "web/cart.ts")
    assert workspace.freshness(paths).stale_files == ()
    (sample_repo / "README.md").write_text("other\n")
    (sample_repo / "web/cart.ts").unlink()
    found = workspace.freshness(paths)
    assert found.stale_files == paths
    assert found.indexed_at.endswith("Z")


def test_warnings_tell_what_the_project_may_not_set(sample_repo):
    (sample_repo / ".shirube").mkdir()
    (sample_repo / ".shirube/config.toml").write_text('[store]\nbackend = "memory"\n')
    made = build_workspace(sample_repo)
    assert any("store.backend" in warning for warning in made.warnings())
    assert made.config.store.backend == "embedded"
    made.close()


def test_an_unknown_language_is_refused_with_the_nearest(workspace):
    workspace.check_language("python")
    with pytest.raises(UnknownName) as caught:
        workspace.check_language("pyton")
    assert caught.value.nearest == "python"


def test_a_root_that_is_no_directory_is_refused(tmp_path, state_dirs):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "none"):
        with pytest.raises(NotADirectory):
            build_workspace(path)


def test_the_memory_store_can_be_chosen_by_the_user(sample_repo):
    made = build_workspace(sample_repo, {"store.backend": "memory"})
    sync(made)
    assert made.store.totals().lexical == "memory"
    assert made.store.totals().files > 0
    made.close()


def test_each_work_tree_has_its_own_index_and_a_link_to_it_the_same(workspace, sample_repo, tmp_path):
    config = workspace.config
    (tmp_path / "link").symlink_to(sample_repo)
    linked = build_workspace(tmp_path / "link")
    assert linked.directory == workspace.directory
    linked.close()
    other = tmp_path / "elsewhere" / sample_repo.name
    assert index_directory(other, config) != workspace.directory


def test_a_second_work_tree_with_the_same_content_parses_nothing(workspace, sample_repo, tmp_path):
    sync(workspace)
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(sample_repo), str(copy)], check=True)
    second = build_workspace(copy)
    report = sync(second)
    assert report.parsed == 0
    assert report.reused == len(report.added)
    second.close()


def test_nothing_is_written_into_the_project(workspace, sample_repo):
    before = sorted(sample_repo.rglob("*"))
    sync(workspace)
    assert sorted(sample_repo.rglob("*")) == before


@pytest.mark.parametrize("place", ["cache", "."])
def test_what_we_keep_inside_the_project_is_not_indexed(sample_repo, monkeypatch, place):
    monkeypatch.setenv("SHIRUBE_CACHE_DIR", str(sample_repo / place))
    monkeypatch.setenv("SHIRUBE_STATE_DIR", str(sample_repo / place))
    make_token_file(sample_repo / place / "http-8080.token")
    with closing(build_workspace(sample_repo)) as workspace:
        for _ in range(2):
            sync(workspace)
            assert set(workspace.store.files()) == {*SAMPLE, ".gitignore"}
        assert not workspace.keeper.needs_sync()


def test_now_is_what_the_clock_says_in_seconds(workspace):
    rooms = (workspace.root, workspace.config, workspace.store.backend, workspace.embedder)
    made = Workspace(*rooms, clock_ns=lambda: 1_999_999_999_999_999_999)
    assert made.now_seconds() == 1_999_999_999
    made._pool.close()
    made._cache.close()


def test_a_project_without_git_has_no_history(workspace):
    sync(workspace)
    assert workspace.store.past_changes() == ()
    assert workspace.keeper.history.notes() == ()


def test_configuration_is_a_value(workspace):
    assert replace(workspace.config) == workspace.config


@pytest.mark.parametrize("model", ["static", "hashed"])
def test_opening_a_project_imports_nothing_heavy(sample_repo, state_dirs, model):
    script = (
        "import sys; from pathlib import Path; from shirube.workspace import build_workspace;"
        "build_workspace(Path(sys.argv[1])).close();"
        "print(sorted({'numpy', 'tantivy', 'tree_sitter', 'mcp', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(sample_repo)],
        capture_output=True, text=True, check=True, env={**os.environ, "SHIRUBE_EMBED_MODEL": model},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
