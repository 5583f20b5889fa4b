import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import schema_of, shown_json
from shirube.features.commands.climpt import NAMES, TOOLS
from shirube.operations import run
from tests.refusals import misspelt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "registry"
ROWS = {row.name: row for row in (*TOOLS, *NAMES)}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    from tests.conftest import isolate, make_state_dirs

    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(tmp_path_factory.mktemp("own")), patch)
        with open_workspace(EXAMPLES) as opened:
            yield opened


def call(project: Project, name: str, **arguments):
    return shown_json(run(project.workspace, ROWS[name], arguments))


@pytest.mark.requirement("N000-CLIMPT-01", "000-OPERATION-01")
def test_the_tools_have_the_arguments_they_had():
    taken = {name: sorted(schema_of(row.request)["properties"]) for name, row in ROWS.items()}
    assert taken == {
        "search": ["agent", "query"],
        "describe": ["agent", "c1", "c2", "c3"],
        "execute": ["agent", "c1", "c2", "c3", "options"],
        "reload": ["agent"],
        "searchWithRRF": ["agent", "limit", "queries"],
    }


@pytest.mark.requirement("000-OPERATION-01")
def test_search_gives_the_three_best_by_the_words_alone(project: Project):
    result = call(project, "search", query="quokka wombat numbat commit bilby potoroo")
    assert list(result) == ["results", "agent"]
    assert len(result["results"]) == 3
    assert list(result["results"][0]) == ["c1", "c2", "c3", "description", "score"]


@pytest.mark.requirement("000-SEARCH-02", "000-RESULT-04")
@pytest.mark.parametrize("query", ["zyzzyva", "コミットを取り消したい"])
def test_words_that_no_command_has_find_nothing(project: Project, query: str):
    assert call(project, "search", query=query) == {"results": [], "agent": "climpt"}
    assert call(project, "searchWithRRF", queries=[query, query]) == {"results": [], "agent": "climpt"}


@pytest.mark.requirement("000-OPERATION-01", "000-RRF-05")
def test_search_with_rrf_fuses(project: Project):
    result = call(project, "searchWithRRF", queries=["undo revert", "commit"])
    assert result["results"][0]["c2"] == "undo-last"
    assert len(result["results"][0]["ranks"]) == 2
    assert len(call(project, "searchWithRRF", queries=["undo", "commit"], topN=1)["results"]) == 1


@pytest.mark.requirement("000-OPERATION-01")
def test_describe_gives_the_entry_as_it_is_written(project: Project):
    words = {"c1": "test", "c2": "run-specific", "c3": "target"}
    (entry,) = call(project, "describe", **words)["commands"]
    written = json.loads((EXAMPLES / ".agent/climpt/registry.json").read_text("utf-8"))["tools"]["commands"]
    assert entry in written
    assert entry["uv"] == [{"target": "file, class or function"}]
    assert call(project, "execute", **words, options=["--uv-target=x"])["text"].startswith("# Run tests\n\nTarget: x\n")


@pytest.mark.requirement("N000-CLIMPT-02")
def test_reload_speaks_as_it_did(project: Project):
    result = call(project, "reload")
    agents = [{"agent": "climpt", "commandCount": 30, "success": True}]
    agents += [{"agent": "annai", "commandCount": 6, "success": True}]
    assert result.pop("message") == "36 commands of 2 agents"
    assert result == {"success": True, "clearedAgents": 2, "reloadedAgents": agents, "totalCommands": 36}
    result = call(project, "reload", agent="annai")
    assert result.pop("message") == "6 commands of 1 agent"
    assert result == {"success": True, "agent": "annai", "commandCount": 6}


def test_a_mistake_is_told_as_everywhere(project: Project):
    with misspelt("query"):
        call(project, "search", qurey="x")
