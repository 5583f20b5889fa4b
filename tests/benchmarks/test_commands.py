"""The set of commands and requests is what it says, and the checks look."""

import os
import shutil
from pathlib import Path

import pytest
from benchmarks.commands.__main__ import LANGUAGES, recall, rows, write_registry
from benchmarks.commands.public import check

from shirube import open_workspace

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "registry"


def test_there_are_200_commands_and_60_requests_in_each_language():
    commands = {" ".join(row[:3]) for row in rows("registry")}
    assert len(commands) == len(rows("registry")) == 200
    for language in LANGUAGES:
        assert sum(row[0] == language for row in rows("requests")) == 60
        assert sum(row[0] == language for row in rows("heldout")) == 30
    asked = [*rows("requests"), *rows("heldout")]
    assert [row for row in asked if row[1] not in commands] == []
    assert len({row[2] for row in asked}) == len(asked)


@pytest.mark.requirement("N000-SEARCH-07")
def test_requests_in_both_languages_find_their_command_among_three(tmp_path: Path, state_dirs):
    write_registry(tmp_path)
    with open_workspace(tmp_path, embed__model="static") as project:
        assert recall(project, "requests", "en", "auto")[1] >= 0.95
        assert recall(project, "requests", "ja", "auto")[1] >= 0.90
        assert recall(project, "heldout", "ja", "auto")[1] >= 0.90
        assert recall(project, "heldout", "en", "auto")[1] >= 0.80


def test_the_sample_registry_renders_as_its_templates_say(tmp_path: Path, state_dirs):
    report = check(EXAMPLES)
    assert (report.total, report.equal, report.errors, report.different, report.refused) == (36, 36, 0, [], [])
    shutil.copytree(EXAMPLES, tmp_path / "copy")
    (tmp_path / "copy/.agent/climpt/prompts/git/undo-last/commit/f_default.md").unlink()
    broken = check(tmp_path / "copy")
    assert (broken.equal, broken.errors, len(broken.refused)) == (35, 1, 1)


@pytest.mark.slow
@pytest.mark.skipif("PUBLIC_REGISTRY" not in os.environ, reason="PUBLIC_REGISTRY names no project with a registry")
def test_a_public_registry_loads_searches_validates_and_renders(state_dirs):
    report = check(Path(os.environ["PUBLIC_REGISTRY"]))
    assert report.total > 0
    assert report.found == report.total
    assert report.different == []
    assert report.equal + len(report.refused) == report.total
    assert report.errors >= len(report.refused)
