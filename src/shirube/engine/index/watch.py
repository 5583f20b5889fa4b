"""Watches a tree: an event only triggers a check, and the check finds out what changed.

Only directories of the project are watched, none of them recursively, so that ``node_modules`` uses no handles. The
check compares the tree with the index. So lost or repeated events, a burst of them after a branch switch, or a lack of
handles can delay the index but never make it wrong.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from shirube.messages import say

STORM_MS = 1000
"""How long events may keep coming before we check anyway."""
QUIET_MS = 100
"""How long there must be no event before we check."""
IDLE_MS = 1000
"""How often to test whether the parent process still exists."""
SAFETY_SECONDS = 60.0
"""A check runs at least this often, in case an event was lost."""
REST = 3.0
"""After a check, pause for this many times its duration, so that checks use at most a quarter of a core."""
POLL_SECONDS = 2.0
"""How often to check when events do not work."""
POLL_SHARE = 20.0
"""While polling, the pause is at least this many times the duration of a check: about 5% of a core."""

PARENT = os.getppid()
"""The process that started this one; read on import, to notice a parent that ends while the index is being opened."""

Directories = Callable[[], frozenset[str]]


class Watcher:
    """Runs a check whenever the tree may have changed."""

    def __init__(self, root: Path, directories: Directories, look: Callable[[], None]) -> None:
        self.mode = say("steps.starting")
        """How the tree is watched: by events, or by polling (and why)."""
        self._root, self._directories, self._look_now = root, directories, look
        self._looked = float("-inf")
        self._cost = 0.0

    def run(self, stop: Event) -> None:
        """Watch the tree until ``stop`` is set or the parent process has ended."""
        while not self.over(stop):
            watched = self._present()
            try:
                self._follow(watched, stop)
            except (ImportError, OSError, RuntimeError) as error:
                self.mode = say("index.polling", why=str(error))
                self._poll(stop)

    def _follow(self, watched: frozenset[str], stop: Event) -> None:
        """Check after every burst of events until the set of directories changes."""
        checked_once = False
        for burst in _bursts([self._root / path for path in sorted(watched)], stop):
            self.mode = say("index.events", count=len(watched))
            if self.over(stop):
                return
            # The first check is unconditional: changes made while the watcher was being set up gave no event.
            if burst or not checked_once or monotonic() - self._looked > SAFETY_SECONDS:
                checked_once = True
                self._look(stop)
                if self._present() != watched:
                    return

    def _present(self) -> frozenset[str]:
        """Return the directories that exist; one deleted since the last check cannot be watched."""
        return frozenset(path for path in self._directories() if (self._root / path).is_dir())

    def _poll(self, stop: Event) -> None:
        """Check at intervals for ``SAFETY_SECONDS``; the caller then tries events again."""
        end = monotonic() + SAFETY_SECONDS
        while monotonic() < end and not self.over(stop):
            self._look(stop)
            stop.wait(max(POLL_SECONDS, self._cost * POLL_SHARE))

    def _look(self, stop: Event) -> None:
        started = monotonic()
        self._look_now()
        self._looked, self._cost = monotonic(), monotonic() - started
        stop.wait(self._cost * REST)

    def over(self, stop: Event) -> bool:
        """Tell whether to stop: ``stop`` is set, or the parent process has ended."""
        return stop.is_set() or os.getppid() != PARENT


def _bursts(paths: list[Path], stop: Event) -> Iterator[bool]:
    """Yield True for a burst of events, and False after ``IDLE_MS`` without one."""
    from watchfiles import watch

    events = watch(
        *paths,
        watch_filter=None,
        debounce=STORM_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=IDLE_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        recursive=False,
        ignore_permission_denied=True,
    )
    for changes in events:
        yield bool(changes)
