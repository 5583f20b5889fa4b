"""Many processes on one project at once."""

import json
import os
import random
import subprocess
import sys
from time import monotonic

from tests.stress.conftest import Stressed, rounds

INDEXER = """
import sys, time, pathlib
from shirube import open_workspace
root, seconds = sys.argv[1], float(sys.argv[2])
end, syncs, parsed = time.monotonic() + seconds, 0, 0
with open_workspace(root) as project:
    while not syncs or time.monotonic() < end:
        result = project.sync_index()
        syncs, parsed = syncs + 1, parsed + result.totals["parsed"]
print(f'{{"syncs": {syncs}, "parsed": {parsed}}}')
"""
SEARCHER = """
import sys, time
from shirube import open_workspace
root, seconds = sys.argv[1], float(sys.argv[2])
end, asked, empty = time.monotonic() + seconds, 0, 0
with open_workspace(root) as project:
    while not asked or time.monotonic() < end:
        result = project.search("steady")
        asked += 1
        empty += not result.forest_hits
print(f'{{"asked": {asked}, "empty": {empty}}}')
"""


def test_two_indexers_and_four_searchers_never_collide(stressed: Stressed, seed: int):
    seconds = rounds(4, 60)
    chance = random.Random(seed)
    stressed.write("steady", 30)
    assert stressed.run("index").returncode == 0
    env = stressed.dirs.environ()
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(stressed.root), str(seconds)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
        )
        for script in [INDEXER] * 2 + [SEARCHER] * 4
    ]  # fmt: skip
    end, edits = monotonic() + seconds, 0
    while monotonic() < end:
        number = chance.randrange(30, 60)
        place = stressed.root / "pkg1" / f"new{number}.py"
        if place.exists() and chance.random() < 0.3:
            place.unlink()
        else:
            place.write_text(f"def edit_{edits}():\n    return {chance.random()}\n")
        edits += 1
        crowd[0].poll()
        os.sched_yield()
        if edits % 20 == 0:
            subprocess.run([sys.executable, "-c", ""], check=True)  # a little time passes without a sleep
    answers = [process.communicate(timeout=120) for process in crowd]
    for process, (out, err) in zip(crowd, answers, strict=True):
        assert process.returncode == 0, err
        assert err == "", out
    indexers, searchers = [json.loads(out) for out, _ in answers[:2]], [json.loads(out) for out, _ in answers[2:]]
    assert all(answer["asked"] and not answer["empty"] for answer in searchers)
    assert all(answer["syncs"] for answer in indexers)
    stressed.assert_equal_to_a_rebuild()


def test_one_build_is_not_done_twice_by_two_who_start_together(stressed: Stressed):
    stressed.write("alpha", 60)
    both = [stressed.start("index", "--json") for _ in range(2)]
    totals = []
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        totals.append(json.loads(out)["totals"])
    assert sorted(total["parsed"] for total in totals) == [0, 60]
