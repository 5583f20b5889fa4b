from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.features.guard.session_store import record_event
from shirube.features.guard.state import WriteCheck
from shirube.features.map.records import WrittenFile
from shirube.features.map.written import (
    MOST_MARKS,
    Content,
    Fate,
    Marks,
    Settled,
    changed_lines,
    content_of,
    is_undone,
    judge,
    marks_between,
)
from tests.cases import for_each
from tests.conftest import StateDirs, needs_git, write_sample
from tests.features.mapped import PAYMENT, confirmed, edit, git, session

OLD = b"def charge(amount):\n    limit = 10\n    return amount\n"
NEW = b"def charge(amount):\n    limit = 20\n    check(amount)\n    return amount\n"


@for_each(
    ("now", "fate", "kept"),
    [
        (NEW, Fate.KEPT, 2),
        (b"# moved down\n" + NEW.replace(b"    ", b"\t"), Fate.KEPT, 2),
        (OLD, Fate.REVERTED, 0),
        (b"# moved down\n" + OLD, Fate.REVERTED, 0),
        (NEW.replace(b"20", b"30"), Fate.CHANGED, 1),
        (b"something_else = 1\n", Fate.CHANGED, 0),
    ],
)
def test_lines_are_told_apart_by_what_is_in_the_file_now(now: bytes, fate: Fate, kept: int):
    before, after = content_of(OLD), content_of(NEW)
    file = WrittenFile("x.py", before.digest, after.digest)
    assert judge(file, marks_between(before, after), content_of(now)) == Settled(fate, 2, kept)


def test_a_file_that_is_not_there_is_judged_by_what_the_session_did():
    made, deleted = WrittenFile("x", "", "2"), WrittenFile("x", "1", "")
    assert judge(made, Marks(), Content()).fate == Fate.REVERTED
    assert judge(deleted, Marks(), Content()).fate == Fate.KEPT
    assert judge(deleted, Marks(), Content("1")).fate == Fate.REVERTED
    assert judge(WrittenFile("x", "1", "2"), Marks(("a",)), Content()).fate == Fate.CHANGED


def test_removed_lines_that_come_back_are_a_revert():
    before, after = content_of(OLD), content_of(OLD.replace(b"    limit = 10\n", b""))
    marks = marks_between(before, after)
    assert (len(marks.added), len(marks.removed)) == (0, 1)
    file = WrittenFile("x.py", before.digest, after.digest)
    assert judge(file, marks, content_of(b"# more\n" + OLD)).fate == Fate.REVERTED


def test_only_telling_lines_are_followed_and_not_too_many():
    many = b"\n".join(b"line number %d" % number for number in range(500))
    assert len(marks_between(Content(), content_of(many)).added) == MOST_MARKS
    assert marks_between(content_of(b"a b"), content_of(b"a b\n}\n\n")) == Marks()


def test_changed_lines_are_numbered_as_in_the_new_version():
    assert changed_lines(content_of(OLD), content_of(NEW)) == (2, 3)
    assert changed_lines(content_of(NEW), content_of(NEW.replace(b"    check(amount)\n", b""))) == (2, 3)
    assert changed_lines(content_of(OLD), content_of(b"\n\n" + OLD)) == ()


def test_a_session_is_undone_when_every_file_it_wrote_is():
    lost, kept, none = Settled(Fate.REVERTED), Settled(Fate.KEPT), Settled(Fate.UNWRITTEN)
    assert is_undone([lost, none])
    assert not is_undone([lost, kept])
    assert not is_undone([none])


# --- with git ----------------------------------------------------------------------------------------------


@pytest.fixture
def project(sample_repo: Path) -> Iterator[Project]:
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "one")):
        git(sample_repo, *words)
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


def write(project: Project, handle: str = "s1", old: str = "10_000", new: str = "20_000") -> str:
    """Change a file in a session that was allowed to, as ``check_write_target`` records it."""
    session(project, handle, confirmed=[confirmed()])
    record_event(project.workspace, handle, WriteCheck(PAYMENT, True))
    edit(project, PAYMENT, old, new)
    return handle


def fate(project: Project, handle: str = "s1") -> str:
    (found,) = project.get_session_analysis(handle).files.values()
    return found


def commit(project: Project, message: str) -> None:
    git(project.workspace.root, "commit", "-qam", message)


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_a_commit_before_the_outcome_was_told_hides_nothing(project: Project):
    handle = write(project)
    commit(project, "two")
    project.record_outcome(handle, outcome="success")
    assert fate(project) == "kept"
    git(project.workspace.root, "revert", "--no-edit", "HEAD")
    assert fate(project) == "reverted"
    assert project.get_improvement_insights().undone == 1


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_what_was_reverted_before_the_outcome_was_told_is_not_counted_as_kept(project: Project):
    handle = write(project)
    git(project.workspace.root, "checkout", PAYMENT)
    project.record_outcome(handle, outcome="success")
    assert fate(project) == "unwritten"
    assert project.get_improvement_insights().survival == {}


@needs_git
def test_what_the_gate_allowed_is_compared_with_the_commit_the_session_began_with(project: Project):
    handle = project.start_session("MODIFY", "会計を直す").session_id
    allowed = {"kind": "check", "path": PAYMENT, "allowed": True}
    project.workspace.journal.append(f"session:{handle}", allowed)  # as the hook does, without a note
    edit(project, PAYMENT, "10_000", "20_000")
    record_event(project.workspace, handle, WriteCheck(PAYMENT, True))
    git(project.workspace.root, "commit", "-qam", "two", date="2090-01-01T00:00:00Z")
    project.record_outcome(handle, outcome="success")
    assert fate(project, handle) == "kept"


@needs_git
def test_a_second_outcome_after_a_revert_remembers_what_was_written(project: Project):
    handle = write(project)
    project.record_outcome(handle, outcome="success")
    git(project.workspace.root, "checkout", PAYMENT)
    project.record_outcome(handle, outcome="failure")
    assert fate(project) == "reverted"


@needs_git
def test_what_was_dirty_before_is_not_the_sessions(project: Project):
    edit(project, PAYMENT, "amount too large", "far too much")
    handle = write(project)
    project.record_outcome(handle, outcome="success")
    git(project.workspace.root, "checkout", PAYMENT)
    assert fate(project) == "reverted"
    edit(project, PAYMENT, "amount too large", "far too much")
    assert fate(project) == "reverted"
    edit(project, PAYMENT, "10_000", "20_000")
    commit(project, "two")
    assert fate(project) == "kept"


@needs_git
def test_what_another_branch_or_a_stash_has_is_not_known_here(project: Project):
    root, handle = project.workspace.root, write(project)
    project.record_outcome(handle, outcome="success")
    git(root, "stash")
    assert fate(project) == "unknown"
    git(root, "stash", "pop")
    assert fate(project) == "uncommitted"
    git(root, "checkout", "-qb", "other")
    commit(project, "two")
    assert fate(project) == "kept"
    git(root, "checkout", "-q", "main")
    assert fate(project) == "unknown"
    assert project.sync_map().demoted == ()
    git(root, "branch", "-qD", "other")
    assert fate(project) == "reverted"


@needs_git
def test_a_file_is_followed_where_it_was_moved(project: Project):
    root, handle = project.workspace.root, write(project)
    project.record_outcome(handle, outcome="success")
    commit(project, "two")
    git(root, "mv", PAYMENT, "src/shop/money.py")
    commit(project, "three")
    (root / "src/shop/money.py").write_text((root / "src/shop/money.py").read_text("utf-8") + "\nMORE = 1\n", "utf-8")
    commit(project, "four")
    project.sync_index()
    assert fate(project) == "kept"


@needs_git
def test_lines_that_were_edited_later_are_changed(project: Project):
    handle = write(project, new="20_000\nLEAST_AMOUNT = 1")
    project.record_outcome(handle, outcome="success")
    commit(project, "two")
    edit(project, PAYMENT, "20_000", "30_000")
    commit(project, "three")
    assert fate(project) == "changed"
    assert project.get_improvement_insights().lines == {"kept": 1, "changed": 1}


def test_without_git_only_a_revert_is_known(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        project.record_outcome(write(project), outcome="success")
        assert fate(project) == "unknown"
        edit(project, PAYMENT, "20_000", "10_000")
        assert fate(project) == "reverted"


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_the_next_session_finds_out_that_a_success_was_reverted(project: Project):
    project.record_outcome(write(project), outcome="success")
    commit(project, "two")
    project.start_session("QUESTION", "what is charged?")
    assert project.list_agreements().agreements[0].standing == "agreed"
    git(project.workspace.root, "revert", "--no-edit", "HEAD")
    project.start_session("QUESTION", "what is charged?")
    (agreed,) = project.list_agreements().agreements
    assert (agreed.standing, agreed.failures) == ("demoted", 1)
    project.start_session("QUESTION", "what is charged?")
    assert project.list_agreements().agreements[0].failures == 1


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_a_commit_settles_what_nobody_told_the_outcome_of(project: Project):
    handle = write(project)
    assert project.get_session_analysis(handle).files == {}
    project.start_session("QUESTION", "what is charged?")
    assert fate(project, handle) == "uncommitted"
    commit(project, "two")
    assert project.get_improvement_insights().lines == {"kept": 1}
    git(project.workspace.root, "revert", "--no-edit", "HEAD")
    found = project.get_improvement_insights()
    assert (found.lines, found.undone, found.total_sessions_with_outcomes) == ({"reverted": 1}, 0, 0)


@needs_git
def test_a_project_may_be_a_part_of_a_repository_and_its_paths_japanese(tmp_path: Path, state_dirs: StateDirs):
    root = write_sample(tmp_path / "all" / "店")
    (root / "会計.py").write_text("上限 = 1\n", "utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        git(root.parent, *words)
    with open_workspace(root) as project:
        project.sync_index()
        handle = session(project)
        record_event(project.workspace, handle, WriteCheck("会計.py", True))
        edit(project, "会計.py", "上限 = 1", "上限 = 2")
        project.record_outcome(handle, outcome="success")
        assert fate(project) == "uncommitted"
        commit(project, "two")
        assert project.get_session_analysis(handle).commits == {"会計.py": project.workspace.head()}
        git(root, "reset", "-q", "--hard", "HEAD~1")
        assert fate(project) == "reverted"
