from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, UnknownFile, UnknownName
from shirube.types import Answer
from tests.cases import for_each
from tests.conftest import StateDirs


@pytest.mark.requirement("N003-IMPACT-01")
def test_a_change_of_a_file_names_callers_and_tests(shop: Project):
    result = shop.analyze_impact(files=["src/shop/payment.py"])
    assert {one.file for one in result.must_verify} == {"tests/test_payment.py"}
    assert result.tests == ("tests/test_payment.py",)
    assert result.must_verify[0].reasons[0].startswith("uses ")
    assert (result.answer, result.truncated) == (Answer.FOUND, False)
    assert result.totals["must_verify"] == len(result.must_verify)


def test_a_change_of_a_symbol_names_who_uses_it(shop: Project):
    result = shop.call("analyze_impact", symbol="with_retries", change_description="wait longer")
    assert {one.file for one in result.must_verify} == {"src/shop/payment.py"}
    assert [one.qualified for one in result.symbols] == ["with_retries"]


def test_a_symbol_that_is_given_like_a_file_is_taken_for_what_it_is(shop: Project):
    result = shop.call("analyze_impact", files=["with_retries"])
    assert [one.qualified for one in result.symbols] == ["with_retries"]
    with pytest.raises(UnknownFile):
        shop.call("analyze_impact", files=["with_retriez"])


def test_nothing_touched_is_said_only_after_looking(shop: Project):
    result = shop.analyze_impact(symbols=["PaymentGateway.refund"])
    assert (result.answer, result.must_verify) == (Answer.NONE, ())


@pytest.mark.requirement("N003-IMPACT-01")
def test_a_place_that_only_has_a_common_name_is_never_told_as_absence(tmp_path: Path, state_dirs: StateDirs):
    (tmp_path / "gw.py").write_text("class Gateway:\n    def charge(self): ...\n")
    (tmp_path / "use.py").write_text("def pay(gateway):\n    gateway.charge()\n")
    with open_workspace(tmp_path) as project:
        named = project.analyze_impact(symbols=["Gateway.charge"])
        assert ([one.file for one in named.should_verify], named.answer) == (["use.py"], Answer.FOUND)
        whole = project.analyze_impact(files=["gw.py"])
        assert (whole.should_verify, whole.answer, whole.next.code) == ((), Answer.UNKNOWN, "impact.unlisted")


@for_each(
    ("arguments", "error"),
    [
        ({}, BadArgument),
        ({"files": ["nope.py"]}, UnknownFile),
        ({"symbols": ["with_retrie"]}, UnknownName),
        ({"symbols": [""]}, UnknownName),
        ({"files": ["web/cart.ts"] * 21}, BadArgument),
    ],
)
def test_a_wrong_question_is_refused(shop: Project, arguments, error):
    with pytest.raises(error):
        shop.analyze_impact(**arguments)
