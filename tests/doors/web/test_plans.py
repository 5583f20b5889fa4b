"""The page of plans."""

import pytest

from shirube import operations
from tests.doors.web.conftest import Site


def plans(site: Site) -> list[str]:
    return [one.planId for one in site.visit().ask(operations.plan.list_plans).plans]


def test_plans_templates_and_presets_are_listed(site: Site):
    text = site.get("/plans").text
    assert "how are failed payments retried?" in text
    assert "支払いの再試行はどこ？" in text
    assert "<code>authentication</code>" in text
    assert "支払い" not in site.get("/plans?q=failed").text.split("Presets")[0]


@pytest.mark.requirement("002-VIS-01")
def test_a_plan_is_a_timeline_of_its_turns(site: Site):
    plan = site.visit().ask(operations.plan.show_plan, planId=plans(site)[-1])
    text = site.get(f"/plans?id={plan.planId}").text
    timeline = text[text.index('class="timeline"') :]
    for turn in plan.iterations:
        assert f"{turn.iterationNumber}. " in timeline
        assert turn.feedback.split(":")[0] in timeline
    assert "retry.py" in text


@pytest.mark.requirement("002-VIS-02")
def test_the_six_measures_are_drawn_turn_by_turn_and_at_the_end(site: Site):
    plan = site.visit().ask(operations.plan.show_plan, planId=plans(site)[-1])
    text = site.get(f"/plans?id={plan.planId}").text
    assert text.count("<polyline") == 6
    assert text.count("<circle") == 6 * len(plan.iterations)
    assert text.count('class="shape"') == 1
    for measure in ("Keywords", "Patterns", "Sense", "Coverage", "Precision", "Recall"):
        assert measure in text


def test_two_plans_are_compared(site: Site):
    first, second = plans(site)
    text = site.get(f"/plans?id={first}&with={second}").text
    assert text.count('class="shape"') == 2
    assert "how are failed payments retried?" in text
    assert "支払いの再試行はどこ？" in text


def test_an_unknown_plan_is_told(site: Site):
    assert site.get("/plans?id=nobody").status_code == 400


def test_where_there_is_none_it_says_how_one_is_made(own_site: Site):
    assert "query_plan" in own_site.get("/plans").text
