"""One agreement: its code and its past."""

from urllib.parse import quote

from tests.doors.web.conftest import Site

NAME = "charge the card → PaymentGateway.charge_card"


def test_the_lines_it_rests_on_are_shown(site: Site):
    text = site.get("/map").text
    assert "lines of its code" in text
    assert "def charge_card(" in text
    assert 'class="card edge-good"' in text


def test_stale_code_lies_open(own_site: Site):
    form = {"nl_term": "charge the card", "symbol": "PaymentGateway.charge_card", "doc_type": "agreement"}
    own_site.post("/map/add", form)
    code = own_site.project.workspace.root / "src/shop/payment.py"
    code.write_text(code.read_text("utf-8").replace("amount too large", "far too much"), "utf-8")
    text = own_site.get("/map").text
    assert 'class="card edge-warn"' in text
    assert '<details class="editing" open>' in text


def test_its_past_is_told_on_a_page_of_its_own(site: Site):
    assert f"/map?agreement={quote(NAME).replace('%20', '+')}" in site.get("/map").text
    text = site.get(f"/map?agreement={quote(NAME)}").text
    assert "What it has been through" in text
    assert '<span class="badge accent">learned</span>' in text
    assert text.count('class="card edge-good"') == 1


def test_one_that_is_not_there_is_told(site: Site):
    answer = site.get("/map?agreement=nobody")
    assert answer.status_code == 400
    assert "unknown agreement" in answer.text
