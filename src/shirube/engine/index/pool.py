"""Worker processes, and what happens when a file crashes one of them.

When a worker crashes or stalls, its batch is tried again file by file. A file that crashes the worker again is
quarantined and reported, and the sync goes on.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue
from threading import Condition, Thread, Timer
from typing import Any

from msgspec.structs import astuple

from shirube.engine.index.reading import FileReading, Setup, Task
from shirube.engine.index.worker import receive, send, unpack_reading
from shirube.engine.repo.process import kill_group, reap, spawn
from shirube.errors import Cancelled, IndexFault

WORKER_COMMAND = (sys.executable, "-P", "-m", "shirube.engine.index.worker")
"""``-P`` keeps the current directory, which may be an untrusted project, off the module path."""
BATCH_FILES = 24
"""Files in one message: enough to make the cost of the pipe small, few enough to share the work evenly."""
BATCH_BYTES = 1_000_000
"""Bytes of source in one message: the result takes several times as much memory, on both sides of the pipe."""
AHEAD = 16
"""How many batches may be read before the one whose turn it is."""
RENEW_BYTES = 96_000_000
"""Bytes of source after which a worker is replaced, because its caches of names grow with what it reads."""
START_SECONDS = 30.0
"""Extra time for a new worker, which has to import its libraries, perhaps on a busy machine."""


class Worker:
    """One child process and the pipe to it."""

    def __init__(self, setup: Setup, timeout_seconds: float) -> None:
        self._setup = setup
        self._timeout_seconds = timeout_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._read_bytes = 0
        self._ended = False

    def ask(self, tasks: Sequence[Task]) -> list[FileReading] | None:
        """Return a reading for each task, or None when the process died or took too long."""
        if self._read_bytes > RENEW_BYTES:
            self.close()
        process = self._process
        fresh = process is None or process.poll() is not None
        if fresh:
            self.close()
            process = self._process = spawn(WORKER_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._check()
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        if fresh:
            send(process.stdin, astuple(self._setup))  # type: ignore[arg-type]
        limit = self._timeout_seconds * (1 + len(tasks) / BATCH_FILES) + (START_SECONDS if fresh else 0)
        watchdog = Timer(limit, kill_group, (process,))
        watchdog.daemon = True
        watchdog.start()
        try:
            send(process.stdin, [astuple(task) for task in tasks])  # type: ignore[arg-type]
            answer = receive(process.stdout)  # type: ignore[arg-type]
        except (OSError, ValueError, EOFError):
            answer = None
        finally:
            watchdog.cancel()
        if answer is None:
            self.close()
            self._check()
            return None
        self._read_bytes += sum(task.size for task in tasks)
        return [unpack_reading(values) for values in answer]

    def end(self) -> None:
        """End the process for good, even while a caller waits for it; that caller gets ``Cancelled``."""
        self._ended = True
        self.close()

    def close(self) -> None:
        """End the process and wait for it, so that no zombie stays."""
        process, self._process = self._process, None
        self._read_bytes = 0
        if process is None:
            return
        kill_group(process)
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        reap(process)

    def _check(self) -> None:
        if self._ended:
            self.close()
            raise Cancelled("store.closed")


class Pool:
    """A few workers that share one queue; they stay alive for the next sync unless idle for too long."""

    def __init__(self, setup: Setup, workers: int, timeout_seconds: float) -> None:
        self._workers = [Worker(setup, timeout_seconds) for _ in range(max(1, workers))]

    def read(self, tasks: Sequence[Task]) -> Iterator[FileReading]:
        """Yield a reading for each task, in the order of the tasks: an index made anew is the same each time."""
        batches: SimpleQueue[tuple[int, list[Task]]] = SimpleQueue()
        for batch in enumerate(_batched(tasks)):
            batches.put(batch)
        # Bounded, so that readings wait in the workers when the writer is the slower side.
        done: Queue[Any] = Queue(maxsize=2 * len(self._workers))
        turns = _Turns()
        count = min(len(self._workers), batches.qsize())
        threads = [Thread(target=_serve, args=(w, batches, done, turns), daemon=True) for w in self._workers[:count]]
        for thread in threads:
            thread.start()
        early: dict[int, list[FileReading]] = {}  # those that come early wait for the slow file before them
        running, turn = len(threads), 0
        try:
            while running:
                item = done.get()
                if item is None:
                    running -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    early[item[0]] = item[1]
                while turn in early:
                    yield from early.pop(turn)
                    turn += 1
                    turns.advance(turn)
        finally:
            _empty(batches)
            turns.advance(sys.maxsize)
            for thread in threads:
                while thread.is_alive():
                    _empty(done)
                    thread.join(0.01)

    def close(self) -> None:
        """End all workers; callers that wait for a reading get ``Cancelled``."""
        for worker in self._workers:
            worker.end()


class _Turns:
    """Whose turn it is: a batch far behind a slow one waits, so that its readings do not pile up."""

    def __init__(self) -> None:
        self._condition = Condition()
        self._turn = 0

    def wait(self, number: int) -> None:
        """Wait until a batch is no more than ``AHEAD`` before its turn."""
        with self._condition:
            self._condition.wait_for(lambda: number <= self._turn + AHEAD)

    def advance(self, turn: int) -> None:
        """Let the batches up to this turn go on."""
        with self._condition:
            self._turn = turn
            self._condition.notify_all()


def _serve(worker: Worker, batches: "SimpleQueue[tuple[int, list[Task]]]", done: "Queue[Any]", turns: _Turns) -> None:
    try:
        while True:
            try:
                number, batch = batches.get_nowait()
            except Empty:
                break
            turns.wait(number)
            readings = worker.ask(batch)
            done.put((number, readings if readings is not None else [_read_alone(worker, task) for task in batch]))
    except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
        done.put(error)
    done.put(None)


def _batched(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Split tasks into batches of at most ``BATCH_FILES`` files and about ``BATCH_BYTES`` bytes."""
    batch: list[Task] = []
    for task in tasks:
        if batch and (len(batch) == BATCH_FILES or sum(queued.size for queued in batch) + task.size > BATCH_BYTES):
            yield batch
            batch = []
        batch.append(task)
    if batch:
        yield batch


def _empty(queue: "Queue[Any] | SimpleQueue[Any]") -> None:
    while True:
        try:
            queue.get_nowait()
        except Empty:
            return


def _read_alone(worker: Worker, task: Task) -> FileReading:
    """Read one file by itself; quarantine it if it crashes the worker."""
    readings = worker.ask([task])
    if readings is None and worker.ask([]) is None:  # not the file's fault: no worker starts at all
        raise IndexFault("index.no_worker")
    if readings is None:
        return FileReading(task.path, "quarantined")
    return readings[0]
