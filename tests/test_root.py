import os
from pathlib import Path

import pytest

from shirube.config import MARKS, find_root, upwards
from shirube.errors import NotADirectory, ShirubeError
from shirube.workspace import build_workspace
from tests.refusals import refusal


@pytest.fixture(autouse=True)
def _apart(state_dirs) -> None:
    """No variable of this machine names a project."""


def test_the_given_root_wins_over_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_ROOT", str(tmp_path / "own"))
    assert find_root(tmp_path, tmp_path / "own") == tmp_path


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_given_root_that_is_no_directory_is_refused(tmp_path: Path, name: str):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectory, match=name):
        find_root(tmp_path / name, tmp_path)


@pytest.mark.parametrize("variable", ["SHIRUBE_ROOT", "CLAUDE_PROJECT_DIR"])
def test_the_root_a_client_names_wins_over_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
):
    (tmp_path / "named").mkdir()
    monkeypatch.setenv(variable, str(tmp_path / "named"))
    assert find_root(None, tmp_path) == tmp_path / "named"


def test_our_own_variable_that_names_no_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_ROOT", str(tmp_path / "missing"))
    with pytest.raises(ShirubeError, match="missing"):
        find_root(None, tmp_path)


@pytest.mark.parametrize("mark", MARKS)
def test_the_nearest_directory_that_looks_like_a_project_is_taken(tmp_path: Path, mark: str):
    inner = tmp_path / "outer" / "inner"
    (inner / "src" / "deep").mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    (inner / mark).mkdir()
    assert find_root(None, inner / "src" / "deep") == inner
    assert find_root(None, tmp_path / "outer") == tmp_path / "outer"


def test_a_work_trees_git_file_is_a_mark_too(tmp_path: Path):
    (tmp_path / "tree" / "src").mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text("gitdir: elsewhere\n")
    assert find_root(None, tmp_path / "tree" / "src") == tmp_path / "tree"


@pytest.mark.parametrize("mark", MARKS)
def test_no_project_is_found_where_git_would_not_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str):
    below = tmp_path / "top" / "limit" / "below"
    below.mkdir(parents=True)
    (tmp_path / "top" / mark).mkdir()
    assert find_root(None, below) == tmp_path / "top"
    (tmp_path / "link").symlink_to(below.parent)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", f"elsewhere{os.pathsep}{tmp_path / 'link'}")
    assert find_root(None, below) == below
    assert list(upwards(below)) == [below]
    assert find_root(None, below.parent) == tmp_path / "top"  # one who stands there has gone up already


def test_a_directory_without_marks_is_a_project_by_itself(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    assert find_root(None, tmp_path / "plain") == tmp_path / "plain"


def test_a_home_directory_is_never_indexed_by_accident(state_dirs):
    with refusal(NotADirectory, "repo.no_project") as caught:
        find_root(None, state_dirs.home)
    assert "--root" in caught.value.hint


def test_the_root_of_the_disk_is_never_indexed_by_accident():
    with pytest.raises(NotADirectory):
        find_root(None, Path("/"))


def test_a_home_directory_named_by_hand_is_taken(state_dirs):
    assert find_root(state_dirs.home, Path("/")) == state_dirs.home


@pytest.mark.parametrize("given", ["x" * 300, "x/" * 3000, "a\0b"], ids=lambda given: f"{given[:3]!r} of {len(given)}")
def test_a_root_that_no_system_can_have_is_no_directory(given: str, tmp_path: Path):
    with pytest.raises(NotADirectory):
        find_root(Path(given), tmp_path)
    with pytest.raises(NotADirectory):
        build_workspace(Path(given))
