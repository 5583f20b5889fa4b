"""Ask git, without letting the repository answer with its own programs.

A repository's configuration can name programs to run (monitors, hooks, diff helpers, aliases, transports).
Only subcommands that read are allowed here, everything known to start a program is switched off, and
subcommands that would still run content filters over the work tree (status, diff, blame) are not offered.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from shirube.engine.repo.process import Finished, Limits, Running, find_program, scrub, start
from shirube.errors import ToolFailed, UnknownName
from shirube.messages import NOTHING, Message, say

_SAFE_FLAGS = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "log.showSignature=false",
    "-c",
    "diff.submodule=short",
    "--no-optional-locks",
)
_SAFE_ENV = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ALLOW_PROTOCOL": "",  # a missing object must not be fetched through a command of the repository's
    "GIT_NO_LAZY_FETCH": "1",
}
_NO_DIFF_PROGRAMS = ("--no-ext-diff", "--no-textconv")
_SUBCOMMANDS: dict[str, tuple[str, ...]] = {
    "config": (),
    "diff-tree": _NO_DIFF_PROGRAMS,
    "for-each-ref": (),
    "log": _NO_DIFF_PROGRAMS,
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "rev-list": (),
    "rev-parse": (),
    "show": _NO_DIFF_PROGRAMS,
    "symbolic-ref": (),
}
_LIMITS = Limits()
_STATE_LIMITS = Limits(timeout_seconds=5.0, max_bytes=65_536)


class GitState(NamedTuple):
    """Where a work tree stands."""

    head: str = ""
    """The commit, empty before the first one."""
    branch: str = ""
    """Empty when HEAD is detached."""
    common_dir: str = ""
    """The directory that all linked work trees of the repository share."""
    linked: bool = False
    """True for a work tree made by ``git worktree add``."""
    note: Message = NOTHING
    """Why git would not answer, in words; then everything else is empty."""


def run_git(
    root: Path,
    args: Sequence[str],
    limits: Limits = _LIMITS,
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Run one reading git command in a directory and return what it said, whatever its exit code."""
    return start_git(root, args, limits, env).finish()


def start_git(
    root: Path,
    args: Sequence[str],
    limits: Limits = _LIMITS,
    env: Mapping[str, str] | None = None,
) -> Running:
    """Start one reading git command; its output is collected in the background."""
    subcommand, *rest = args
    if subcommand not in _SUBCOMMANDS:
        raise UnknownName("git_command", subcommand, _SUBCOMMANDS)
    program = find_program("git", env)
    if program is None:
        raise ToolFailed("repo.no_git")
    argv = [program, *_SAFE_FLAGS, subcommand, *_SUBCOMMANDS[subcommand], *rest]
    try:
        return start(argv, root, scrub(env) | _SAFE_ENV, limits)
    except OSError as error:
        raise ToolFailed("repo.git_start", error=str(error.strerror)) from error


def git_state(root: Path, env: Mapping[str, str] | None = None) -> GitState | None:
    """Look at HEAD; None when this is no repository or git is missing, a note when git refuses to look."""
    try:
        place = run_git(root, ["rev-parse", "--git-dir", "--git-common-dir", "HEAD"], _STATE_LIMITS, env)
        name = run_git(root, ["symbolic-ref", "-q", "--short", "HEAD"], _STATE_LIMITS, env)
    except ToolFailed:
        return None
    if note := refusal(place):
        return GitState(note=note)
    lines = place.stdout.decode("utf-8", "surrogateescape").splitlines()
    if len(lines) < 2:
        return None
    git_dir, common_dir = (os.path.realpath(root / line) for line in lines[:2])
    return GitState(
        head=lines[2] if place.ok and len(lines) > 2 else "",
        branch=name.stdout.decode("utf-8", "replace").strip() if name.ok else "",
        common_dir=common_dir,
        linked=git_dir != common_dir,
    )


def refusal(answer: Finished) -> Message:
    """Say why git would not work with a directory that does hold a repository."""
    if b"dubious ownership" in answer.stderr:
        return say("repo.git_owner")
    if answer.timed_out:
        return say("repo.git_late")
    return NOTHING
