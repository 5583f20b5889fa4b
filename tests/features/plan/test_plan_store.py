import pytest

from shirube import Project
from shirube.codec import unpack
from shirube.features.plan.plan_store import (
    ANSWERS,
    FAILED,
    TEMPLATES,
    PlanLesson,
    StoredAnswer,
    goal_terms,
    key_of,
    lesson,
)
from shirube.features.plan.record import Tactic


@pytest.mark.requirement("002-CACHE-03")
def test_an_answer_is_kept_with_its_plan_its_score_and_what_was_asked_next(shop: Project):
    report = shop.query_plan("cart total formatting", fresh=True)
    first = unpack(StoredAnswer, kept_answer(shop, report.planId, "cart total formatting")[1])
    assert first.evaluationScore == report.iterations[0].evaluationScore
    assert first.refinementHistory == report.iterations[0].refinements


def test_lessons_come_from_goals_that_are_alike(shop: Project):
    journal, terms = shop.workspace.journal, goal_terms("purple elephant transport")
    journal.put(TEMPLATES, key_of(terms), {"goal": "g", "terms": terms, "grounds": ["near", "odd"], "queries": []})
    journal.put(FAILED, key_of(terms), {"goal": "g", "terms": terms, "steps": [{"identity": ["x", "auto"], "why": ""}]})
    taught = lesson(shop.workspace, "transport of a purple elephant")
    assert (taught.preferred, taught.avoided) == ((Tactic.NEAR,), frozenset({("x", "auto")}))
    assert lesson(shop.workspace, "green fish") == PlanLesson()


def test_the_generation_names_index_and_model(shop: Project):
    assert shop.workspace.generation().endswith(shop.workspace.embedder.name)


def test_only_so_many_plans_are_kept(sample_repo):
    from shirube import open_workspace

    with open_workspace(sample_repo, plan__kept=2) as project:
        project.sync_index()
        for goal in ("retry", "payment", "cart"):
            project.query_plan(goal)
        assert [plan.goal for plan in project.list_plans().plans] == ["cart", "payment"]


def test_an_answer_of_an_earlier_version_still_counts(shop: Project):
    goal = "currency symbol of a price"
    first = shop.query_plan(goal, fresh=True)
    journal, (key, body) = shop.workspace.journal, kept_answer(shop, first.planId, goal)
    journal.put(ANSWERS, key, {**body, "refinementHistory": ["currency (by words alone)"]})
    again = shop.query_plan(goal, maxIterations=1)
    assert again.iterations[0].cached
    assert again.iterations[0].actualResults == first.iterations[0].actualResults


def kept_answer(shop: Project, plan_id: str, query: str):
    found = shop.workspace.journal.documents(ANSWERS)
    return next((one.key, one.body) for one in found if (one.body["planId"], one.body["query"]) == (plan_id, query))
