import stat

import pytest

from shirube.engine.repo.git import find_top, run_git
from shirube.engine.repo.process import Limits
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


def test_a_missing_git_is_said_so(tmp_path, env):
    with pytest.raises(ToolFailed, match="git was not found"):
        run_git(tmp_path, ["rev-parse", "HEAD"], env=env | {"PATH": str(tmp_path)})


def test_git_and_the_walk_look_up_to_the_same_limit(tmp_path, git, env, monkeypatch):
    git(tmp_path, "init", "-q")
    below = tmp_path / "limit" / "below"
    below.mkdir(parents=True)
    assert run_git(below, ["rev-parse", "--git-dir"], env=env).ok
    assert find_top(below) == tmp_path
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(below.parent))
    assert not run_git(below, ["rev-parse", "--git-dir"], env=env).ok
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
    assert not run_git(tmp_path / "bare", ["rev-parse", "--git-dir"], env=env).ok
    assert not (tmp_path / "sprung").exists()


def test_output_beyond_the_cap_is_cut_off(project, env):
    answer = run_git(project, ["log", "-p"], Limits(max_bytes=20), env)
    assert len(answer.stdout) == 20
    assert answer.truncated
