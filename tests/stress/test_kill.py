"""A process that is killed at any point leaves an index that opens, is sound, and is old or new."""

import random
import signal

from tests.stress.conftest import Stressed, rounds

WORDS = ("alpha", "beta")


def test_killed_while_building_or_updating_nothing_is_lost_or_wrong(stressed: Stressed):
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    print(f"seed {seed}")
    killed = 0
    for number in range(rounds(6, 100)):
        new = WORDS[number % 2]
        stressed.write(new)
        process = stressed.start("index", "--full")
        try:
            process.communicate(timeout=chance.uniform(0.05, 1.2))
        except Exception:  # noqa: BLE001 - the time is up: that is the point
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
        answer = stressed.found(new)
        assert len({hit["path"] for hit in answer["forest_hits"]}) == 40, f"seed {seed}, round {number}"
        assert stressed.found(WORDS[1 - number % 2])["answer"] == "none", f"seed {seed}, round {number}"
        done = stressed.run("doctor", "--json")
        assert '"bad"' not in done.stdout, f"seed {seed}, round {number}: {done.stdout}"
    print(f"killed {killed} times")
    assert killed
    stressed.assert_equal_to_a_rebuild()


def test_killed_in_the_middle_every_file_is_old_or_new(stressed: Stressed):
    chance = random.Random(random.randrange(2**32))
    for number in range(rounds(4, 40)):
        old, new = WORDS[number % 2], WORDS[1 - number % 2]
        stressed.write(old)
        assert stressed.run("index", "--full").returncode == 0
        stressed.write(new)
        process = stressed.start("index", "--full")
        try:
            process.communicate(timeout=chance.uniform(0.1, 1.0))
        except Exception:  # noqa: BLE001
            process.kill()
            process.communicate()
        workspace = stressed.opened()
        for path in workspace.store.files():
            text = workspace.store.text(path)
            assert (old in text) != (new in text), path
        workspace.close()
