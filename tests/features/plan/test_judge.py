import pytest

from shirube import Project
from shirube.errors import UnknownName
from shirube.features.plan.plan_store import ANSWERS


@pytest.mark.requirement("002-QUERY-01", "002-QUERY-02")
def test_a_search_judges_its_hits_when_that_is_asked_for(shop: Project):
    assert shop.search("retry").evaluation is None
    seen = shop.search("retry", expected_keywords=["ATTEMPTS", "zebra"]).evaluation
    assert seen.matched == ("ATTEMPTS",)
    assert seen.unmatched == ("zebra",)
    assert "zebra" in seen.feedback
    own = shop.search("retry payments", evaluateResult=True).evaluation
    assert set(own.matched) | set(own.unmatched) == {"retry", "payments"}


@pytest.mark.requirement("002-QUERY-03")
def test_a_question_of_a_plan_is_remembered_with_it(shop: Project):
    plan = shop.query_plan("judge retry", fresh=True)
    found = shop.search("retry", planId=plan.planId, evaluateResult=True)
    assert found.planId == plan.planId
    kept = [one.body for one in shop.workspace.journal.documents(f"{ANSWERS} by hand")]
    assert (plan.planId, found.evaluation.score) in [(one["planId"], one["evaluationScore"]) for one in kept]
    assert shop.search("retry", planId=plan.planId).evaluation == found.evaluation
    for judged in (True, False):
        with pytest.raises(UnknownName):
            shop.search("retry", planId="nope", evaluateResult=judged)
