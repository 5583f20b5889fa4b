"""Worker processes, and what happens when a file crashes one of them.

When a worker crashes or stalls, its batch is tried again file by file. A file that crashes the worker again is
quarantined and reported, and the sync goes on.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue
from threading import Thread, Timer
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
        fresh = self._process is None or self._process.poll() is not None
        process = self._start() if fresh else self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
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

    def _start(self) -> "subprocess.Popen[bytes]":
        self.close()
        self._process = spawn(WORKER_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process = self._process
        self._check()
        assert process.stdin is not None
        send(process.stdin, astuple(self._setup))  # type: ignore[arg-type]
        return process

    def _check(self) -> None:
        if self._ended:
            self.close()
            raise Cancelled("store.closed")


class Pool:
    """A few workers that share one queue; they stay alive for the next sync unless idle for too long."""

    def __init__(self, setup: Setup, workers: int, timeout_seconds: float) -> None:
        self._workers = [Worker(setup, timeout_seconds) for _ in range(max(1, workers))]

    def read(self, tasks: Sequence[Task]) -> Iterator[FileReading]:
        """Yield a reading for each task, in the order they finish."""
        batches: SimpleQueue[list[Task]] = SimpleQueue()
        for batch in _batched(tasks):
            batches.put(batch)
        # Bounded, so that readings wait in the workers when the writer is the slower side.
        done: Queue[Any] = Queue(maxsize=2 * len(self._workers))
        count = min(len(self._workers), batches.qsize())
        threads = [Thread(target=_serve, args=(w, batches, done), daemon=True) for w in self._workers[:count]]
        for thread in threads:
            thread.start()
        try:
            yield from _collect(done, len(threads))
        finally:
            _empty(batches)
            for thread in threads:
                while thread.is_alive():
                    _empty(done)
                    thread.join(0.01)

    def close(self) -> None:
        """End all workers; callers that wait for a reading get ``Cancelled``."""
        for worker in self._workers:
            worker.end()


def _serve(worker: Worker, batches: "SimpleQueue[list[Task]]", done: "Queue[Any]") -> None:
    try:
        while True:
            try:
                batch = batches.get_nowait()
            except Empty:
                break
            readings = worker.ask(batch)
            done.put(readings if readings is not None else [_read_alone(worker, task) for task in batch])
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


def _collect(done: "Queue[Any]", running: int) -> Iterator[FileReading]:
    while running:
        item = done.get()
        if item is None:
            running -= 1
        elif isinstance(item, BaseException):
            raise item
        else:
            yield from item


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
