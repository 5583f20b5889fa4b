"""Which files does git track? Asked before a walk starts, answered while it runs."""

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType

from shirube.engine.repo.git import start_git
from shirube.engine.repo.process import Limits, Running
from shirube.errors import ToolFailed

_LIMITS = Limits(timeout_seconds=30.0, max_bytes=256 << 20)


class Tracked:
    """The paths in git's index below a directory, fetched in the background; empty when git cannot tell."""

    def __init__(self, running: Running | None = None) -> None:
        self._running = running

    @classmethod
    def ask(cls, root: Path, submodules: bool = False, env: Mapping[str, str] | None = None) -> "Tracked":
        """Start asking git."""
        deeper = ["--recurse-submodules"] if submodules else []
        try:
            return cls(start_git(root, ["ls-files", "-z", "--cached", *deeper], _LIMITS, env))
        except ToolFailed:
            return cls()

    def has(self, path: bytes) -> bool:
        """Say whether a file is tracked."""
        at = bisect_left(self._paths, path)
        return at < len(self._paths) and self._paths[at] == path

    def has_below(self, directory: bytes) -> bool:
        """Say whether anything inside a directory is tracked."""
        start = directory + b"/"
        at = bisect_left(self._paths, start)
        return at < len(self._paths) and self._paths[at].startswith(start)

    @cached_property
    def _paths(self) -> list[bytes]:
        if self._running is None:
            return []
        answer = self._running.finish()
        return sorted(answer.stdout.split(b"\0")[:-1]) if answer.ok else []

    def __enter__(self) -> "Tracked":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None and "_paths" not in self.__dict__:
            self._running.stop()
