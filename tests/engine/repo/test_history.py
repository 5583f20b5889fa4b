"""Which commit is checked out, and who changed a file, from a real little repository."""

from pathlib import Path

import pytest

from shirube.engine.repo.history import changes_of, head_of, text_at


@pytest.fixture
def root(tmp_path: Path, make, git) -> Path:
    made = make(tmp_path / "repo", {"README.md": "x"})
    git(made, "init", "-q", "-b", "main")
    return made


def commit(git, root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("a") as file:
            file.write("more\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "change", "--allow-empty")


def test_head_moves_with_every_commit(root: Path, git, env):
    assert head_of(root, env) == ""
    commit(git, root, "a.py")
    first = head_of(root, env)
    assert first == git(root, "rev-parse", "HEAD").strip()
    commit(git, root, "a.py")
    assert head_of(root, env) != first


@pytest.mark.parametrize("kind", ["no repository", "no commit", "no directory"])
def test_where_there_is_no_commit_there_is_no_head(tmp_path: Path, root: Path, env, kind: str):
    place = {"no repository": tmp_path / "plain", "no commit": root, "no directory": tmp_path / "gone"}[kind]
    if kind == "no repository":
        place.mkdir()
    assert head_of(place, env) == ""


def test_without_git_there_is_no_head(root: Path, git, env):
    commit(git, root, "a.py")
    assert head_of(root, {**env, "PATH": "/nowhere"}) == ""


def test_who_changed_a_file_and_what_it_was_then(git, root: Path, env: dict[str, str]):
    commit(git, root, "a.md")
    commit(git, root, "b.md")
    commit(git, root, "a.md")
    found = changes_of(root, "a.md", 10, env=env)
    assert [one.subject for one in found] == ["change", "change"]
    assert all(one.who and one.seconds for one in found)
    assert [text_at(root, one.commit, "a.md", env) for one in found] == ["more\nmore\n", "more\n"]
    assert len(changes_of(root, "a.md", 1, env=env)) == 1
    assert changes_of(root, "a.md", 5, "MERGE_HEAD", env) == ()
    assert changes_of(root, "a.md", 5, "--output=evil", env) == ()
    assert not (root / "evil").exists()
    assert text_at(root, found[0].commit, "nothing.md", env) == ""


def test_without_git_nobody_knows(tmp_path: Path, env: dict[str, str]):
    assert changes_of(tmp_path, "a.md", 5, env=env) == ()
    assert text_at(tmp_path, "HEAD", "a.md", env) == ""
