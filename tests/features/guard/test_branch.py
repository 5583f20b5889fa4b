"""Which branch a session belongs to."""

import subprocess
from pathlib import Path

import pytest

from shirube.features.guard.branch import current_branch, other_branch
from tests.features.guard.conftest import git

STARTED = 1_000_000_000
"""Long before the branches of these tests."""


def commit(root: Path, text: str) -> None:
    (root / "README.md").write_text(text)
    git(root, "commit", "-qam", text)


@pytest.fixture
def old(repository: Path) -> str:
    """Return the session's branch; beside it there is an older one with other content."""
    git(repository, "checkout", "-qb", "old")
    commit(repository, "other")
    git(repository, "checkout", "-q", "-")
    return current_branch(repository, STARTED)


def test_a_session_stays_on_its_branch_whatever_is_committed_there(repository: Path, old: str):
    assert other_branch(repository, old) == ""
    commit(repository, "more")
    assert other_branch(repository, old) == ""


def test_an_older_branch_with_other_content_is_another(repository: Path, old: str):
    late = f"{old.rpartition(' ')[0]} {10**11}"
    git(repository, "checkout", "-q", "old")
    assert other_branch(repository, late) == "old"
    git(repository, "checkout", "-q", "--detach")
    assert len(other_branch(repository, late)) == 12
    git(repository, "checkout", "-q", "master", "--")
    assert other_branch(repository, late) == ""


def test_a_branch_made_from_there_is_the_same(repository: Path, old: str):
    git(repository, "checkout", "-qb", "fix")
    assert other_branch(repository, old) == ""
    commit(repository, "more")
    assert other_branch(repository, old) == ""
    git(repository, "checkout", "-q", "-")
    commit(repository, "first")
    git(repository, "checkout", "-qb", "later")
    assert other_branch(repository, old) == ""


def test_linked_work_trees_packed_branches_and_subdirectories_are_read_too(repository: Path, old: str, tmp_path: Path):
    git(repository, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    git(repository, "pack-refs", "--all")
    ref, made, _ = current_branch(tmp_path / "beside", STARTED).split()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True)
    assert (ref, made) == ("refs/heads/beside", head.stdout.strip())
    assert current_branch(repository / "src" / "shop", STARTED) == current_branch(repository, STARTED)


def test_without_git_or_commits_there_is_no_branch(tmp_path: Path):
    assert current_branch(tmp_path, STARTED) == ""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert current_branch(tmp_path, STARTED) == ""
    assert other_branch(tmp_path, "") == ""
    assert other_branch(tmp_path, "refs/heads/gone 0123 1") == ""
