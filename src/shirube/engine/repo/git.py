"""Runs git, without letting the repository run its own programs.

A repository's configuration can name programs to run (monitors, hooks, diff helpers, aliases, transports).
Only subcommands that read are allowed here, everything known to start a program is switched off, and
subcommands that would still run content filters over the work tree (status, diff, blame) are not offered.
The locations of git's ignore rules are read from files, so that this works without git too.
"""

import os
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from shirube.config import upwards
from shirube.engine.repo.process import Finished, Limits, Running, find_program, scrub, start
from shirube.engine.repo.read import slurp
from shirube.errors import NotReadable, ToolFailed, UnknownName

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",
    "log.showSignature=false",
    "diff.submodule=short",
)
_SAFE_FLAGS = (*(part for setting in _SETTINGS for part in ("-c", setting)), "--no-optional-locks")
_SAFE_ENV = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ALLOW_PROTOCOL": "",  # a missing object must not be fetched, since the repository names the command
    "GIT_NO_LAZY_FETCH": "1",
}
_SUBCOMMANDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("config", "ls-files", "ls-tree", "rev-list", "rev-parse"), ()),
    **dict.fromkeys(("diff-tree", "log", "show"), ("--no-ext-diff", "--no-textconv")),
}
_LIMITS = Limits()
_TRACKED_LIMITS = Limits(timeout_seconds=30.0, max_bytes=256 << 20)
_CONFIG_LIMITS = Limits(timeout_seconds=5.0, max_bytes=1 << 20)
_MAX_RULE_BYTES = 1 << 20
_TRUE = (b"true", b"yes", b"on", b"1")
_SUBMODULE_PATH = re.compile(rb'^\s*path\s*=\s*"?(.+?)"?\s*$', re.MULTILINE)


def run_git(
    root: Path, args: Sequence[str], limits: Limits = _LIMITS, env: Mapping[str, str] | None = None
) -> Finished:
    """Run one read-only git command in a directory and return its output, whatever its exit code."""
    return start_git(root, args, limits, env).finish()


def git_output(
    root: Path,
    args: Sequence[str],
    limits: Limits,
    env: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> bytes | None:
    """Run one read-only git command and return its output; None when git is missing or the command failed."""
    try:
        answer = start_git(root, args, limits, env, settings).finish()
    except ToolFailed:
        return None
    return answer.stdout if answer.ok else None


def start_git(
    root: Path,
    args: Sequence[str],
    limits: Limits,
    env: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Running:
    """Start one read-only git command, with settings of ours; its output is collected in the background."""
    subcommand, *rest = args
    if subcommand not in _SUBCOMMANDS:
        raise UnknownName("git_command", subcommand, _SUBCOMMANDS)
    ours = [part for key, value in (settings or {}).items() for part in ("-c", f"{key}={value}")]
    arguments = [*_SAFE_FLAGS, *ours, subcommand, *_SUBCOMMANDS[subcommand], *rest]
    return launch_git(arguments, root, scrub(env) | _SAFE_ENV, limits)


def launch_git(arguments: Sequence[str], directory: Path, env: Mapping[str, str], limits: Limits) -> Running:
    """Start git with arguments and an environment that the caller has made safe."""
    program = find_program("git", env)
    if program is None:
        raise ToolFailed("repo.no_git")
    try:
        return start([program, *arguments], directory, env, limits)
    except OSError as error:
        raise ToolFailed("repo.git_start", error=str(error.strerror)) from error


class TrackedFiles:
    """The paths in git's index below a directory, fetched in the background; empty when git fails."""

    def __init__(self, running: Running | None = None) -> None:
        self._running = running

    @classmethod
    def ask(cls, root: Path, submodules: bool = False, env: Mapping[str, str] | None = None) -> Self:
        """Start the git command."""
        deeper = ["--recurse-submodules"] if submodules else []
        try:
            return cls(start_git(root, ["ls-files", "-z", "--cached", *deeper], _TRACKED_LIMITS, env))
        except ToolFailed:
            return cls()

    def has(self, path: bytes) -> bool:
        """Tell whether a file is tracked."""
        return self._from(path)[:1] == [path]

    def has_below(self, directory: bytes) -> bool:
        """Tell whether anything inside a directory is tracked."""
        return any(path.startswith(directory + b"/") for path in self._from(directory + b"/"))

    def _from(self, path: bytes) -> list[bytes]:
        """Return the first path that does not sort before this one, if there is any."""
        at = bisect_left(self._paths, path)
        return self._paths[at : at + 1]

    @cached_property
    def _paths(self) -> list[bytes]:
        if self._running is None:
            return []
        answer = self._running.finish()
        return sorted(answer.stdout.split(b"\0")[:-1]) if answer.ok else []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._running is not None and "_paths" not in self.__dict__:
            self._running.stop()


class GitRules(NamedTuple):
    """Git's settings about ignore rules."""

    excludes_file: Path
    ignore_case: bool = False


def find_top(root: Path) -> Path | None:
    """Return the nearest directory, from the root upwards, that holds a ``.git``."""
    return next((folder for folder in upwards(root) if os.path.lexists(folder / ".git")), None)


def common_dir(top: Path) -> Path | None:
    """Return the directory with ``info/exclude``, following the ``.git`` file of a worktree or submodule."""
    own = own_dir(top)
    shared = (read_small(own / "commondir") or b"").strip() if own else b""
    return own / os.fsdecode(shared) if own and shared else own


def own_dir(top: Path) -> Path | None:
    """Return the directory with the index of a work tree."""
    git = top / ".git"
    if git.is_dir():
        return git
    link = read_small(git) or b""
    return top / os.fsdecode(link.removeprefix(b"gitdir:").strip()) if link.startswith(b"gitdir:") else None


def other_trees(root: Path) -> tuple[Path, ...]:
    """Return the same directory in the other work trees of a repository, as far as they are there."""
    top = find_top(root)
    shared = common_dir(top) if top is not None else None
    if top is None or shared is None:
        return ()
    shared = shared.resolve()
    links = ((link, read_small(link) or b"") for link in sorted(shared.glob("worktrees/*/gitdir")))
    tops = [shared.parent, *((link.parent / os.fsdecode(text.strip())).parent for link, text in links)]
    below = root.relative_to(top)
    found = ((other / below).resolve() for other in tops if (other / ".git").exists())
    return tuple(dict.fromkeys(tree for tree in found if tree != root.resolve() and tree.is_dir()))


def git_files(top: Path, env: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Return the files, besides ignore files, that decide what git lists: its index and its settings."""
    own, shared = own_dir(top), common_dir(top)
    return (
        Path("/etc/gitconfig"),
        Path(scrub(env).get("HOME", "")) / ".gitconfig",
        _default_excludes(env).with_name("config"),
        *([own / "index", own / "config.worktree"] if own else []),
        *([shared / "config"] if shared else []),
    )


def submodule_paths(top: Path) -> frozenset[bytes]:
    """Return the paths that ``.gitmodules`` declares, relative to it."""
    text = read_small(top / ".gitmodules", follow=False) or b""
    return frozenset(path.rstrip(b"/") for path in _SUBMODULE_PATH.findall(text))


def git_rules(root: Path, use_git: bool, env: Mapping[str, str] | None = None) -> GitRules:
    """Ask git for ``core.excludesFile`` and ``core.ignoreCase``; use the defaults when git fails."""
    query = ["config", "-z", "--type=path", "--get-regexp", r"^core\.(excludesfile|ignorecase)$"]
    output = (git_output(root, query, _CONFIG_LIMITS, env) if use_git else None) or b""
    # Git writes the keys in lower case; of several values the last one counts.
    settings = {key: value for key, _, value in (row.partition(b"\n") for row in output.split(b"\0")[:-1])}
    named = settings.get(b"core.excludesfile")
    file = _default_excludes(env) if named is None else root / os.fsdecode(named)
    return GitRules(file, settings.get(b"core.ignorecase", b"").lower() in _TRUE)


def read_small(path: Path, follow: bool = True) -> bytes | None:
    """Return the bytes of a small regular file; None when it is missing, special, too large or refused."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        return slurp(os.open(path, flags | (0 if follow else getattr(os, "O_NOFOLLOW", 0))), _MAX_RULE_BYTES)
    except (OSError, ValueError, NotReadable):
        return None


def _default_excludes(env: Mapping[str, str] | None) -> Path:
    settings = scrub(env)
    config = settings.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path(settings.get("HOME", "")) / ".config") / "git" / "ignore"
