"""The site: addresses, languages, themes, and that looking changes nothing."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from shirube.doors.web.guard import MAX_BYTES
from shirube.doors.web.pages import PAGES
from shirube.operations import OPERATIONS
from tests.cases import for_each
from tests.doors.web.conftest import OWN, Site

NAMES = [page.name for page in PAGES]


class Tags(HTMLParser):
    """Every opening tag of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@for_each("language", ["en", "ja"])
@for_each("name", NAMES)
def test_every_page_is_shown_in_both_languages(site: Site, name: str, language: str):
    answer = site.get(f"/{name}", **{"accept-language": language})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f'<html lang="{language}">' in answer.text
    assert f'href="/{name}" aria-current="page"' in answer.text


@for_each("name", NAMES)
def test_no_page_has_anything_inline_or_from_elsewhere(site: Site, name: str):
    for tag, attributes in Tags(site.get(f"/{name}").text).found:
        assert not [key for key in attributes if key.startswith("on") or key == "style"], (tag, attributes)
        assert tag != "style"
        if tag == "script":
            assert (attributes.get("src") or "").startswith("/static/")
        for key in ("src", "action"):
            assert (attributes.get(key) or "/").startswith("/")
        if tag == "form" and attributes.get("method") == "post":
            assert (attributes["action"] or "").startswith("/")


@for_each("name", NAMES)
def test_every_form_that_changes_something_sends_the_key(site: Site, name: str):
    text = site.get(f"/{name}").text
    for form in re.findall(r"<form .*?</form>", text, re.S):
        if 'method="post"' in form:
            assert f'name="form_key" value="{site.guard.form_key}"' in form


@pytest.mark.requirement("N003-WEB-02")
def test_looking_changes_nothing(site: Site):
    def state() -> dict[str, bytes]:
        root = site.project.workspace.root
        return {path.as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    sessions, plans = site.project.call("list_sessions"), site.project.call("list_plans")
    before = state()
    for page in PAGES:
        site.get(page.address)
        for part in page.parts:
            site.get(f"{page.address}/part/{part}")
        for act in page.acts:
            assert site.get(f"{page.address}/{act}").status_code == 405
    assert state() == before
    assert site.project.call("list_sessions") == sessions
    assert site.project.call("list_plans") == plans


@for_each("operation", [one.name for one in OPERATIONS if not one.read_only])
def test_an_operation_that_changes_something_is_no_get(site: Site, operation: str):
    assert site.get(f"/api/{operation}").status_code == 405


def test_an_operation_is_an_endpoint(site: Site):
    assert site.get("/api/search?query=checkout&limit=1").json()["forest_hits"][0]["path"] == "src/shop/payment.py"
    several = site.get("/api/search_text?patterns=checkout&patterns=refund").json()
    assert several["patterns"] == ["checkout", "refund"]
    headers = {**OWN, "x-shirube-form": site.guard.form_key}
    answer = site.client.post("/api/search", content=json.dumps({"query": "checkout"}), headers=headers)
    assert answer.json()["answer"] == "found"


@for_each(
    ("path", "code"),
    [
        ("/api/serch?query=x", "unknown_name"),
        ("/api/search", "bad_argument"),
        ("/api/search?query=x&limit=many", "bad_argument"),
        ("/api/deps_closure?path=../../etc/passwd", "outside_root"),
    ],
)
def test_an_endpoint_refuses_with_code_message_and_hint(site: Site, path: str, code: str):
    answer = site.get(path)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


@for_each("body", [b"{bad", b"[]", b"\xff\xfe", b"[" * 10_000, b'"text"'])
def test_an_endpoint_survives_nonsense(site: Site, body: bytes):
    headers = {**OWN, "x-shirube-form": site.guard.form_key}
    assert site.client.post("/api/search", content=body, headers=headers).status_code == 400


def test_too_large_a_body_is_refused(site: Site):
    assert site.post("/context/ask", {"goal": "x" * (MAX_BYTES + 1)}).status_code == 413


@for_each("path", ["/nothing", "/search/part/nothing", "/static/nothing", "/static/../site.py"])
def test_what_is_not_there_is_told_in_the_readers_language(site: Site, path: str):
    assert "そのページはありません" in site.get(path, **{"accept-language": "ja"}).text
    assert site.get(path).status_code == 404


@for_each("theme", ["light", "dark"])
def test_theme_and_language_are_remembered_by_the_browser(site: Site, theme: str):
    answer = site.post("/look", {"theme": theme, "language": "ja", "back": "/index?x=1"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/index?x=1"
    assert f'lang="ja" data-theme="{theme}"' in site.get("/search").text
    site.post("/look", {"theme": "auto", "language": "en"})
    assert "data-theme" not in site.get("/search").text
    site.client.cookies.delete("shirube-language")


@for_each("back", ["//evil.example", "https://evil.example", "/\\evil.example", "/\r\nset-cookie: x"])
def test_a_form_leads_nowhere_else(site: Site, back: str):
    assert site.post("/look", {"back": back}).headers["location"] == "/"


def test_home_is_the_first_page(site: Site):
    assert site.get("/").headers["location"] == "/search"


def test_what_breaks_is_told_without_its_inside(site: Site, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("inside secret")

    monkeypatch.setattr("shirube.doors.web.visit.run", broken)
    answer = site.get("/index")
    assert answer.status_code == 500
    assert "inside secret" not in answer.text
    assert answer.headers["content-security-policy"]


def test_the_script_and_the_style_ask_for_nothing_from_elsewhere():
    import shirube.doors.web

    for path in (Path(shirube.doors.web.__file__).parent / "static").iterdir():
        text = path.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?://|@import|url\((?!#)|innerHTML|eval\(", text), path.name


def test_a_document_has_its_language_theme_title_and_way_between_pages(site: Site):
    cookies = "; ".join(f"{name}={value}" for name, value in site.client.cookies.items())
    page = site.get("/map", **{"accept-language": "ja", "cookie": f"{cookies}; shirube-theme=dark"}).text
    assert page.startswith('<!doctype html>\n<html lang="ja" data-theme="dark">')
    assert "<title>地図 · shop · shirube</title>" in page
    assert page.count('aria-current="page"') == 1
    assert '<main id="content" tabindex="-1"><div><div class="heading">' in page
    assert '<a class="skip" href="#content">本文へ移動</a>' in page


def test_the_switches_say_what_is_chosen_and_where_to_come_back_to(site: Site):
    page = site.get('/search?q="x"').text
    assert 'name="language" value="en" aria-pressed="true"' in page
    assert 'name="theme" value="auto" aria-pressed="true"' in page
    assert 'name="back" value="/search?q=%22x%22"' in page
