import sys
from pathlib import Path

import pytest

from shirube.engine.repo.process import Limits, find_program, run, scrub, start


def python(code: str, cwd: Path, limits: Limits | None = None):
    return run([sys.executable, "-c", code], cwd, scrub(None), limits or Limits())


def test_returns_what_the_program_said_and_its_exit_code(tmp_path):
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)
    assert (done.code, done.stdout, done.stderr, done.ok) == (3, b"out\n", b"err\n", False)


def test_kills_a_program_that_runs_too_long_with_its_children(tmp_path):
    code = "import os, signal\nif os.fork(): open('parent', 'w').write(str(os.getpid()))\nsignal.pause()\n"
    done = python(code, tmp_path, Limits(timeout_seconds=1.0))
    assert done.timed_out
    assert not done.ok
    # both processes held the pipe: that finish() returned with the pipe at its end means that both are gone
    assert done.code == -9


def test_kills_a_program_that_says_too_much(tmp_path):
    done = python("while True: print('x' * 1000)", tmp_path, Limits(max_bytes=10_000))
    assert done.truncated
    assert not done.timed_out
    assert len(done.stdout) == 10_000


def test_a_flood_on_stderr_neither_blocks_nor_fills_memory(tmp_path):
    done = python("import sys; sys.stderr.write('x' * 5_000_000); print('done')", tmp_path)
    assert done.stdout == b"done\n"
    assert len(done.stderr) == 65_536


def test_the_program_gets_no_input(tmp_path):
    assert python("import sys; print(len(sys.stdin.read()))", tmp_path).stdout == b"0\n"


def test_the_environment_holds_only_what_a_child_needs(monkeypatch):
    dirty = {"PATH": "/bin", "GIT_DIR": "/evil", "LD_PRELOAD": "/evil.so", "RIPGREP_CONFIG_PATH": "/evil"}
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "/limit")
    assert scrub(dirty) == {"PATH": "/bin", "LC_ALL": "C", "GIT_CEILING_DIRECTORIES": "/limit"}
    assert set(scrub(None)) == {"PATH", "HOME", "LC_ALL", "GIT_CEILING_DIRECTORIES"}


def test_stopping_ends_the_program_at_once(tmp_path):
    running = start([sys.executable, "-c", "import signal; signal.pause()"], tmp_path, scrub(None), Limits())
    running.stop()
    assert running.finish().code == -9


def test_programs_are_looked_for_in_absolute_directories_only(tmp_path, monkeypatch):
    fake = tmp_path / "tool"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", {"PATH": ".:"}) is None
    assert find_program("tool", {"PATH": str(tmp_path)}) == str(fake)


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
def test_memory_is_bounded(tmp_path):
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_AS)[0])"
    wait = "import time, resource\nwhile resource.getrlimit(resource.RLIMIT_AS)[0] < 0: pass\n"
    assert int(python(wait + code, tmp_path).stdout) == 8 << 30


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
def test_a_program_may_be_handed_a_file_to_read_and_all_the_memory_there_is(tmp_path):
    (tmp_path / "given").write_text("入力", "utf-8")
    code = "import resource, sys; print(sys.stdin.read(), resource.getrlimit(resource.RLIMIT_AS)[0])"
    with (tmp_path / "given").open("rb") as given:
        argv = [sys.executable, "-X", "utf8", "-c", code]
        done = start(argv, tmp_path, scrub(None), Limits(max_memory_bytes=0), given).finish()
    assert done.stdout.decode() == "入力 -1\n"
