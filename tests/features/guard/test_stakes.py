"""What a scaled session needs: one look and one claim where the target is expected and little used, else more."""

from typing import Any

import pytest

from shirube.codec import replace
from shirube.features.guard.advice import next_steps
from shirube.features.guard.phases import WRITING, allows, confirm_symbols
from shirube.features.guard.stakes import FEW, MANY, Stakes, assess, claim
from shirube.features.guard.state import (
    Confirmed,
    Expected,
    Hypothesis,
    Phase,
    Recorded,
    Session,
    Understanding,
    Verdict,
)
from shirube.features.guard.steps import Decided, begin, revert, submit_semantic, submit_understanding
from shirube.features.guard.steps import submit_verification as verify
from shirube.features.plan.frame import Intent, QueryFrame, Risk, Slot
from shirube.messages import Speech, render
from tests.cases import for_each
from tests.features.guard.sample import REQUEST, FakeFacts, called, fact, session

FACTS = FakeFacts()
SERVICE, HASHING, FORMS = "src/auth/service.py", "src/auth/hashing.py", "src/web/forms.py"
EXPECTED = (
    Expected(SERVICE, 3, 9, "AuthService.login", named=True),
    Expected("src/web/login.py", symbol="LoginController"),
    Expected("src/auth/users.py", symbol="UserRepository"),
)
GUESSED = tuple(replace(place, named=False) for place in EXPECTED)
READ = called("snippets_get", SERVICE, "AuthService.login", number=1)


def scaled(*calls: Recorded, intent: Intent = Intent.MODIFY, request: str = REQUEST, **more: Any) -> Session:
    more.setdefault("expected", EXPECTED)
    made = begin("s_1", intent, request, "2026-01-01T00:00:00Z", scaled=True, **more)
    return replace(made, calls=calls)


def used_by(count: int, target: str = SERVICE) -> FakeFacts:
    return FakeFacts(links=tuple((f"src/user{number}.py", target) for number in range(count)))


def claims(*symbols: str, files: tuple[str, ...] = (), **more: Any) -> Understanding:
    return Understanding(symbols, files=files, **more)


def steps_of(verdict: Verdict) -> list[str]:
    return [step.operation for step in verdict.next]


def test_a_named_target_with_few_users_needs_one_look_and_one_claim():
    after, verdict = claim(scaled(READ), claims("AuthService.login", notes="it checks nothing"), FACTS)
    assert (after.phase, after.risk, verdict.accepted, verdict.errors) == (Phase.READY, Risk.LOW, True, ())
    assert after.understanding == claims("AuthService.login", files=(SERVICE,), notes="it checks nothing")
    assert verdict.message == "src/auth/service.py may be written; used by src/web/login.py"
    assert steps_of(verdict) == ["check_write_target", "record_outcome"]


def test_a_claim_of_nothing_is_no_claim_of_the_only_file_that_was_looked_at():
    after, _ = claim(scaled(READ), claims(), FACTS)
    assert (after.phase, after.understanding.files) == (Phase.SEMANTIC, ())


@for_each(
    ("text", "symbols"),
    [
        ("src/auth/service.py", ()),
        ("./src/auth/service.py", ()),
        ("auth/service.py の AuthService", ("AuthService",)),
        ("`AuthService.login`", ("AuthService.login",)),
        ("service.py:12", ()),
        ("src/auth/service.py::AuthService", ("AuthService",)),
    ],
)
def test_a_target_is_taken_as_people_write_it(text, symbols):
    after, verdict = claim(scaled(READ), claims(text), FACTS)
    assert (after.phase, verdict.errors, after.understanding.symbols) == (Phase.READY, (), symbols)
    assert SERVICE in after.understanding.files


@for_each(
    ("claimed", "error"),
    [
        (claims("WarpDrive"), "symbol 'WarpDrive': nothing in this project defines it"),
        (claims(files=("src/warp.py",)), "symbol 'src/warp.py': nothing in this project defines it"),
        (
            claims("hash_password"),
            "symbol 'hash_password': it exists (src/auth/hashing.py), but nothing in this session has shown it",
        ),
        (claims(files=(HASHING,)), "file 'src/auth/hashing.py': no call of this session returned it"),
        (claims(HASHING), "file 'src/auth/hashing.py': no call of this session returned it"),
        (
            claims(f"{HASHING} の hash_password"),
            "file 'src/auth/hashing.py': no call of this session returned it",
        ),
        (
            claims(f"{SERVICE} の hash_password"),
            "symbol 'hash_password': it exists (src/auth/hashing.py), but nothing in this session has shown it",
        ),
        (
            claims("AuthService.login", callers=(FORMS,)),
            "caller 'src/web/forms.py': it uses none of the files looked at",
        ),
        (
            claims("AuthService.login", entry_points=("WarpDrive",)),
            "entry point 'WarpDrive': nothing in this project defines it",
        ),
        (
            claims("AuthService.login", patterns=("as `warp_drive` does",)),
            "pattern 'as `warp_drive` does': this project knows no warp_drive",
        ),
    ],
)
def test_a_claim_of_what_is_not_there_or_was_not_shown_is_refused(claimed, error):
    before = scaled(READ)
    after, verdict = claim(before, claimed, FACTS)
    assert (after, verdict.accepted, verdict.errors) == (before, False, (error,))
    assert verdict.next


def test_a_symbol_that_was_not_shown_is_to_be_looked_at_and_claimed_again():
    _, verdict = claim(scaled(READ), claims("hash_password"), FACTS)
    assert [(step.operation, step.arguments.get("path")) for step in verdict.next] == [
        ("snippets_get", HASHING),
        ("submit_understanding", None),
    ]
    assert verdict.next[1].arguments["symbols"] == ["hash_password"]


def test_what_the_map_named_is_not_yet_looked_at():
    told = Recorded("search_map", "map", asked="x", symbols=("hash_password",))
    after, verdict = claim(scaled(READ, told), claims("hash_password"), FACTS)
    assert after.phase is Phase.EXPLORATION
    assert "nothing in this session has shown it" in verdict.errors[0]


def test_nothing_is_claimed_before_a_look():
    for claimed in (claims(), claims("AuthService.login"), claims(SERVICE), claims(files=("src/auth/new.py",))):
        after, verdict = claim(scaled(intent=Intent.IMPLEMENT), claimed, FACTS)
        assert (after.phase, verdict.accepted) == (Phase.EXPLORATION, False)
        assert steps_of(verdict)[0] == "snippets_get"


def test_an_expected_target_that_nobody_named_needs_no_more():
    looked = scaled(called("symbol", "x", "UserRepository"), expected=GUESSED)
    assert claim(looked, claims("UserRepository"), FACTS)[1].accepted


def test_a_target_that_a_search_for_the_request_leads_to_is_expected():
    looked = called("search", "ログイン パスワード", "render_form", group="search")
    assert claim(scaled(READ, looked), claims("render_form"), FACTS)[1].accepted
    other = called("search", "invoice colour", "render_form", group="search")
    assert not claim(scaled(READ, other), claims("render_form"), FACTS)[1].accepted


SEARCHED = called("search", "x", "AuthService", "LoginController", "UserRepository", group="search", number=1)
RELATED = FakeFacts(links=((SERVICE, FORMS),))


def test_an_unexpected_target_is_refused_until_code_shows_that_it_is_meant():
    looked = scaled(SEARCHED, called("symbol", "render_form", "render_form"), expected=GUESSED)
    after, verdict = claim(looked, claims("render_form"), RELATED)
    assert (after.phase, verdict.accepted) == (Phase.EXPLORATION, False)
    told = "the request does not lead to 'src/web/forms.py': quote the code that shows that it is meant"
    assert verdict.errors == (told,)
    assert steps_of(verdict) == ["confirm_symbol_relevance", "submit_understanding", "start_session"]
    assert verdict.next[0].arguments["relevant_symbols"] == ["render_form"]
    confirmed = confirm_symbols(looked, Confirmed("ログイン機能", "render_form", FORMS))
    assert claim(confirmed, claims("render_form"), RELATED)[1].accepted
    refused = confirm_symbols(looked, Confirmed("ログイン機能", "render_form", FORMS, approved=False))
    assert not claim(refused, claims("render_form"), RELATED)[1].accepted


def test_who_did_not_look_at_what_is_expected_first_is_sent_there():
    looked = scaled(called("symbol", "render_form", "render_form"), expected=GUESSED)
    _, verdict = claim(looked, claims("render_form"), RELATED)
    assert "src/auth/service.py, src/web/login.py, src/auth/users.py" in verdict.errors[0]
    assert (verdict.next[0].operation, verdict.next[0].arguments["query"]) == ("search", REQUEST)


def test_for_a_file_that_nothing_leads_to_the_user_is_asked():
    looked = scaled(SEARCHED, called("symbol", "render_form", "render_form"), expected=GUESSED)
    _, verdict = claim(looked, claims("render_form"), FACTS)
    assert (verdict.accepted, len(verdict.errors)) == (False, 1)
    assert steps_of(verdict)[0] == "start_session"
    assert assess(looked, claims("render_form", files=(FORMS,)), FACTS).distant == (FORMS,)


def test_where_the_request_names_a_file_only_what_belongs_to_it_is_expected():
    looked = scaled(READ, called("symbol", "x", "LoginController", "hash_password"))
    assert claim(looked, claims("LoginController"), FACTS)[1].accepted  # it imports what is named
    assert not claim(looked, claims("hash_password"), FACTS)[1].accepted


def test_a_second_file_belongs_to_the_first():
    looked = scaled(READ, called("symbol", "x", "LoginController", "hash_password"), expected=EXPECTED[:1])
    assert claim(looked, claims("AuthService.login", "LoginController"), FACTS)[1].accepted
    assert not claim(looked, claims("AuthService.login", "hash_password"), FACTS)[1].accepted


@for_each(("count", "risk"), [(0, "LOW"), (FEW, "LOW"), (FEW + 1, "MEDIUM"), (MANY, "MEDIUM"), (MANY + 1, "HIGH")])
def test_the_more_files_use_a_target_the_higher_the_risk(count, risk):
    at_stake = assess(scaled(READ), claims("AuthService.login", files=(SERVICE,)), used_by(count))
    assert isinstance(at_stake, Stakes)
    assert (len(at_stake.users), at_stake.risk) == (count, Risk(risk))


def test_who_uses_a_target_of_many_users_is_to_be_asked_once():
    facts = used_by(FEW + 1)
    _, verdict = claim(scaled(READ), claims("AuthService.login"), facts)
    assert verdict.errors == ("11 files use AuthService.login: see which",)
    assert (verdict.next[0].operation, verdict.next[0].arguments["symbol"]) == ("symbol", "AuthService.login")
    asked = called("symbol", "AuthService.login", "AuthService.login", number=2)
    assert claim(scaled(READ, asked), claims("AuthService.login"), facts)[1].accepted


def test_at_high_risk_one_of_the_users_is_looked_at():
    facts = used_by(MANY + 1)
    asked = called("symbol", "login", "AuthService.login", number=2)
    _, verdict = claim(scaled(READ, asked), claims("AuthService.login"), facts)
    assert verdict.errors == ("the risk is HIGH and 31 files use AuthService.login: look at one",)
    assert (verdict.next[0].operation, verdict.next[0].arguments["path"]) == ("snippets_get", "src/user0.py")
    seen = Recorded("snippets_get", "search", asked="src/user0.py", hits=1, seen=("src/user0.py",))
    after, verdict = claim(scaled(READ, asked, seen), claims("AuthService.login"), facts)
    assert (verdict.accepted, after.risk) == (True, Risk.HIGH)


def test_the_users_of_a_claimed_file_are_named_and_then_looked_at():
    looked = scaled(READ, failed_before=True)
    _, verdict = claim(looked, claims(files=(SERVICE,)), FACTS)
    assert (verdict.next[0].operation, verdict.next[0].arguments["path"]) == ("snippets_get", "src/web/login.py")


def test_after_a_failure_the_risk_is_high():
    again = scaled(READ, called("symbol", "login", "LoginController"), failed_before=True)
    after, verdict = claim(again, claims("AuthService.login"), FACTS)
    assert (verdict.accepted, after.risk) == (True, Risk.HIGH)
    assert not claim(scaled(READ, failed_before=True), claims("AuthService.login"), FACTS)[1].accepted


def test_a_supposed_slot_blocks_at_high_risk_only():
    frame = QueryFrame(REQUEST, {"target_feature": fact("ログイン機能"), "desired_action": Slot("a guess")})
    looked = (READ, called("symbol", "login", "LoginController"))
    assert claim(replace(scaled(*looked), frame=frame), claims("AuthService.login"), FACTS)[1].accepted
    _, verdict = claim(replace(scaled(*looked, failed_before=True), frame=frame), claims("AuthService.login"), FACTS)
    assert verdict.errors == ("the risk is HIGH and these are only supposed: desired_action",)
    assert steps_of(verdict)[0] == "set_query_frame"


def test_a_new_file_may_be_claimed_where_something_new_is_asked_for():
    new = claims("AuthService.login", files=("src/auth/lockout.py",))
    after, verdict = claim(scaled(READ, intent=Intent.IMPLEMENT), new, FACTS)
    assert (verdict.accepted, after.understanding.files) == (True, (SERVICE, "src/auth/lockout.py"))
    assert not claim(scaled(READ), new, FACTS)[1].accepted
    for odd in ("lockout", "src/auth/", "<what you will change>"):
        assert not claim(scaled(READ, intent=Intent.IMPLEMENT), claims(files=(odd,)), FACTS)[1].accepted


def test_an_empty_claim_leads_to_the_semantic_phase_and_a_claim_back():
    looked = scaled(READ, called("search", "x", "hash_password"))
    after, verdict = claim(looked, claims(), FACTS)
    assert (after.phase, verdict.accepted) == (Phase.SEMANTIC, True)
    assert verdict.reasons == ("no_definition_found", "architecture_unknown", "context_fragmented")
    assert steps_of(verdict) == ["submit_understanding", "submit_semantic"]
    ready, verdict = claim(after, claims("AuthService.login"), FACTS)
    assert (ready.phase, ready.missing, verdict.accepted) == (Phase.READY, (), True)


def test_another_claim_can_be_made_in_ready_and_a_false_one_changes_nothing():
    ready, _ = claim(scaled(READ, called("symbol", "UserRepository", "UserRepository")), claims(SERVICE), FACTS)
    moved, _ = claim(ready, claims("UserRepository"), FACTS)
    assert (moved.phase, moved.understanding.files) == (Phase.READY, ("src/auth/users.py",))
    same, verdict = claim(moved, claims("WarpDrive"), FACTS)
    assert (same, verdict.accepted) == (moved, False)
    _, verdict = claim(moved, claims(), FACTS)
    assert steps_of(verdict) == ["submit_understanding"]


@for_each(("phase", "allowed"), [(phase, True) for phase in Phase])
def test_a_claim_is_allowed_in_every_phase_and_no_other_submission(phase, allowed):
    assert allows(phase, "submit_understanding", scaled=True) is allowed
    assert allows(phase, "submit_understanding") is (phase is Phase.EXPLORATION)
    assert allows(phase, "submit_semantic", scaled=True) is (phase is Phase.SEMANTIC)


def supposed(text: str, **slots: Slot) -> Session:
    """Return a session that supposes something, and has evidence for it."""
    looked = scaled(READ, called("search", "x", "hash_password", number=2))
    if slots:
        looked = replace(looked, frame=QueryFrame(REQUEST, slots))
    semantic = replace(claim(looked, claims(), FACTS)[0], risk=Risk.HIGH)
    return submit_semantic(semantic, [Hypothesis("", text)], "architecture_unknown", [])[0]


def decide(state: Session, *statuses: str) -> tuple[Session, Verdict]:
    decided = [
        Decided(f"h{number}", status, "snippets_get", SERVICE, "AuthService.login")
        for number, status in enumerate(statuses, 1)
    ]
    return verify(state, decided, FACTS)


@for_each("text", [f"{SERVICE} lacks the check", "`AuthService.login` lacks `check_blank`", "service.py is the place"])
def test_a_confirmed_hypothesis_that_names_its_target_is_a_claim(text):
    after, verdict = decide(supposed(text), "confirmed")
    assert (after.phase, verdict.errors) == (Phase.READY, ())
    assert after.understanding.files == (SERVICE,)


def test_a_confirmed_hypothesis_without_a_target_asks_for_the_claim():
    after, verdict = decide(supposed("the password is not checked"), "confirmed")
    assert (after.phase, verdict.accepted) == (Phase.VERIFICATION, False)
    assert verdict.message == "say which symbols or files you will change"
    assert steps_of(verdict) == ["submit_understanding"]
    assert claim(after, claims("AuthService.login"), FACTS)[0].phase is Phase.READY


def test_the_name_of_a_slot_is_no_symbol():
    state = supposed(f"{SERVICE} lacks the check", desired_action=Slot("a guess"))
    assert [one.slot for one in state.hypotheses] == ["", "desired_action"]
    after, verdict = decide(state, "confirmed", "confirmed")
    assert (after.phase, verdict.errors) == (Phase.READY, ())


def test_when_everything_is_rejected_exploration_begins_again():
    assert decide(supposed("service.py is the place"), "rejected")[0].phase is Phase.EXPLORATION


def test_a_look_into_something_needs_a_look_and_no_target():
    looking = scaled(intent=Intent.INVESTIGATE)
    _, verdict = claim(looking, claims(), FACTS)
    assert (verdict.accepted, verdict.message) == (False, "nothing was looked at yet")
    assert claim(replace(looking, calls=(READ,)), claims(), FACTS)[0].phase is Phase.READY


def test_going_back_keeps_what_is_expected():
    looked = (READ, called("symbol", "login", "LoginController"))
    ready, _ = claim(scaled(*looked, failed_before=True), claims(SERVICE), FACTS)
    assert ready.phase is Phase.READY
    for keep in (True, False):
        back, verdict = revert(ready, keep, 7)
        assert (back.phase, back.scaled, back.expected, back.failed_before) == (
            Phase.EXPLORATION,
            True,
            EXPECTED,
            True,
        )
        assert verdict.next


def test_the_requests_own_words_are_kept_as_its_feature():
    after, _ = submit_understanding(scaled(READ), claims("AuthService.login"), FACTS, "ログイン機能")
    assert after.asked_frame.value("target_feature") == "ログイン機能"
    for words in ("支払い", "<the request's own words for it>", ""):
        after, verdict = submit_understanding(scaled(READ), claims("AuthService.login"), FACTS, words)
        assert (verdict.accepted, after.frame) == (True, None)


def test_every_refusal_is_told_in_japanese_too():
    speech = Speech("ja")
    told: list[str] = []
    for state, claimed, facts in (
        (scaled(READ, called("symbol", "x", "render_form"), expected=GUESSED), claims("render_form"), RELATED),
        (scaled(called("symbol", "x", "render_form"), expected=GUESSED), claims("render_form"), RELATED),
        (scaled(SEARCHED, called("symbol", "x", "render_form")), claims("render_form"), FACTS),
        (scaled(READ), claims("AuthService.login"), used_by(FEW + 1)),
        (scaled(READ, failed_before=True), claims("AuthService.login"), FACTS),
        (scaled(READ), claims("WarpDrive"), FACTS),
    ):
        _, verdict = claim(state, claimed, facts)
        told += [verdict.message, *verdict.errors, *(step.why for step in verdict.next)]
    assert [text for text in told if render(text, speech).isascii()] == []


def gaps_in(value: Any) -> list[str]:
    """Return the placeholders among arguments."""
    if isinstance(value, str):
        return [value] if value.startswith("<") else []
    return [gap for part in (value.values() if isinstance(value, dict) else value) for gap in gaps_in(part)]


def test_what_is_to_be_filled_in_is_told_in_the_language_of_the_request():
    states = [scaled(READ), supposed("the password is not checked"), claim(scaled(READ), claims(SERVICE), FACTS)[0]]
    states += [replace(state, phase=Phase.SEMANTIC) for state in states[:1]]
    for state in states:
        gaps = [gap for step in next_steps(state) for gap in gaps_in(dict(step.arguments))]
        assert gaps
        assert [gap for gap in gaps if gap.isascii()] == []
        english = next_steps(replace(state, request="check the password"))
        assert all(gap.isascii() for step in english for gap in gaps_in(dict(step.arguments)))


@pytest.mark.requirement("003-GATE-01", "003-GATE-02", "003-GATE-03", "003-GATE-04", "003-GATE-05")
@for_each(("risk", "counts"), [("LOW", (3, 1, 2, 1)), ("MEDIUM", (3, 1, 2, 1)), ("HIGH", (5, 2, 4, 2))])
def test_by_the_seeds_every_count_holds(risk, counts):
    needs = WRITING[Risk(risk)]
    assert (needs.symbols, needs.entry_points, needs.files, needs.patterns) == counts
    assert needs.tools == ("find_definitions", "find_references")
    enough = replace(session(Intent.MODIFY, READ), risk=Risk(risk))
    _, verdict = submit_understanding(enough, claims("AuthService.login"), FACTS)
    assert verdict.lacks  # one look and one claim are not enough


def test_what_an_unsure_search_found_has_to_be_shown_by_code():
    looked = scaled(READ, expected=GUESSED, unsure=True)
    _, verdict = claim(looked, claims("AuthService.login"), FACTS)
    assert not verdict.accepted
    assert "quote the code that shows that it is meant" in verdict.errors[0]
    assert steps_of(verdict)[-1] == "start_session"
    found = called("search", REQUEST, "AuthService.login", group="search", answer="found", number=2)
    assert claim(replace(looked, calls=(READ, found)), claims("AuthService.login"), FACTS)[1].accepted
    guess = replace(found, answer="partial")
    assert not claim(replace(looked, calls=(READ, guess)), claims("AuthService.login"), FACTS)[1].accepted
