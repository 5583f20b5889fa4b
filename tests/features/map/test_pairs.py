import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement
from shirube.features.map.merge import disputed
from shirube.features.map.page import evidence_of, new_body
from shirube.features.map.pairs import is_ours, read_pairs, take_in, write_pairs
from tests.cases import for_each

MADE = Agreement("ログイン機能", "AuthService", similarity=0.85, learned_at="2025-01-12T14:35:00", file="login.md")
LOGIN = replace(MADE, body=new_body(MADE, "AuthService.login() handles authentication"))
VERSION_1 = {
    "version": 1,
    "pairs": [{"nl_term": "決済", "symbol": "PaymentGateway", "similarity": 0.7, "code_evidence": "x"}],
}


def edited(text: str, **changes: object) -> str:
    whole = json.loads(text)
    whole["pairs"][0].update(changes)
    return json.dumps(whole)


@pytest.mark.requirement("004-PAIRS-01", "004-CAMEL-02")
def test_the_file_has_the_shape_of_version_2():
    whole = json.loads(write_pairs([LOGIN], "static"))
    assert (whole["version"], whole["embedding_model"], whole["updated_at"]) == (2, "static", "2025-01-12T14:35:00")
    (pair,) = whole["pairs"]
    assert pair["nl_term"] == "ログイン機能"
    assert pair["symbol_normalized"] == "auth service"
    assert pair["code_evidence"] == "AuthService.login() handles authentication"
    assert pair["agreement_file"] == "login.md"


def test_conventions_and_other_maps_are_not_in_it():
    others = [Agreement("naming", doc_type="convention"), replace(LOGIN, origin="elsewhere")]
    assert json.loads(write_pairs(others, ""))["pairs"] == []


def test_our_own_copy_changes_nothing_even_when_the_page_has_changed():
    text = write_pairs([LOGIN], "static")
    changed = replace(LOGIN, body=new_body(LOGIN, "another reason"), similarity=0.6)
    taken = take_in(text, [changed])
    assert (taken.agreements, taken.conflicts, taken.same) == ((), (), 1)


@pytest.mark.requirement("N003-PAIRS-01")
def test_version_1_is_taken_in():
    taken = take_in(json.dumps(VERSION_1), [LOGIN])
    (new,) = taken.agreements
    assert (new.nl_term, new.symbol, new.similarity, evidence_of(new)) == ("決済", "PaymentGateway", 0.7, "x")
    assert taken.new == ("決済 → PaymentGateway",)
    assert len(take_in(json.dumps(VERSION_1["pairs"]), []).agreements) == 1


@pytest.mark.requirement("N004-TRUTH-01")
def test_a_hand_edit_is_taken_in_and_a_conflict_told():
    text = edited(write_pairs([LOGIN], "static"), code_evidence="also UserRepository", similarity=0.2)
    taken = take_in(text, [LOGIN])
    (changed,) = taken.agreements
    assert (evidence_of(changed), changed.similarity, taken.conflicts) == ("also UserRepository", 0.2, ())
    both = take_in(text, [replace(LOGIN, similarity=0.9)])
    (changed,) = both.agreements
    assert evidence_of(changed).split("\n\n") == ["AuthService.login() handles authentication", "also UserRepository"]
    assert changed.similarity == 0.9
    assert len(both.conflicts) == 1
    assert "0.2" in both.conflicts[0]
    assert "0.9" in both.conflicts[0]


@for_each(
    ("edit", "expected"),
    [
        ({"path": "src/b.py"}, {"path": "src/b.py", "digest": "", "standing": "agreed"}),
        ({"standing": "expired"}, {"path": "src/a.py", "digest": "d", "standing": "expired"}),
        ({"symbol": "LoginForm"}, {"symbol": "LoginForm", "digest": "", "file": ""}),
        ({"nl_term": "ログイン"}, {"nl_term": "ログイン", "symbol": "AuthService", "digest": "d", "file": ""}),
        ({"code_evidence": ""}, {"digest": "d"}),
    ],
)
@pytest.mark.requirement("N004-TRUTH-01")
def test_every_field_that_somebody_edits_counts(edit: dict[str, str], expected: dict[str, str]):
    bound = replace(LOGIN, path="src/a.py", line=3, digest="d")
    taken = take_in(edited(write_pairs([bound], "static"), **edit), [bound])
    (changed,) = taken.agreements
    assert {name: getattr(changed, name) for name in expected} == expected
    assert (len(taken.changed), taken.new, taken.conflicts) == (1, (), ())
    assert taken.gone == ((bound,) if changed.key != bound.key else ())
    assert evidence_of(changed) == edit.get("code_evidence", evidence_of(bound))


def test_a_row_that_was_copied_and_changed_is_an_agreement_of_its_own():
    whole = json.loads(write_pairs([LOGIN], "static"))
    whole["pairs"].append({**whole["pairs"][0], "symbol": "LoginForm"})
    taken = take_in(json.dumps(whole), [LOGIN])
    assert (taken.new, taken.gone) == (("ログイン機能 → LoginForm",), ())
    assert disputed([LOGIN, *taken.agreements])


@for_each("edit", [{"standing": "agred"}, {"similarity": 7}, {"similarity": "high"}])
def test_an_edit_that_cannot_be_is_told(edit: dict[str, object]):
    taken = take_in(edited(write_pairs([LOGIN], "static"), **edit), [LOGIN])
    assert (taken.agreements, len(taken.problems)) == ((), 1)
    assert str(*edit.values()) in taken.problems[0]


def test_a_pair_that_somebody_took_out_stays_in_the_map():
    taken = take_in('{"version": 2, "pairs": []}', [LOGIN])
    assert (taken.agreements, taken.same) == ((), 0)


def test_what_is_no_pair_is_told_and_the_rest_is_taken():
    whole = {"version": 2, "pairs": [{"symbol": "X"}, 5, {"nl_term": "a", "symbol": "()"}, *VERSION_1["pairs"]]}
    taken = take_in(json.dumps(whole), [])
    assert len(taken.agreements) == 1
    assert taken.problems == ("pair 1: it has no nl_term", "pair 2: it is no object", "pair 3: its symbol is no name")


@for_each("text", ["{", "5", '{"version": 9, "pairs": []}', '{"pairs": 3}', "[" * 5000])
def test_what_is_no_such_file_is_refused(text: str):
    with pytest.raises(BadArgument) as caught:
        read_pairs(text)
    assert caught.value.hint


@given(st.lists(st.tuples(st.text(min_size=1), st.text("abcXYZ", min_size=1)), max_size=5))
def test_every_pair_we_write_is_known_as_ours(names: list[tuple[str, str]]):
    made = [Agreement(term, symbol) for term, symbol in names if term.strip()]
    _, pairs, problems = read_pairs(write_pairs(made, "m"))
    assert problems == ()
    assert all(map(is_ours, pairs))
