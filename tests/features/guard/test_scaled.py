"""Scaled sessions on a project on disk, from the request to the files that may be written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shirube import Project, open_workspace
from shirube.features.guard.results import StartResult, StepResult
from shirube.features.guard.state import MappedSymbol, Phase
from tests.cases import for_each
from tests.conftest import isolate, make_state_dirs, write_sample
from tests.features.mapped import session

FILES = {
    "app/controllers/validation.py": '''\
"""Checks of what a form sends."""


def require_fields(form, names):
    """Return the names of fields that are empty."""
    return [name for name in names if not form.get(name)]
''',
    "app/controllers/signup_controller.py": '''\
"""Signing up."""

from app.controllers.validation import require_fields


class SignupController:
    """Takes the form of a new member."""

    def create(self, form):
        """Make an account."""
        missing = require_fields(form, ["email", "password"])
        return {"errors": missing}
''',
    "app/colours.py": '"""Colours of the page."""\n\n\ndef page_colour():\n    return "blue"\n',
    "app/clock.py": '"""The time."""\n\n\ndef now_utc():\n    """Return the time in UTC."""\n    return 0\n',
    **{
        f"app/reports/report_{number}.py": (
            f"from app.clock import now_utc\n\n\ndef report_{number}():\n    return now_utc() + {number}\n"
        )
        for number in range(12)
    },
}
VALIDATION, SIGNUP, CLOCK = "app/controllers/validation.py", "app/controllers/signup_controller.py", "app/clock.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    base = tmp_path_factory.mktemp("scaled")
    root = write_sample(base / "app")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        opened = open_workspace(root)
        opened.sync_index()
    with opened:
        yield opened


def begin(project: Project, request: str, intent: str = "MODIFY", **more: Any) -> StartResult:
    return project.start_session(intent, request, **more)


def take(project: Project, told: StartResult | StepResult, number: int = 0, **filled: Any) -> Any:
    """Make a proposed call as it stands, with its gaps filled in."""
    step = told.next[number]
    return project.call(step.operation, **{**step.arguments, **filled})


def allowed(project: Project, handle: str) -> dict[str, bool]:
    return {check.path: check.allowed for check in project.get_session_status(handle).checks}


def test_a_named_target_takes_one_look_and_one_claim(project: Project):
    begun = begin(project, "`require_fields` should strip blanks before it looks whether a field is empty")
    assert (begun.likely[0].path, begun.likely[0].named, begun.phase) == (VALIDATION, True, Phase.EXPLORATION)
    assert [step.operation for step in begun.next] == ["snippets_get", "submit_understanding"]
    take(project, begun)
    ready = take(project, begun, 1, why="it takes blanks for a value", feature="")
    assert (ready.phase, ready.accepted, ready.errors) == (Phase.READY, True, ())
    assert allowed(project, begun.session_id) == {VALIDATION: True}


@for_each(
    "request_",
    [
        "controllers/validation.py の require_fields が空白を値とみなす。直して",
        "validation.py:5 takes blanks for a value",
        "`app/controllers/validation.py` takes blanks for a value",
        "fix require_fields: it takes blanks for a value",
    ],
)
def test_a_request_names_its_target_as_people_write(project: Project, request_: str):
    likely = begin(project, request_).likely
    assert (likely[0].path, likely[0].named) == (VALIDATION, True)


def test_a_request_may_name_a_file_without_its_ending(project: Project):
    likely = begin(project, "signup_controller should send a welcome mail").likely
    assert (likely[0].path, likely[0].named) == (SIGNUP, True)


@for_each(
    "claimed",
    [
        {"symbols": ["require_fields"]},
        {"symbols": ["controllers/validation.py の require_fields"]},
        {"files": [VALIDATION]},
        {"files": ["controllers/validation.py"]},
        {"files": ["validation.py:12"]},
        {"files": ["`app/controllers/validation.py`"]},
        {"files": ["controllers/validation.py の require_fields"]},
    ],
)
def test_a_claim_is_taken_as_people_write_it(project: Project, claimed: dict[str, Any]):
    begun = begin(project, "fix require_fields: it takes blanks for a value")
    take(project, begun)
    ready = project.submit_understanding(begun.session_id, **claimed, why="it is there")
    assert (ready.phase, ready.errors) == (Phase.READY, ())
    assert allowed(project, begun.session_id) == {VALIDATION: True}


@for_each(
    "claimed",
    [
        {"symbols": ["warp_drive"]},
        {"files": ["app/warp.py"]},
        {"symbols": ["page_colour"]},
        {"files": ["app/colours.py"]},
        {"symbols": ["app/colours.py"]},
        {"symbols": ["app/colours.py の page_colour"]},
    ],
)
def test_a_claim_of_what_was_not_shown_is_refused_and_leads_on(project: Project, claimed: dict[str, Any]):
    begun = begin(project, "fix require_fields: it takes blanks for a value")
    take(project, begun)
    refused = project.submit_understanding(begun.session_id, **claimed, why="it is there")
    assert (refused.accepted, refused.phase) == (False, Phase.EXPLORATION)
    assert refused.errors
    assert refused.next
    assert allowed(project, begun.session_id) == {}


def test_a_target_that_a_search_expects_needs_no_name(project: Project):
    begun = begin(project, "Check the form of a new member before an account is made")
    assert not any(place.named for place in begun.likely)
    assert SIGNUP in [place.path for place in begun.likely]
    project.snippets_get(SIGNUP, session_id=begun.session_id)
    assert project.submit_understanding(begun.session_id, files=[SIGNUP], why="it makes it").phase is Phase.READY


def test_what_the_request_does_not_lead_to_is_refused(project: Project):
    begun = begin(project, "fix require_fields: it takes blanks for a value")
    for path in (VALIDATION, "app/colours.py"):
        project.snippets_get(path, session_id=begun.session_id)
    refused = project.submit_understanding(begun.session_id, symbols=["page_colour"], why="it is there")
    assert (refused.accepted, refused.phase) == (False, Phase.EXPLORATION)
    assert "app/colours.py" in refused.errors[0]
    assert refused.next[0].operation in ("confirm_symbol_relevance", "start_session")
    assert not project.check_write_target(begun.session_id, "app/colours.py").allowed


def test_what_many_files_use_needs_a_look_at_its_users(project: Project):
    begun = begin(project, "now_utc should return milliseconds")
    take(project, begun)
    refused = project.submit_understanding(begun.session_id, symbols=["now_utc"], why="it returns seconds")
    assert refused.errors == ("12 files use now_utc: see which",)
    take(project, refused)
    ready = take(project, refused, 1, why="it returns seconds")
    assert (ready.phase, ready.risk) == (Phase.READY, "MEDIUM")
    assert "12" in ready.message


def test_after_a_failure_a_user_is_looked_at(project: Project):
    session(project, request="make require_fields strip blanks")
    begun = begin(project, "さっきの修正が動かない。require_fields をやり直して")
    assert begun.earlier_failure is not None
    take(project, begun)
    told = project.submit_understanding(begun.session_id, files=[VALIDATION], why="it is there")
    assert (told.accepted, told.risk) == (False, "HIGH")
    for _ in range(3):
        take(project, told)
        told = take(project, told, -1, why="it is there")
        if told.accepted:
            break
    assert (told.phase, told.risk) == (Phase.READY, "HIGH")


def test_a_new_file_is_claimed_beside_what_was_looked_at(project: Project):
    begun = begin(project, "Add a lockout after five failed attempts to validation.py", "IMPLEMENT")
    unseen = project.submit_understanding(begun.session_id, files=["app/controllers/lockout.py"], why="new")
    assert (unseen.accepted, unseen.phase) == (False, Phase.EXPLORATION)
    take(project, begun)
    far = project.submit_understanding(begun.session_id, files=["web/lockout.ts"], why="new")
    assert not far.accepted
    ready = project.submit_understanding(begun.session_id, files=["app/controllers/lockout.py"], why="new")
    assert ready.phase is Phase.READY
    assert allowed(project, begun.session_id) == {"app/controllers/lockout.py": True}


def test_an_empty_claim_leads_to_suppose_and_a_claim_leads_back(project: Project):
    begun = begin(project, "Check the form of a new member before an account is made")
    for path in (SIGNUP, VALIDATION):
        project.snippets_get(path, session_id=begun.session_id)
    told = project.submit_understanding(begun.session_id)
    assert told.phase is Phase.SEMANTIC
    ready = take(project, told, symbols=["SignupController.create"], why="it makes the account", feature="")
    assert ready.phase is Phase.READY


def test_a_confirmed_hypothesis_that_names_its_target_opens_it(project: Project):
    begun = begin(project, "Check the form of a new member before an account is made")
    for path in (SIGNUP, VALIDATION):
        project.snippets_get(path, session_id=begun.session_id)
    told = project.submit_understanding(begun.session_id)
    text = f"SignupController in {SIGNUP} checks too late"
    waiting = project.submit_semantic(begun.session_id, [text], told.semantic_reasons[0])
    assert waiting.phase is Phase.VERIFICATION
    evidence = {"tool": "snippets_get", "target": SIGNUP, "result": "require_fields is called first"}
    ready = project.submit_verification(
        begun.session_id, [{"hypothesis": "h1", "status": "confirmed", "evidence": evidence}]
    )
    assert (ready.phase, ready.errors) == (Phase.READY, ())
    assert allowed(project, begun.session_id)[SIGNUP]


@pytest.fixture
def ready(project: Project) -> str:
    begun = begin(project, "fix require_fields: it takes blanks for a value")
    take(project, begun)
    assert take(project, begun, 1, why="it is there", feature="").phase is Phase.READY
    return begun.session_id


def test_another_claim_is_made_in_ready(project: Project, ready: str):
    project.snippets_get(SIGNUP, session_id=ready)
    claimed = project.submit_understanding(ready, symbols=["require_fields", "SignupController.create"], why="both")
    assert (claimed.accepted, claimed.phase) == (True, Phase.READY)
    assert set(allowed(project, ready)) == {VALIDATION, SIGNUP}
    refused = project.submit_understanding(ready, symbols=["warp_drive"], why="it")
    assert (refused.accepted, refused.phase) == (False, Phase.READY)


def test_several_files_are_checked_in_one_call(project: Project, ready: str):
    project.snippets_get(SIGNUP, session_id=ready)
    checked = project.check_write_target(ready, [VALIDATION, SIGNUP, "app/controllers/blanks.py"])
    assert (checked.allowed, [one.new for one in checked.files]) == (True, [False, False, True])
    mixed = project.check_write_target(ready, [VALIDATION, "web/cart.ts"])
    assert (mixed.allowed, mixed.path) == (False, "web/cart.ts")
    assert [one.allowed for one in mixed.files] == [True, False]
    assert mixed.next


def test_a_session_begins_with_its_frame(project: Project):
    frame = {"target_feature": {"value": "empty fields", "quote": "empty fields"}}
    begun = begin(project, "require_fields does not see empty fields", frame=frame)
    assert begun.errors == ()
    assert project.get_session_status(begun.session_id).slots["target_feature"].value == "empty fields"
    assert all("feature" not in step.arguments for step in begun.next)
    wrong = {"target_feature": {"value": "the moon", "quote": "the moon"}}
    doubtful = begin(project, "require_fields does not see empty fields", frame=wrong)
    assert doubtful.session_id
    assert project.get_session_status(doubtful.session_id).phase is Phase.EXPLORATION


def test_looking_and_asking_never_write(project: Project):
    looking = begin(project, "how are empty fields found?", "INVESTIGATE")
    refused = project.submit_understanding(looking.session_id)
    assert not refused.accepted
    take(project, looking)
    assert project.submit_understanding(looking.session_id).phase is Phase.READY
    asking = begin(project, "how are empty fields found?", "QUESTION")
    assert (asking.phase, asking.likely) == (Phase.READY, ())
    for handle in (looking.session_id, asking.session_id):
        assert not project.check_write_target(handle, VALIDATION).allowed


def test_going_back_keeps_what_is_expected(project: Project, ready: str):
    for keep in (True, False):
        back = project.revert_to_exploration(ready, keep_results=keep)
        assert back.phase is Phase.EXPLORATION
        assert not project.check_write_target(ready, VALIDATION).allowed
    assert (back.next[0].operation, back.next[0].arguments["path"]) == ("snippets_get", VALIDATION)


def test_by_the_seeds_one_look_and_one_claim_are_not_enough(tmp_path: Path, seed_evidence: None):
    with open_workspace(write_sample(tmp_path / "shop")) as shop:
        begun = shop.start_session("MODIFY", "fix with_retries: it stops too early")
        assert begun.likely == ()
        shop.snippets_get("src/shop/retry.py", session_id=begun.session_id)
        told = shop.submit_understanding(begun.session_id, symbols=["with_retries"], why="it is there")
        assert (told.accepted, told.phase) == (False, Phase.EXPLORATION)
        lacks = {one.key: (one.have, one.needed) for one in told.missing_requirements}
        assert lacks["symbols_identified"] == (1, 5)
        assert lacks["files_analyzed"] == (1, 4)
        assert lacks["entry_points"] == (0, 2)
        assert lacks["existing_patterns"] == (0, 2)
        assert lacks["required_tools"] == (0, 2)
        assert told.missing_slots


def test_a_file_that_the_request_names_and_that_does_not_exist_is_told(project: Project):
    told = begin(project, "validations.py ignores blanks in require_fields")
    assert told.errors == (f"the request names validations.py, which does not exist; there is {VALIDATION}",)
    assert begin(project, "validation.py ignores blanks in require_fields").errors == ()
    assert begin(project, "add app/controllers/blanks.py", "IMPLEMENT").errors == ()


def test_a_request_without_a_word_of_the_project_is_a_guess(tmp_path: Path):
    with open_workspace(write_sample(tmp_path / "shop")) as project:
        project.sync_index()
        told = project.start_session("MODIFY", "asdfgh qwerty")
        assert told.unsure
        project.snippets_get("src/shop/retry.py", session_id=told.session_id)
        assert project.submit_understanding(told.session_id).phase is Phase.SEMANTIC
        claimed = project.submit_understanding(told.session_id, files=("src/shop/retry.py",))
        assert not claimed.accepted


def test_a_request_about_something_else_leads_nowhere(project: Project):
    told = begin(project, "the kubernetes operator leaks leases on failover")
    assert told.unsure
    project.snippets_get("app/colours.py", session_id=told.session_id)
    claimed = project.submit_understanding(told.session_id, files=("app/colours.py",))
    assert (claimed.accepted, claimed.phase) == (False, Phase.EXPLORATION)
    assert claimed.next[-1].operation == "start_session"


def test_what_was_understood_is_mapped_and_what_was_shown_is_not(project: Project):
    begun = begin(project, "require_fields in validation.py ignores blanks")
    project.snippets_get(SIGNUP, session_id=begun.session_id)
    project.snippets_get(VALIDATION, session_id=begun.session_id)
    ready = project.submit_understanding(begun.session_id, symbols=["require_fields"])
    assert ready.mapped_symbols == ("require_fields",)
    assert ready.mapped == (MappedSymbol("require_fields", "fact", 0.5),)
    evidence = "`form.get(name)`"
    project.confirm_symbol_relevance(begun.session_id, ["require_fields"], evidence, target_feature="require fields")
    (mapped,) = project.get_session_status(begun.session_id).mapped
    assert mapped.confidence != 0.5


@pytest.mark.requirement("003-BACK-03")
def test_a_bare_claim_after_going_back_is_the_one_that_was_kept(project: Project, ready: str):
    project.call("revert_to_exploration", session_id=ready, keep_results=True)
    again = project.submit_understanding(ready)
    assert (again.phase, again.mapped_symbols) == (Phase.READY, ("require_fields",))
    project.call("revert_to_exploration", session_id=ready, keep_results=False)
    assert not project.submit_understanding(ready).accepted


@pytest.mark.requirement("003-CONS-02")
def test_nothing_is_claimed_twice(project: Project, ready: str):
    told = project.submit_understanding(ready, symbols=["require_fields", "require_fields()"], files=[VALIDATION] * 2)
    assert [error.code for error in told.errors] == ["session.given_twice"] * 2


@pytest.mark.requirement("N003-ABSENT-01")
def test_why_may_name_what_is_not_there_and_what_will_be_made(project: Project):
    begun = begin(project, "二要素認証を追加して", "IMPLEMENT")
    project.snippets_get(SIGNUP, session_id=begun.session_id)
    new = ["app/controllers/two_factor.py"]
    false = project.submit_understanding(begun.session_id, files=new, why="LoginThrottle does it")
    assert [error.code for error in false.errors] == ["session.why_false"]
    made = project.submit_understanding(begun.session_id, files=new, why="TwoFactorAuth in two_factor.py is new")
    assert made.accepted
    project.find_definitions("LoginThrottle", session_id=begun.session_id)
    assert project.submit_understanding(begun.session_id, files=new, why="LoginThrottle は無い").accepted


@pytest.mark.requirement("003-FLOW-02")
def test_the_proposed_calls_lead_to_a_new_file_elsewhere(project: Project, ready: str):
    told = project.check_write_target(ready, "web/new.ts")
    for _ in range(4):
        if told.files[0].allowed:
            break
        take(project, told)
        told = project.check_write_target(ready, "web/new.ts")
    assert told.files[0].allowed


@for_each(
    ("path", "code", "operation"),
    [
        ("app/colours.py", "session.not_returned", "snippets_get"),
        (CLOCK, "guard.apart", "submit_understanding"),
        ("app/reports", "session.folder_not_returned", "search"),
        ("nope.py", "session.not_indexed", "files_search"),
    ],
)
def test_what_cannot_be_added_is_told_with_a_call_that_works(
    project: Project, ready: str, path: str, code: str, operation: str
):
    project.snippets_get(CLOCK, session_id=ready)
    told = project.add_explored_files(ready, [path])
    assert ([error.code for error in told.errors], told.next[0].operation) == ([code], operation)
    if operation != "submit_understanding":
        take(project, told)


def test_an_agreement_that_answers_with_its_code_has_shown_it(tmp_path: Path):
    with open_workspace(write_sample(tmp_path / "shop")) as project:
        project.sync_index()
        project.add_agreement("会計", symbol=["checkout"])
        handle = project.start_session("MODIFY", "会計を直して").session_id
        found = project.search("会計", session_id=handle)
        assert found.short_circuit
        status = project.get_session_status(handle)
        assert "src/shop/payment.py" in status.explored_files


@pytest.mark.requirement("003-FRAMES-03")
def test_a_frame_that_is_given_is_not_asked_for(project: Project):
    assert begin(project, "ログインを直して").query_frame["status"] == "pending"
    frame = {"target_feature": {"value": "ログイン", "quote": "ログイン"}}
    assert begin(project, "ログインを直して", frame=frame).query_frame == {"status": "set"}
