"""A disk that is full, broken or forbidden is told; the answers of before are still given; mended, it goes on."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from tests.stress.conftest import Stressed, rounds

ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES] if os.environ.get("SOAK") else [errno.ENOSPC]


def faults(stressed: Stressed, library: str, at: int, number: int, seen: Path) -> dict[str, str]:
    return {
        "LD_PRELOAD": library,
        "FAULT_DIR": str(stressed.dirs.cache),
        "FAULT_AT": str(at),
        "FAULT_ERRNO": str(number),
        "FAULT_SEEN": str(seen),
    }


@pytest.mark.parametrize("number", ERRORS)
def test_the_nth_write_of_an_update_may_fail_for_every_n(stressed: Stressed, faulty_disk, number, tmp_path):
    stressed.write("alpha", 6)
    assert stressed.run("index").returncode == 0
    kept = tmp_path / "kept"
    shutil.copytree(stressed.dirs.cache, kept)
    stressed.write("beta", 6)
    step = rounds(31, 1)
    for at in range(1, 400, step):
        shutil.rmtree(stressed.dirs.cache)
        shutil.copytree(kept, stressed.dirs.cache)
        seen = tmp_path / f"seen{at}"
        environ = faults(stressed, faulty_disk, at, number, seen)
        done = stressed.run("index", **environ)
        assert "Traceback" not in done.stderr, f"write {at}: {done.stderr}"
        if not seen.exists():
            assert done.returncode == 0
            break
        if done.returncode:
            assert "→" in done.stderr, f"write {at}: {done.stderr}"
        while_broken = stressed.run("search", "alpha beta", "--json", **environ)
        assert "Traceback" not in while_broken.stderr, f"write {at}: {while_broken.stderr}"
        assert '"path": "pkg0/f0.py"' in while_broken.stdout, f"write {at}: {while_broken.stdout}"
        assert len({hit.path for hit in stressed.found("beta").forest_hits}) == 6, f"write {at}"
    else:
        pytest.fail("the end of the writes was never reached")
    stressed.assert_equal_to_a_rebuild()


@pytest.mark.parametrize("number", ERRORS)
def test_the_nth_write_of_a_first_build_may_fail_for_every_n(stressed: Stressed, faulty_disk, number, tmp_path):
    stressed.write("alpha", 6)
    for at in range(1, 400, rounds(37, 1)):
        shutil.rmtree(stressed.dirs.cache)
        stressed.dirs.cache.mkdir()
        seen = tmp_path / f"seen{at}"
        done = stressed.run("index", **faults(stressed, faulty_disk, at, number, seen))
        assert "Traceback" not in done.stderr, f"write {at}: {done.stderr}"
        if not seen.exists():
            break
        assert len({hit.path for hit in stressed.found("alpha").forest_hits}) == 6, f"write {at}"
    stressed.assert_equal_to_a_rebuild()


@pytest.mark.parametrize("harm", ["truncated", "flipped", "foreign", "emptied"])
@pytest.mark.parametrize("name", ["index.sqlite", "parsed.sqlite"])
def test_a_harmed_database_is_rebuilt_and_never_believed(stressed: Stressed, harm, name):
    stressed.write("alpha", 30)
    assert stressed.run("index").returncode == 0
    (path,) = stressed.dirs.cache.rglob(name)
    data = bytearray(path.read_bytes())
    if harm == "truncated":
        data = data[: len(data) // 2]
    elif harm == "flipped":
        for offset in range(4096 + 100, len(data), 97):
            data[offset] ^= 0xFF
    elif harm == "foreign":
        data = bytearray(b"#!/bin/sh\nexit 1\n" * 1000)
    else:
        data = bytearray()
    path.write_bytes(data)
    answer = stressed.found("alpha")
    assert len({hit.path for hit in answer.forest_hits}) == 30
    stressed.assert_equal_to_a_rebuild()


def test_a_project_cannot_bring_an_index_of_its_own(stressed: Stressed):
    stressed.write("alpha", 3)
    assert stressed.run("index").returncode == 0
    shutil.copytree(stressed.dirs.cache, stressed.root / ".shirube")
    shutil.rmtree(stressed.dirs.cache)
    stressed.write("beta", 3)
    assert stressed.found("alpha").answer == "none"
    assert len(stressed.found("beta").forest_hits) == 3
