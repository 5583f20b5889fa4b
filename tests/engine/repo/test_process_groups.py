import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.stubborn import PATIENCE_SECONDS, Stubborn

from shirube.deadline import Deadline
from shirube.engine.repo import process
from shirube.engine.repo.process import Limits, scrub, start

LONG = Limits(timeout_seconds=600.0)


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[Callable[..., Stubborn]]:
    made: list[Stubborn] = []

    def make(**options: bool) -> Stubborn:
        made.append(Stubborn(tmp_path / f"stubborn{len(made)}", **options))
        return made[-1]

    yield make
    process.kill_all()
    for one in made:
        one.close()


def test_killing_takes_everything_a_child_has_started(stubborn):
    one = stubborn()
    child = process.spawn([one.file])
    one.wait_until_both_run()
    process.kill_group(child)
    one.wait_until_both_are_gone()
    assert process.reap(child)
    assert child.returncode == -signal.SIGKILL


def test_what_a_child_leaves_behind_ends_with_it(stubborn):
    one = stubborn(leaves=True)
    child = process.spawn([one.file])
    one.wait_until_both_run()
    assert process.reap(child, PATIENCE_SECONDS)
    one.wait_until_both_are_gone()


UNTOLD = """
import os, signal, sys
from shirube.engine.repo import process
tell = process._tell
def told(line):
    if line.startswith("?"):
        return tell(line)
    input()
    os.kill(os.getpid(), signal.SIGKILL)
process._tell = told
process.spawn([sys.argv[1]], env={}, stdin=process.subprocess.DEVNULL)
"""


def test_a_child_that_was_not_told_of_yet_ends_with_us_too(stubborn):
    """We are killed after it was started, before its number is known to the shell that ends it."""
    one = stubborn()
    with subprocess.Popen([sys.executable, "-c", UNTOLD, one.file], stdin=subprocess.PIPE) as killed:
        one.wait_until_both_run()
        killed.communicate(b"\n", PATIENCE_SECONDS)
    assert killed.returncode == -signal.SIGKILL
    one.wait_until_both_are_gone()


def test_a_child_that_goes_on_is_not_waited_for_any_longer_than_asked(stubborn):
    one = stubborn()
    child = process.spawn([one.file])
    assert not process.reap(child, 0.0)
    process.kill_all()
    assert process.reap(child)


def test_a_number_that_is_free_again_is_not_killed():
    child = process.spawn(["/bin/sh", "-c", ""])
    assert process.reap(child)
    held = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    child.pid = held.pid  # as if the system had given it to somebody else
    process.kill_group(child)
    process.kill_all()
    held.communicate(b"\n")
    assert held.returncode == 0


OURS = """
import os, signal, sys
from shirube.engine.repo import process
if sys.argv[1] == "without a watch":
    process.reap(process.spawn(["/bin/sh", "-c", ""]))
    os.kill(process._watch[0], signal.SIGKILL)
    os.waitid(os.P_PID, process._watch[0], os.WEXITED | os.WNOWAIT)
process.reap(process.spawn(["/bin/sh", "-c", ""]))
for file in sys.argv[2:]:
    process.spawn([file])
sys.stdin.read()
os._exit(0)
"""


@pytest.mark.parametrize("end", ["end of input", "SIGTERM", "SIGKILL", "without a watch"])
def test_children_end_when_we_do_however_that_happens(stubborn, end: str):
    both = stubborn(), stubborn()
    command = [sys.executable, "-c", OURS, end, *(str(one.file) for one in both)]
    ours = subprocess.Popen(command, stdin=subprocess.PIPE)
    for one in both:
        one.wait_until_both_run()
    if end.startswith("SIG"):
        ours.send_signal(signal.Signals[end])
    ours.communicate()
    for one in both:
        one.wait_until_both_are_gone()


def test_a_program_ends_when_the_call_it_is_for_is_cancelled(stubborn, tmp_path: Path):
    one, deadline = stubborn(), Deadline()
    with deadline.governing():
        running = start([str(one.file)], tmp_path, scrub(None), LONG)
    one.wait_until_both_run()
    deadline.cancel()
    one.wait_until_both_are_gone()
    assert running.finish().code == -signal.SIGKILL
    with deadline.governing():
        assert start([str(one.file)], tmp_path, scrub(None), LONG).finish().code == -signal.SIGKILL


def test_a_program_gets_no_more_time_than_the_call_it_is_for(tmp_path: Path):
    with Deadline(0.0).governing():
        done = start([sys.executable, "-c", "import signal; signal.pause()"], tmp_path, scrub(None), LONG).finish()
    assert done.timed_out


def test_a_child_has_a_session_of_its_own_and_holds_nothing_of_ours_open():
    listed = "import os; print(os.getsid(0) == os.getpid(), sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
    child = process.spawn([sys.executable, "-c", listed], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.read().decode().strip() == "True [0, 1, 2]"
    assert process.reap(child)
