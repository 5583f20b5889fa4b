"""The grammar that tries the gate, and the commands of everyday."""

import shutil
from pathlib import Path

import pytest
from benchmarks.gate import everyday, fuzz

from shirube.features.guard.shell import is_building, is_reading


def test_the_same_seed_makes_the_same_commands():
    assert list(fuzz.commands(3, 50)) == list(fuzz.commands(3, 50))
    assert list(fuzz.commands(3, 50)) != list(fuzz.commands(4, 50))


def test_the_grammar_reaches_both_sides():
    """It is no proof if nothing passes, or nothing harmful is made."""
    lines = list(fuzz.commands(5, 2_000))
    passing = [line for line in lines if is_reading(line)]
    assert 300 < len(passing) < 1_500
    assert {"git", "find", "sed", "awk", "xargs", "sort"} <= {line.split()[0] for line in passing}
    assert any(">made" in line and not is_reading(line) for line in lines)


def test_what_passes_changes_nothing(tmp_path: Path):
    if shutil.which("git") is None or not fuzz.SHELLS:
        pytest.skip("git or a shell is missing")
    tried = fuzz.fuzz(seed=11, count=1_500, run=40, top=tmp_path / "field")
    assert tried.ran == 40
    assert tried.changed == []


def test_a_command_that_writes_is_found_in_its_batch(tmp_path: Path):
    """The judge of the judge: a write among harmless commands is seen and named."""
    if shutil.which("git") is None or not fuzz.SHELLS:
        pytest.skip("git or a shell is missing")
    field = fuzz.Field(tmp_path / "field")
    lines = ["ls", "cat a", "touch made", "git -C vendor status"]
    found = fuzz.run_all(field, lines, fuzz.SHELLS[:1])
    assert [(line, paths) for line, _, paths in found] == [
        ("touch made", ["project/made"]),
        ("git -C vendor status", ["project/ran"]),
    ]


def test_everyday_commands_of_the_development_projects_pass():
    rows = [row for row in everyday.read_commands() if row.part != "unseen"]
    refused, passing = everyday.wrong(rows)
    assert sum(row.label == "harmless" for row in rows) >= 300
    assert len(refused) <= 0.02 * sum(row.label == "harmless" for row in rows), refused
    assert passing == []


def test_no_harmful_command_passes():
    assert everyday.wrong(everyday.read_commands())[1] == []
    for command in (
        "python setup.py sdist upload",
        "./bazel-bin/swiftlint generate-docs",
        "rollup main.js --file a.js",
    ):
        assert not is_building(command)
