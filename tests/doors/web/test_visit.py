"""One request as a page sees it."""

import pytest

from shirube import operations
from shirube.errors import BadArgument
from tests.doors.web.conftest import Site


def test_looking_may_not_run_what_changes_something(site: Site):
    with pytest.raises(BadArgument, match="sync_index changes something"):
        site.visit().ask(operations.index.sync_index)


def test_results_are_those_of_every_door(site: Site):
    result = site.visit().ask(operations.search.search, query="checkout")
    assert result.forest_hits[0].path == "src/shop/payment.py"
    assert result == site.project.search("checkout")


def test_what_was_sent_is_read_with_care(site: Site):
    visit = site.visit(q="  words ", depth="3", odd="-1", huge="9" * 30, files="a\n\n b \n")
    assert visit.text("q") == "words"
    assert visit.text("nothing", "default") == "default"
    assert (visit.number("depth", 2), visit.number("odd", 2), visit.number("huge", 2)) == (3, 2, 2)
    assert site.visit(d=" a\r\n\r\n").raw("d") == " a\n\n"
    assert visit.lines("files") == ["a", "b"]
    assert visit.lines("nothing") == []


def test_what_is_asked_while_typing_is_answered_from_the_index_alone(site: Site):
    assert site.visit(typing="1").ask(operations.search.search, query="nowhereatall").answer == "unknown"
    assert site.visit().ask(operations.search.search, query="nowhereatall").answer == "none"
