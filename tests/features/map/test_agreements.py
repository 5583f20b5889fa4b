from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, UnknownName
from shirube.features.map.files import AGREEMENTS, PAIRS
from shirube.features.map.states import Standing, State
from shirube.operation import Call
from shirube.operations import run
from tests.conftest import needs_git
from tests.features.mapped import PAYMENT, edit, git
from tests.refusals import refusal


@pytest.fixture
def project(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


def states(project: Project) -> dict[str, str]:
    return {view.nl_term: view.state.value for view in project.check_agreements().agreements}


@pytest.mark.requirement("004-TOOLS-02", "003-MAP-02", "N004-SYMBOLS-01")
def test_an_agreement_is_written_as_a_page_and_as_a_pair(project: Project):
    made = project.add_agreement("会計", symbol=["checkout", "PaymentGateway.charge_card"], code_evidence="二つで一組")
    assert made.map_updated
    assert made.agreement_file == f"{AGREEMENTS}/会計_checkout.md"
    assert [view.symbol for view in made.agreements] == ["checkout", "PaymentGateway.charge_card"]
    root = project.workspace.root
    assert "symbol_normalized: payment gateway charge card" in (
        root / AGREEMENTS / "会計_PaymentGateway.charge_card.md"
    ).read_text("utf-8")
    assert "会計" in (root / PAIRS).read_text("utf-8")
    again = project.add_agreement("会計", symbol="checkout", code_evidence="もう一つの根拠")
    assert again.agreement_file == made.agreement_file
    assert "もう一つの根拠" in again.agreements[0].evidence
    assert "二つで一組" in again.agreements[0].evidence


@pytest.mark.requirement("004-CONV-01")
def test_a_convention_is_written_without_a_symbol(project: Project):
    made = project.add_agreement("naming", doc_type="convention", code_evidence="one word")
    assert made.agreements[0].doc_type == "convention"
    assert made.agreements[0].certainty == "fact"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"nl_term": "x"}, BadArgument),
        ({"nl_term": " ", "symbol": ["checkout"]}, BadArgument),
        ({"nl_term": "x" * 300, "symbol": ["checkout"]}, BadArgument),
        ({"nl_term": "x", "symbol": ["nowhere"]}, UnknownName),
        ({"nl_term": "x", "symbol": ["checkout"], "path": "web/cart.ts"}, BadArgument),
        ({"nl_term": "x", "symbol": ["checkout"], "doc_type": "convention"}, BadArgument),
        ({"nl_term": "x", "doc_type": "convention"}, BadArgument),
        ({"nl_term": "x", "symbol": ["checkout"], "doc_type": "conv"}, UnknownName),
    ],
)
def test_what_cannot_be_agreed_is_refused(project: Project, arguments: dict[str, object], kind: type):
    with pytest.raises(kind) as caught:
        project.call("add_agreement", **arguments)
    assert caught.value.hint
    assert project.list_agreements().total == 0


@pytest.mark.requirement("004-TOOLS-03")
def test_agreements_are_listed_and_filtered(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    project.add_agreement("naming", doc_type="convention", code_evidence="one word")
    assert [view.nl_term for view in project.list_agreements().agreements] == ["会計", "naming"]
    assert project.list_agreements(query="check").total == 1
    assert project.list_agreements(doc_type="convention").total == 1
    assert project.list_agreements(state="gone").total == 0
    assert project.list_agreements(limit=1).truncated
    assert project.list_agreements().facts == 2


@needs_git
@pytest.mark.requirement("N004-STALE-01", "N003-STALE-01")
def test_every_change_of_the_code_is_told(sample_repo: Path):
    git(sample_repo, "init", "-q")
    git(sample_repo, "add", "-A")
    git(sample_repo, "commit", "-qm", "one")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        for term, symbol in (("a", "checkout"), ("b", "with_retries"), ("c", "cartTotal"), ("d", "formatPrice")):
            project.add_agreement(term, symbol=[symbol])
        assert set(states(project).values()) == {"fresh"}
        edit(project, PAYMENT, "def checkout", "def pay")
        edit(project, "src/shop/retry.py", "except OSError", "except ValueError")
        (sample_repo / "web/price.ts").rename(sample_repo / "web/money.ts")
        (sample_repo / "web/cart.ts").write_text("export const nothing = 1;\n")
        project.sync_index()
        assert states(project) == {"a": "moved", "b": "changed", "c": "gone", "d": "moved"}
        found = project.check_agreements()
        assert found.agreements[0].state == State.GONE
        assert found.states == {"gone": 1, "moved": 2, "changed": 1}
        # d moved unchanged and is still a fact; c is gone, and cannot be confirmed
        assert found.next.startswith("2 rest on code that changed")
        assert "a → checkout" in found.next
        assert "confirm" not in project.check_agreements(query="cartTotal").next


def test_a_map_that_is_only_in_the_pairs_is_not_called_empty(project: Project):
    assert "empty" in project.list_agreements().next
    (project.workspace.root / ".shirube").mkdir()
    (project.workspace.root / PAIRS).write_text(
        '{"version": 2, "pairs": [{"nl_term": "a", "symbol": "checkout"}]}', "utf-8"
    )
    assert project.list_agreements().next.code == "map.only_pairs"
    project.sync_map()
    assert project.list_agreements(query="nothing of that name").next.code == "map.none_fits"


def test_confirming_binds_anew_and_follows_a_new_name(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    edit(project, PAYMENT, "def checkout", "def pay")
    changed = project.edit_agreement("会計", confirm=True)
    assert changed.agreements[0].symbol == "pay"
    assert changed.agreements[0].state == State.FRESH
    assert [view.symbol for view in project.list_agreements().agreements] == ["pay"]
    assert [path.name for path in (project.workspace.root / AGREEMENTS).iterdir()] == ["会計_pay.md"]


def test_an_agreement_can_be_put_right(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    project.add_agreement("返金", symbol=["checkout"])
    moved = project.edit_agreement("返金", symbol="PaymentGateway.refund", code_evidence="gives the money back")
    assert (moved.agreements[0].symbol, moved.agreements[0].path) == ("PaymentGateway.refund", PAYMENT)
    assert project.list_agreements().total == 2
    with pytest.raises(BadArgument, match="nothing"):
        project.edit_agreement("会計")
    with pytest.raises(UnknownName) as caught:
        project.edit_agreement("会計係", confirm=True)
    assert caught.value.nearest == "会計"
    project.add_agreement("会計", symbol=["with_retries"])
    with pytest.raises(BadArgument, match="2 agreements"):
        project.edit_agreement("会計", confirm=True)
    assert project.edit_agreement("会計 -> with_retries", confirm=True).map_updated
    assert project.edit_agreement("会計_checkout.md", confirm=True).map_updated
    with refusal(BadArgument, "map.there"):
        project.edit_agreement("会計 → checkout", symbol="with_retries")


@pytest.mark.requirement("004-OPEN-03")
def test_an_agreement_can_be_ended(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    assert project.expire_agreement("会計").agreements[0].standing == Standing.EXPIRED
    assert not project.search("会計").short_circuit
    assert project.edit_agreement("会計", confirm=True).agreements[0].certainty == "fact"
    assert project.expire_agreement("会計", delete=True).map_updated
    assert project.list_agreements().total == 0
    assert "会計" not in (project.workspace.root / PAIRS).read_text("utf-8")


@pytest.mark.requirement("N004-BROKEN-01")
def test_a_broken_page_does_not_stop_the_others(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    (project.workspace.root / AGREEMENTS / "bad.md").write_text("---\nnl_term: x\nno colon here\n---\n")
    found = project.check_agreements()
    assert found.total == 1
    assert "bad.md: line 3" in found.problems[0]
    assert "mend" in found.next
    assert project.search("会計").short_circuit


def test_pairs_that_somebody_edited_are_not_overwritten_before_they_are_taken_in(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    pairs = project.workspace.root / PAIRS
    pairs.write_text('{"version": 1, "pairs": [{"nl_term": "返金", "symbol": "refund"}]}')
    project.add_agreement("再試行", symbol=["with_retries"])
    assert "返金" in pairs.read_text("utf-8")
    project.sync_map()
    assert {view.nl_term for view in project.list_agreements().agreements} == {"会計", "再試行", "返金"}


def test_an_agreement_is_bound_to_the_code_as_it_is_now_not_as_it_was_indexed(project: Project):
    file = project.workspace.root / PAYMENT
    file.write_text("# moved down\n" + file.read_text("utf-8").replace("trying again when", "once more when"), "utf-8")
    project.add_agreement("会計", symbol=["checkout"])
    assert states(project) == {"会計": "fresh"}


def test_an_agreement_may_name_a_session_of_another_machine(project: Project):
    made = project.add_agreement("会計", symbol="checkout", session_id="session_20250112_143000")
    assert made.agreements[0].session_id == "session_20250112_143000"


def test_an_added_map_that_is_missing_is_told_even_while_the_own_map_is_empty(sample_repo: Path):
    with open_workspace(sample_repo, map__extra=["nowhere"]) as project:
        project.sync_index()
        assert [problem.code for problem in project.list_agreements().problems] == ["pages.at"]


def test_a_directory_is_enough_where_one_file_below_it_defines_the_symbol(project: Project):
    for directory in ("src", "src/shop/", "."):
        assert project.add_agreement("会計", symbol="checkout", path=directory).agreements[0].path == PAYMENT


def test_a_place_that_does_not_define_the_symbol_is_told_with_those_that_do(project: Project):
    for place in ("web", "web/cart.ts", "src/shop/paymnt.py"):
        with refusal(BadArgument, "map.elsewhere") as caught:
            project.add_agreement("会計", symbol="checkout", path=place)
        assert place in caught.value.message
        assert PAYMENT in caught.value.hint
    root = project.workspace.root
    (root / "web/checkout.ts").write_text("export function checkout() { return 1 }\n")
    with refusal(BadArgument, "map.defined_in"):
        project.add_agreement("会計", symbol="checkout", path=".")
    assert project.add_agreement("会計", symbol="checkout", path="web").agreements[0].path == "web/checkout.ts"


def test_the_history_of_an_agreement_is_asked_for_by_its_term_too(project: Project):
    project.add_agreement("会計", symbol="checkout")
    asked = ({"agreement": "会計"}, {"nl_term": "会計"})
    assert len({str(run(project.workspace, "get_agreement_history", one, Call())) for one in asked}) == 1
