"""Worker processes, and what to do when one of them dies over a file.

A batch whose worker crashed or stalled is tried again file by file; the file that does it again is
quarantined and reported, and the index completes.
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
"""``-P`` keeps the directory it is started in, which may be a stranger's project, off the module path."""
BATCH_FILES = 24
"""Files in one message: enough to make the pipe's cost small, few enough to share the work evenly."""
BATCH_BYTES = 1_000_000
"""Source in one message: what is made of it takes several times as much memory, on both sides of the pipe."""
RENEW_BYTES = 96_000_000
"""Source after which a worker is replaced: what it remembers of names grows with what it has read."""
START_SECONDS = 30.0
"""Grace for a worker that has to import its libraries on a busy machine."""


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
        """End the process even if a caller waits for it, and start no other."""
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
    """A few workers behind one queue; they stay for the next sync until they are idle for long."""

    def __init__(self, setup: Setup, workers: int, timeout_seconds: float) -> None:
        self._workers = [Worker(setup, timeout_seconds) for _ in range(max(1, workers))]

    def read(self, tasks: Sequence[Task]) -> Iterator[FileReading]:
        """Yield a reading for each task, in the order they are done."""
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
            done.put(readings if readings is not None else [_alone(worker, task) for task in batch])
    except BaseException as error:  # noqa: BLE001 - carried over to the thread that waits, not swallowed
        done.put(error)
    done.put(None)


def _batched(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Cut the work into messages that are neither too many files nor too many bytes."""
    batch: list[Task] = []
    for task in tasks:
        if batch and (len(batch) == BATCH_FILES or sum(one.size for one in batch) + task.size > BATCH_BYTES):
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


def _alone(worker: Worker, task: Task) -> FileReading:
    """Read one file by itself; one that takes the worker down is quarantined."""
    readings = worker.ask([task])
    if readings is None and worker.ask([]) is None:
        raise IndexFault("index.no_worker")
    if readings is None:
        return FileReading(task.path, "quarantined")
    return readings[0]
