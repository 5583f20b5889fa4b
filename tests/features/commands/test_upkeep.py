import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, UnknownName
from shirube.features.commands.operations import command_build, command_validate
from tests.refusals import refusal

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"


@pytest.fixture
def project(tmp_path: Path, state_dirs) -> Iterator[Project]:
    shutil.copytree(EXAMPLES, tmp_path / "team")
    with open_workspace(tmp_path / "team") as opened:
        yield opened


def test_only_building_changes_something():
    assert command_validate.read_only
    assert not command_build.read_only


@pytest.mark.requirement("N000-VALIDATE-01")
def test_validating_counts_what_can_be_rendered(project: Project):
    result = project.command_validate()
    assert (result.commands, result.renderable, result.findings, result.next) == (30, 30, (), "")
    (project.workspace.root / ".agent/climpt/prompts/git/undo-last/commit/f_default.md").unlink()
    result = project.command_validate()
    assert (result.commands, result.renderable) == (30, 29)
    assert [(one.command, one.kind) for one in result.findings] == [("git undo-last commit", "template")]
    assert "errors first" in result.next
    shutil.rmtree(project.workspace.root / ".agent/climpt/prompts")
    cut = project.command_validate(limit=5)
    assert (len(cut.findings), cut.total > 30, cut.truncated, cut.renderable) == (5, True, True, 0)


def test_a_registry_that_is_not_there_is_said(tmp_path: Path, state_dirs):
    with open_workspace(tmp_path) as project:
        result = project.command_validate()
        assert (result.commands, result.findings) == (0, ())
        assert result.degraded[0].code == "commands.no_registry"
        with refusal(BadArgument, "commands.no_prompts"):
            project.command_build()


@pytest.mark.requirement("N000-BUILD-01")
def test_building_writes_the_registry_and_says_what_changed(project: Project):
    root = project.workspace.root
    file, before = root / ".agent/climpt/registry.json", (root / ".agent/climpt/registry.json").read_text("utf-8")
    (root / ".agent/climpt/prompts/git/undo-last/commit/f_default.md").unlink()
    prompt = root / ".agent/climpt/prompts/test/run-specific/target/f_default.md"
    prompt.write_text(prompt.read_text("utf-8").replace("Run the tests of", "Run all tests of"), "utf-8")
    new = root / ".agent/climpt/prompts/git/write-message/merge/f_default.md"
    new.parent.mkdir(parents=True)
    new.write_text("---\nc1: git\nc2: write-message\nc3: merge\ndescription: 挨拶する\n---\nHello.\n", "utf-8")
    dry = project.command_build(dry_run=True)
    assert (dry.added, dry.changed, dry.removed) == (
        ("git write-message merge",),
        ("test run-specific target",),
        ("git undo-last commit",),
    )
    assert not dry.written
    assert file.read_text("utf-8") == before
    done = project.command_build()
    assert (done.written, done.commands, done.path) == (True, 30, ".agent/climpt/registry.json")
    assert "挨拶する" in json.dumps(json.loads(file.read_text("utf-8")), ensure_ascii=False)
    assert project.command_search("挨拶する").results[0].c2 == "write-message"
    again = project.command_build(dry_run=True)
    assert (again.added, again.changed, again.removed) == ((), (), ())


def test_building_for_another_agent_writes_its_own_registry(project: Project):
    (project.workspace.root / ".agent/annai/registry.json").unlink()
    result = project.command_build(agent="annai")
    assert (result.commands, len(result.added)) == (6, 6)
    assert (project.workspace.root / ".agent/annai/registry.json").read_text("utf-8") == (
        EXAMPLES / ".agent/annai/registry.json"
    ).read_text("utf-8")
    with pytest.raises(UnknownName):
        project.command_build(agent="anai")
