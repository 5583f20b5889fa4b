from pathlib import Path

import pytest

from shirube.doors.cli.ownership import foreign, on_path, own_path


def installed(prefix: Path, command: str, *distributions: str) -> Path:
    """Lay out an environment with a command, as pip leaves it; whoever runs the command leaves a trace."""
    path = prefix / "bin" / command
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n# from shirube.__main__ import main\ntouch {prefix}/it-ran\n")
    path.chmod(0o755)
    (prefix / "lib64").symlink_to("lib")
    for name in distributions:
        (prefix / "lib" / "python3.12" / "site-packages" / f"{name}.dist-info").mkdir(parents=True)
    return path


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an environment whose commands are the only ones on the path."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_another_project_s_program_is_told_by_its_distribution_and_not_run(prefix: Path):
    theirs = installed(prefix, "shirube", "shirube-0.3.0b10", "sqlalchemy-2.0")
    told = foreign("shirube")
    assert told == f"'shirube' on PATH is another program: {theirs} (shirube-0.3.0b10); this one is {own_path()}"
    assert not (prefix / "it-ran").exists()


def test_ours_is_known_in_any_environment_and_through_a_link(prefix: Path, tmp_path: Path):
    ours = installed(prefix / "elsewhere", "shirube", "michishirube-9.9.9")
    (prefix / "bin").mkdir()
    (prefix / "bin" / "shirube").symlink_to(ours)
    assert foreign("shirube") == ""


def test_where_both_distributions_are_the_program_is_nobody_s(prefix: Path):
    installed(prefix, "shirube", "shirube-0.3.0b10", "michishirube-0.1.0")
    assert "(michishirube-0.1.0, shirube-0.3.0b10)" in foreign("shirube")


def test_other_names_with_ours_in_them_own_nothing(prefix: Path):
    installed(prefix, "shirube", "michishirube-0.1.0", "mishirube-1.0", "my_shirube-1.0")
    assert foreign("shirube") == ""


def test_a_program_of_no_distribution_is_told_by_its_path(prefix: Path):
    shim = installed(prefix, "shirube")
    assert f"({shim})" in foreign("shirube")


def test_a_name_that_leads_nowhere_is_nobody_s(prefix: Path):
    assert (on_path("shirube"), foreign("shirube")) == (None, "")
