import os
import stat

import pytest

from shirube.engine.repo.git import git_state, refusal, run_git
from shirube.engine.repo.process import Finished, Limits
from shirube.engine.repo.worktree import find_top
from shirube.errors import ToolFailed, UnknownName

COMMANDS = [
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    ["log", "-p", "--all"],
    ["show", "HEAD"],
    ["diff-tree", "-p", "HEAD~1", "HEAD"],
    ["rev-parse", "HEAD"],
    ["config", "--get", "core.excludesFile"],
    ["rev-list", "--objects", "HEAD"],
]


@pytest.fixture
def project(tmp_path, make, git):
    root = make(
        tmp_path / "project",
        {"a.txt": "one\n", "b.bin": "x\n", ".gitattributes": "* diff=evil filter=evil\n"},
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    make(root, {"a.txt": "two\n", "b.bin": "y\n"})
    git(root, "commit", "-qam", "second")
    return root


@pytest.fixture
def trap(tmp_path):
    """A program that leaves a mark when it is run."""
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_tells_head_branch_and_common_directory(project, git, env):
    state = git_state(project, env)
    assert state is not None
    assert state.head == git(project, "rev-parse", "HEAD").strip()
    assert (state.branch, state.linked, state.note) == ("main", False, "")
    assert state.common_dir == os.path.realpath(project / ".git")


def test_a_detached_head_has_no_branch(project, git, env):
    git(project, "checkout", "-q", "--detach")
    assert git_state(project, env).branch == ""


def test_a_repository_without_commits_has_no_head(tmp_path, git, env):
    git(tmp_path, "init", "-q", "-b", "main", "new")
    state = git_state(tmp_path / "new", env)
    assert (state.head, state.branch) == ("", "main")


def test_a_linked_worktree_shares_the_common_directory(project, tmp_path, git, env):
    git(project, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    state = git_state(tmp_path / "linked", env)
    assert (state.branch, state.linked) == ("other", True)
    assert state.common_dir == os.path.realpath(project / ".git")


def test_no_repository_and_no_git_are_both_none(tmp_path, project, env):
    assert git_state(tmp_path, env) is None
    assert git_state(project, env | {"PATH": str(tmp_path)}) is None


def test_a_repository_of_another_user_gives_a_note(project, env):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for path in (project, project / ".git"):
        os.chown(path, 12345, 12345)
    state = git_state(project, env)
    assert state.head == ""
    assert "another user" in state.note


def test_a_refusal_is_read_from_what_git_says():
    assert "another user" in refusal(Finished(128, b"", b"fatal: detected dubious ownership in repository"))
    assert "in time" in refusal(Finished(-9, b"", b"", timed_out=True))
    assert refusal(Finished(0, b"", b"")) == ""


def test_a_missing_git_is_said_so(tmp_path, env):
    with pytest.raises(ToolFailed, match="git was not found"):
        run_git(tmp_path, ["rev-parse", "HEAD"], env=env | {"PATH": str(tmp_path)})


def test_git_and_the_walk_look_up_to_the_same_limit(tmp_path, git, env, monkeypatch):
    git(tmp_path, "init", "-q")
    below = tmp_path / "limit" / "below"
    below.mkdir(parents=True)
    assert git_state(below, env) is not None
    assert find_top(below) == tmp_path
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(below.parent))
    assert git_state(below, env) is None
    assert find_top(below) is None


@pytest.mark.parametrize("command", ["status", "diff", "checkout", "evil", "--exec-path=/tmp", "-c"])
def test_only_reading_subcommands_are_run(tmp_path, env, command):
    with pytest.raises(UnknownName):
        run_git(tmp_path, [command], env=env)


@pytest.mark.parametrize(
    "key",
    [
        "core.fsmonitor",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "alias.log",
        "core.pager",
        "pager.log",
        "gpg.program",
        "core.sshCommand",
    ],
)
def test_no_setting_of_the_repository_runs_a_program(project, tmp_path, git, env, trap, key):
    git(project, "config", "log.showSignature", "true")
    git(project, "config", key, f"!{trap}" if key.startswith("alias") else str(trap))
    for command in COMMANDS:
        run_git(project, command, env=env)
    assert not (tmp_path / "sprung").exists()


def test_no_hook_of_the_repository_is_run(project, tmp_path, git, env, trap):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).symlink_to(trap)
    git(project, "config", "core.hooksPath", str(hooks))
    for command in COMMANDS:
        run_git(project, command, env=env)
    assert not (tmp_path / "sprung").exists()


def test_a_missing_object_is_not_fetched_through_a_command(project, tmp_path, git, env, trap):
    blob = git(project, "rev-parse", "HEAD:a.txt").strip()
    (project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": "ssh://host.invalid/x",
        "remote.origin.promisor": "true",
        "core.sshCommand": str(trap),
    }.items():
        git(project, "config", key, value)
    assert not run_git(project, ["log", "-p"], env=env).ok
    assert not (tmp_path / "sprung").exists()


def test_an_embedded_bare_repository_is_not_used(tmp_path, make, git, env, trap):
    git(tmp_path, "init", "-q", "--bare", "bare")
    make(tmp_path / "bare", {"config": f"[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = {trap}\n"})
    assert not run_git(tmp_path / "bare", ["ls-files", "-m"], env=env).ok
    assert git_state(tmp_path / "bare", env) is None
    assert not (tmp_path / "sprung").exists()


def test_output_beyond_the_cap_is_cut_off(project, env):
    answer = run_git(project, ["log", "-p"], Limits(max_bytes=20), env)
    assert len(answer.stdout) == 20
    assert answer.truncated
