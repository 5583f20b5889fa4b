"""The page of dependencies."""

from tests.doors.web.conftest import Site


def test_users_and_used_are_drawn_with_what_a_change_touches(site: Site):
    text = site.get("/graph?path=src/shop/payment.py").text
    assert '<a href="/graph?path=src%2Fshop%2Fretry.py" class="node plain"' in text
    assert 'class="node must"><title>tests/test_payment.py (must be checked)</title>' in text
    assert text.count('class="node root"') == 1
    assert 'class="edge hot"' in text
    assert "What a change touches: 2 must" in text


def test_direction_and_packages_are_heeded(site: Site):
    assert "test_payment.py" not in drawing(site, "path=src/shop/payment.py&direction=outbound")
    assert "collections" in drawing(site, "path=src/shop/retry.py&packages=1")
    assert "collections" not in drawing(site, "path=src/shop/retry.py")


def drawing(site: Site, query: str) -> str:
    text = site.get(f"/graph?{query}").text
    return text[text.index('class="graph"') : text.index("</svg>", text.index('class="graph"'))]


def test_words_lead_to_the_files_they_may_mean(site: Site):
    text = site.get("/graph?path=payment").text
    assert '<a href="/graph?path=src%2Fshop%2Fpayment.py">' in text


def test_a_path_outside_is_refused(site: Site):
    text = site.get("/graph?path=../../etc/passwd").text
    assert "root:" not in text
    assert 'class="graph"' not in text
