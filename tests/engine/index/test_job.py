"""A sync beside its caller."""

from threading import Event

from shirube.engine.index.job import Job
from shirube.errors import Cancelled
from shirube.types import SyncReport


def test_a_job_tells_its_progress_and_gives_its_report():
    go, seen = Event(), []

    def work(progress, deadline):
        progress("indexing", 1, 2)
        go.wait()
        return SyncReport(files=2)

    job = Job(work)
    while not seen:
        job.wait(0.01, lambda *step: seen.append(step) if step[0] == "indexing" else None, every=0.001)
    assert seen[0] == ("indexing", 1, 2)
    assert job.running
    go.set()
    assert job.wait(None)
    assert job.report == SyncReport(files=2)


def test_a_wait_that_is_too_short_says_so():
    go = Event()
    job = Job(lambda progress, deadline: go.wait() and SyncReport())
    assert not job.wait(0.0)
    go.set()
    assert job.wait(None)


def test_an_error_is_kept_for_whoever_waits():
    def fail(progress, deadline):
        raise ValueError("no")

    job = Job(fail)
    job.wait(None)
    assert isinstance(job.error, ValueError)


def test_cancelling_ends_the_work_at_its_next_check():
    def work(progress, deadline):
        while True:
            deadline.check()

    job = Job(work)
    job.cancel()
    assert not job.running
    assert isinstance(job.error, Cancelled)
