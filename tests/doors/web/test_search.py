"""The page that searches."""

import re

from tests.cases import for_each
from tests.doors.web.conftest import Site


def test_hits_have_place_marks_reasons_and_a_way_into_the_editor(site: Site):
    text = site.get("/search?q=checkout").text
    assert '<b>payment.py</b><span class="dim">:27-29</span>' in text
    assert "<mark>checkout</mark>" in text
    assert re.search(r'href="vscode://file/[^"]+/src/shop/payment\.py:27"', text)
    assert 'data-copy="src/shop/payment.py:27-29"' in text
    assert "Defines" in text


def test_the_bars_of_a_score_are_its_reasons(site: Site):
    hit = site.project.search("checkout").forest_hits[0]
    text = site.get("/search?q=checkout").text
    first = text[text.index('class="reasons"') : text.index("</ul>", text.index('class="reasons"'))]
    assert first.count("<li>") == len(hit.why)
    assert f"{hit.why[0].points:+.3g}" in first
    assert f"score {hit.score:.3g}" in text


def test_two_rankings_stand_side_by_side(site: Site):
    text = site.get("/search?q=retry&compare=1&boost2=docs&profile=bugfix").text
    assert text.count('class="column"') == 2
    assert "<h2>Fix a bug</h2>" in text
    assert "<h2>Documents first</h2>" in text


def test_the_part_is_what_stands_in_the_page(site: Site):
    part = site.get("/search/part/results?q=refund").text
    assert part.startswith("<section")
    assert "refund" in part
    assert part in site.get("/search?q=refund").text


def test_nothing_found_is_told_apart_from_nothing_known(site: Site):
    assert "not there" in site.get("/search?q=zzyzx_nowhere").text
    assert "Results appear while you type" in site.get("/search").text


@for_each("query", ["q=x&mode=odd", "q=x&profile=odd", "q=x&lang=klingon", "q=path:../etc"])
def test_what_cannot_be_asked_is_told_with_a_next_step(site: Site, query: str):
    text = site.get(f"/search?{query}").text
    assert 'role="alert"' in text
    assert 'name="q"' in text


def test_the_question_comes_back_escaped(site: Site):
    text = site.get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE").text
    assert "<script>alert" not in text
    assert 'value="&lt;script&gt;alert(1)&lt;/script&gt;' in text


def test_the_page_speaks_japanese(site: Site):
    text = site.get("/search?q=再試行", **{"accept-language": "ja"}).text
    assert "見つかりました" in text or "不確か" in text
    assert "<mark>再試</mark>" in text
