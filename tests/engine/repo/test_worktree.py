import os
from pathlib import Path

from shirube.engine.repo.git import common_dir, find_top, git_rules, read_small, submodule_paths


def test_finds_the_nearest_directory_with_a_git_entry(tmp_path, make):
    root = make(tmp_path / "p", {".git/HEAD": "", "a/b/c": ""})
    assert find_top(root / "a" / "b") == root
    assert find_top(root) == root


def test_follows_the_git_file_of_a_worktree_to_the_common_directory(tmp_path, make):
    make(
        tmp_path,
        {"main/.git/worktrees/w/commondir": "../..\n", "w/.git": f"gitdir: {tmp_path}/main/.git/worktrees/w\n"},
    )
    assert os.path.realpath(common_dir(tmp_path / "w")) == os.path.realpath(tmp_path / "main" / ".git")


def test_follows_the_relative_git_file_of_a_submodule(tmp_path, make):
    make(tmp_path, {".git/modules/s/HEAD": "", "s/.git": "gitdir: ../.git/modules/s\n"})
    assert os.path.realpath(common_dir(tmp_path / "s")) == os.path.realpath(tmp_path / ".git" / "modules" / "s")


def test_a_git_file_that_says_something_else_leads_nowhere(tmp_path, make):
    make(tmp_path, {".git": "hello"})
    assert common_dir(tmp_path) is None


def test_reads_the_paths_of_submodules(tmp_path, make):
    text = '[submodule "a"]\n\tpath = deps/a\n\turl = x\n[submodule "b"]\n  path="with space/b/"\n'
    assert submodule_paths(make(tmp_path, {".gitmodules": text})) == {b"deps/a", b"with space/b"}
    assert submodule_paths(tmp_path / "none") == frozenset()


def test_asks_git_for_the_users_file_and_for_case(tmp_path, make, git, env):
    root = tmp_path / "p"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "config", "core.ignoreCase", "true")
    make(Path(env["HOME"]), {".gitconfig": "[core]\n\texcludesFile = ~/mine\n"})
    rules = git_rules(root, True, env)
    assert (rules.excludes_file, rules.ignore_case) == (Path(env["HOME"]) / "mine", True)


def test_takes_the_default_file_when_git_cannot_say(tmp_path, env):
    assert git_rules(tmp_path, False, env).excludes_file == Path(env["HOME"]) / ".config/git/ignore"
    moved = env | {"XDG_CONFIG_HOME": "/else", "PATH": ""}
    assert git_rules(tmp_path, True, moved).excludes_file == Path("/else/git/ignore")


def test_reads_small_regular_files_only(tmp_path, make):
    make(tmp_path, {"a": "x", "big": b"x" * (1 << 20) + b"x"})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("a")
    assert read_small(tmp_path / "a") == b"x"
    assert read_small(tmp_path / "link") == b"x"
    assert read_small(tmp_path / "link", follow=False) is None
    assert [read_small(tmp_path / name) for name in ("big", "pipe", "gone", ".")] == [None] * 4
