"""Following a tree: events wake us, the walk tells the truth.

Only directories of the project are watched, none of them recursively, so that ``node_modules`` costs no handles. An
event says no more than "look again": the look compares by content, so a lost or doubled event, a storm of them after
a branch switch, or a watcher that is out of handles can make the index late, never wrong.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from shirube.messages import say

STORM_MS = 1000
"""How long events may keep coming before we look anyway."""
QUIET_MS = 100
"""How long it must be quiet for a look."""
IDLE_MS = 1000
"""How often to see whether the parent is still there."""
SAFETY_SECONDS = 60.0
"""How long to trust that no event was lost."""
REST = 3.0
"""After a look, rest for this many times as long as it took: storms cost a quarter of a core at the most."""
POLL_SECONDS = 2.0
"""How often to look when there are no events …"""
POLL_SHARE = 20.0
"""… but never more than one twentieth of the time."""

PARENT = os.getppid()
"""Who started this process. Read when it begins: a parent that goes while the index is opened is gone, too."""

Directories = Callable[[], frozenset[str]]


class Watcher:
    """Looks again whenever the tree may have changed."""

    def __init__(self, root: Path, directories: Directories, look: Callable[[], None]) -> None:
        self.mode = say("steps.starting")
        """How the tree is followed: by events, or by polling and why."""
        self._root, self._directories, self._look_now = root, directories, look
        self._looked = float("-inf")
        self._cost = 0.0

    def run(self, stop: Event) -> None:
        """Follow the tree until told to stop, or until the parent process is gone."""
        while not self.over(stop):
            watched = self._present()
            try:
                self._follow(watched, stop)
            except (ImportError, OSError, RuntimeError) as error:
                self.mode = say("index.polling", why=str(error))
                self._poll(stop)

    def _follow(self, watched: frozenset[str], stop: Event) -> None:
        """Look at every burst of events until the set of directories changes."""
        armed = False
        for burst in _bursts([self._root / path for path in sorted(watched)], stop):
            self.mode = say("index.events", count=len(watched))
            if self.over(stop):
                return
            # What changed while the watcher was being set up had no event.
            if burst or not armed or monotonic() - self._looked > SAFETY_SECONDS:
                armed = True
                self._look(stop)
                if self._present() != watched:
                    return

    def _present(self) -> frozenset[str]:
        """Return the directories that are there; one that went since the last look cannot be watched."""
        return frozenset(path for path in self._directories() if (self._root / path).is_dir())

    def _poll(self, stop: Event) -> None:
        """Look now and then; after a while try events again."""
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
        """Tell whether to stop: asked to, or the parent process is gone."""
        return stop.is_set() or os.getppid() != PARENT


def _bursts(paths: list[Path], stop: Event) -> Iterator[bool]:
    """Yield True for a burst of events and False when it was quiet for a while."""
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
