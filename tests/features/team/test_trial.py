"""The database of a trial: where it may be, and what it leaves when it cannot be made."""

import os
import tempfile
from pathlib import Path

import pytest

from shirube.errors import ConfigError
from shirube.features.team import trial
from shirube.features.team.trial import TrialDatabase, closed_to_others


def test_the_directory_that_keeps_others_out_is_found():
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        base = Path(name).resolve()
        inner = base / "a"
        inner.mkdir(mode=0o700)
        base.chmod(0o711)
        assert closed_to_others(inner / "new" / "place") == inner
        inner.chmod(0o711)
        assert closed_to_others(inner / "new" / "place") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only for root another user runs the database")
def test_a_place_that_the_user_of_the_database_cannot_reach_is_refused(tmp_path: Path):
    pytest.importorskip(trial.PACKAGE)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with pytest.raises(ConfigError) as caught:
        TrialDatabase(home / "trial")
    assert (caught.value.message.code, "/var/tmp/trial" in str(caught.value)) == ("team_access.trial_place", True)
    assert list(home.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only for root another user runs the database")
def test_a_place_that_is_made_lets_the_user_of_the_database_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip(trial.PACKAGE)
    monkeypatch.setattr(trial, "closed_to_others", lambda place: None)
    monkeypatch.setattr(TrialDatabase, "_readable", lambda self, package: package)
    before = os.umask(0o077)
    try:
        TrialDatabase(tmp_path / "new" / "trial")
    finally:
        os.umask(before)
    assert closed_to_others(tmp_path / "new" / "trial") not in (tmp_path / "new", tmp_path / "new" / "trial")


def test_a_database_that_cannot_be_made_leaves_no_password_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip(trial.PACKAGE)
    monkeypatch.setattr(trial, "closed_to_others", lambda place: None)
    monkeypatch.setattr(TrialDatabase, "_readable", lambda self, package: package)  # no program is there
    with pytest.raises(ConfigError) as caught, TrialDatabase(tmp_path / "trial").running(1):
        pass
    assert caught.value.message.code == "team_access.trial_failed"
    assert [path.name for path in (tmp_path / "trial").iterdir()] == ["password"]
