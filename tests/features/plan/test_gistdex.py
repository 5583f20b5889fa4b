import json

import pytest

from shirube import open_workspace
from shirube.errors import BadArgument

PLAN = {
    "planId": "1f0c",
    "goal": "VitePressの設定",
    "status": "success",
    "iterations": [
        {"iterationNumber": 1, "query": "vitepress config", "evaluationScore": 0.8, "feedback": "ok", "refinements": []}
    ],
    "finalResults": {"data": [], "confidence": 0.8, "matchedExpectations": ["config"]},
}


@pytest.mark.requirement("002-FILES-02")
def test_plans_queries_and_notes_of_the_older_program_are_taken_in(sample_repo):
    cache = sample_repo / ".gistdex" / "cache"
    (cache / "plans").mkdir(parents=True)
    (cache / "knowledge").mkdir()
    (cache / "structured").mkdir()
    (cache / "plans" / "1f0c.json").write_text(json.dumps(PLAN), "utf-8")
    (cache / "plans" / "index.json").write_text("{}")
    (cache / "plans" / "bad.json").write_text("{")
    (cache / "plans" / "out.json").symlink_to("/etc/hostname")
    (cache / "queries.json").write_text(
        json.dumps({"version": "1.0.0", "queries": [{"query": "ルーティング"}, {"x": 1}]})
    )
    (cache / "knowledge" / "vitepress.md").write_text("# VitePress")
    (cache / "structured" / "routing.md").write_text("# Routing")
    with open_workspace(sample_repo) as project:
        taken = project.import_plans(path=".gistdex")
        assert (taken.plans, taken.pages, taken.refused) == (2, 2, ())
        shown = project.show_plan("1f0c")
        assert (shown.goal, shown.finalResults.confidence, shown.iterations[0].query) == (
            "VitePressの設定",
            0.8,
            "vitepress config",
        )
        assert project.list_plans(query="ルーティング").total == 1
        assert project.import_plans(path=".gistdex/cache").known == 2
        pages = project.workspace.state_directory / "knowledge"
        assert len(list(pages.glob("*.md"))) == 2


def test_a_directory_without_a_cache_is_refused(sample_repo):
    with open_workspace(sample_repo) as project, pytest.raises(BadArgument):
        project.import_plans(path="src")
