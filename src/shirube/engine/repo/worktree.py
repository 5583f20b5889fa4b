"""Where does git keep its rules for a directory? Read from the files, so that git itself may be missing."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from shirube.config import upwards
from shirube.engine.repo.git import run_git
from shirube.engine.repo.process import Limits, scrub
from shirube.engine.repo.read import slurp
from shirube.errors import NotReadable, ToolFailed

_CONFIG_LIMITS = Limits(timeout_seconds=5.0, max_bytes=1 << 20)
_TRUE = (b"true", b"yes", b"on", b"1")
_MAX_RULE_BYTES = 1 << 20
_SUBMODULE_PATH = re.compile(rb'^\s*path\s*=\s*"?(.+?)"?\s*$', re.MULTILINE)


class GitRules(Struct, frozen=True):
    """What the user and the repository configured about ignoring."""

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


def git_files(top: Path, env: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Return the files besides ignore files by which git decides what is listed: its index and its settings."""
    settings, own, shared = scrub(env), own_dir(top), common_dir(top)
    home = Path(settings.get("HOME", ""))
    return (
        Path("/etc/gitconfig"),
        home / ".gitconfig",
        _default_excludes(env).with_name("config"),
        *([own / "index", own / "config.worktree"] if own else []),
        *([shared / "config"] if shared else []),
    )


def submodule_paths(top: Path) -> frozenset[bytes]:
    """Return the paths that ``.gitmodules`` declares, relative to it."""
    text = read_small(top / ".gitmodules", follow=False) or b""
    return frozenset(path.rstrip(b"/") for path in _SUBMODULE_PATH.findall(text))


def git_rules(root: Path, use_git: bool, env: Mapping[str, str] | None = None) -> GitRules:
    """Ask git for ``core.excludesFile`` and ``core.ignoreCase``, or take the defaults when it cannot say."""
    settings = _ask_config(root, env) if use_git else {}
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


def _ask_config(root: Path, env: Mapping[str, str] | None) -> dict[bytes, bytes]:
    """Return the settings in lower case, the last value of each."""
    wanted = r"^core\.(excludesfile|ignorecase)$"
    try:
        answer = run_git(root, ["config", "-z", "--type=path", "--get-regexp", wanted], _CONFIG_LIMITS, env)
    except ToolFailed:
        return {}
    rows = answer.stdout.split(b"\0")[:-1] if answer.ok else []
    return {key: value for key, _, value in (row.partition(b"\n") for row in rows)}


def _default_excludes(env: Mapping[str, str] | None) -> Path:
    settings = scrub(env)
    config = settings.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path(settings.get("HOME", "")) / ".config") / "git" / "ignore"
