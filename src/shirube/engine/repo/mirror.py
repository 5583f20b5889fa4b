"""Copies of strangers' repositories on the machine of a worker: fetched by git, and one commit at a time checked out.

Nothing that a repository says may run a program here: git gets no hooks, filters and submodules, and no helpers but
those of the user's own configuration, from where credentials come. What a commit would write is measured before it is
written. Git runs for a limited time, and no file that it writes grows beyond the limit.
"""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from shirube.deadline import current
from shirube.engine.repo.git import launch_git
from shirube.engine.repo.process import Finished, Limits, scrub
from shirube.errors import NotWritable, RemoteAway, TeamFault

_FSCK = ("badTimezone", "missingEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "zeroPaddedFilemode")
"""Old repositories have these in their commits; nothing depends on them."""
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.longPaths=true",
    "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "fetch.unpackLimit=1",  # one pack for each fetch, whose size has a limit
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "transfer.fsckObjects=true",
    *(f"fetch.fsck.{name}=ignore" for name in _FSCK),
)
_FLAGS = tuple(part for setting in _SETTINGS for part in ("-c", setting))
_ENV = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "GIT_PAGER": "cat", "GCM_INTERACTIVE": "never"}
_ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,  # filters are named there
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
}
"""What git gets besides when it works on the mirror alone."""
_HEADS_LIMITS = Limits(timeout_seconds=60.0, max_bytes=32 << 20)
_OBEYED = (
    *("config", "config.worktree", "commondir", "hooks", "info", "modules", "shallow"),
    *("objects/info/alternates", "objects/info/http-alternates"),
)
"""Files of a copy that git obeys or is led by; whatever is in them is not from us."""
_MOST_PACKS = 40
"""With more packs than this they are made one."""
_PATH_BYTES = 160
"""How long a line about a file is on average at most; the list of far too many files is not read to its end."""
_LONGEST_NAME, _LONGEST_PATH = 255, 3900
"""In bytes; below the place of the copy no longer path can be written."""

_CAUSES: tuple[tuple[type[TeamFault], str, str], ...] = (
    (TeamFault, "team.no_transport", r"transport '.*' not allowed|unable to find remote helper"),
    (TeamFault, "team.no_ref", r"couldn't find remote ref|not our ref"),
    (
        TeamFault,
        "team.no_rights",
        r"authentication failed|permission denied|could not read (username|password)|terminal prompts disabled"
        r"|returned error: 40[13]|host key verification failed|access denied|not authorized|dubious ownership",
    ),
    (
        TeamFault,
        "team.no_remote",
        r"repository .*not found|returned error: 404|does not appear to be a git rep|does not exist|no such file",
    ),
    (TeamFault, "team.broken", r"fsck|index-pack (failed|died)|bad (object|tree)|corrupt|unpack-objects|invalid path"),
    (
        RemoteAway,
        "team.remote_away",
        r"could not resolve|connection (refused|reset|timed out|closed)|couldn't connect|failed to connect|timed out"
        r"|early eof|rpc failed|returned error: (429|5\d\d)|unable to access|hung up|network is unreachable|no route",
    ),
)
"""What git says, and what that means; the first one that fits counts."""
_DISK = re.compile(
    r"no space left|disk quota|read-only file system|input/output error|insufficient permission for adding"
    r"|(cannot|could not|unable to) (create|mkdir|write|unlink)\b(?!.*(exists|a directory|too long))"
)
"""What git says when it cannot write here, and not for the name that a file has."""
_SHALLOW = b"shallow roots are not allowed"
_USERINFO = re.compile(r"(?<=//)[^/@\s]+@")


class MirrorLimits(NamedTuple):
    """How much of a repository is taken, and how long that may take."""

    mirror_bytes: int
    tree_bytes: int
    files: int
    seconds: float


class GitReach(NamedTuple):
    """How git gets to remotes: with which of the user's variables, and by which protocols."""

    env: Mapping[str, str]
    protocols: tuple[str, ...] = ("https", "ssh")


class RemoteHeads(NamedTuple):
    """What a remote has: the branch that a clone checks out, and the commit of each branch."""

    default: str
    commits: Mapping[str, str]


class Mirror:
    """The copy of one repository in a directory of its own, which looks like a clone of it."""

    def __init__(self, place: Path, url: str, limits: MirrorLimits, reach: GitReach) -> None:
        self.place, self._url, self._limits, self._reach = place, url, limits, reach

    def heads(self) -> RemoteHeads:
        """Ask the remote what branches it has."""
        self.place.parent.mkdir(parents=True, exist_ok=True)
        arguments = ["ls-remote", "--symref", "--", self._url, "HEAD", "refs/heads/*"]
        answer = self._far(arguments, _HEADS_LIMITS, self.place.parent)
        if answer.timed_out:
            current().check()
            raise RemoteAway("team.remote_silent", seconds=round(_HEADS_LIMITS.timeout_seconds))
        output = self._check(answer, _HEADS_LIMITS).stdout.decode("utf-8", "surrogateescape")
        default, commits = "", {}
        for line in output.splitlines():
            commit, _, name = line.partition("\t")
            if commit.startswith("ref: refs/heads/") and name == "HEAD":
                default = commit.removeprefix("ref: refs/heads/")
            elif name.startswith("refs/heads/") and name.isprintable():
                commits[name.removeprefix("refs/heads/")] = commit
        return RemoteHeads(default if default in commits else "", commits)

    def fetch(self, branch: str) -> str:
        """Fetch a branch with all that led to it; return its commit."""
        self._prepare()
        wanted = f"+refs/heads/{branch}:{_kept(branch)}"
        options = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
        limits = Limits(self._limits.seconds, 1 << 20, max_file_bytes=self._limits.mirror_bytes)
        try:
            answer = self._far(["fetch", *options, "--refmap=", "--", self._url, wanted], limits, self.place)
        finally:
            if directory_bytes(self.place / ".git") >= self._limits.mirror_bytes:  # git was stopped there
                self.remove()
                raise TeamFault("team.mirror_large", most=_size(self._limits.mirror_bytes))
            self._sweep()
        if _SHALLOW in self._check(answer, limits).stderr:
            raise TeamFault("team.shallow")
        limits = Limits(self._limits.seconds)
        asked = ["rev-parse", "--verify", "--quiet", f"{_kept(branch)}^{{commit}}"]
        answer = self._git(asked, limits, self.place, _ALONE)
        if answer.code == 1 and not answer.timed_out:
            raise TeamFault("team.no_commit")
        return self._check(answer, limits).stdout.decode().strip()

    def check_out(self, branch: str, commit: str) -> None:
        """Make the directory what a clone has after checking out a branch; refuse what is larger than allowed."""
        self._measure(commit)
        heads = self._near(["for-each-ref", "--format=%(refname)", "refs/heads/"]).split("\n")
        for other in filter(None, heads):  # one of them may be in the way of this one: a, a/b
            self._near(["update-ref", "-d", other])
        self._near(["update-ref", f"refs/heads/{branch}", commit])
        self._near(["symbolic-ref", "HEAD", f"refs/heads/{branch}"])
        self._near(["read-tree", "--reset", "-u", commit])
        self._near(["clean", "-ffdxq"])  # what an earlier worker left that was killed here

    def forget(self, branch: str) -> None:
        """Keep a branch no longer; what only it has goes with the next packing."""
        if (self.place / ".git").is_dir():
            self._near(["update-ref", "-d", _kept(branch)])

    def remove(self) -> None:
        """Delete the copy."""
        shutil.rmtree(self.place, ignore_errors=True)

    def _prepare(self) -> None:
        """Make the repository if there is none, its settings always, and end what a killed git has left."""
        own = self.place / ".git"
        if own.is_symlink() or not (own / "HEAD").is_file():
            self.remove()
            self.place.mkdir(parents=True, mode=0o700)
        for name in _OBEYED:
            path = own / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        for lock in own.rglob("*.lock"):
            lock.unlink(missing_ok=True)
        self._sweep()
        self._near(["init", "-q", "--template=", "-b", "main"])
        self._near(["config", "remote.origin.url", self._url])
        if len(list((self.place / ".git" / "objects" / "pack").glob("*.pack"))) > _MOST_PACKS:
            self._near(["repack", "-adq"])

    def _sweep(self) -> None:
        for left in (self.place / ".git" / "objects" / "pack").glob("tmp_*"):
            left.unlink(missing_ok=True)

    def _measure(self, commit: str) -> None:
        """Refuse a commit that has too much, or names that no file should have."""
        limits = Limits(self._limits.seconds, (self._limits.files + 1) * _PATH_BYTES)
        answer = self._git(["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit], limits, self.place, _ALONE)
        if answer.truncated:
            raise TeamFault("team.many_files", most=self._limits.files)
        self._check(answer, limits)
        count = total = 0
        for line in answer.stdout.split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            size = about.split()[-1]
            count, total = count + 1, total + (int(size) if size.isdigit() else 0)
            if len(path) > _LONGEST_PATH or any(map(_is_odd, path.split(b"/"))):
                raise TeamFault("team.odd_path", path=path[:200].decode("utf-8", "backslashreplace"))
        if count > self._limits.files:
            raise TeamFault("team.many_files", most=self._limits.files)
        if total > self._limits.tree_bytes:
            raise TeamFault("team.tree_large", size=_size(total), most=_size(self._limits.tree_bytes))

    def _far(self, arguments: Sequence[str], limits: Limits, place: Path) -> Finished:
        """Run git with the user's configuration, which leads to the remote."""
        more = {**self._reach.env, "GIT_ALLOW_PROTOCOL": ":".join(self._reach.protocols)}
        return self._git(arguments, limits, place, more)

    def _near(self, arguments: Sequence[str]) -> str:
        """Run git on the mirror alone; return what it says."""
        limits = Limits(self._limits.seconds)
        answer = self._check(self._git(arguments, limits, self.place, _ALONE), limits)
        return answer.stdout.decode("utf-8", "surrogateescape")

    def _git(self, arguments: Sequence[str], limits: Limits, place: Path, more: Mapping[str, str]) -> Finished:
        env = {**scrub(self._reach.env), "GIT_CEILING_DIRECTORIES": str(self.place.parent), **_ENV, **more}
        inside = (f"--git-dir={place / '.git'}", f"--work-tree={place}")
        which = inside if place == self.place else (f"--git-dir={os.devnull}",)
        return launch_git([*which, *_FLAGS, *arguments], place, env, limits).finish()

    def _check(self, answer: Finished, limits: Limits) -> Finished:
        """Return an answer, or raise what git's words mean."""
        if answer.ok:
            return answer
        current().check()
        if answer.timed_out:
            raise TeamFault("team.slow", seconds=round(limits.timeout_seconds))
        text = answer.stderr.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        ours = (line for line in lines if not line.startswith("remote:"))
        full = next((line for line in ours if _DISK.search(line.lower())), "")
        if full:
            raise NotWritable("team.disk", path=str(self.place.parent), error=_shown(full))
        for kind, code, signs in _CAUSES:
            why = next((line for line in lines if re.search(signs, line.lower())), "")
            if why:
                raise kind(code, error=_shown(why))
        first = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")  # the others follow from it
        raise TeamFault("team.git_failed", error=_shown(first or (lines[-1] if lines else str(answer.code))))


def directory_bytes(place: Path) -> int:
    """Return how many bytes the files below a directory have."""
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - many
    return total


def _kept(branch: str) -> str:
    """Return the ref under which a branch is kept here; no two of them are in each other's way."""
    return f"refs/mirror/{sha256(branch.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}"


def _is_odd(part: bytes) -> bool:
    return part in (b"", b".", b"..") or part.lower() == b".git" or len(part) > _LONGEST_NAME


def _shown(text: str) -> str:
    """Return what git said on one line, without credentials."""
    return "".join(letter if letter.isprintable() else "?" for letter in _USERINFO.sub("", text))[:200]


def _size(count: int) -> str:
    return f"{count / (1 << 20):,.0f} MB" if count >= 1 << 20 else f"{count:,} bytes"
