from shirube.features.plan.plans import knowledge_page
from shirube.features.plan.record import Evaluation, Expectation, Iteration, PlanOutcome, PlanResult, PlanStatus, Step


def test_a_page_says_what_was_found_how_sure_that_is_and_how_it_was_found():
    result = PlanResult("src/a.py", 3, 9, "Login.check", "method", "python", preview="def check():\n    '''```'''")
    done = PlanOutcome(
        "認証の\n流れ",
        Expectation(),
        PlanStatus.SUCCESS,
        "confident",
        (Iteration(1, Step("認証", why="the goal"), (result,), Evaluation(score=0.5, feedback="Good.")),),
        (result,),
        Evaluation(score=0.5, feedback="Good.", matched=("認証",), unmatched=("cookie",)),
        0.81,
    )
    page = knowledge_page(done, "id-1", "2026-01-01T00:00:00Z")
    assert "plan_id: id-1" in page
    assert "# 認証の 流れ" in page
    assert "81% sure" in page
    assert "- found: 認証" in page
    assert "- not found: cookie" in page
    assert "### src/a.py:3-9 `Login.check`" in page
    assert "````python" in page  # code that holds a fence cannot end its own
    assert "1. 認証 (the goal): 0.50. Good." in page
