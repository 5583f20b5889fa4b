import json
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, OutsideRoot
from shirube.features.map.files import AGREEMENTS, PAIRS
from tests.features.mapped import PAYMENT
from tests.refusals import refusal


@pytest.fixture
def project(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


def terms(project: Project) -> set[tuple[str, str]]:
    return {(view.nl_term, view.symbol) for view in project.list_agreements().agreements}


@pytest.mark.requirement("N004-TRUTH-01", "N003-PAIRS-01")
def test_sync_takes_in_pairs_and_binds_them(project: Project):
    pairs = [{"nl_term": "会計", "symbol": "checkout", "similarity": 0.8}, {"nl_term": "夢", "symbol": "nowhere"}, 5]
    (project.workspace.root / ".shirube").mkdir()
    (project.workspace.root / PAIRS).write_text(json.dumps({"version": 1, "pairs": pairs}), "utf-8")
    report = project.sync_map()
    assert set(report.new) == {"会計 → checkout", "夢 → nowhere"}
    assert report.bound == 1
    assert len(report.not_bound) == 1
    assert report.problems == (f"{PAIRS}: pair 3: it is no object",)
    assert report.states == {"fresh": 1, "gone": 1}
    assert json.loads((project.workspace.root / PAIRS).read_text("utf-8"))["version"] == 1  # left until it is mended
    (project.workspace.root / PAIRS).write_text(json.dumps({"version": 1, "pairs": pairs[:2]}), "utf-8")
    assert project.sync_map().problems == ()
    assert json.loads((project.workspace.root / PAIRS).read_text("utf-8"))["version"] == 2
    assert project.sync_map().new == ()


def test_sync_binds_what_people_wrote_by_hand(project: Project):
    folder = project.workspace.root / AGREEMENTS
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text("---\nnl_term: 会計\nsymbol: checkout\n---\n\nso agreed\n", "utf-8")
    assert project.check_agreements().states == {"unbound": 1}
    assert project.sync_map().bound == 1
    assert project.check_agreements().states == {"fresh": 1}
    assert "so agreed" in (folder / "mine.md").read_text("utf-8")


def broken(project: Project, name: str = "bad.md") -> Path:
    page = project.workspace.root / AGREEMENTS / name
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_bytes(b"---\nnl_term: \xff\n---\n")
    return page


def test_one_page_that_cannot_be_read_is_told_and_the_others_are_synced(project: Project):
    page = broken(project)
    (page.parent / "mine.md").write_text("---\nnl_term: 会計\nsymbol: checkout\n---\n", "utf-8")
    report = project.sync_map()
    assert report.bound == 1
    assert report.problems == (f"{AGREEMENTS}/bad.md: line 2: it is not UTF-8 (save it as UTF-8)",)
    assert page.read_bytes().startswith(b"---\nnl_term: \xff")
    assert terms(project) == {("会計", "checkout")}


def test_the_pair_of_a_page_that_cannot_be_read_waits_for_it(project: Project):
    project.add_agreement("会計", symbol="checkout")
    pairs = (project.workspace.root / PAIRS).read_text("utf-8")
    broken(project, "会計_checkout.md")
    assert project.sync_map().new == ()
    project.add_agreement("支払い", symbol="PaymentGateway")
    assert (project.workspace.root / PAIRS).read_text("utf-8") == pairs
    assert len(list((project.workspace.root / AGREEMENTS).iterdir())) == 2


def test_pairs_that_cannot_be_read_are_told_by_whoever_would_use_them(project: Project):
    (project.workspace.root / ".shirube").mkdir()
    (project.workspace.root / PAIRS).write_text('{"pairs": [', "utf-8")
    added = project.add_agreement("会計", symbol="checkout")
    told = [
        added.problems,
        project.list_agreements().problems,
        project.check_agreements().problems,
        project.search_map("会計").problems,
        project.export_map().problems,
        project.sync_map().problems,
        project.search("会計").degraded,
        project.search("card").degraded,
        project.query_plan("会計", save="none").degraded,
    ]
    for lines in told:
        (line,) = lines
        assert f"{PAIRS}: it is not JSON" in line
        assert "sync_map makes it again" in line
    assert project.search("card", path="src").degraded == ()  # the map is not asked
    assert (project.workspace.root / PAIRS).read_text("utf-8") == '{"pairs": ['


def test_sync_makes_one_page_of_two_and_two_of_one(project: Project):
    folder = project.workspace.root / AGREEMENTS
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\nnl_term: 会計\nsymbol: checkout\n---\n## 根拠\n\none\n", "utf-8")
    (folder / "b.md").write_text("---\nnl_term: 会計\nsymbol: checkout\n---\n## 根拠\n\ntwo\n", "utf-8")
    (folder / "c.md").write_text("---\nnl_term: 店\nsymbols: [PaymentGateway, with_retries]\n---\nboth\n", "utf-8")
    report = project.sync_map()
    assert report.problems == ()
    assert terms(project) == {("会計", "checkout"), ("店", "PaymentGateway"), ("店", "with_retries")}
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "店_PaymentGateway.md", "店_with_retries.md"]
    text = (folder / "a.md").read_text("utf-8")
    assert "one" in text
    assert "two" in text


def test_sync_of_nothing_writes_nothing(project: Project):
    assert project.sync_map().total == 0
    assert not (project.workspace.root / ".shirube").exists()


@pytest.mark.requirement("004-OPEN-02")
def test_two_versions_of_the_pairs_are_merged_into_ours(project: Project):
    root = project.workspace.root
    for name, symbol in (("base", ""), ("ours", "A"), ("theirs", "B")):
        pairs = [{"nl_term": "x", "symbol": symbol}] if symbol else []
        (root / name).write_text(json.dumps({"version": 2, "pairs": pairs}))
    result = project.merge_agreements("ours", "theirs", base="base")
    assert (result.clean, result.file) == (True, "ours")
    assert {pair["symbol"] for pair in json.loads((root / "ours").read_text())["pairs"]} == {"A", "B"}
    with refusal(BadArgument, "map.no_file"):
        project.merge_agreements("ours", "missing")
    with pytest.raises(OutsideRoot):
        project.merge_agreements("ours", "../../etc/passwd")


@pytest.mark.requirement("004-OPEN-04")
def test_a_map_is_exported_and_taken_in_elsewhere(project: Project, tmp_path: Path):
    project.add_agreement("会計", symbol=["checkout"], code_evidence="根拠")
    project.add_agreement("naming", doc_type="convention", code_evidence="one word")
    assert project.export_map(path="map.json").total == 2
    text = project.export_map().text
    other = tmp_path / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib/cash.py").write_text("def checkout():\n    return 1\n")
    with open_workspace(other) as elsewhere:
        report = elsewhere.import_map(text=text)
        assert set(report.new) == {"会計 → checkout", "naming"}
        assert report.bound == 1
        view = next(view for view in elsewhere.list_agreements().agreements if view.symbol)
        assert (view.path, view.evidence) == ("lib/cash.py", "根拠")
        assert elsewhere.import_map(text=text).same == 2
    with pytest.raises(BadArgument, match="either"):
        project.import_map()
    with refusal(BadArgument, "map.nothing_at"):
        project.import_map(path="missing.json")
    with pytest.raises(OutsideRoot):
        project.export_map(path="../map.json")


@pytest.mark.requirement("004-MIGRATE-01")
def test_the_map_and_the_logs_of_an_earlier_program_are_taken_over_once(project: Project):
    old = project.workspace.root / ".code-intel"
    (old / "agreements").mkdir(parents=True)
    (old / "logs").mkdir()
    pair = {"nl_term": "会計", "symbol": "checkout", "similarity": 0.9, "code_evidence": "from the pair"}
    (old / "learned_pairs.json").write_text(json.dumps({"version": 1, "pairs": [pair]}), "utf-8")
    (old / "agreements/会計_checkout.md").write_text(
        "---\ndoc_type: agreement\nnl_term: 会計\nsymbol: checkout\n---\n## 根拠\n\nfrom the page\n\n"
        f"## 関連ファイル\n\n- `{PAYMENT}:3`\n",
        "utf-8",
    )
    (old / "agreements/20250112_143500_会計.md").write_text("---\nsymbols: [checkout]\n---\nagain\n", "utf-8")
    (old / "agreements/bad.md").write_text("nothing\n")
    (old / "logs/outcomes.jsonl").write_text('{"session_id": "s", "outcome": "success", "record_id": "o1"}\nbroken\n')
    report = project.import_map(path=".code-intel")
    assert report.new == ("会計 → checkout",)
    assert report.total == 1
    assert len(report.problems) == 1
    assert report.logs == {"outcomes": 1, "outcomes not readable": 1}
    (view,) = project.list_agreements().agreements
    assert "from the pair" in view.evidence
    assert "from the page" in view.evidence
    assert view.state == "fresh"
    assert project.import_map(path=".code-intel").logs == {"outcomes not readable": 1}
    assert project.get_outcome_stats().total == 1
