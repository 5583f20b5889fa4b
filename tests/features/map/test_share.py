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
    (new,) = bring([LOGIN], [], elsewhere=True).agreements
    assert (new.digest, new.sketch, new.commit) == ("", "", "")
    assert new.path == "a.py"
    assert bring([LOGIN], [], elsewhere=False).agreements == (LOGIN,)
    assert unbound(LOGIN).successes == 2


def test_ours_stays_and_gets_their_evidence():
    theirs = replace(LOGIN, body=new_body(LOGIN, "another reason"), successes=9)
    brought = bring([theirs, theirs], [LOGIN], elsewhere=True)
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
