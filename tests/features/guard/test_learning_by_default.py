"""From a request to an agreement without ``confirm_symbol_relevance``: claimed, written and told as a success."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.features.guard.results import OutcomeResult
from tests.cases import for_each
from tests.conftest import needs_git
from tests.features.mapped import PAYMENT, edit, git, teach

REQUEST = "返金処理で領収書が空のとき何も起きない。エラーにして"
FEATURE, ISSUE = "返金処理", "何も起きない"
REFUND = "PaymentGateway.refund"
TEST = "tests/test_payment.py"


@pytest.fixture
def project(sample_repo: Path) -> Iterator[Project]:
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        git(sample_repo, *words)
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


def begin(project: Project, feature: str = FEATURE, quote: str = FEATURE) -> str:
    """Start a session and set its frame."""
    handle = project.start_session("MODIFY", REQUEST).session_id
    slots = {"target_feature": {"value": feature, "quote": quote}, "observed_issue": {"value": ISSUE, "quote": ISSUE}}
    project.call("set_query_frame", session_id=handle, **slots)
    return handle


def look(project: Project, handle: str) -> None:
    """Make the calls of a careful reader."""
    project.call("search", session_id=handle, query="refund receipt")
    project.call("search", session_id=handle, query=f"{FEATURE} {ISSUE}")
    for name in ("refund", "PaymentGateway", "checkout", "with_retries"):
        project.call("symbol", session_id=handle, symbol=name)
    project.call("grep", session_id=handle, patterns=["refund"])


def understand(project: Project, handle: str, *claimed: str) -> str:
    """Submit claims until the session is READY; return its phase."""
    found = project.call(
        "submit_understanding",
        session_id=handle,
        symbols_identified=list(claimed),
        entry_points=[claimed[0]],
        existing_patterns=["`PaymentError` is raised in `charge_card`"],
    )
    if found.phase == "SEMANTIC":
        supposed = [{"text": f"refund in {PAYMENT} is the place"}]
        project.call(
            "submit_semantic", session_id=handle, hypotheses=supposed, semantic_reason=found.semantic_reasons[0]
        )
        status = project.get_session_status(handle)
        evidence = {"tool": "search_text", "target": "refund", "result": f"refund is in {PAYMENT}"}
        decided = [{"hypothesis": one.id, "status": "confirmed", "evidence": evidence} for one in status.hypotheses]
        found = project.call("submit_verification", session_id=handle, verified=decided)
    return found.phase


def write(project: Project, handle: str, old: str = "        return receipt", path: str = PAYMENT) -> None:
    """Ask whether a file may be written, and write a line before another one."""
    assert project.call("check_write_target", session_id=handle, file_path=path).allowed
    indent = " " * (len(old) - len(old.lstrip()))
    edit(project, path, old, f"{indent}assert amount_or_receipt_is_there\n{old}")


def ready(project: Project, *claimed: str, **frame: str) -> str:
    """Return a session that may write."""
    handle = begin(project, **frame)
    look(project, handle)
    assert understand(project, handle, *(claimed or (REFUND, "PaymentGateway", "checkout"))) == "READY"
    return handle


def told(project: Project, handle: str, outcome: str = "success", **more: str) -> OutcomeResult:
    found = project.call("record_outcome", session_id=handle, outcome=outcome, **more)
    assert len(found.note) <= 320  # about 80 tokens
    return found


@needs_git
@pytest.mark.requirement("N003-LEARN-03")
def test_a_success_teaches_what_was_claimed_and_written(project: Project):
    handle = ready(project)
    write(project, handle)
    found = told(project, handle)
    page = f".shirube/agreements/{FEATURE}_{REFUND}.md"
    assert found.agreement_files == (page,)
    assert found.note.startswith(f"地図に追加: {FEATURE} → {REFUND}（{page}）")
    text = (project.workspace.root / page).read_text("utf-8")
    assert f"session_id: {handle}" in text
    assert "ここの 1 行の変更で実現されました" in text
    (agreed,) = project.list_agreements().agreements
    assert (agreed.state, agreed.standing, agreed.certainty) == ("fresh", "agreed", "fact")
    assert project.search(FEATURE).short_circuit
    assert project.search_map(FEATURE).map_hits[0].symbol == REFUND
    assert {"learned", "success"} <= {one.kind for one in project.get_agreement_history(FEATURE).history}


@needs_git
@pytest.mark.requirement("N003-LEARN-03")
def test_a_commit_before_the_outcome_teaches_the_same(project: Project):
    handle = ready(project)
    write(project, handle)
    git(project.workspace.root, "commit", "-qam", "two")
    assert told(project, handle).map_updated


@needs_git
@for_each("outcome", ["failure", "partial"])
def test_nothing_is_learned_from_another_outcome(project: Project, outcome: str):
    handle = ready(project)
    write(project, handle)
    found = told(project, handle, outcome)
    assert (found.map_updated, found.agreement_files) == (False, ())
    assert project.list_agreements().total == 0


@needs_git
def test_a_success_without_a_change_teaches_nothing(project: Project):
    handle = ready(project)
    assert project.call("check_write_target", session_id=handle, file_path=PAYMENT).allowed
    found = told(project, handle)
    assert found.agreement_files == ()
    assert "許可されたファイルに変更がありません" in found.note
    assert "confirm_symbol_relevance" in found.note


@needs_git
def test_a_change_of_something_else_teaches_nothing(project: Project):
    handle = ready(project, REFUND, "checkout")
    write(project, handle, "        if amount > MAX_AMOUNT")
    found = told(project, handle)
    assert found.agreement_files == ()
    assert f"{PAYMENT} の変更は" in found.note


@needs_git
def test_a_change_that_nobody_allowed_teaches_nothing(project: Project):
    handle = ready(project)
    edit(project, "src/shop/retry.py", "ATTEMPTS = 3", "ATTEMPTS = 5")
    assert told(project, handle).agreement_files == ()


@needs_git
@for_each("claim", [{"symbols": [REFUND]}, {"files": [PAYMENT]}])
def test_one_look_and_one_claim_are_enough(project: Project, claim: dict[str, list[str]]):
    root = project.workspace.root
    git(root, "checkout", "-q", PAYMENT)
    project.call("sync_index")
    handle = project.start_session("MODIFY", REQUEST).session_id
    project.call("symbol", session_id=handle, symbol="refund")
    words = {"feature": FEATURE, "why": "refund gives the money back"}
    assert project.call("submit_understanding", session_id=handle, **claim, **words).phase == "READY"
    edit(project, PAYMENT, "        return receipt", "        assert receipt\n        return receipt")
    found = told(project, handle)
    assert found.note.startswith(f"地図に追加: {FEATURE} → {REFUND}")


@needs_git
def test_what_the_session_only_guessed_is_not_learned(project: Project):
    handle = ready(project, quote="")
    write(project, handle)
    found = told(project, handle)
    assert found.agreement_files == ()
    assert "引用がありません" in found.note


@needs_git
def test_words_that_any_program_has_are_no_term(project: Project):
    handle = project.start_session("MODIFY", "決済のエラー処理を直して").session_id
    project.call("symbol", session_id=handle, symbol="refund")
    claim = {"symbols": [REFUND], "feature": "エラー処理", "why": "refund"}
    project.call("submit_understanding", session_id=handle, **claim)
    write(project, handle)
    found = told(project, handle)
    assert found.agreement_files == ()
    assert "「エラー処理」だけでは" in found.note


@needs_git
def test_unclear_words_teach_nothing(project: Project):
    handle = ready(project)
    write(project, handle)
    found = project.call("record_outcome", session_id=handle, trigger_message="次の話をしよう")
    assert (found.outcome, found.agreement_files) == ("success", ())


@needs_git
def test_what_was_confirmed_explicitly_wins(project: Project):
    handle = ready(project)
    project.call(
        "confirm_symbol_relevance",
        session_id=handle,
        relevant_symbols=["PaymentGateway"],
        code_evidence="`def refund(self, receipt: str)`",
        target_feature="決済窓口",
    )
    write(project, handle)
    told(project, handle)
    assert [(one.nl_term, one.symbol) for one in project.list_agreements().agreements] == [
        ("決済窓口", "PaymentGateway")
    ]


@needs_git
def test_a_term_that_has_a_meaning_gets_no_second_one_unasked(project: Project):
    project.add_agreement(FEATURE, symbol=["with_retries"])
    handle = ready(project)
    write(project, handle)
    found = told(project, handle)
    assert f"「{FEATURE}」は with_retries として合意済みです" in found.note
    assert project.list_conflicts().conflicts == ()
    assert project.list_agreements().agreements[0].successes == 1


@needs_git
def test_a_change_of_what_was_agreed_renews_it(project: Project):
    project.add_agreement(FEATURE, symbol=[REFUND])
    handle = ready(project)
    write(project, handle)
    assert told(project, handle).map_updated
    (agreed,) = project.list_agreements().agreements
    assert (agreed.state, agreed.successes) == ("fresh", 2)
    assert told(project, handle).map_updated
    assert project.list_agreements().agreements[0].successes == 2


@needs_git
def test_a_later_failure_takes_back_what_was_learned(project: Project):
    handle = ready(project)
    write(project, handle)
    told(project, handle)
    assert told(project, handle, "failure").demoted == (f"{FEATURE} → {REFUND}",)
    assert not project.search(FEATURE).short_circuit


@needs_git
def test_tests_teach_nothing(project: Project):
    handle = ready(project, "test_checkout_returns_a_receipt", "checkout", REFUND)
    write(project, handle, "    assert checkout", TEST)
    assert told(project, handle).agreement_files == ()


@needs_git
def test_a_proposal_from_history_about_what_was_written_is_mentioned(project: Project):
    handle = ready(project)
    write(project, handle)
    assert not told(project, handle).proposed
    teach(project)
    found = told(project, handle)
    assert "「決済窓口」→ PaymentGateway" in found.proposed
    assert "confirm_symbol_relevance" in found.proposed
    assert len(found.proposed) <= 320
    project.add_agreement("決済窓口", symbol=["PaymentGateway"])
    assert not told(project, handle).proposed
