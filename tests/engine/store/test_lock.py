"""A lock between processes."""

import subprocess
import sys

from shirube.engine.store.disk import locked

HOLD = """
import sys
from pathlib import Path
from shirube.engine.store.disk import locked
with locked(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def test_the_first_has_it_the_second_does_not_and_then_it_is_free(tmp_path):
    path = tmp_path / "l"
    with locked(path) as first, locked(path) as second:
        assert (first, second) == (True, False)
    with locked(path) as again:
        assert again


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    path = tmp_path / "l"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline().strip() == "True"
    with locked(path) as mine:
        assert not mine
    child.kill()
    child.communicate()
    with locked(path, 5.0) as mine:
        assert mine
