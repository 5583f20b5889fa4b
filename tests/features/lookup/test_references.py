import pytest

from shirube import Project
from shirube.errors import BadArgument, UnknownFile
from shirube.types import Answer
from tests.cases import for_each


def test_uses_come_with_confidence_and_how_they_were_found(shop: Project):
    result = shop.find_references("checkout")
    told = [(one.file, one.line, one.how.value) for one in result.references]
    assert told == [
        ("tests/test_payment.py", 1, "import_resolved"),
        ("tests/test_payment.py", 5, "import_resolved"),
    ]
    assert result.references[1].symbol == "test_checkout_returns_a_receipt"
    assert (result.answer, result.total, result.truncated) == (Answer.FOUND, 2, False)
    assert (result.excluded["definitions"], result.by_confidence) == (1, {"import_resolved": 2})
    assert [one.file for one in result.definitions] == ["src/shop/payment.py"]


def test_what_was_not_searched_is_said(shop: Project):
    assert shop.find_references("checkout").not_searched == {"secret": 1}


def test_prose_is_marked_and_can_be_left_out(shop: Project):
    assert {one.where for one in shop.find_references("retry").references} >= {"text"}
    assert shop.find_references("retry").without_grammar == {"markdown": 1}
    assert not any(one.where != "code" for one in shop.find_references("retry", prose=False).references)


def test_nobody_is_only_said_when_the_index_covers_it(shop: Project):
    result = shop.find_references("MAX_AMOUNTS")
    assert (result.answer, result.nearest[0]) == (Answer.NONE, "MAX_AMOUNT")
    assert shop.find_references("checkout", path="nowhere").answer == Answer.UNKNOWN


def test_pages_hang_together(shop: Project):
    whole = shop.find_references("PaymentGateway").references
    first = shop.find_references("PaymentGateway", limit=1)
    second = shop.find_references("PaymentGateway", limit=100, cursor=first.next_cursor)
    assert (*first.references, *second.references) == whole
    assert second.total == len(whole)


def test_the_meant_definition_can_be_named_by_its_file(shop: Project):
    assert shop.find_references("checkout", defined_in="src/shop/payment.py").total == 2
    with pytest.raises(UnknownFile, match=r"payment\.py"):
        shop.find_references("checkout", defined_in="payment.py")


@for_each("arguments", [{"symbol": "()"}, {"symbol": "x", "cursor": "WzFd"}, {"symbol": "x", "limit": 0}])
def test_a_wrong_question_is_refused(shop: Project, arguments):
    with pytest.raises(BadArgument):
        shop.call("find_references", **arguments)
