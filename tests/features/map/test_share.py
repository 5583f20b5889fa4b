import json

import pytest

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement
from shirube.features.map.merge import bring, is_bundle, read_bundle, unbound, write_bundle
from shirube.features.map.page import evidence_of, new_body
from tests.cases import for_each

MADE = Agreement("login", "AuthService", path="a.py", line=2, digest="d", sketch="s", commit="c", successes=2)
LOGIN = replace(MADE, body=new_body(MADE, "shown by login()"))
RULE = Agreement("naming", doc_type="convention", body="# naming\n\none word")


@pytest.mark.requirement("004-OPEN-04")
def test_a_map_is_carried_whole():
    text = write_bundle([LOGIN, RULE, replace(LOGIN, symbol="Far", origin="other")], "shop", "2026-01-01")
    assert is_bundle(text)
    found, problems = read_bundle(text)
    assert problems == ()
    assert sorted(found, key=lambda one: one.nl_term) == [LOGIN, RULE]
    assert json.loads(text)["project"] == "shop"


def test_what_comes_from_elsewhere_rests_on_nothing_here():
    (new,) = bring([LOGIN], []).agreements
    assert (new.digest, new.sketch, new.commit) == ("", "", "")
    assert new.path == "a.py"
    assert unbound(LOGIN).successes == 2


def test_ours_stays_and_gets_their_evidence():
    theirs = replace(LOGIN, body=new_body(LOGIN, "another reason"), successes=9)
    brought = bring([theirs, theirs], [LOGIN])
    (changed,) = brought.agreements
    assert changed.successes == 2
    assert evidence_of(changed) == "shown by login()\n\nanother reason"
    assert (brought.new, brought.changed, brought.same) == ((), ("login → AuthService",), 1)


def test_a_page_that_cannot_be_read_is_told_and_the_rest_taken():
    whole = json.loads(write_bundle([LOGIN], "p", ""))
    whole["pages"] += ["no page", 5]
    found, problems = read_bundle(json.dumps(whole))
    assert len(found) == 1
    assert [problem.partition(":")[0] for problem in problems] == ["page 2", "page 3"]


@for_each("text", ["{", "[]", '{"shirube_map": 99, "pages": []}', '{"shirube_map": 1}'])
def test_what_is_no_map_is_refused(text: str):
    with pytest.raises(BadArgument):
        read_bundle(text)


@pytest.mark.requirement("N003-AGREE-01")
def test_of_two_pages_for_one_pair_the_fuller_one_counts():
    less = Agreement("login", "AuthService", session_id="s1", body="# login\n\n## 根拠\n\nless")
    full = Agreement("login", "AuthService", session_id="s2", similarity=0.85, intent="MODIFY", learned_at="2025-01-12")
    full = replace(full, body=new_body(full, "AuthService.login()"))
    for others in ((less, full), (full, less)):
        (brought,) = bring(others, []).agreements
        assert (brought.similarity, brought.session_id, brought.intent) == (0.85, "s2", "MODIFY")
        assert brought.learned_at == "2025-01-12"
        assert evidence_of(brought) == "AuthService.login()\n\nless"
