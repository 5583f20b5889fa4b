"""git passes only where a repository starts no programs of its own."""

import subprocess
from pathlib import Path

import pytest

from shirube.features.guard.git_trust import is_trusted, starts_nothing
from tests.cases import for_each
from tests.features.guard.conftest import git

SETTINGS = [
    "core.fsmonitor=./evil",
    "core.pager=./evil",
    "diff.external=./evil",
    "diff.x.textconv=./evil",
    "diff.x.command=./evil",
    "filter.x.clean=./evil",
    "include.path=../evil",
    "includeIf.gitdir:/.path=../evil",
    "log.showSignature=true",
    "format.pretty=%G?",
    "pager.log=./evil",
    "remote.origin.uploadpack=./evil",
    "remote.origin.vcs=evil",
    "uploadpack.packObjectsHook=./evil",
    "trailer.x.command=./evil",
]


def test_an_ordinary_repository_is_trusted(repository: Path):
    git(repository, "config", "user.name", "somebody")
    git(repository, "config", "remote.origin.url", "https://example.org/x")
    git(repository, "config", "branch.main.remote", "origin")
    git(repository, "config", "alias.st", "!./evil")  # an alias cannot take the place of a command
    git(repository, "config", "core.fsmonitor", "true")
    git(repository, "config", "core.sshCommand", "ssh -i key")
    git(repository, "config", "filter.lfs.clean", "git-lfs clean -- %f")
    assert starts_nothing(repository)
    assert starts_nothing(repository / "src" / "shop")
    assert starts_nothing(repository / ".git")
    assert starts_nothing(repository / "not" / "there")


@for_each("setting", SETTINGS)
def test_settings_that_name_programs_are_not_trusted(repository: Path, setting: str):
    name, _, value = setting.partition("=")
    git(repository, "config", name, value)
    assert not starts_nothing(repository / "src")


def test_what_is_not_understood_is_not_trusted(repository: Path):
    config = repository / ".git" / "config"
    before = config.read_text()
    for text in ('[core] fsmonitor = "./evil"\n', "[core]\n\tfsmo\\\nnitor = x\n", "[core\n", "\x00"):
        config.write_text(before + text)
        assert not starts_nothing(repository)


def test_the_settings_of_one_work_tree_count(repository: Path, tmp_path: Path):
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert starts_nothing(tmp_path / "tree")
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(tmp_path / "tree", "config", "--worktree", "core.fsmonitor", "./evil")
    assert not starts_nothing(tmp_path / "tree")
    assert starts_nothing(repository)


def test_a_helper_that_fetches_counts_only_in_a_partial_clone(repository: Path):
    git(repository, "config", "core.sshCommand", "./evil")
    assert starts_nothing(repository)
    git(repository, "config", "remote.origin.promisor", "true")
    assert not starts_nothing(repository)


@pytest.mark.parametrize("place", [".git/hooks", "husky"])
def test_the_hook_that_reading_starts_counts(repository: Path, place: str):
    if place == "husky":
        git(repository, "config", "core.hooksPath", place)
    (repository / place).mkdir(exist_ok=True)
    (repository / place / "pre-commit").write_text("#!/bin/sh\n")
    assert starts_nothing(repository)
    (repository / place / "post-index-change").write_text("#!/bin/sh\n")
    assert not starts_nothing(repository)


def embed(root: Path, name: str, *words: str) -> Path:
    """Make a repository inside a project that runs a program of its own."""
    place = root / name
    subprocess.run(["git", "init", "-q", *words, str(place)], check=True, capture_output=True)
    config = place / "config" if "--bare" in words else place / ".git" / "config"
    config.write_text(config.read_text() + "\tfsmonitor = touch ran\n\tworktree = .\n")
    return place


def test_git_inside_an_embedded_repository_is_refused(repository: Path):
    embed(repository, "vendor")
    assert starts_nothing(repository)
    for command in ("cd vendor && git status", "git -C vendor status", "(cd ./vendor/deeper; git log)"):
        assert not is_trusted(command, (), repository)
    assert is_trusted("git status && ls vendor", (), repository)
    assert not is_trusted("git status", (), repository / "vendor")
    assert is_trusted("cd vendor && git status", ["git status"], repository)
    assert not is_trusted("cd $WHERE && git status", (), repository)


def test_a_bare_repository_among_the_files_is_refused(repository: Path):
    embed(repository, "docs.git", "--bare")
    assert not starts_nothing(repository / "docs.git" / "refs")


def test_submodules_count_because_git_looks_into_them(repository: Path):
    vendor = embed(repository, "vendor")
    config = vendor / ".git" / "config"
    bad = config.read_text()
    config.write_text("[core]\n\trepositoryformatversion = 0\n")
    (vendor / "a").write_text("a")
    for words in (("add", "a"), ("commit", "-qm", "a")):
        git(vendor, *words)
    git(repository, "add", "vendor")
    assert starts_nothing(repository)
    config.write_text(bad)
    assert not starts_nothing(repository)


def test_nothing_is_built_or_tested_outside_the_project(repository: Path, tmp_path: Path):
    """Files outside may be written before READY, so a script there could do anything."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "test_x.py").write_text("")
    for command in (
        f"cd {outside} && make test",
        "cd ../outside; pytest",
        f"make -C {outside} test",
        f"make -C{outside} test",
        f"pytest {outside}/test_x.py",
        f"npm --prefix={outside} test",
        "pytest src/../../outside",
        "cd $WHERE && make",
    ):
        assert not is_trusted(command, (), repository), command
    for command in (
        f"cd {repository} && make test",
        f"pytest {repository}/src",
        "make test > /dev/null",
        f"cd {outside} && ls",
        "dotnet build /p:CI=true",
    ):
        assert is_trusted(command, (), repository), command
    assert is_trusted(f"cd {outside} && make test", ["make test"], repository)
