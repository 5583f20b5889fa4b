"""Reads the last commits: which files changed recently, and which change together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from shirube.engine.repo.git import git_output
from shirube.engine.repo.process import Limits

COMMITS = 1000
SINCE = "1.year"
MOST_FILES = 50
"""Commits with more files are ignored: such sweeping changes do not show which files belong together."""
LEAST_TOGETHER = 2
RECENT_DAYS = 14
_LIMITS = Limits(timeout_seconds=5.0, max_bytes=16_000_000)
_DAY = 86_400


class Commit(Struct, frozen=True):
    """The time of a commit, and the paths it changed, relative to the project's root."""

    seconds: int
    paths: tuple[str, ...]


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


def head_of(root: Path, env: Mapping[str, str] | None = None) -> str:
    """Return the commit that is checked out; empty when there is none, or no git."""
    output = git_output(root, ["rev-parse", "--verify", "-q", "HEAD"], _LIMITS, env) or b""
    return output.decode("ascii", "replace").strip()


def read_history(root: Path, env: Mapping[str, str] | None = None) -> tuple[Commit, ...]:
    """Return the last commits, newest first; none when there are none or git fails."""
    wanted = ["log", f"--max-count={COMMITS}", f"--since={SINCE}", "--no-merges", "--relative", "--no-renames"]
    output = git_output(root, [*wanted, "--name-only", "--format=%x01%ct", "-z"], _LIMITS, env) or b""
    return tuple(_commits(output.decode("utf-8", "surrogateescape")))


def _commits(text: str) -> Iterable[Commit]:
    for record in text.split("\x01")[1:]:
        seconds, *paths = (part.strip("\n") for part in record.split("\0"))
        if seconds.isdecimal():
            yield Commit(int(seconds), tuple(path for path in paths if path))


def recency(commits: Sequence[Commit], now_seconds: int) -> dict[str, float]:
    """Return how recently each path was changed: 1 for now, falling to 0 after two weeks."""
    fresh: dict[str, float] = {}
    for commit in commits:
        value = 1 - (now_seconds - commit.seconds) / (RECENT_DAYS * _DAY)
        if value > 0 and len(commit.paths) <= MOST_FILES:
            for path in commit.paths:
                fresh[path] = max(fresh.get(path, 0.0), min(1.0, value))
    return fresh


def cochange(commits: Sequence[Commit], paths: Iterable[str]) -> dict[str, float]:
    """Return how often other paths changed together with these, as a share of the commits with either (Jaccard)."""
    edited = set(paths)
    alone: Counter[str] = Counter()
    both: Counter[str] = Counter()
    times = 0
    for commit in commits:
        if len(commit.paths) > MOST_FILES:
            continue
        with_us = not edited.isdisjoint(commit.paths)
        times += with_us
        alone.update(commit.paths)
        if with_us:
            both.update(path for path in commit.paths if path not in edited)
    return {path: count / (times + alone[path] - count) for path, count in both.items() if count >= LEAST_TOGETHER}
