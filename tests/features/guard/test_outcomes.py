from hashlib import sha256
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.errors import UnknownSession
from shirube.features.guard.outcomes import note_decision, note_failure, session_meant
from shirube.features.map.files import AGREEMENTS, PAIRS
from shirube.features.map.records import Result, decisions, outcomes
from shirube.features.map.states import Standing
from shirube.operations import run
from tests.cases import for_each
from tests.conftest import needs_git
from tests.features.mapped import PAYMENT, confirmed, edit, git, session

REFUND = {"term": "返金", "symbol": "PaymentGateway.refund", "files": [], "similarity": 1.0, "fresh": True}
"""What the map brought up in a recorded call."""


def digest(root: Path) -> str:
    return sha256((root / PAYMENT).read_bytes()).hexdigest()


@pytest.fixture
def project(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


@pytest.mark.requirement("004-OUTCOME-01", "004-OUTCOME-02", "004-INDEX-01", "003-OUTCOME-01")
def test_a_success_makes_agreements_of_what_was_confirmed(project: Project):
    frame = {"slots": {"target_feature": {"value": "会計"}}}
    handle = session(project, confirmed=[confirmed(similarity=0.85)], frame=frame)
    found = project.record_outcome(handle, outcome="success")
    assert found.map_updated
    assert found.agreement_file == f"{AGREEMENTS}/会計_checkout.md"
    assert found.note == (
        "地図に追加: 会計 → checkout（.shirube/agreements/会計_checkout.md）。次回の探索から新しい地図が有効になります"
    )
    text = (project.workspace.root / found.agreement_file).read_text("utf-8")
    for line in (
        "similarity: 0.85",
        "intent: MODIFY",
        f"session_id: {handle}",
        "successes: 1",
        "it charges",
        "- target_feature: 会計",
    ):
        assert line in text
    assert "会計" in (project.workspace.root / PAIRS).read_text("utf-8")
    assert project.search("会計").short_circuit


@pytest.mark.requirement("N003-CONFIRMED-01")
def test_what_was_not_confirmed_is_not_agreed(project: Project):
    handle = session(project, confirmed=[confirmed(approved=False)], symbols=["checkout"])
    found = project.record_outcome(handle, outcome="success")
    assert (found.map_updated, found.agreement_files) == (False, ())
    assert "confirm_symbol_relevance" in found.note
    assert project.list_agreements().total == 0


def test_a_success_without_ready_and_without_a_change_teaches_nothing(project: Project):
    project.add_agreement("返金", symbol=["PaymentGateway.refund"])
    handle = session(project, confirmed=[confirmed()], phase="EXPLORATION")
    found = project.record_outcome(handle, outcome="success")
    assert (found.map_updated, found.note.values["reason"].code) == (False, "session.never_ready")
    assert project.list_agreements().total == 1


@pytest.mark.requirement("N004-BYPASS-01")
def test_an_agreement_opens_its_own_file_and_what_was_written(project: Project):
    handle = project.start_session("MODIFY", "会計の再試行を直す").session_id
    for path in (PAYMENT, "src/shop/retry.py", "web/cart.ts", "tests/test_payment.py"):
        project.snippets_get(path, session_id=handle)
    evidence = "`with_retries` を呼ぶ"
    project.confirm_symbol_relevance(handle, ["checkout"], evidence, target_feature="会計の再試行")
    claimed = ["src/shop/retry.py", PAYMENT]
    assert project.submit_understanding(handle, symbols=["checkout"], files=claimed).accepted
    project.check_write_target(handle, ["src/shop/retry.py", "web/cart.ts"])
    edit(project, "src/shop/retry.py", "ATTEMPTS = 3", "ATTEMPTS = 4")
    page = project.record_outcome(handle, outcome="success").agreement_file
    text = (project.workspace.root / page).read_text("utf-8")
    assert ("`src/shop/payment.py" in text, "src/shop/retry.py" in text, "cart.ts" in text) == (True, True, False)

    handle = project.start_session("MODIFY", "会計の再試行を直す").session_id
    assert project.submit_understanding(handle).phase == "READY"
    asked = [PAYMENT, "src/shop/retry.py", "web/cart.ts", "src/shop/new.py"]
    checked = project.check_write_target(handle, asked)
    assert [one.allowed for one in checked.files] == [True, True, False, False]


def test_a_symbol_that_is_gone_is_told(project: Project):
    handle = session(project, confirmed=[confirmed(symbol="nowhere"), confirmed()])
    found = project.record_outcome(handle, outcome="success")
    assert len(found.agreement_files) == 1
    assert found.not_agreed[0].startswith("会計 → nowhere")


@pytest.mark.requirement("N004-DEMOTE-01")
def test_a_failure_makes_hypotheses_of_what_the_session_went_by(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    project.add_agreement("返金", symbol=["PaymentGateway.refund"])
    handle = session(project, confirmed=[confirmed()])
    project.workspace.journal.append(
        f"session:{handle}",
        {"kind": "call", "operation": "search", "maps": [REFUND]},
    )
    found = project.record_outcome(
        handle, outcome="failure", analysis={"root_cause": "wrong place", "failure_point": "READY"}
    )
    assert set(found.demoted) == {"会計 → checkout", "返金 → PaymentGateway.refund"}
    views = project.list_agreements().agreements
    assert {(view.standing, view.failures, view.certainty) for view in views} == {(Standing.DEMOTED, 1, "hypothesis")}
    assert not project.search("会計").short_circuit
    again = project.record_outcome(session(project, "s2", confirmed=[confirmed()]), outcome="success")
    assert again.map_updated
    view = next(view for view in project.list_agreements().agreements if view.symbol == "checkout")
    assert (view.standing, view.successes, view.failures) == (Standing.AGREED, 2, 1)


def test_a_success_renews_the_binding_and_what_the_session_went_by(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    project.add_agreement("返金", symbol=["PaymentGateway.refund"])
    edit(project, PAYMENT, "trying again when", "once more when")
    handle = session(project, confirmed=[confirmed()])
    project.workspace.journal.append(
        f"session:{handle}",
        {"kind": "call", "operation": "search", "maps": [REFUND]},
    )
    found = project.record_outcome(handle, outcome="success")
    assert len(found.agreement_files) == 2
    views = {view.nl_term: view for view in project.list_agreements().agreements}
    assert (views["会計"].state, views["会計"].successes) == ("fresh", 2)
    assert views["返金"].successes == 2


def test_partial_changes_nothing_in_the_map(project: Project):
    found = project.record_outcome(session(project, confirmed=[confirmed()]), outcome="partial")
    assert (found.map_updated, found.outcome) == (False, Result.PARTIAL)


@pytest.mark.requirement("N003-OUTCOME-01")
def test_what_the_user_said_tells_the_outcome(project: Project):
    assert project.record_outcome(session(project), trigger_message="惜しい").outcome == Result.PARTIAL
    assert project.record_outcome(session(project), trigger_message="完璧").outcome == Result.SUCCESS
    unsaid = project.record_outcome(session(project))
    assert (unsaid.outcome, unsaid.confidence) == (Result.SUCCESS, 0.5)
    with pytest.raises(UnknownSession):
        project.record_outcome("nobody", outcome="success")


@for_each("name", ["semantic_used", "devrag_used"])
@pytest.mark.requirement("003-OUTCOME-01")
def test_search_by_meaning_outside_of_the_session_can_be_told_by_either_name(project: Project, name: str):
    handle = session(project, f"by {name}")
    run(project.workspace, "record_outcome", {"session_id": handle, "outcome": "partial", name: True})
    (told,) = outcomes(project.workspace.journal, handle)
    assert told.semantic_used


@pytest.mark.requirement("003-FAILED-02")
def test_a_failure_that_the_next_request_shows_is_recorded_as_concluded(project: Project):
    project.add_agreement("会計", symbol=["checkout"])
    handle = session(project, confirmed=[confirmed()])
    note_failure(project.workspace, handle, "やり直して", 0.85)
    (told,) = outcomes(project.workspace.journal, handle)
    assert (told.outcome, told.automatic, told.confidence, told.trigger_message) == (
        Result.FAILURE,
        True,
        0.85,
        "やり直して",
    )
    assert project.list_agreements().agreements[0].standing == Standing.DEMOTED


@pytest.mark.requirement("003-DECISION-01")
def test_a_decision_is_recorded_with_what_was_open(project: Project):
    frame = {"slots": {"target_feature": {"value": "会計"}}}
    note_decision(
        project.workspace, session(project, frame=frame, risk="HIGH"), ("search", "find_references"), "new here"
    )
    (made,) = decisions(project.workspace.journal)
    assert (made.intent, made.risk_level, made.tools_planned) == ("MODIFY", "HIGH", ("search", "find_references"))
    assert made.missing_slots == ("trigger_condition", "observed_issue", "desired_action")
    assert (made.needs_bootstrap, made.bootstrap_reason) == (True, "new here")


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_what_was_written_is_remembered_with_what_was_there_before(sample_repo: Path):
    git(sample_repo, "init", "-q")
    git(sample_repo, "add", "-A")
    git(sample_repo, "commit", "-qm", "one")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        before = digest(sample_repo)
        edit(project, PAYMENT, "10_000", "20_000")
        handle = session(project, targets=[PAYMENT, "new.py"])
        project.record_outcome(handle, outcome="success")
        (told,) = outcomes(project.workspace.journal)
        written = {file.path: file for file in told.files}
        assert written[PAYMENT].before == before
        assert written[PAYMENT].after == digest(sample_repo) != before
        assert replace(written["new.py"], path="") == replace(written["new.py"], path="", before="", after="")
        assert told.commit == project.workspace.head()


@pytest.mark.requirement("003-FAILED-02")
def test_a_request_that_says_the_work_before_failed_is_recorded_as_its_outcome(project: Project):
    first = session(project, request="refund twice")
    second = project.start_session("MODIFY", "さっきの修正が動かない。やり直して")
    assert second.earlier_failure is not None
    assert second.earlier_failure.session_id == first
    assert second.earlier_failure.confidence >= project.workspace.config.outcomes.failure
    told = outcomes(project.workspace.journal, first)
    assert [(one.outcome, one.automatic) for one in told] == [(Result.FAILURE, True)]
    plain = project.start_session("MODIFY", "add a discount to the cart")
    assert plain.earlier_failure is None


@for_each(
    ("complaint", "meant"),
    [
        ("the parcel fee is still wrong, it does not work again", "fee"),
        ("さっきの修正が違う", "label"),
        ("still broken", "label"),
        ("ラベルの印刷がまだ動かない", "label"),
    ],
)
@pytest.mark.requirement("003-FAILED-02")
def test_the_session_whose_request_shares_the_words_is_meant(project: Project, complaint: str, meant: str):
    session(project, "fee", request="fix the parcel fee")
    session(project, "label", request="ラベルの印刷を修正")
    session(project, "looked", request="the parcel fee", phase="EXPLORATION")
    assert session_meant(project.workspace, complaint) == meant


@pytest.mark.requirement("003-FAILED-02")
def test_a_session_that_did_nothing_did_not_fail(project: Project):
    project.start_session("MODIFY", "refund twice")
    assert project.start_session("MODIFY", "さっきの修正が動かない。やり直して").earlier_failure is None


def test_an_outcome_that_somebody_told_is_not_overruled(project: Project):
    first = session(project, request="refund twice")
    project.record_outcome(first, outcome="success")
    assert project.start_session("MODIFY", "さっきの修正が動かない。やり直して").earlier_failure is None
