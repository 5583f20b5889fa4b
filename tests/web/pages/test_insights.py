"""The page that looks back."""

from shirube.web.pages.insights import _tally
from tests.web.conftest import Site


def test_outcomes_failures_and_correlations_are_shown(site: Site):
    text = site.get("/insights").text
    assert "wrong_file" in text
    assert "<code>find_references</code>" in text
    assert "survived" in text
    assert text.count('class="dot good"') == 1
    assert text.count('class="dot bad"') == 1
    assert "1 / 2" in text


def test_one_session_tells_what_was_decided_and_how_it_turned_out(site: Site):
    handle = site.visit().ask("list_sessions")["sessions"][1]["session_id"]
    text = site.get(f"/insights?id={handle}").text
    assert "failure" in text
    assert "wrong_file" in text
    assert f"/sessions?id={handle}" in text


def test_a_write_that_was_refused_and_then_allowed_is_counted():
    def check(path: str, allowed: bool) -> dict[str, object]:
        return {"path": path, "allowed": allowed}

    checks = [check("a", False), check("a", False), check("b", False), check("a", True), check("c", True)]
    assert _tally(checks) == {"blocked": 3, "allowed": 2, "later": 1}


def test_nothing_recorded_is_said_to_be_nothing(own_site: Site):
    text = own_site.get("/insights").text
    assert "No outcome was recorded yet." in text
    assert "No write was asked for yet." in text
