"""What has changed on disk, whoever changed it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shirube.features.guard.tree_snapshot import TreeListing, changes_since, digest_like, is_ignored, take_snapshot
from tests.features.guard.conftest import git

FILE = "src/shop/retry.py"


def paths(root: Path, before: dict, env: dict[str, str]) -> list[str]:
    return sorted(changes_since(root, before, TreeListing(root, env)))


def append(root: Path) -> None:
    (root / FILE).write_text((root / FILE).read_text() + "# more\n")


def rewrite(root: Path) -> None:
    """Write other content of the same size, and put the old time back."""
    was = (root / FILE).stat()
    (root / FILE).write_bytes((root / FILE).read_bytes().swapcase())
    os.utime(root / FILE, ns=(was.st_atime_ns, was.st_mtime_ns))


@pytest.mark.parametrize("change", [append, rewrite, lambda root: (root / FILE).unlink()])
@pytest.mark.parametrize("place", ["repository", "sample_repo"])
def test_a_changed_file_is_seen_with_git_and_without(
    place: str, change: Callable[[Path], None], request: pytest.FixtureRequest, env: dict[str, str]
):
    root = request.getfixturevalue(place)
    before = take_snapshot(root, env)
    assert paths(root, before, env) == []
    change(root)
    assert paths(root, before, env) == [FILE]


@pytest.mark.parametrize("place", ["repository", "sample_repo"])
def test_a_file_whose_content_came_back_is_not_changed(place: str, request: pytest.FixtureRequest, env: dict[str, str]):
    root = request.getfixturevalue(place)
    before = take_snapshot(root, env)
    old = (root / FILE).read_bytes()
    (root / FILE).write_bytes(b"x")
    (root / FILE).write_bytes(old)
    assert paths(root, before, env) == []


def test_files_dirty_at_the_start_count_only_when_they_change_again(repository: Path, env: dict[str, str]):
    append(repository)
    (repository / "new.py").write_text("x")
    before = take_snapshot(repository, env)
    assert paths(repository, before, env) == []
    git(repository, "checkout", "--", FILE)  # somebody's work is undone
    (repository / "new.py").write_text("y")
    assert paths(repository, before, env) == ["new.py", FILE]


def test_a_commit_hides_nothing(repository: Path, env: dict[str, str]):
    before = take_snapshot(repository, env)
    append(repository)
    git(repository, "commit", "-qam", "quietly")
    assert paths(repository, before, env) == [FILE]


def test_new_files_count_and_ignored_ones_do_not(repository: Path, env: dict[str, str]):
    before = take_snapshot(repository, env)
    (repository / "build" / "more.py").write_text("x")
    (repository / "src" / "日本.py").write_text("x")
    assert paths(repository, before, env) == ["src/日本.py"]


def test_no_filter_of_the_repository_is_run(repository: Path, env: dict[str, str], tmp_path: Path):
    (repository / ".gitattributes").write_text("* filter=evil\n")
    git(repository, "config", "filter.evil.clean", f"touch {tmp_path / 'ran'}; cat")
    git(repository, "config", "core.fsmonitor", f"touch {tmp_path / 'ran'}")
    before = take_snapshot(repository, env)
    append(repository)
    assert FILE in paths(repository, before, env)
    assert not (tmp_path / "ran").exists()


def test_links_and_pipes_are_not_followed(repository: Path, env: dict[str, str]):
    (repository / "link").symlink_to("/etc/passwd")
    os.mkfifo(repository / "pipe")
    before = take_snapshot(repository, env)
    (repository / "link").unlink()
    (repository / "link").symlink_to("/etc/hosts")
    assert paths(repository, before, env) == ["link"]


def test_what_git_leaves_alone_is_told_apart_from_what_says_which_hooks_run(repository: Path, env: dict[str, str]):
    (repository / ".claude").mkdir()
    (repository / ".claude" / "settings.local.json").write_text("{}")
    (repository / ".gitignore").write_text("build/\n.claude/\n*.log\n")
    assert is_ignored(repository, "build/out.py", env)
    assert not is_ignored(repository, FILE, env)
    assert not is_ignored(repository, "not/there.log", env)
    assert not is_ignored(repository, ".claude/settings.local.json", env)
    assert not is_ignored(repository, ".git/config", env)


def test_a_digest_is_the_one_git_makes(repository: Path, env: dict[str, str]):
    (repository / "a").write_text("hello\n")
    assert digest_like(repository, "a", "") == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert len(digest_like(repository, "a", "0" * 64)) == 64
    assert digest_like(repository, "missing", "") == ""
