"""What a project is called on every machine."""

import subprocess
from pathlib import Path

import pytest
from tests.cases import for_each
from tests.conftest import needs_git

from shirube.engine.repo.identity import Identity, normalised


@for_each(
    ("url", "name"),
    [
        ("git@github.com:pallets/flask.git", "github.com/pallets/flask"),
        ("git@GitHub.com:pallets/flask", "github.com/pallets/flask"),
        ("github.com:pallets/flask.git/", "github.com/pallets/flask"),
        ("https://github.com/pallets/flask", "github.com/pallets/flask"),
        ("https://github.com:443/pallets//flask.git/", "github.com/pallets/flask"),
        ("https://me:secret@github.com/pallets/flask.git", "github.com/pallets/flask"),
        ("ssh://git@host.corp:2222/team/app.git", "host.corp:2222/team/app"),
        ("ssh://git@host.corp/~me/app", "host.corp/~me/app"),
        ("git://host/Team/App", "host/Team/App"),
        ("git@[2001:db8::1]:a/b.git", "[2001:db8::1]/a/b"),
        ("https://host/日本語/リポジトリ.git", "host/日本語/リポジトリ"),
        ("/srv/git/app.git", ""),
        ("../app", ""),
        ("C:\\git\\app", ""),
        ("file:///srv/git/app.git", ""),
        ("https://", ""),
        ("https:/me:secret@github.com/pallets/flask", ""),
        ("https://host:port/x", ""),
        ("", ""),
    ],
)
def test_a_remote_has_one_name_however_it_is_reached(url: str, name: str):
    assert normalised(url) == name


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    (root / "services" / "pay").mkdir(parents=True)
    git(root, "init", "-q")
    (root / "a.py").write_text("x = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def test_a_directory_without_git_is_known_by_machine_and_path(tmp_path: Path):
    identity = Identity(tmp_path, "laptop")
    assert (identity.repository, identity.branch()) == (f"laptop:{tmp_path}", "")


@needs_git
def test_a_repository_without_a_remote_that_others_reach_is_known_by_its_place(clone: Path):
    assert Identity(clone, "laptop").repository == f"laptop:{clone}"
    git(clone, "remote", "add", "origin", "/srv/git/app.git")
    assert Identity(clone, "laptop").repository == f"laptop:{clone}"


@needs_git
def test_origin_comes_first_and_a_project_below_the_top_has_a_name_of_its_own(clone: Path):
    git(clone, "remote", "add", "mirror", "https://mirror.corp/app")
    assert Identity(clone, "x").repository == "mirror.corp/app"
    git(clone, "remote", "add", "origin", "git@host.corp:team/app.git")
    assert Identity(clone, "x").repository == "host.corp/team/app"
    assert Identity(clone / "services" / "pay", "x").repository == "host.corp/team/app//services/pay"


@needs_git
def test_the_branch_is_the_one_that_is_checked_out_now(clone: Path):
    identity = Identity(clone, "x")
    assert identity.branch() == "main"
    git(clone, "checkout", "-q", "-b", "feature/日本語")
    assert identity.branch() == "feature/日本語"
    git(clone, "checkout", "-q", "--detach")
    assert len(identity.branch()) == 13
    assert identity.branch().startswith("@")
    git(clone, "worktree", "add", "-q", "-b", "other", "../tree")
    assert Identity(clone.parent / "tree", "x").branch() == "other"
    assert Identity(clone / "services", "x").branch() == identity.branch()
