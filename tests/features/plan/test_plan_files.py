import json

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, OutsideRoot, UnknownName
from shirube.features.plan.plan_store import PLANS
from tests.cases import for_each


@pytest.mark.requirement("002-SHARE-01")
def test_plans_are_listed_and_shown(shop: Project):
    report = shop.query_plan("shelf payment gateway", fresh=True)
    listed = shop.list_plans(query="gateway")
    assert listed.plans[0].planId == report.planId
    assert listed.plans[0].first.startswith(report.finalResults.data[0].path)
    assert shop.list_plans(query="zebra").plans == ()
    shown = shop.show_plan(report.planId[:13])
    assert shown.iterations == report.iterations
    assert shown.finalResults == report.finalResults


def test_the_turns_of_a_plan_are_paged(shop: Project):
    asked = ("retry policy", "charge the card", "receipt")
    report = shop.query_plan("paged retries", initial_queries=asked, max_iterations=4, fresh=True)
    assert len(report.iterations) > 1
    whole = shop.show_plan(report.planId)
    assert (whole.iterations, whole.truncated, whole.next_cursor) == (report.iterations, False, "")
    turns, cursor = [], ""
    while True:
        page = shop.show_plan(report.planId, limit=1, cursor=cursor)
        turns += page.iterations
        cursor = page.next_cursor
        assert page.truncated == bool(cursor)
        if not cursor:
            break
    assert tuple(turns) == report.iterations
    assert page.metadata.totalIterations == len(turns)


def test_unknown_and_ambiguous_plans_are_refused(shop: Project):
    with pytest.raises(UnknownName):
        shop.show_plan("nope")
    with pytest.raises(UnknownName):
        shop.show_plan("")
    with pytest.raises(UnknownName):
        shop.list_plans(status="good")


@pytest.mark.requirement("002-SHARE-02")
def test_plans_travel_from_one_project_to_another(shop: Project, sample_repo):
    report = shop.query_plan("travelling receipt", fresh=True)
    document = shop.export_plans(plans=[report.planId]).document
    with open_workspace(sample_repo) as other:
        taken = other.import_plans(document=document)
        assert (taken.plans, taken.known) == (1, 0)
        assert other.import_plans(document=document).known == 1
        assert other.show_plan(report.planId).finalResults == report.finalResults
        written = other.export_plans(path="shared/plans.json")
        assert json.loads((sample_repo / written.path).read_text("utf-8"))["format"] == "shirube-plans"
        assert other.export_plans(path="shared/plans.json").plans == 1
        assert other.import_plans(path="shared/plans.json").known == 1


@for_each(
    "options",
    [
        {},
        {"path": "a", "document": "b"},
        {"document": "{"},
        {"document": "[]"},
        {"document": '{"format": "shirube-plans", "version": 99}'},
    ],
)
def test_what_is_no_export_is_refused(shop: Project, options):
    with pytest.raises(BadArgument):
        shop.import_plans(**options)


def test_an_export_overwrites_nothing_else_and_stays_inside(shop: Project):
    with pytest.raises(BadArgument):
        shop.export_plans(path="README.md")
    with pytest.raises(OutsideRoot):
        shop.export_plans(path="../out.json")
    with pytest.raises(UnknownName):
        shop.export_plans(plans=["nope"])


def test_a_plan_that_is_not_whole_is_refused_by_itself(shop: Project):
    document = {"format": "shirube-plans", "version": 1, "plans": [{"planId": "x"}, 3], "templates": [{"goal": "g"}, 1]}
    taken = shop.import_plans(document=json.dumps(document))
    assert (taken.plans, taken.templates, len(taken.refused)) == (0, 1, 2)


def test_the_journal_keeps_codes_and_an_export_sentences(shop: Project):
    report = shop.query_plan("exported receipt", fresh=True)
    kept = shop.workspace.journal.get(PLANS, report.planId).body
    assert kept["iterations"][0]["why"] == {"code": "plan.goal", "values": {}}
    assert shop.show_plan(report.planId).next.code == report.next.code == "asking.read_lines"
    (exported,) = json.loads(shop.export_plans(plans=[report.planId]).document)["plans"]
    assert (exported["iterations"][0]["why"], exported["next"]) == ("the goal", report.next)


def test_a_plan_of_an_earlier_version_is_listed_and_shown_as_it_is(shop: Project):
    report = shop.query_plan("earlier receipt", fresh=True)
    old = json.loads(shop.export_plans(plans=[report.planId]).document)["plans"][0]
    old["planId"], old["iterations"][0]["feedback"] = "earlier-1", "All is well."
    shop.workspace.journal.put(PLANS, "earlier-1", old)
    assert shop.list_plans(query="earlier receipt").plans[0].planId == "earlier-1"
    assert shop.show_plan("earlier-1").iterations[0].feedback == "All is well."
    assert shop.show_plan("earlier-1").stopped == report.stopped


def test_a_message_that_is_none_is_no_whole_plan(shop: Project):
    report = shop.query_plan("odd receipt", fresh=True)
    document = json.loads(shop.export_plans(plans=[report.planId]).document)
    for number, odd in enumerate((3, ["x"], {"code": 3, "values": {}}, {"code": "plan.goal", "values": 1})):
        document["plans"][0] |= {"planId": f"odd-{number}", "next": odd}
        taken = shop.import_plans(document=json.dumps(document))
        assert (taken.plans, len(taken.refused)) == (0, 1)


@pytest.mark.requirement("002-OUT-07")
def test_all_kept_plans_can_be_listed_page_by_page(sample_repo):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        goals = ["retry", "payment", "cart", "price", "refund"]
        for goal in goals:
            project.query_plan(goal, save="none", max_iterations=1)
        first = project.list_plans(limit=2)
        second = project.list_plans(limit=2, cursor=first.next_cursor)
        last = project.list_plans(limit=2, cursor=second.next_cursor)
        listed = [plan.goal for page in (first, second, last) for plan in page.plans]
        assert listed == goals[::-1]
        assert (first.total, first.truncated, last.truncated, last.next_cursor) == (5, True, False, "")
