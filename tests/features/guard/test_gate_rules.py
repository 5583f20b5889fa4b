"""What the gate goes by, read in full or kept."""

import json
from pathlib import Path

import pytest

from shirube.features.guard import gate_memory as rules
from shirube.features.guard.gate_memory import read_rules
from shirube.features.guard.hook_protocol import MODES
from shirube.settings import GATE_MODES
from tests.conftest import StateDirs


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what is added to whenever all settings are read."""
    made: list[object] = []
    read = rules.load_config
    monkeypatch.setattr(rules, "load_config", lambda root: (made.append(root), read(root))[1])
    return made


def test_the_settings_are_read_once_while_they_are_the_same(repository: Path, tmp_path: Path, loads: list[object]):
    kept = tmp_path / "kept" / "rules.json"
    first = read_rules(repository, kept)
    assert read_rules(repository, kept) == first
    assert len(loads) == 1
    assert kept.stat().st_mode & 0o777 == 0o600
    assert first.mode in MODES


def test_any_change_of_them_is_seen_at_once(
    repository: Path, tmp_path: Path, state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch
):
    kept, own = tmp_path / "rules.json", repository / ".shirube" / "config.toml"
    own.parent.mkdir()
    seen = [read_rules(repository, kept).mode]
    own.write_text('[gate]\nmode = "block"\n')
    seen.append(read_rules(repository, kept).mode)
    own.unlink()
    (state_dirs.config / "config.toml").write_text('[gate]\nmode = "off"\nexempt = ["a/**"]\n')
    seen.append(read_rules(repository, kept).mode)
    assert read_rules(repository, kept).exempt == ["a/**"]
    monkeypatch.setenv("SHIRUBE_GATE_MODE", "block")
    seen.append(read_rules(repository, kept).mode)
    assert seen == ["advise", "block", "off", "block"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"key": "x", "rules": ["off"]}'])
def test_what_was_kept_and_does_not_fit_is_not_believed(repository: Path, tmp_path: Path, text: str):
    kept = tmp_path / "rules.json"
    kept.write_text(text)
    assert read_rules(repository, kept).mode == "advise"
    assert json.loads(kept.read_text())["rules"][0] == "advise"


def test_a_place_that_cannot_be_believed_is_neither_read_nor_written(repository: Path, loads: list[object]):
    for _ in range(2):
        read_rules(repository, None)
    assert len(loads) == 2


def test_a_place_that_cannot_be_written_costs_time_and_nothing_else(repository: Path, tmp_path: Path):
    (tmp_path / "file").write_text("")
    assert read_rules(repository, tmp_path / "file" / "rules.json").mode == "advise"


def test_the_modes_of_a_hook_are_those_of_the_setting():
    assert MODES == GATE_MODES
