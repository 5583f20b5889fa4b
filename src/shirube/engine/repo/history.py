"""Asks git about one file or one commit, and which commit is checked out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from shirube.engine.repo.git import git_output
from shirube.engine.repo.process import Limits

_LIMITS = Limits(timeout_seconds=5.0, max_bytes=16_000_000)


class Change(Struct, frozen=True):
    """One commit that changed a file: its hash, author, time and subject."""

    commit: str
    who: str
    seconds: int
    subject: str


def changes_of(
    root: Path, path: str, most: int, head: str = "HEAD", env: Mapping[str, str] | None = None
) -> tuple[Change, ...]:
    """Return the last commits up to ``head`` that changed a file, newest first; none when git fails."""
    wanted = ["log", f"--max-count={most}", "-z", "--format=%H%x01%an%x01%ct%x01%s", "--end-of-options", head]
    output = git_output(root, [*wanted, "--", f":(literal){path}"], _LIMITS, env) or b""
    records = (record.strip("\n").split("\x01", 3) for record in output.decode("utf-8", "replace").split("\0"))
    return tuple(
        Change(commit, who, int(seconds), subject)
        for commit, who, seconds, subject in (record for record in records if len(record) == 4)
        if seconds.isdecimal()
    )


def text_at(root: Path, commit: str, path: str, env: Mapping[str, str] | None = None) -> str:
    """Return a text file as it was at a commit; empty when it did not exist, or git fails."""
    return (git_output(root, ["show", f"{commit}:./{path}"], _LIMITS, env) or b"").decode("utf-8", "replace")


def diff_of(root: Path, commit: str, paths: Sequence[str], env: Mapping[str, str] | None = None) -> str | None:
    """Return what a commit changed in some files as a unified diff; None when git fails, or says too much.

    The commit is a whole hash; paths are relative to the root, and a renamed file has to be there under both names.
    """
    form = ["--format=", "--no-color", "--relative", "--find-renames=60%", "--src-prefix=a/", "--dst-prefix=b/"]
    wanted = ["show", *form, "--end-of-options", commit, "--", *(f":(literal){path}" for path in paths)]
    output = git_output(root, wanted, _LIMITS, env, {"core.quotePath": "false"})
    return None if output is None else output.decode("utf-8", "replace")


def head_of(root: Path, env: Mapping[str, str] | None = None) -> str:
    """Return the commit that is checked out; empty when there is none, or no git."""
    output = git_output(root, ["rev-parse", "--verify", "-q", "HEAD"], _LIMITS, env) or b""
    return output.decode("ascii", "replace").strip()


def distances(root: Path, commits: Sequence[str], env: Mapping[str, str] | None = None) -> dict[str, int]:
    """Return how many files differ between some commits and what is checked out; omits commits that are not here."""
    found = {}
    for commit in commits:
        wanted = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--end-of-options", commit, "HEAD"]
        if (output := git_output(root, wanted, _LIMITS, env)) is not None:
            found[commit] = output.count(b"\0")
    return found
