import pytest

from shirube.codec import replace
from shirube.features.guard.state import Phase, Recorded, WriteCheck
from shirube.features.guard.writes import WriteTarget, allowed_paths, check_write, is_explored_folder
from shirube.features.plan.frame import Intent
from tests.cases import for_each
from tests.features.guard.sample import FRAME, ready_to_submit, session

READY = replace(ready_to_submit(), phase=Phase.READY)


def allowed(state, path: str, exists: bool = True, folder: str = "src/auth", new: bool = True) -> bool:
    return check_write(state, WriteTarget(path, exists, folder), new)[0].allowed


@pytest.mark.requirement("003-WRITE-01")
def test_a_file_that_was_looked_at_may_be_written_and_no_other():
    assert allowed(READY, "src/auth/service.py")
    check, verdict = check_write(READY, WriteTarget("src/web/app.py", True, "src/web"), True)
    assert not check.allowed
    assert [step.operation for step in verdict.next] == ["snippets_get", "revert_to_exploration"]


@pytest.mark.requirement("N003-BASE-01")
def test_the_same_name_elsewhere_is_another_file():
    assert not allowed(READY, "lib/service.py")
    assert not allowed(READY, "service.py")


@pytest.mark.requirement("003-WRITE-02")
def test_a_new_file_belongs_beside_what_was_looked_at():
    assert allowed(READY, "src/auth/validate.py", exists=False)
    assert not allowed(READY, "src/auth/validate.py", exists=False, new=False)
    check, verdict = check_write(READY, WriteTarget("docs/x.md", False, "docs"), True)
    assert not check.allowed
    assert [step.operation for step in verdict.next] == ["search"]
    _, below = check_write(READY, WriteTarget("src/mail/x.py", False, "src"), True)
    assert below.next[0].operation == "add_explored_files"


def test_a_new_directory_needs_one_above_it_that_was_added_or_listed():
    assert not allowed(READY, "src/auth/mail/send.py", exists=False)
    assert allowed(replace(READY, added=("src/auth",)), "src/auth/mail/send.py", exists=False)
    top = session(Intent.MODIFY, Recorded("search", hits=1, seen=("setup.py",)))
    assert is_explored_folder(top, WriteTarget("new.py", False, "."))
    assert not is_explored_folder(top, WriteTarget("new/x.py", False, "."))
    assert not is_explored_folder(session(), WriteTarget("new.py", False, "."))


@pytest.mark.requirement("N003-NONE-01")
def test_nothing_explored_means_nothing_may_be_written():
    empty = replace(session(**FRAME), phase=Phase.READY)
    assert not allowed(empty, "src/auth/service.py")
    assert not allowed(empty, "src/auth/new.py", exists=False)


def test_in_an_empty_project_there_is_nothing_to_look_at():
    empty = replace(session(), phase=Phase.READY)
    assert check_write(empty, WriteTarget("main.py", False, "."), True, 0)[0].allowed


@pytest.mark.requirement("N003-INTENT-01")
@for_each("intent", [Intent.QUESTION, Intent.INVESTIGATE])
def test_asking_and_looking_never_write(intent):
    check, verdict = check_write(replace(READY, intent=intent), WriteTarget("src/auth/service.py", True), True)
    assert not check.allowed
    assert verdict.next[0].operation == "start_session"
    assert verdict.next[0].arguments["intent"] == "MODIFY"


@for_each("phase", [Phase.EXPLORATION, Phase.SEMANTIC, Phase.VERIFICATION])
def test_nothing_is_written_before_ready(phase):
    check, verdict = check_write(replace(READY, phase=phase), WriteTarget("src/auth/service.py", True), True)
    assert not check.allowed
    assert verdict.next


def test_a_file_the_session_made_may_be_written_again():
    made = replace(READY, checks=(WriteCheck("src/auth/validate.py", True, True), WriteCheck("no.py", False, True)))
    assert allowed(made, "src/auth/validate.py")
    assert not allowed(made, "no.py")
    assert allowed_paths(made) == {"src/auth/validate.py"}


def test_a_directory_is_no_file():
    assert not check_write(READY, WriteTarget("src/auth", True, "src", is_folder=True), True)[0].allowed


@pytest.mark.requirement("N003-ABSENT-03")
def test_with_a_proven_absence_alone_only_new_files_may_be_written():
    absent = Recorded("find_definitions", "symbols", "ログイン機能", answer="none", seen=())
    looked = Recorded("search", "search", "forms", hits=1, answer="found", seen=("src/auth/service.py",))
    state = replace(
        session(Intent.IMPLEMENT, absent, looked, target_feature=FRAME["target_feature"]), phase=Phase.READY
    )
    check, verdict = check_write(state, WriteTarget("src/auth/service.py", True), True)
    assert not check.allowed
    assert "only new files" in verdict.message
    assert verdict.next
    assert allowed(state, "src/auth/new.py", exists=False)


@pytest.mark.requirement("N004-BYPASS-01")
def test_an_agreement_opens_its_own_files_and_nothing_else():
    seeded = replace(session(**FRAME), phase=Phase.READY, added=("src/auth/service.py",), map_used="x")
    assert allowed(seeded, "src/auth/service.py")
    assert not allowed(seeded, "src/web/login.py", folder="src/web")
