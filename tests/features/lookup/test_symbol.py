from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import ShownPlace
from shirube.errors import BadArgument, UnknownFile
from shirube.types import Answer
from tests.cases import for_each

PAYMENT, TESTS = "src/shop/payment.py", "tests/test_payment.py"


def test_a_name_is_answered_with_its_code_and_its_uses(shop: Project):
    result = shop.symbol("checkout")
    (found,) = result.definitions
    assert (found.file, found.qualified, found.kind) == (PAYMENT, "checkout", "function")
    assert found.content.startswith("def checkout(")
    assert found.content.count("\n") == found.end_line - found.start_line
    (used,) = result.uses
    assert (used.file, used.how) == (TESTS, "import_resolved")
    assert [(one.line, one.symbol) for one in used.uses] == [(1, ""), (5, "test_checkout_returns_a_receipt")]
    assert (result.answer, result.match, result.total_definitions, result.total_uses) == (Answer.FOUND, "exact", 1, 2)
    assert result.next == ""


def test_it_tells_what_both_questions_tell(shop: Project):
    both = shop.find_definitions("charge_card"), shop.find_references("charge_card")
    result = shop.symbol("charge_card")
    assert [one.place() for one in result.definitions] == [one.place() for one in both[0].definitions]
    told = [(one.file, use.line) for one in result.uses for use in one.uses]
    assert told == [(one.file, one.line) for one in both[1].references]


@for_each(
    "arguments",
    [
        {"name": "checkout"},
        {"query": "checkout"},
        {"symbol": "checkout", "path": PAYMENT},
        {"symbol": "payment.checkout"},
    ],
)
def test_a_symbol_is_found_however_it_is_asked_for(shop: Project, arguments: dict[str, str]):
    assert [one.file for one in shop.call("symbol", **arguments).definitions] == [PAYMENT]


def test_members_are_listed_beside_the_code(shop: Project):
    (found,) = shop.symbol("PaymentGateway").definitions
    assert "charge_card" in [one.name for one in found.members]


def test_a_name_in_another_case_is_said_to_be_similar_and_its_uses_are_found(shop: Project):
    result = shop.symbol("CHECKOUT")
    assert (result.match, result.answer, result.total_uses) == ("similar", Answer.PARTIAL, 2)


def test_an_unknown_name_is_none_and_the_nearest_are_offered(shop: Project):
    result = shop.symbol("PaymentGatway")
    assert (result.answer, result.definitions, result.uses) == (Answer.NONE, (), ())
    assert result.nearest[0] == "PaymentGateway"
    assert "PaymentGateway" in result.next


def test_a_name_that_is_used_and_nowhere_defined_has_its_places(shop: Project):
    result = shop.symbol("TypeVar")
    assert (result.definitions, result.answer) == ((), Answer.PARTIAL)
    assert result.uses
    assert "one of them may define it" in result.next


def test_what_nobody_uses_is_said_to_be_unused(shop: Project):
    result = shop.symbol("test_checkout_returns_a_receipt")
    assert (result.uses, result.answer) == ((), Answer.FOUND)
    assert result.next.startswith("nothing in ")


def test_pages_go_on_with_uses_and_do_not_repeat_the_code(shop: Project):
    first = shop.symbol("PaymentGateway", limit=1)
    assert (first.truncated, first.definitions[0].content != "") == (True, True)
    second = shop.symbol("PaymentGateway", limit=100, cursor=first.next_cursor)
    whole = shop.symbol("PaymentGateway", limit=100)
    assert second.definitions[0].content == ""
    assert _lines(first) + _lines(second) == _lines(whole)
    assert second.total_uses == whole.total_uses


def _lines(result):
    return [(one.file, use.line) for one in result.uses for use in one.uses]


def test_what_was_shown_are_the_definition_and_the_lines_of_the_uses(shop: Project):
    result = shop.symbol("checkout")
    (found,) = result.definitions
    assert result.shown().places == (
        ShownPlace(PAYMENT, found.start_line, found.end_line, "checkout"),
        ShownPlace(TESTS, 1, 1, ""),
        ShownPlace(TESTS, 5, 5, "test_checkout_returns_a_receipt"),
    )


def test_implementations_come_before_tests_and_headings(sample_repo: Path):
    for path in ("tests/test_a.py", "a.py"):
        (sample_repo / path).write_text("def helper():\n    return 1\n", "utf-8")
    (sample_repo / "NOTES.md").write_text("# helper\n\nText.\n", "utf-8")
    with open_workspace(sample_repo) as project:
        result = project.symbol("helper")
        assert [one.file for one in result.definitions] == ["a.py", "tests/test_a.py", "NOTES.md"]
        assert [one.file for one in project.symbol("helper", path="tests").definitions] == ["tests/test_a.py"]


def test_of_several_that_are_used_the_path_chooses(sample_repo: Path):
    for path in ("a.py", "b.py"):
        (sample_repo / path).write_text("def helper():\n    return 1\n\n\nhelper()\n", "utf-8")
    with open_workspace(sample_repo) as project:
        assert project.symbol("helper").next == "several definitions: path chooses one"
        chosen = project.symbol("helper", path="b.py")
        assert ([one.file for one in chosen.uses], chosen.next) == (["b.py"], "")


@pytest.mark.parametrize(
    ("arguments", "error"), [({"symbol": " "}, BadArgument), ({"symbol": "a", "path": "x.py"}, UnknownFile)]
)
def test_what_cannot_be_asked_is_refused(shop: Project, arguments: dict[str, str], error: type[Exception]):
    with pytest.raises(error):
        shop.call("symbol", **arguments)
