import json

import pytest

from shirube.compat.codeintel import read_log
from shirube.features.map.sharing import from_code_intel

PAIRS = json.dumps({"version": 1, "pairs": [{"nl_term": "ログイン機能", "symbol": "AuthService", "similarity": 0.85}]})
FIRST = "---\ndoc_type: agreement\nnl_term: ログイン: 機能\nsymbol: AuthService\nsimilarity: 0.851\n---\n\n# x\n"
SECOND = "---\nsymbols: [AuthService, UserRepository]\n---\n\n# login\n"


@pytest.mark.requirement("004-MIGRATE-01", "N003-AGREE-01")
def test_pairs_and_pages_of_both_forms_are_read():
    agreements, problems = from_code_intel(PAIRS, {"a.md": FIRST, "20250112_143500_login_form.md": SECOND})
    assert [(one.nl_term, one.symbol) for one in agreements] == [
        ("login form", "AuthService"),
        ("login form", "UserRepository"),
        ("ログイン: 機能", "AuthService"),
        ("ログイン機能", "AuthService"),
    ]
    assert [one.learned_at for one in agreements] == [*["2025-01-12T14:35:00"] * 2, "", ""]
    assert [one.successes for one in agreements] == [1, 1, 1, 1]
    assert problems == []


def test_what_cannot_be_read_is_told_by_its_file():
    agreements, problems = from_code_intel("{", {"bad.md": "nothing", "good.md": FIRST})
    assert len(agreements) == 1
    assert [problem.partition(":")[0] for problem in problems] == ["agreements/bad.md", "learned_pairs.json"]


def test_nothing_is_read_from_nothing():
    assert from_code_intel("", {}) == ([], [])


def test_a_log_is_read_line_by_line():
    records, broken = read_log(['{"session_id": "a"}', "", "half a li", "[1]"])
    assert records == ({"session_id": "a"},)
    assert broken == 2
