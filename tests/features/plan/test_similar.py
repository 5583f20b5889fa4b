from shirube import Project, open_workspace
from shirube.features.plan.project_access import similarity


def test_without_a_trained_model_nothing_is_said(shop: Project):
    assert similarity(shop.workspace, "retry")([("a.py", "", "retry")]) == (None,)


def test_a_place_about_the_goal_is_nearer_than_one_about_something_else(sample_repo, monkeypatch):
    monkeypatch.setenv("SHIRUBE_EMBED_MODEL", "static")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        near = similarity(project.workspace, "charge a credit card")
        card, price = near([("pay.py", "charge_card", "charge the card"), ("x.ts", "walk", "walk the directory tree")])
        assert 0 <= price < card <= 1
        assert near([("pay.py", "charge_card", "charge the card")]) == (card,)
