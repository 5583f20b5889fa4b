import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, ConfigError, UnknownName
from shirube.features.commands.operations import command_describe, command_reload, command_search
from shirube.operations import in_toolsets
from tests.refusals import misspelt

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"


@pytest.fixture
def project(tmp_path: Path, state_dirs) -> Iterator[Project]:
    shutil.copytree(EXAMPLES, tmp_path / "team")
    with open_workspace(tmp_path / "team") as opened:
        yield opened


def ids(result) -> list[str]:
    return [f"{one.c1} {one.c2} {one.c3}" for one in result.results]


def test_the_rows_say_what_they_are():
    assert "command_search" in in_toolsets(["commands"])
    assert not command_search.tool
    assert not command_describe.tool
    assert {row.group for row in (command_search, command_describe, command_reload)} == {"commands"}
    assert all(row.read_only for row in (command_search, command_describe, command_reload))


@pytest.mark.requirement("000-SEARCH-03", "000-RESULT-01")
def test_the_three_best_come_with_their_scores(project: Project):
    result = project.command_search("undo my commit")
    assert ids(result)[0] == "git undo-last commit"
    assert len(result.results) == 3
    assert [one.ranks for one in result.results] == [(1,), (2,), (3,)]
    assert (result.mode, result.agent, result.degraded) == ("strict", "climpt", ())
    assert "c1=git c2=undo-last c3=commit" in result.next
    assert len(project.command_search("undo my commit", limit=4).results) == 4
    assert project.command_search("undo my commit", topN=1).results == result.results[:1]


@pytest.mark.requirement("000-RRF-05", "N000-SEARCH-06")
def test_two_views_of_a_request_are_fused(project: Project):
    result = project.command_search(queries=["undo revert take back", "commit"])
    assert ids(result)[0] == "git undo-last commit"
    assert result.mode == "strict"
    assert all(len(one.ranks) == 2 for one in result.results)
    assert result.results[0].ranks[0] == 1


@pytest.mark.requirement("N000-SEARCH-03")
def test_a_japanese_request_is_answered_wider_and_that_is_said(project: Project):
    result = project.command_search("コミットを取り消したい")
    assert ids(result)[0] == "git undo-last commit"
    assert result.mode == "wide"
    assert any("wider search answers" in line for line in result.degraded)
    assert "commands.no_model" in [line.code for line in result.degraded]  # tests run with the hashed one
    assert project.command_search("コミットを取り消したい", mode="strict").results == ()


def test_the_bundled_model_takes_part_in_the_wider_search(tmp_path: Path, state_dirs):
    with open_workspace(EXAMPLES, embed__model="static") as project:
        result = project.command_search("直前のコミットをなかったことにする")
        assert "git undo-last commit" in ids(result)
        assert not any("model" in line for line in result.degraded)


def test_wide_can_be_asked_for_and_strict_is_never_left(project: Project):
    wide = project.command_search("undo my commit", mode="wide")
    assert (wide.mode, wide.degraded[:1]) == (
        "wide",
        ("without a trained model the wider search goes by words, stems and the glossary alone",),
    )
    assert ids(wide)[0] == "git undo-last commit"
    little = "quokka wombat numbat commit bilby potoroo"
    assert project.command_search(little, mode="strict").results != ()
    assert project.command_search(little, mode="auto").mode == "wide"


@pytest.mark.requirement("000-SEARCH-02", "N000-SEARCH-02")
def test_no_match_is_an_empty_list_with_advice(project: Project):
    result = project.command_search("zyzzyva")
    assert result.results == ()
    assert "none of 30 commands" in result.next


@pytest.mark.requirement("000-SEARCH-01")
def test_no_registry_is_an_empty_list_and_does_not_look_like_an_empty_one(tmp_path: Path, state_dirs):
    with open_workspace(tmp_path) as project:
        result = project.command_search("anything")
        assert result.results == ()
        assert result.degraded[-1].code == "commands.no_registry"
        assert result.degraded[-1].values["path"] == ".agent/climpt/registry.json"
        described = project.command_describe("a", "b", "c")
        assert (described.commands, len(described.degraded)) == ((), 1)
    assert list(tmp_path.glob(".agent*")) == []


def test_an_empty_registry_is_an_empty_list(tmp_path: Path, state_dirs):
    (tmp_path / ".agent/climpt").mkdir(parents=True)
    (tmp_path / ".agent/climpt/registry.json").write_text('{"tools": {"commands": []}}')
    with open_workspace(tmp_path) as project:
        result = project.command_search("anything", mode="strict")
        assert (result.results, result.degraded) == ((), ())
        assert "command_build" in result.next


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "no word"),
        ({"query": "  "}, "no word"),
        ({"queries": ["", " "]}, "no word"),
        ({"query": "a", "queries": ["b"]}, "both"),
        ({"queries": ["x"] * 11}, "limit is 10"),
        ({"query": "a", "limit": 0}, "from 1 to 50"),
    ],
)
def test_what_cannot_be_asked_is_refused(project: Project, arguments, words: str):
    with pytest.raises(BadArgument, match=words):
        project.call("command_search", **arguments)


def test_an_unknown_agent_is_named_by_its_nearest(project: Project):
    for name, arguments in (
        ("command_search", {"query": "x"}),
        ("command_describe", {"c1": "a", "c2": "b", "c3": "c"}),
    ):
        with misspelt("annai"):
            project.call(name, agent="anai", **arguments)


@pytest.mark.requirement("000-DESCRIBE-01", "000-DESCRIBE-03", "000-ERROR-03")
def test_describing_gives_the_whole_entry_or_nothing(project: Project):
    (command,) = project.command_describe("git", "group-commit", "unstaged-changes").commands
    assert command.options.adaptation == ("default", "detailed")
    assert command.options.uv == {"scope": "directory or files to look at"}
    assert project.command_describe("git", "group-commit", "nothing").commands == ()


@pytest.mark.requirement("N000-REGISTRY-04", "N000-CLIMPT-02")
def test_reloading_reads_registries_and_their_configuration_anew(project: Project):
    result = project.command_reload()
    assert [(one.agent, one.commands, one.path) for one in result.registries] == [
        ("climpt", 30, ".agent/climpt/registry.json"),
        ("annai", 6, ".agent/annai/registry.json"),
    ]
    assert result.total == 36
    config = project.workspace.root / ".agent/climpt/config/registry_config.json"
    config.write_text(json.dumps({"registries": {"climpt": "gone.json"}}))
    (only,) = project.command_reload().registries
    assert (only.commands, only.digest) == (0, "")
    assert "there is no registry at gone.json" in only.problems[0]
    with pytest.raises(UnknownName):
        project.command_reload(agent="annai")


def test_a_broken_registry_is_an_error_with_its_name(project: Project):
    (project.workspace.root / ".agent/climpt/registry.json").write_text("{")
    with pytest.raises(ConfigError, match=r"registry\.json is not valid JSON"):
        project.command_search("x")


def test_entries_that_were_left_out_are_told(project: Project):
    file = project.workspace.root / ".agent/climpt/registry.json"
    value = json.loads(file.read_text())
    value["tools"]["commands"].append({"c1": "x"})
    file.write_text(json.dumps(value))
    assert "entry 31 is left out" in project.command_search("undo commit").degraded[0]


@pytest.mark.requirement("N000-REGISTRY-05")
def test_reloading_all_tells_of_a_broken_registry_and_reads_the_others(project: Project):
    (project.workspace.root / ".agent/climpt/registry.json").write_text("{")
    broken, other = project.command_reload().registries
    assert (broken.agent, broken.commands, broken.digest) == ("climpt", 0, "")
    assert "registry.json is not valid JSON" in broken.problems[0]
    assert (other.agent, other.commands) == ("annai", 6)
    with pytest.raises(ConfigError):
        project.command_reload(agent="climpt")
