"""Taking over what the programs of seeds 003 and 004 left, by the documents' own examples."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument
from shirube.features.map.files import AGREEMENTS, PAIRS
from tests.docs.examples import ROOT
from tests.features.mapped import confirmed, session
from tests.refusals import refusal

OLD = ".code-intel"
PAGE = f"{AGREEMENTS}/ログイン機能_AuthService.md"
AUTH = "src/shop/auth.py"
DAY_NS = 86_400_000_000_000
STEPS = """
cp config.json devrag-forest.json
cat > devrag-map.json << 'EOF'
{
  "document_patterns": ["./.code-intel/agreements"],
  "db_path": "./.code-intel/vectors-map.db",
  "chunk_size": 300,
  "search_top_k": 10,
  "model": {"name": "multilingual-e5-small", "dimensions": 384}
}
EOF
mkdir -p .code-intel/agreements
"""
"""Steps 1 and 2 of seed 004 §6.1."""
FOREST = {
    "document_patterns": ["./documents", "./src"],
    "db_path": "./vectors-forest.db",
    "chunk_size": 500,
    "search_top_k": 5,
    "model": {"name": "multilingual-e5-small", "dimensions": 384},
}
"""Seed 004 §2.3."""


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


# --- what is left out ----------------------------------------------------------------------------------------


@pytest.mark.requirement("004-MIGRATE-03")
def test_settings_are_named_with_what_to_set_here_and_nothing_is_set(root: Path, project: Project):
    own = root / ".shirube/config.toml"
    own.parent.mkdir()
    own.write_text("[search]\nlimit = 7\n")
    (root / OLD / "chroma").mkdir()
    (root / "devrag-forest.json").write_text(json.dumps(FOREST))
    report = project.import_map(path=OLD)
    config, forest, below = f"{OLD}/config.json", "devrag-forest.json", "below [index] in .shirube/config.toml"
    assert [row for row in report.left_out if row.code != "left_out.model"] == [
        f'{config}: to keep source_dirs, write source_dirs = ["src", "lib", "app"] {below} (in force: everything)',
        f'{config}: to keep exclude_patterns, write excludes = ["**/node_modules/**", "**/vendor/**"] {below}'
        " (in force: [])",
        f"{config}: sync_ttl_hours, sync_on_start as it is here",
        f"{config}: nothing is to be set here for chunk_strategy, chunk_max_tokens, max_chunks, search_weights",
        f'{forest}: to keep document_patterns, write source_dirs = ["./documents", "./src"] {below}'
        " (in force: everything)",
        f"{forest}: to keep search_top_k, write limit = 5 below [search] in .shirube/config.toml (in force: 10)",
        f"{forest}: nothing is to be set here for db_path, chunk_size",
        f"{OLD}: not read: chroma",
    ]
    assert [row.code for row in report.left_out].count("left_out.model") == 1  # two files name one
    assert own.read_text() == "[search]\nlimit = 7\n"
    assert report.problems == ()


@pytest.mark.requirement("004-MIGRATE-03")
def test_what_is_proposed_can_be_written_as_it_stands(root: Path, project: Project):
    rows = [row.values for row in project.import_map(path=OLD).left_out if row.code == "left_out.set"]
    (root / ".shirube/config.toml").write_text("[index]\n" + "".join(f"{row['line']}\n" for row in rows))
    with open_workspace(root) as again:
        assert again.workspace.config.index.source_dirs == ("src", "lib", "app")
        assert again.workspace.config.index.excludes == ("**/node_modules/**", "**/vendor/**")
        told = again.import_map(path=OLD).left_out
    assert "left_out.set" not in [row.code for row in told]


@pytest.mark.requirement("004-MIGRATE-03")
def test_settings_that_are_unknown_or_broken_are_told(root: Path, project: Project):
    (root / OLD / "config.json").write_text('{"sync_ttl_hours": "often", "colour": 1, "version": 9}')
    (root / "devrag-map.json").write_text("{")
    report = project.import_map(path=OLD)
    assert report.left_out == (
        f"{OLD}/config.json: sync_ttl_hours: index.sync_ttl_hours = 'often' does not fit (it must be a number)",
        f"{OLD}/config.json: unknown: colour",
    )
    assert report.problems == ("devrag-map.json: it is no JSON object, and nothing of it was read",)
    assert report.states == {"fresh": 1}


def test_what_cannot_be_read_is_told_and_the_rest_is_taken_over(root: Path, project: Project):
    (root / OLD / "learned_pairs.json").write_bytes(b"\xff")
    (root / OLD / "config.json").write_bytes(b"\xff")
    (root / OLD / "agreements/note.md").write_text("---\ndoc_type: note\nnl_term: x\n---\n")
    (root / OLD / "logs").mkdir()
    (root / OLD / "logs/outcomes.jsonl").write_bytes(b"\xff")
    report = project.import_map(path=OLD)
    assert [problem.partition(":")[0] for problem in report.problems] == [
        "agreements/note.md",
        *(f"{OLD}/{name}" for name in ("learned_pairs.json", "logs/outcomes.jsonl", "config.json")),
    ]
    assert report.states == {"fresh": 1}


def test_a_directory_without_anything_of_that_program_is_refused(project: Project):
    with refusal(BadArgument, "map.nothing_at"):
        project.import_map(path="src")


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


# --- step by step --------------------------------------------------------------------------------------------


@pytest.mark.requirement("004-MIGRATE-01", "004-MIGRATE-04")
def test_the_steps_of_the_seed_lead_to_a_map_that_answers(root: Path, project: Project):
    shutil.rmtree(root / OLD / "agreements")
    (root / "config.json").write_text(json.dumps(FOREST))
    subprocess.run(["bash", "-euc", STEPS], cwd=root, check=True)
    report = project.import_map(path=OLD)
    assert (report.new, report.problems) == (("ログイン機能 → AuthService",), ())
    told = {row.values["file"] for row in report.left_out if "file" in row.values}
    assert told == {f"{OLD}/config.json", "devrag-forest.json", "devrag-map.json"}
    page = (root / PAGE).read_text("utf-8").split("\n")
    for line in ("similarity: 0.85", "session_id: session_20250112_143000", "learned_at: 2025-01-12T14:35:00"):
        assert line in page
    whole, before = (json.loads((root / name).read_text("utf-8")) for name in (PAIRS, f"{OLD}/learned_pairs.json"))
    assert (whole["version"], whole["updated_at"]) == (2, "2025-01-12T14:35:00")
    assert {**whole["pairs"][0], "agreement_file": "login_auth.md"}.items() >= before["pairs"][0].items()
    assert project.search("ログイン機能").map_hits[0].symbol == "AuthService"
