"""What grows over a long life: nothing."""

import gc
import os
import random
from pathlib import Path

import pytest

from shirube import open_workspace
from tests.index.test_incremental import run
from tests.stress.conftest import Stressed, rounds


def resident_kilobytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_memory_and_descriptors_stay_flat_over_many_calls(stressed: Stressed):
    stressed.write("alpha", 20)
    with open_workspace(stressed.root) as project:
        project.sync_index()

        def ask(count: int) -> None:
            for number in range(count):
                project.search(f"alpha {number % 50}")
                if number % 50 == 0:
                    stressed.write(f"word{number}", 2)

        ask(rounds(200, 1000))
        gc.collect()
        files, memory = len(list(Path("/proc/self/fd").iterdir())), resident_kilobytes()
        ask(rounds(600, 10_000))
        gc.collect()
        assert len(list(Path("/proc/self/fd").iterdir())) <= files + 2
        assert resident_kilobytes() < memory + 30_000


@pytest.mark.skipif(not os.environ.get("SOAK"), reason="minutes; run by make soak")
def test_ten_thousand_random_steps_equal_a_rebuild(tmp_path: Path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    run(seed, tmp_path, int(os.environ.get("SOAK_STEPS", "10000")), every=250)
