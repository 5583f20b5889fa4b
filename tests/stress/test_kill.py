"""A process that is killed at any point leaves an index that opens, is sound, and is old or new."""

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from shirube.doors.cli.doctor import examine
from shirube.engine.store import migrations
from tests.stress.conftest import Stressed, rounds

WORDS = ("alpha", "beta")
ROWS = 20_000
"""More than SQLite keeps in memory, so that a half-done step is already in the journal when the kill comes."""
COUNTING = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})"
FURTHER_STEPS = (
    f"""
    CREATE TABLE later (i INTEGER PRIMARY KEY, word TEXT NOT NULL);
    {COUNTING} INSERT INTO later SELECT i, hex(zeroblob(100)) FROM n;
    ALTER TABLE files ADD COLUMN colour TEXT NOT NULL DEFAULT 'none';
    UPDATE files SET colour = 'red';
    """,
    """
    CREATE INDEX later_by_word ON later (word);
    UPDATE later SET word = hex(zeroblob(101));
    UPDATE files SET colour = 'green';
    """,
)
"""What a later version might do to the tables of today."""
MIGRATE = f"""
import sys
from pathlib import Path
from shirube.doors.cli.doctor import examine
from shirube.engine.store import migrations
from shirube.workspace import build_workspace
migrations.STEPS += {FURTHER_STEPS!r}
print("migrating", flush=True)
sys.stdin.readline()
build_workspace(Path(sys.argv[1])).close()
"""


def test_killed_while_building_or_updating_nothing_is_lost_or_wrong(stressed: Stressed, seed: int):
    chance = random.Random(seed)
    killed = 0
    for number in range(rounds(6, 100)):
        new = WORDS[number % 2]
        stressed.write(new)
        process = stressed.start("index", "--full")
        try:
            process.communicate(timeout=chance.uniform(0.05, 1.2) if number else 0)
        except Exception:  # noqa: BLE001 - the time is up: that is the point
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
        answer = stressed.found(new)
        assert len({hit.path for hit in answer.forest_hits}) == 40, f"seed {seed}, round {number}"
        assert stressed.found(WORDS[1 - number % 2]).answer == "none", f"seed {seed}, round {number}"
        findings = examine(stressed.root)
        assert [finding for finding in findings if finding.state == "bad"] == [], f"seed {seed}, round {number}"
    print(f"killed {killed} times")
    assert killed
    stressed.assert_equal_to_a_rebuild()


def test_killed_in_the_middle_every_file_is_old_or_new(stressed: Stressed, seed: int):
    chance = random.Random(seed)
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


def test_killed_while_migrating_every_step_is_done_or_not_begun_and_the_next_run_goes_on(
    stressed: Stressed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
):
    chance = random.Random(seed)
    stressed.write("alpha")
    assert stressed.run("index").returncode == 0
    (database,) = stressed.dirs.cache.rglob("index.sqlite")
    today = len(migrations.STEPS)
    kept = tmp_path / "kept"
    shutil.copytree(stressed.dirs.cache, kept)
    whole_seconds = migrate_and_kill(stressed, None)
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, *FURTHER_STEPS))
    forms = []
    for number in range(rounds(8, 100)):
        shutil.rmtree(stressed.dirs.cache)
        shutil.copytree(kept, stressed.dirs.cache)
        migrate_and_kill(stressed, chance.uniform(0, whole_seconds), begin=number > 0)
        forms.append(form_of(database) - today)
        with closing(stressed.opened()) as workspace:
            assert workspace.warnings() == (), f"seed {seed}, round {number}: {workspace.warnings()}"
            assert workspace.store.check() == (), f"seed {seed}, round {number}"
            assert all("alpha" in workspace.store.text(path) for path in workspace.store.files())
            assert len(workspace.store.files()) == 40
        assert form_of(database) == today + len(FURTHER_STEPS), f"seed {seed}, round {number}"
    print(f"seed {seed}, steps done when the kill came: {forms}")
    assert any(done < len(FURTHER_STEPS) for done in forms)
    stressed.assert_equal_to_a_rebuild()


def migrate_and_kill(stressed: Stressed, seconds: float | None, begin: bool = True) -> float:
    """Migrate in a process that is killed after a while, or not, or before it begins; return how long it took."""
    command = [sys.executable, "-c", MIGRATE, str(stressed.root)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=stressed.dirs.environ())
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"migrating\n"
    began = monotonic()
    if begin:
        process.stdin.write(b"\n")
        process.stdin.flush()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    assert process.returncode == 0 or seconds is not None
    return monotonic() - began


def form_of(database: Path) -> int:
    """Return the form of a database, which must be sound and wholly of this form."""
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        form = int(db.execute("PRAGMA user_version").fetchone()[0])
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        done = form - (len(migrations.STEPS) - len(FURTHER_STEPS))
        assert ("later" in tables, "later_by_word" in tables) == (done >= 1, done >= 2)
        if done:
            assert db.execute("SELECT count(*) FROM later").fetchone() == (ROWS,)
            assert db.execute("SELECT DISTINCT length(word) FROM later").fetchall() == [(198 + 2 * done,)]
            assert db.execute("SELECT DISTINCT colour FROM files").fetchall() == [({1: "red", 2: "green"}[done],)]
    return form
