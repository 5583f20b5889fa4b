"""Watches a tree: an event only triggers a check, and the check finds out what changed.

Only directories of the project are watched, none of them recursively, so that ``node_modules`` uses no handles. The
check compares the tree with the index. So lost or repeated events, a burst of them after a branch switch, or a lack of
handles can delay the index but never make it wrong. A server watches only while questions come (``Follower``).
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic

from shirube.messages import say

STORM_MS = 1000
"""How long events may keep coming before we check anyway."""
QUIET_MS = 100
"""How long there must be no event before we check."""
IDLE_MS = 500
"""How often, while nothing happens, the watcher reports that and tests whether to stop."""
SAFETY_SECONDS = 60.0
"""A check runs at least this often, in case an event was lost."""
REST = 3.0
"""The next check waits for this many times the duration of the last one: checks use at most a quarter of a core."""
POLL_SECONDS = 1.5
"""How often to check when events do not work; a little less than the two seconds within which a change is seen."""
PAUSE_SECONDS = 300.0
"""A server stops watching when no question came for this long."""
REMOTE = ("9p", "afs", "ceph", "cifs", "fuse", "gluster", "lustre", "nfs", "prl_fs", "smb", "vboxsf", "virtiofs")
"""File systems, by the beginning of their names, on which changes made by other machines cause no events."""
MOUNTS = Path("/proc/self/mountinfo")

PARENT = os.getppid()
"""The process that started this one; read on import, to notice a parent that ends while the index is being opened."""

Directories = Callable[[], frozenset[str]]


def orphaned() -> bool:
    """Tell whether the process that started this one has ended."""
    return os.getppid() != PARENT


class Watcher:
    """Runs a check whenever the tree may have changed.

    ``look`` checks; ``quiet`` is told the time whenever no event is waiting for a check. ``share`` is the share of the
    time that checks may take when there are no events.
    """

    def __init__(
        self,
        root: Path,
        directories: Directories,
        look: Callable[[], object],
        quiet: Callable[[float], object] = lambda at: None,
        share: float = 0.05,
    ) -> None:
        self.mode = say("steps.starting")
        """How the tree is watched: by events, or by polling (and why)."""
        self._root, self._directories, self._look_now = root, directories, look
        self._quiet, self._share = quiet, max(share, 1e-6)
        self._looked = self._rests = float("-inf")
        self._cost = 0.0

    def run(self, stop: Event, over: Callable[[], bool] = lambda: False) -> None:
        """Watch the tree until ``stop`` is set, or ``over`` says so."""
        while not (stop.is_set() or over()):
            watched = self._present()
            try:
                if kind := remote_kind(self._root):
                    raise OSError(kind)
                self._follow(watched, stop, over)
            except (ImportError, OSError, RuntimeError) as error:
                self.mode = say("index.polling", why=str(error))
                end = monotonic() + SAFETY_SECONDS  # then events are tried again
                while monotonic() < end and not (stop.is_set() or over()):
                    self._look()
                    stop.wait(max(POLL_SECONDS, self._cost / self._share))

    def _follow(self, watched: frozenset[str], stop: Event, over: Callable[[], bool]) -> None:
        """Check after every burst of events until the set of directories changes."""
        waiting = True  # changes made while the watcher was being set up gave no event
        for burst in _bursts([self._root / path for path in sorted(watched)], stop):
            self.mode = say("index.events", count=len(watched))
            if stop.is_set() or over():
                return
            now = monotonic()
            waiting = waiting or burst or now - self._looked > SAFETY_SECONDS
            if not waiting:
                self._quiet(now)
            elif now >= self._rests:
                waiting = False
                self._look()
                if over() or self._present() != watched:
                    return

    def _present(self) -> frozenset[str]:
        """Return the directories that exist; one deleted since the last check cannot be watched."""
        return frozenset(path for path in self._directories() if (self._root / path).is_dir())

    def _look(self) -> None:
        started = monotonic()
        self._look_now()
        self._looked, self._cost = monotonic(), monotonic() - started
        self._rests = self._looked + self._cost * REST


class Follower(Watcher):
    """Watches a tree in a thread while questions come, so that a question need not look for changes itself.

    It pauses when no question came for ``PAUSE_SECONDS`` (never with ``always``), and when ``look`` returned False.
    The question that ends a pause has to look by itself.
    """

    def __init__(
        self,
        root: Path,
        directories: Directories,
        look: Callable[[], bool],
        quiet: Callable[[float], object],
        share: float,
        *,
        always: bool,
    ) -> None:
        super().__init__(root, directories, self._try, quiet, share)
        self.active = False
        """Whether the tree was looked at since the last pause, and is being watched now."""
        self._succeeds, self._always = look, always
        self._guard, self._wake, self._stop = Lock(), Event(), Event()
        self._asked, self._failed = float("-inf"), False
        self._thread = Thread(target=self._attend, name="shirube-follow", daemon=True)
        self._thread.start()

    def ask(self) -> bool:
        """Record that a question came; tell whether it can rely on the watch."""
        with self._guard:
            self._asked = monotonic()
            self._wake.set()
            return self.active

    def close(self) -> None:
        """Stop watching, and wait until it has stopped."""
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def _attend(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._failed = False
            self.run(self._stop, self._may_pause)
            with self._guard:  # a question in this moment either finds the watch active or wakes it again
                self.active = False
                if self._may_pause() and not self._stop.is_set():
                    self._wake.clear()

    def _try(self) -> None:
        try:
            self.active = self._succeeds()
        except Exception:  # noqa: BLE001 - the next question looks by itself, and tells what is wrong
            self.active = False
        self._failed = not self.active

    def _may_pause(self) -> bool:
        return self._failed or (not self._always and monotonic() - self._asked > PAUSE_SECONDS)


def remote_kind(root: Path, mounts: Path = MOUNTS) -> str:
    """Return the kind of a file system that other machines may change without an event; empty for any other."""
    try:
        lines = [line.split() for line in mounts.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return ""
    kinds = {fields[4].rstrip("/"): fields[fields.index("-") + 1] for fields in lines if "-" in fields[5:]}
    kind = next((kinds[place] for place in map(str, (root, *root.parents)) if place in kinds), kinds.get("", ""))
    return kind if kind.startswith(REMOTE) else ""


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
