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
    assert result["mode"] == "strict"
    assert len(result["results"]) == 3
    assert set(result["results"][0]) >= {"c1", "c2", "c3", "description", "score"}
    assert call(project, "search", query="コミットを取り消したい")["mode"] == "wide"
    assert call(project, "search", query="zyzzyva")["results"] == []


@pytest.mark.requirement("000-OPERATION-01", "000-RRF-05")
def test_search_with_rrf_fuses(project: Project):
    result = call(project, "searchWithRRF", queries=["undo revert", "commit"])
    assert result["results"][0]["c2"] == "undo-last"
    assert len(result["results"][0]["ranks"]) == 2


@pytest.mark.requirement("000-OPERATION-01")
def test_describe_and_execute(project: Project):
    words = {"c1": "test", "c2": "run-specific", "c3": "target"}
    assert call(project, "describe", **words)["commands"][0]["options"]["uv"] == {"target": "file, class or function"}
    assert "Target: x" in call(project, "execute", **words, options=["--uv-target=x"])["text"]


@pytest.mark.requirement("N000-CLIMPT-02")
def test_reload_speaks_as_it_did(project: Project):
    result = call(project, "reload")
    assert result["success"] is True
    assert result["reloadedAgents"][1] == {"agent": "annai", "commandCount": 6, "success": True}
    assert result["totalCommands"] == 36
    assert call(project, "reload", agent="annai")["totalCommands"] == 6


def test_a_mistake_is_told_as_everywhere(project: Project):
    with misspelt("query"):
        call(project, "search", qurey="x")
