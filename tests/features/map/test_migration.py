"""Taking over what the programs of seeds 003 and 004 left, by the documents' own examples."""

import json
import shutil
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.features.map.files import AGREEMENTS
from tests.docs.examples import ROOT
from tests.features.mapped import confirmed, session

OLD = ".code-intel"
PAGE = f"{AGREEMENTS}/ログイン機能_AuthService.md"
AUTH = "src/shop/auth.py"
DAY_NS = 86_400_000_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the sample shop with the pair, the page and the settings of the earlier program."""
    shop = tmp_path / "shop"
    shutil.copytree(ROOT / "examples/shop", shop)
    shutil.copytree(ROOT / "examples/code-intel", shop / OLD)
    return shop


@pytest.fixture
def project(root: Path):
    with open_workspace(root) as made:
        made.sync_index()
        yield made


def learn(root: Path, *pairs: dict[str, object]) -> None:
    """Let the earlier program have learned these pairs, and nothing else."""
    shutil.rmtree(root / OLD)
    (root / OLD).mkdir()
    (root / OLD / "learned_pairs.json").write_text(json.dumps({"version": 2, "pairs": pairs}), "utf-8")


def pair(term: str, symbol: str, evidence: str = "") -> dict[str, object]:
    return {"nl_term": term, "symbol": symbol, "code_evidence": evidence, "learned_at": "2025-01-12T14:35:00"}


# --- how fresh it is -----------------------------------------------------------------------------------------


@pytest.mark.requirement("004-MIGRATE-02")
def test_the_seeds_own_pair_is_a_fact_on_the_day_of_the_import(project: Project):
    assert project.import_map(path=OLD).states == {"fresh": 1}
    (view,) = project.list_agreements().agreements
    assert (view.certainty, view.standing, view.learned_at) == ("fact", "agreed", "2025-01-12T14:35:00")
    assert project.search("ログイン機能").short_circuit
    events = {event.kind: event.at for event in project.get_agreement_history("ログイン機能").history}
    assert events["learned"] == "2025-01-12T14:35:00"
    assert project.workspace.moment(1) < events["imported"] <= project.workspace.moment()


@pytest.mark.requirement("004-MIGRATE-02", "004-OPEN-03")
def test_it_expires_when_nobody_used_it_since_the_import(project: Project, monkeypatch: pytest.MonkeyPatch):
    project.import_map(path=OLD)
    later = project.workspace._clock_ns() + 181 * DAY_NS
    monkeypatch.setattr(project.workspace, "_clock_ns", lambda: later)
    (view,) = project.list_agreements().agreements
    assert (view.certainty, view.standing) == ("hypothesis", "expired")


@pytest.mark.requirement("004-MIGRATE-02")
def test_one_that_the_code_does_not_bear_out_is_a_hypothesis_with_the_reason(root: Path, project: Project):
    learn(
        root,
        pair("支払い", "PaymentHandler", "PaymentHandler.pay() pays"),
        pair("ログイン機能", "AuthService", "AuthService::signInWithGoogle() signs people in"),
        pair("認証", "AuthService", "AuthService->login() starts a session"),
    )
    report = project.import_map(path=OLD)
    assert (report.bound, len(report.not_bound)) == (1, 2)
    views = {view.nl_term: view for view in project.list_agreements().agreements}
    certainties = {"支払い": "hypothesis", "ログイン機能": "hypothesis", "認証": "fact"}
    assert {term: view.certainty for term, view in views.items()} == certainties
    assert {view.standing for view in views.values()} == {"agreed"}  # nothing is expired at once
    assert views["支払い"].why.code == "map.no_name"
    assert views["ログイン機能"].why.code == "map.unproved"
    assert views["ログイン機能"].why.values == {"name": "AuthService.signInWithGoogle"}
    project.edit_agreement("ログイン機能", confirm=True)
    assert project.search_map("ログイン機能").map_hits[0].certainty == "fact"


def test_any_file_that_the_page_names_may_say_which_definition_is_meant(root: Path, project: Project):
    (root / "src/other.py").write_text("class AuthService:\n    pass\n")
    page = root / OLD / "agreements/login_auth.md"
    page.write_text(page.read_text("utf-8").replace("src/controllers/login_controller.py", AUTH), "utf-8")
    assert project.import_map(path=OLD).bound == 1
    assert project.list_agreements().agreements[0].path == AUTH


def test_an_exported_map_counts_from_its_import_too(project: Project):
    page = "---\ndoc_type: convention\nnl_term: names\nlearned_at: 2020-01-01\nimported_at: 2020-01-02\n---\nshort\n"
    project.import_map(text=json.dumps({"shirube_map": 1, "pages": [page]}))
    assert project.list_agreements().agreements[0].certainty == "fact"


def test_what_cannot_be_read_is_told_and_the_rest_is_taken_over(root: Path, project: Project):
    (root / OLD / "learned_pairs.json").write_bytes(b"\xff")
    (root / OLD / "agreements/note.md").write_text("---\ndoc_type: note\nnl_term: x\n---\n")
    (root / OLD / "logs").mkdir()
    (root / OLD / "logs/outcomes.jsonl").write_bytes(b"\xff")
    report = project.import_map(path=OLD)
    assert [problem.partition(":")[0] for problem in report.problems] == [
        "agreements/note.md",
        *(f"{OLD}/{name}" for name in ("learned_pairs.json", "logs/outcomes.jsonl")),
    ]
    assert report.states == {"fresh": 1}


# --- the page ------------------------------------------------------------------------------------------------


def files(page: Path) -> list[str]:
    """Return the lines of a page's list of files."""
    section = page.read_text("utf-8").partition("## 関連ファイル")[2].partition("\n## ")[0]
    return [line for line in section.split("\n") if "`" in line]


@pytest.mark.requirement("004-PAGE-03")
def test_a_page_lists_files_that_exist_with_the_line_of_the_symbol(root: Path, project: Project):
    project.import_map(path=OLD)
    assert files(root / PAGE) == [f"- `{AUTH}:20`"]
    learn(root, pair("利用者", "Session"))
    project.import_map(path=OLD)
    assert files(root / f"{AGREEMENTS}/利用者_Session.md") == [f"- `{AUTH}:12`"]
    added = project.add_agreement("会計", symbol="checkout")
    assert files(root / added.agreement_file) == ["- `src/shop/payment.py:28`"]
    assert project.search_map("ログイン機能").map_hits[0].files == (AUTH,)


@pytest.mark.requirement("004-PAGE-03")
def test_the_page_of_an_outcome_lists_no_file_that_is_gone(root: Path, project: Project):
    made = {"confirmed": [confirmed()], "targets": ["src/shop/gone.py", "tests/test_payment.py"]}
    told = project.record_outcome(session(project, **made), outcome="success")
    assert files(root / told.agreement_file) == ["- `src/shop/payment.py:28`", "- `tests/test_payment.py:2`"]
