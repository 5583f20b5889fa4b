import json

import pytest

from shirube.features.map.codeintel import from_code_intel, read_log

PAIRS = json.dumps({"version": 1, "pairs": [{"nl_term": "ログイン機能", "symbol": "AuthService", "similarity": 0.85}]})
FIRST = "---\ndoc_type: agreement\nnl_term: ログイン: 機能\nsymbol: AuthService\nsimilarity: 0.851\n---\n\n# x\n"
SECOND = "---\nsymbols: [AuthService, UserRepository]\n---\n\n# login\n"


@pytest.mark.requirement("004-MIGRATE-01", "N003-AGREE-01")
def test_pairs_and_pages_of_both_forms_are_read():
    found = from_code_intel(PAIRS, {"a.md": FIRST, "20250112_143500_login_form.md": SECOND})
    assert [(one.nl_term, one.symbol) for one in found.agreements] == [
        ("login form", "AuthService"),
        ("login form", "UserRepository"),
        ("ログイン: 機能", "AuthService"),
        ("ログイン機能", "AuthService"),
    ]
    assert found.problems == ()


def test_what_cannot_be_read_is_told_by_its_file():
    found = from_code_intel("{", {"bad.md": "nothing", "good.md": FIRST})
    assert len(found.agreements) == 1
    assert [problem.partition(":")[0] for problem in found.problems] == ["agreements/bad.md", "learned_pairs.json"]


def test_nothing_is_read_from_nothing():
    assert from_code_intel("", {}).agreements == ()


def test_a_log_is_read_line_by_line():
    records, broken = read_log(['{"session_id": "a"}', "", "half a li", "[1]"])
    assert records == ({"session_id": "a"},)
    assert broken == 2
