import pytest

from shirube.codec import replace
from shirube.features.guard.evidence import (
    check_claims,
    false_names,
    is_mapped,
    only_absence,
    slot_evidence,
    uses,
)
from shirube.features.guard.state import Confirmed, Recorded, Understanding
from shirube.features.plan.frame import Intent, Slot
from shirube.messages import Message
from tests.features.guard.sample import FRAME, LOOKED, FakeFacts, called, fact, map_hit, ready_to_submit, session

FACTS = FakeFacts()


def errors(claims: Understanding, state=None) -> tuple[Message, ...]:
    return check_claims(state or ready_to_submit(), claims, FACTS)[1]


def test_what_is_left_out_is_taken_from_the_record():
    understanding, errors_found = check_claims(ready_to_submit(), Understanding(), FACTS)
    assert errors_found == ()
    assert understanding.symbols[0] == "AuthService"
    assert understanding.files == tuple(sorted({path for call in LOOKED for path in call.seen}))


def test_a_symbol_has_to_exist_and_to_have_come_up():
    assert errors(Understanding(("FluxCapacitor",))) == ("symbol 'FluxCapacitor': nothing in this project defines it",)
    few = session(Intent.MODIFY, LOOKED[0])
    assert errors(Understanding(("render_form",)), few)[0].code == "session.not_shown"
    assert errors(Understanding(("AuthService::login()",)), few) == ()


def test_a_symbol_in_a_file_that_was_looked_at_has_come_up():
    state = session(Intent.MODIFY, Recorded("snippets_get", "search", hits=1, seen=("src/auth/users.py",)))
    assert errors(Understanding(("UserRepository",)), state) == ()


def test_a_file_has_to_have_been_shown():
    state = session(Intent.MODIFY, Recorded("deps_closure", "symbols", hits=1, listed=("src/auth/users.py",)))
    told = errors(Understanding(files=("src/auth/users.py", "src/web/forms.py", "gone.py")), state)
    assert [line.split(": ")[1] for line in told] == [
        "it was only named or guessed in this session, nothing of it was shown",
        "no call of this session returned it",
        "there is no such file in the index",
    ]


@pytest.mark.requirement("003-CONS-01")
def test_entry_points_belong_to_the_symbols():
    assert errors(Understanding(("AuthService",), entry_points=("AuthService.login",))) == ()
    assert errors(Understanding(("AuthService",), entry_points=("render_form",)))[0].code == "session.entry_apart"
    assert errors(Understanding(entry_points=("invent",)))[0].startswith("entry point 'invent'")


@pytest.mark.requirement("003-CONS-02")
def test_nothing_is_given_twice():
    assert errors(Understanding(("AuthService", "AuthService()"))) == ("symbol 'AuthService' is given 2 times",)
    assert errors(Understanding(files=("src/auth/users.py",) * 2)) == ("file 'src/auth/users.py' is given 2 times",)


@pytest.mark.requirement("003-CONS-03")
def test_patterns_need_files_and_have_to_name_code_that_is_there():
    assert errors(Understanding(patterns=("as in `AuthService`",)), session())[0].code == "session.patterns_unseen"
    assert errors(Understanding(patterns=("as FluxCapacitorFactory does",))) == (
        "pattern 'as FluxCapacitorFactory does': this project knows no FluxCapacitorFactory",
    )
    assert errors(Understanding(patterns=("how it is done here",)))[0].code == "session.pattern_bare"
    fine = ("検証は hash_password を通す", "as in src/auth/service.py", "errors are `ValueError`", "see service.py")
    assert errors(Understanding(patterns=fine)) == ()


def test_a_plain_word_that_is_a_symbol_here_names_code():
    state = session(Intent.MODIFY, Recorded("search", hits=1, seen=("a.py",), symbols=("shop.checkout",)))
    assert check_claims(state, Understanding(patterns=("checkout wraps calls",)), FACTS)[1] == ()


def test_callers_are_edges_or_references():
    assert errors(Understanding(callers=("src/web/login.py",))) == ()
    assert errors(Understanding(callers=("src/web/nothing.py",))) == (
        "caller 'src/web/nothing.py': it uses none of the files looked at",
    )


@pytest.mark.requirement("N003-SLOTS-01")
def test_a_slot_has_evidence_when_a_call_with_hits_used_its_words_in_either_language():
    state = session(Intent.MODIFY, called("search", "login form", "AuthService"), **FRAME)
    assert slot_evidence(state, FRAME["target_feature"]) == "hits"
    assert slot_evidence(state, FRAME["observed_issue"]) == ""
    assert slot_evidence(state, None) == ""
    assert uses("path\nログイン処理", fact("ログイン機能"))
    assert not uses("render", Slot("ログイン機能"))


def test_a_confirmed_symbol_and_a_proven_absence_are_evidence():
    absent = session(Intent.IMPLEMENT, Recorded("find_definitions", asked="login", answer="none"), **FRAME)
    assert slot_evidence(absent, FRAME["target_feature"]) == "absence"
    assert only_absence(absent)
    confirmed = replace(absent, confirmed=(Confirmed("ログイン機能", "AuthService"),))
    assert slot_evidence(confirmed, FRAME["target_feature"]) == "confirmed"
    assert not only_absence(confirmed)
    refused = replace(absent, confirmed=(Confirmed("ログイン機能", "AuthService", approved=False),))
    assert slot_evidence(refused, FRAME["target_feature"]) == "absence"


@pytest.mark.requirement("003-STEP-03", "N003-WORDS-01")
def test_a_japanese_feature_is_known_by_an_english_symbol_a_confirmation_or_an_agreement():
    empty = Understanding()
    assert is_mapped(session(), "ログイン機能", Understanding(("LoginController",)))
    assert not is_mapped(session(), "ログイン機能", Understanding(("render_form",)))
    confirmed = replace(session(), confirmed=(Confirmed("ログイン機能", "X"),))
    assert is_mapped(confirmed, "ログイン機能", empty)
    agreed = session(Intent.MODIFY, Recorded("search_map", maps=(map_hit(0.9),)))
    assert is_mapped(agreed, "ログイン機能", empty)


def test_names_that_nobody_knows_are_found_in_a_text():
    state = ready_to_submit()
    assert false_names(state, "AuthService.login raises ValueError in src/auth/service.py", FACTS) == ()
    assert false_names(state, "WarpDrive in src/warp/drive.py", FACTS) == ("WarpDrive", "src/warp/drive.py")
