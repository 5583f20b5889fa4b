"""What surrounds every page."""

from shirube.codec.records import replace
from shirube.doors.web.frame import framed
from shirube.doors.web.html import el
from shirube.doors.web.pages import PAGES
from tests.doors.web.conftest import Site


def test_a_document_has_its_language_theme_title_and_way_between_pages(site: Site):
    page = framed(replace(site.visit("ja"), theme="dark"), PAGES, "map", el("p", "x"))
    assert page.startswith('<!doctype html>\n<html lang="ja" data-theme="dark">')
    assert "<title>地図 · shop · shirube</title>" in page
    assert page.count('aria-current="page"') == 1
    assert '<main id="content" tabindex="-1"><p>x</p></main>' in page
    assert '<a class="skip" href="#content">本文へ移動</a>' in page


def test_the_switches_say_what_is_chosen_and_where_to_come_back_to(site: Site):
    page = framed(replace(site.visit("en"), here='/search?q="x"'), PAGES, "search", el("p"))
    assert 'name="language" value="en" aria-pressed="true"' in page
    assert 'name="theme" value="auto" aria-pressed="true"' in page
    assert 'name="back" value="/search?q=&quot;x&quot;"' in page
