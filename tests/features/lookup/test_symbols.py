from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, OutsideRoot, UnknownFile, UnknownName
from shirube.types import Answer
from tests.cases import for_each


@pytest.mark.requirement("003-DEFS-01", "003-DEFS-02", "003-DEFS-03")
def test_a_definition_has_the_fields_of_the_source_document(shop: Project):
    result = shop.find_definitions("charge_card")
    (found,) = result.definitions
    assert (found.name, found.file, found.line, found.kind) == ("charge_card", "src/shop/payment.py", 15, "method")
    assert (found.scope, found.signature) == ("PaymentGateway", "def charge_card(self, amount: int) -> str")
    assert (result.symbol, result.total, result.answer, result.match) == ("charge_card", 1, Answer.FOUND, "exact")
    assert result.next == "read src/shop/payment.py:15-19"


@for_each(
    "arguments",
    [
        {"symbol": "PaymentGateway.charge_card"},
        {"name": "PaymentGateway::charge_card"},
        {"symbol": "charge_card", "path": "src", "language": "python"},
        {"symbol": "charge_card", "kind": "method", "exact_match": True},
        {"symbol": "charge_card", "lang": "py"},
    ],
)
def test_a_definition_is_found_however_it_is_asked_for(shop: Project, arguments: dict[str, object]):
    assert [one.file for one in shop.call("find_definitions", **arguments).definitions] == ["src/shop/payment.py"]


def test_the_definition_of_the_program_comes_before_that_of_a_test(sample_repo: Path):
    (sample_repo / "src/shop/a_test.py").write_text("class Refund:\n    pass\n")
    (sample_repo / "src/shop/refund.py").write_text("Refund = 1\n")
    (sample_repo / "Refund.md").write_text("# Refund\n")
    with open_workspace(sample_repo) as project:
        found = project.find_definitions("Refund").definitions
        assert [one.file for one in found] == ["src/shop/refund.py", "src/shop/a_test.py", "Refund.md"]
        assert project.symbol("Refund").definitions[0].file == "src/shop/refund.py"


def test_a_name_that_merely_looks_like_it_is_said_to_be_similar(shop: Project):
    result = shop.find_definitions("CHARGE_CARD")
    assert (result.match, result.answer, len(result.definitions)) == ("similar", Answer.PARTIAL, 1)
    assert shop.find_definitions("CHARGE_CARD", exact_match=True).answer == Answer.NONE


def test_an_unknown_name_is_none_and_the_nearest_are_offered(shop: Project):
    result = shop.find_definitions("PaymentGatway")
    assert (result.answer, result.definitions) == (Answer.NONE, ())
    assert result.nearest[0] == "PaymentGateway"
    assert "PaymentGateway" in result.next


def test_where_nothing_is_indexed_nothing_is_known(shop: Project):
    assert shop.find_definitions("checkout", path="nowhere/**").answer == Answer.UNKNOWN


def test_pages_go_on_where_the_last_one_ended(shop: Project):
    whole = shop.get_symbols("src").symbols
    first = shop.get_symbols("src", limit=3)
    second = shop.get_symbols("src", limit=100, cursor=first.next_cursor)
    assert first.truncated
    assert (*first.symbols, *second.symbols) == whole
    assert first.total == len(whole)


@pytest.mark.requirement("N003-SYMS-01")
def test_symbols_of_a_file_or_directory_are_listed_in_order(shop: Project):
    found = shop.get_symbols("src/shop/payment.py").symbols
    assert [one.qualified for one in found] == [
        "MAX_AMOUNT",
        "PaymentError",
        "PaymentGateway",
        "PaymentGateway.charge_card",
        "PaymentGateway.refund",
        "checkout",
    ]
    assert {one.file for one in shop.get_symbols(".", kind="interface").symbols} == {"web/cart.ts"}
    assert {one.language for one in shop.call("get_symbols", path=".", languages=["ts"]).symbols} == {"typescript"}


@for_each(
    ("arguments", "error", "said"),
    [
        ({"symbol": ""}, BadArgument, "no symbol"),
        ({"symbol": "x", "kind": "functoin"}, UnknownName, "function"),
        ({"symbol": "x", "cursor": "junk"}, BadArgument, "cursor"),
        ({"symbol": "x", "path": "../.."}, OutsideRoot, "leads out"),
    ],
)
def test_a_wrong_question_is_refused_with_a_next_step(shop: Project, arguments, error, said):
    with pytest.raises(error, match=said):
        shop.call("find_definitions", **arguments)


def test_a_file_that_is_not_there_is_refused_naming_the_nearest(shop: Project):
    with pytest.raises(UnknownFile, match=r"src/shop/payment\.py"):
        shop.get_symbols("payment.py")


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("broken.py", "def fine(): pass\nx = (1,\ndef after_broken():\n    return 1\n", "after_broken"),
        ("lib.js", "f(function lib_main() { return 1 })\n", "lib_main"),
    ],
)
def test_a_name_that_stands_in_code_and_is_no_known_symbol_is_not_said_to_be_absent(sample_repo, file, text, name):
    (sample_repo / file).write_text(text)
    with open_workspace(sample_repo) as project:
        found = project.find_definitions(name)
        assert (found.answer, file in found.next) == (Answer.UNKNOWN, True)
        assert project.find_definitions("nowhere_at_all").answer == Answer.NONE


def test_a_name_that_is_defined_in_another_language_is_told_with_its_place(shop: Project):
    result = shop.find_definitions("with_retries", language=["typescript"])
    assert (result.definitions, result.answer, result.next.code) == ((), Answer.NONE, "symbols.elsewhere")
    assert shop.find_definitions("with_retries", language=["php"]).next.code == "symbols.elsewhere"
    assert "src/shop/retry.py:" in result.next
