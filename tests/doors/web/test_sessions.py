"""The page of sessions."""

from shirube import operations
from tests.doors.web.conftest import Site


def handle(site: Site, number: int) -> str:
    return site.visit().ask(operations.session.list_sessions).sessions[number].session_id


def test_every_session_is_listed_with_its_phase(site: Site):
    text = site.get("/sessions").text
    assert text.count('<a href="/sessions?id=s_') == 3
    for word in ("Ready", "Exploration", "modify", "question"):
        assert word in text


def test_one_session_shows_where_it_stands_and_what_it_rests_on(site: Site):
    text = site.get(f"/sessions?id={handle(site, -1)}").text
    assert '<g class="phase now">' in text
    assert text[text.index("phase now") :].index("Ready") < 200
    assert "“" not in text
    assert "<q>the bank is slow</q>" in text
    assert "<code>find_references</code>" in text
    assert "may write" in text
    assert "allowed" in text
    assert "retry.py" in text


def test_refusals_and_blocked_writes_are_shown(site: Site):
    text = site.get(f"/sessions?id={handle(site, 1)}").text
    assert "refused" in text
    assert "<code>submit_understanding</code>" in text


def test_an_unknown_session_is_told(site: Site):
    answer = site.get("/sessions?id=<b>nobody")
    assert answer.status_code == 400
    assert "<b>nobody" not in answer.text


def test_where_there_is_none_it_says_how_one_begins(own_site: Site):
    assert "start_session" in own_site.get("/sessions").text
    assert "start_session" in own_site.get("/sessions/part/list").text
