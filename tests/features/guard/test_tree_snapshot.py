"""What has changed on disk, whoever changed it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from shirube.features.guard.tree_snapshot import (
    TreeListing,
    _added,
    changes_since,
    digest_like,
    is_ignored,
    take_snapshot,
)
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


def nest(root: Path, name: str, tracked: bool) -> Path:
    """Make a repository inside another one, as a submodule or unknown to it."""
    place = root / name
    place.mkdir()
    (place / "a.py").write_text("a\n")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "a")):
        git(place, *words)
    if tracked:
        git(root, "add", name)
    return place


@pytest.mark.parametrize("tracked", [True, False])
def test_repositories_inside_the_project_are_looked_into(repository: Path, env: dict[str, str], tracked: bool):
    place = nest(repository, "vendor", tracked)
    before = take_snapshot(repository, env)
    assert paths(repository, before, env) == []
    (place / "a.py").write_text("b\n")
    (place / "new.py").write_text("b\n")
    git(place, "commit", "-qam", "b")
    (place / ".git" / "hooks").mkdir(exist_ok=True)
    (place / ".git" / "hooks" / "pre-commit").write_text("x")
    changed = ["vendor/.git/hooks/pre-commit", "vendor/a.py", "vendor/new.py"]
    assert paths(repository, before, env) == changed
    assert not is_ignored(repository, "vendor/a.py", env)
    assert not is_ignored(repository, "vendor/.git/config", env)


def test_what_git_runs_and_hides_counts(repository: Path, env: dict[str, str]):
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    before = take_snapshot(repository, env)
    (hooks / "post-checkout").write_text("x")
    (hooks / "pre-push.sample").write_text("x")
    git(repository, "config", "core.fsmonitor", "./evil")
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("*.py\n")
    (repository / "hidden.py").write_text("x")
    assert paths(repository, before, env) == [
        ".git/config",
        ".git/hooks/post-checkout",
        ".git/info/exclude",
        "hidden.py",
    ]
    assert not is_ignored(repository, "hidden.py", env)


def test_files_hidden_by_info_exclude_count_and_those_of_the_user_do_not(repository: Path, env: dict[str, str]):
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("# mine\nhidden.py\n")
    everywhere = Path(env["HOME"]) / ".config" / "git" / "ignore"
    everywhere.parent.mkdir(parents=True, exist_ok=True)
    everywhere.write_text("*.swp\n")
    before = take_snapshot(repository, {**env, "XDG_CONFIG_HOME": str(everywhere.parents[1])})
    for name in ("hidden.py", "x.swp", "build/more.py"):
        (repository / name).write_text("x")
    listing = TreeListing(repository, {**env, "XDG_CONFIG_HOME": str(everywhere.parents[1])})
    assert sorted(changes_since(repository, before, listing)) == ["hidden.py"]


def test_ordinary_use_of_git_is_no_change(repository: Path, env: dict[str, str], tmp_path: Path):
    before = take_snapshot(repository, env)
    git(repository, "init", "-q", "--bare", str(tmp_path / "far"))
    git(repository, "checkout", "-qb", "topic")
    git(repository, "commit", "-qm", "empty", "--allow-empty")
    git(repository, "push", "-q", str(tmp_path / "far"), "topic")
    git(repository, "fetch", "-q", str(tmp_path / "far"), "topic")
    git(repository, "config", "branch.topic.remote", "origin")
    git(repository, "gc", "-q")
    git(repository, "tag", "v1")
    assert paths(repository, before, env) == []


def test_the_shared_settings_of_a_linked_work_tree_count(repository: Path, env: dict[str, str], tmp_path: Path):
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked))
    before = take_snapshot(linked, env)
    assert paths(linked, before, env) == []
    git(repository, "config", "core.pager", "./evil")
    assert paths(linked, before, env) == [os.path.relpath(repository / ".git" / "config", linked)]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_form_of_the_index_is_read(repository: Path, version: str):
    if version == "3":
        (repository / "later.py").write_text("x")
        git(repository, "add", "--intent-to-add", "later.py")
    else:
        git(repository, "update-index", "--index-version", version)
    assert (repository / ".git" / "index").read_bytes()[7] == int(version)
    listed = subprocess.run(
        ["git", "ls-files", "-s"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    known = {row.split("\t")[1]: row.split()[1] for row in listed.splitlines()}
    assert {path: entry[0] for path, entry in _added(repository).items()} == known
    assert _added(repository)[FILE][1:] == (
        (repository / FILE).stat().st_size,
        (repository / FILE).stat().st_mtime_ns,
        (repository / FILE).stat().st_ino & 0xFFFFFFFF,
    )


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\x09short", b"nonsense" * 20])
def test_a_damaged_index_costs_only_time(repository: Path, env: dict[str, str], damage: bytes):
    (repository / ".git" / "index").write_bytes(damage)
    assert _added(repository) == {}


def test_when_time_is_short_a_changed_stat_counts(
    repository: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    (repository / "new.py").write_text("x")
    monkeypatch.setattr("shirube.features.guard.tree_snapshot.MOST_SECONDS", -1.0)
    before = take_snapshot(repository, env)
    assert paths(repository, before, env) == []
    for name in ("new.py", FILE):
        (repository / name).write_bytes((repository / name).read_bytes())
    assert paths(repository, before, env) == ["new.py"]  # git has the digest of the other
