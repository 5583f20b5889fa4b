"""The page of one session's end."""

from shirube import operations
from tests.doors.web.conftest import Site


def test_one_session_tells_what_was_decided_and_how_it_turned_out(site: Site):
    handle = site.visit().ask(operations.session.list_sessions).sessions[1].session_id
    text = site.get(f"/insights?id={handle}").text
    assert "failure" in text
    assert "the caller was not read" in text
    assert "wrong file" in text
    assert f"/sessions?id={handle}" in text
