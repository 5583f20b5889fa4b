"""Who is let in, and what every answer carries."""

import pytest
from starlette.testclient import TestClient

from shirube.doors.web.guard import HEADERS, POLICY, derived
from tests.cases import for_each
from tests.doors.web.conftest import OWN, PORT, TOKEN, Site

BASE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def stranger(site: Site) -> TestClient:
    return TestClient(site.guard, BASE, follow_redirects=False)


@pytest.mark.parametrize("path", ["/", "/search", "/index", "/static/page.js", "/api/index_status", "/nothing"])
def test_nothing_is_told_without_the_token(stranger: TestClient, path: str):
    answer = stranger.get(path)
    assert answer.status_code == 401
    assert "shop" not in answer.text


@pytest.mark.parametrize("key", ["", "wrong", TOKEN[:-1], "ключ", derived(TOKEN, "cookie")])
def test_a_wrong_key_opens_nothing(stranger: TestClient, key: str):
    answer = stranger.get("/enter", params={"key": key})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(stranger: TestClient):
    answer = stranger.get("/enter", params={"key": TOKEN})
    assert answer.headers["refresh"] == "0; url=/"
    assert answer.headers["referrer-policy"] == "no-referrer"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"shirube-{PORT}=")
    for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert part in cookie
    assert TOKEN not in cookie
    assert TOKEN not in answer.text
    assert stranger.get("/search").status_code == 200


def test_the_key_for_a_command_line_works_once(site: Site):
    key = site.guard.once()
    first, second = (TestClient(site.guard, BASE) for _ in range(2))
    assert first.get("/enter", params={"key": key}, follow_redirects=False).status_code == 200
    assert second.get("/enter", params={"key": key}, follow_redirects=False).status_code == 401


@pytest.mark.requirement("N003-WEB-01")
@for_each(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://127.0.0.1:{PORT + 1}"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-dest": "empty"}, 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-dest": "script"}, 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-dest": "iframe"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}, 200),
        ({"sec-fetch-site": "same-origin", "sec-fetch-dest": "empty"}, 200),
        ({"host": f"localhost:{PORT}"}, 200),
    ],
)
def test_other_names_and_other_pages_are_refused_even_with_the_cookie(site: Site, headers, status):
    assert site.get("/search", **headers).status_code == status


@pytest.mark.requirement("N003-WEB-02")
@for_each(
    "headers",
    [
        {},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {**OWN, "origin": "http://evil.example"},
        {**OWN, "origin": "null"},
        {**OWN, "sec-fetch-site": "same-site"},
    ],
)
def test_a_form_is_taken_from_our_own_pages_only(site: Site, headers):
    sent = {"form_key": site.guard.form_key, "theme": "dark"}
    assert site.client.post("/look", data=sent, headers=headers).status_code == 403


@for_each("key", ["", "wrong", TOKEN])
def test_a_form_without_the_key_is_refused(site: Site, key: str):
    assert site.post("/index/sync", {"form_key": key}).status_code == 403
    assert site.client.post("/api/sync_index", content="{}", headers={**OWN, "x-shirube-form": key}).status_code == 403


@for_each("path", ["/search", "/static/page.js", "/api/index_status", "/nothing", "/look"])
def test_every_answer_carries_the_strict_headers(site: Site, path: str):
    answer = site.get(path)
    for name, value in HEADERS.items():
        if name != "cache-control":
            assert answer.headers[name] == value
    assert "cache-control" in answer.headers


def test_refusals_carry_them_too(stranger: TestClient):
    assert stranger.get("/search").headers["content-security-policy"] == POLICY


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere():
    assert "default-src 'none'" in POLICY
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
