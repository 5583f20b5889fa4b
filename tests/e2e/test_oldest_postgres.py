"""Everything that holds on the PostgreSQL of the tests holds on the oldest one that is supported, of the system."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shirube.engine.store.postgres.schema import LEAST_SERVER

BINARIES = Path(f"/usr/lib/postgresql/{LEAST_SERVER}/bin")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BINARIES / "initdb").exists(), reason=f"no PostgreSQL {LEAST_SERVER} of Debian"),
]


def test_the_contract_and_the_faults_hold_on_the_oldest_server():
    version = subprocess.run([BINARIES / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    assert f" {LEAST_SERVER}." in version
    tests = ["tests/contracts", "tests/engine/store/postgres"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *tests, "-k", "postgres", "-q", "-p", "no:cacheprovider"],
        env={**os.environ, "POSTGRES_BIN": str(BINARIES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) > 100
    assert "skipped" not in done.stdout
