"""The page of context bundles."""

from tests.doors.web.conftest import Site


def test_a_goal_fills_the_budget_and_says_what_stayed_out(site: Site):
    text = site.post("/context/ask", {"goal": "retry failed payments", "budget": "120"}).text
    assert "of 120 tokens" in text
    assert "Left out" in text
    assert "no room in the budget" in text
    assert 'class="code"' in text


def test_artifacts_are_taken_along(site: Site):
    new = "  return `¥${value.toLocaleString()}`;"
    first = "export function formatPrice(value: number): string {"
    lines = ["--- a/web/price.ts", "+++ b/web/price.ts", "@@ -1,3 +1,3 @@", f" {first}", "-  return value;", f"+{new}"]
    diff = "\r\n".join([*lines, " }", ""])  # as browsers send it
    form = {"goal": "price", "diff": diff, "editing": "web/cart.ts", "tests": "test_checkout", "hints": "formatPrice"}
    text = site.post("/context/ask", form).text
    assert "cart.ts" in text
    assert "Named in what was given" in text
    assert "+++ b/web/price.ts" in text
    assert "<details open>" in text


def test_a_short_goal_may_stand_in_the_address(site: Site):
    assert "payment.py" in site.get("/context?goal=checkout").text


def test_a_file_that_is_not_there_is_told(site: Site):
    answer = site.post("/context/ask", {"goal": "x", "editing": "nowhere.py"})
    assert 'role="alert"' in answer.text
    assert ">nowhere.py</textarea>" in answer.text


def test_asking_needs_the_key_of_our_own_form(site: Site):
    assert site.post("/context/ask", {"goal": "x", "form_key": "no"}).status_code == 403
