"""What is agreed in two ways, and the decision by a button."""

from tests.doors.web.conftest import Site

MARKED = """---
nl_term: till <b>
symbol: checkout
---
# till

## Evidence

<<<<<<< HEAD
it takes money
=======
it gives money
>>>>>>> other<script>
"""


def test_versions_stand_side_by_side_and_one_button_decides(own_site: Site):
    page = own_site.project.workspace.root / ".shirube/agreements/till.md"
    assert 'id="conflicts"' not in own_site.get("/map").text
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(MARKED, "utf-8")
    text = own_site.get("/map").text
    assert "Agreed in two ways (1)" in text
    assert text.count('class="side"') == 2
    assert 'it <mark class="only">takes</mark> money' in text
    assert 'it <mark class="only">gives</mark> money' in text
    assert "other&lt;script&gt;" in text
    answer = own_site.post("/map/resolve", {"conflict": "till.md", "keep": "theirs"})
    assert answer.headers["location"] == "/map?done=resolved"
    assert "gives" in page.read_text("utf-8")
    assert "<<<<" not in page.read_text("utf-8")
    assert "Decided." in own_site.get("/map?done=resolved").text


def test_a_decision_that_cannot_be_is_told(own_site: Site):
    answer = own_site.post("/map/resolve", {"conflict": "nobody", "keep": "ours"})
    assert answer.status_code == 400
    assert "unknown conflict" in answer.text
