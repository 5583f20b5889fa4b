import pytest

from shirube import Project
from shirube.errors import BadArgument, UnknownFile
from shirube.types import Answer
from tests.cases import for_each
from tests.refusals import refusal


@pytest.mark.requirement("003-STRUCT-01", "003-STRUCT-02")
def test_a_directory_is_shown_file_by_file_and_nested(shop: Project):
    result = shop.analyze_structure("src")
    assert [one.file for one in result.files] == ["src/shop/__init__.py", "src/shop/payment.py", "src/shop/retry.py"]
    gateway = next(one for one in result.files[1].symbols if one.name == "PaymentGateway")
    assert (gateway.type, gateway.start_line, gateway.end_line) == ("class", 12, 24)
    assert [one.name for one in gateway.children] == ["charge_card", "refund"]
    assert result.files[1].language == "python"


def test_a_file_is_a_directory_of_one(shop: Project):
    result = shop.call("analyze_structure", file_path="web/cart.ts")
    assert [one.file for one in result.files] == ["web/cart.ts"]
    assert [one.name for one in result.files[0].symbols] == ["CartItem", "cartTotal"]


def test_files_come_in_pages(shop: Project):
    first = shop.analyze_structure(".", limit=2)
    assert first.truncated
    rest = shop.analyze_structure(".", cursor=first.next_cursor)
    assert len(first.files) + len(rest.files) == first.total
    assert not {one.file for one in first.files} & {one.file for one in rest.files}


@pytest.mark.requirement("003-LINE-01", "N003-LINE-02")
@for_each(
    "arguments",
    [
        {"file_path": "src/shop/payment.py", "line": 17},
        {"path": "src/shop/payment.py", "line_number": 17},
        {"file": "src/shop/payment.py", "lineNumber": "17"},
    ],
)
def test_the_function_around_a_line_comes_with_its_text(shop: Project, arguments):
    result = shop.call("get_function_at_line", **arguments)
    assert result.function.name == "charge_card"
    assert (result.function.start_line, result.function.end_line) == (15, 19)
    assert result.function.content.startswith("    def charge_card(self")
    assert result.enclosing == ("PaymentGateway.charge_card", "PaymentGateway")


def test_a_line_in_no_function_says_where_the_next_begins(shop: Project):
    result = shop.get_function_at_line("src/shop/payment.py", 5)
    assert (result.function, result.answer) == (None, Answer.NONE)
    assert (result.next.code, result.next.values["start"]) == ("symbols.next_function", 15)


def test_a_line_past_the_end_and_an_unknown_file_are_refused(shop: Project):
    with refusal(BadArgument, "symbols.past_end"):
        shop.get_function_at_line("src/shop/payment.py", 9999)
    with pytest.raises(UnknownFile, match=r"src/shop/payment\.py"):
        shop.get_function_at_line("src/payment.py", 1)
    with pytest.raises(UnknownFile, match="secret"):
        shop.get_function_at_line(".env", 1)
