from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.errors import UnknownSession
from shirube.features.map.learning import prior_of
from shirube.features.map.records import Decision, Outcome, Result, WrittenFile, add_record
from tests.conftest import needs_git
from tests.features.mapped import PAYMENT, confirmed, edit, git, session


@pytest.fixture
def project(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


@pytest.mark.requirement("003-INSIGHT-01")
def test_a_session_is_analysed_in_the_shape_of_seed_003(project: Project):
    handle = session(project)
    assert project.get_session_analysis(handle).analysis.had_outcome is False
    add_record(project.workspace.journal, Decision(handle, tools_planned=("search",)))
    project.record_outcome(handle, outcome="failure", analysis={"failure_point": "tests"})
    found = project.get_session_analysis(handle)
    assert found.decision is not None
    assert found.decision.tools_planned == ("search",)
    assert (found.analysis.final_outcome, found.analysis.failure_point) == (Result.FAILURE, "tests")
    with pytest.raises(UnknownSession):
        project.get_session_analysis("nobody")


@pytest.mark.requirement("003-INSIGHT-02")
def test_failures_are_compared(project: Project):
    for number in range(4):
        handle = session(project, f"s{number}", risk="HIGH" if number < 2 else "LOW")
        project.workspace.journal.append(f"session:{handle}", {"kind": "call", "operation": "search"})
        add_record(project.workspace.journal, Decision(handle))
        project.record_outcome(handle, outcome="failure" if number < 2 else "success")
    found = project.get_improvement_insights()
    assert (found.total_sessions_with_outcomes, found.sessions_with_decisions) == (4, 4)
    assert found.tool_failure_correlation["search"].failure_rate == 0.5
    assert found.risk_level_correlation["HIGH"].failure_rate == 1.0
    assert found.common_failure_points == {"READY": 2}
    assert found.prior.startswith("off")
    assert project.get_improvement_insights(limit=1).total_sessions_with_outcomes == 1


@pytest.mark.requirement("N003-STATS-01")
def test_outcomes_are_counted(project: Project):
    assert project.get_outcome_stats().total == 0
    project.record_outcome(session(project), outcome="success")
    project.workspace.journal.append("session:s1", {"kind": "call", "operation": "search"})
    project.record_outcome("s1", outcome="success")
    project.record_outcome(session(project), outcome="failure")
    found = project.get_outcome_stats()
    assert (found.total, found.sessions, found.by_outcome) == (2, 1, {"success": 1, "failure": 1})
    assert found.by_intent == {"MODIFY": {"success": 1, "failure": 1}}
    assert found.semantic == {"not used": {"success": 1, "failure": 1}}


def test_a_success_of_a_session_that_did_nothing_is_no_success(project: Project):
    project.record_outcome(session(project, "idle"), outcome="success")
    stats, report = project.get_outcome_stats(), project.get_improvement_insights()
    assert (stats.total, stats.by_outcome, report.total_sessions_with_outcomes) == (0, {}, 0)
    project.workspace.journal.append("session:led", {"kind": "call", "operation": "search"})
    project.record_outcome(session(project, "led"), outcome="success")
    project.record_outcome(session(project, "cross"), outcome="failure")
    assert project.get_outcome_stats().by_outcome == {"success": 1, "failure": 1}
    assert project.get_improvement_insights().total_sessions_with_outcomes == 2


def test_outcomes_are_told_day_by_day_and_the_last_ones_by_name(project: Project):
    for number, day in enumerate(("2026-02-02", "2026-02-01", "")):
        told = Outcome(f"s{number}", Result.SUCCESS, f"{day}T10:00:00Z" if day else "", request=f"ask {number}")
        told = replace(told, operations=("search",))
        add_record(project.workspace.journal, told)
    found = project.get_outcome_stats(latest=2)
    assert list(found.by_day) == ["unknown", "2026-02-01", "2026-02-02"]
    assert found.by_day["2026-02-01"] == {"success": 1}
    assert [(one.session_id, one.request) for one in found.latest] == [("s2", "ask 2"), ("s1", "ask 1")]
    assert project.get_outcome_stats().latest == ()


def test_the_gate_the_writes_and_the_map_are_counted(project: Project):
    journal = project.workspace.journal
    journal.append("gate", {"verdict": "block", "moment": "before", "kind": "edit", "client": "c", "targets": ["a"]})
    led, other = session(project, "led"), session(project, "other")
    hit = {"term": "会計", "symbol": "checkout", "similarity": 0.9, "fresh": True, "files": []}
    journal.append(f"session:{led}", {"kind": "call", "operation": "search", "maps": [hit]})
    journal.append(f"session:{led}", {"kind": "check", "path": "a.py", "allowed": False})
    journal.append(f"session:{led}", {"kind": "check", "path": "a.py", "allowed": True})
    project.record_outcome(led, outcome="success")
    project.record_outcome(other, outcome="failure")
    found = project.get_improvement_insights()
    assert list(found.gate_days.values()) == [{"block": 1}]
    assert (found.writes.allowed, found.writes.blocked, found.writes.lifted) == (1, 1, 1)
    assert found.map_effect == {"used": {"success": 1}, "not used": {"failure": 1}}


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_what_was_reverted_afterwards_is_seen(sample_repo: Path):
    git(sample_repo, "init", "-q")
    git(sample_repo, "add", "-A")
    git(sample_repo, "commit", "-qm", "one")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        edit(project, PAYMENT, "10_000", "20_000")
        handle = session(project, targets=[PAYMENT])
        project.record_outcome(handle, outcome="success")
        assert project.get_session_analysis(handle).files == {PAYMENT: "uncommitted"}
        assert project.get_improvement_insights().lines == {}
        git(sample_repo, "commit", "-qam", "two")
        told = project.get_session_analysis(handle)
        assert (told.files, told.commits) == ({PAYMENT: "kept"}, {PAYMENT: project.workspace.head()})
        assert project.get_improvement_insights().lines == {"kept": 1}
        edit(project, PAYMENT, "20_000", "10_000")
        git(sample_repo, "commit", "-qam", "three")
        assert project.get_session_analysis(handle).files == {PAYMENT: "reverted"}
        found = project.get_improvement_insights()
        assert (found.survival, found.lines, found.undone) == ({"reverted": 1}, {"reverted": 1}, 1)
        assert "told as a success" in found.suggestions[0]


@needs_git
@pytest.mark.requirement("N003-LEARN-02")
def test_agreements_of_work_that_was_reverted_are_hypotheses_again(sample_repo: Path):
    git(sample_repo, "init", "-q")
    git(sample_repo, "add", "-A")
    git(sample_repo, "commit", "-qm", "one")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        edit(project, PAYMENT, "10_000", "20_000")
        project.record_outcome(session(project, targets=[PAYMENT], confirmed=[confirmed()]), outcome="success")
        assert project.sync_map().demoted == ()
        edit(project, PAYMENT, "20_000", "10_000")
        assert project.sync_map().demoted == ("会計 → checkout",)
        assert project.list_agreements().agreements[0].standing == "demoted"
        assert project.sync_map().demoted == ()


@pytest.mark.requirement("N003-LEARN-01")
def test_the_ranking_learns_only_when_asked_to_within_its_bound_and_forgets(sample_repo: Path):
    def taught(project: Project) -> float:
        hit = next(hit for hit in project.search("retry policy").forest_hits if hit.path == "src/shop/retry.py")
        return sum(reason.points for reason in hit.why if reason.name == "boost:learned")

    with open_workspace(sample_repo, outcomes__prior=0.15, outcomes__prior_samples=2) as project:
        project.sync_index()
        assert taught(project) == 0
        for number in range(3):
            files = (WrittenFile("src/shop/retry.py"),)
            add_record(
                project.workspace.journal, Outcome(f"s{number}", Result.SUCCESS, request="retry policy", files=files)
            )
        assert taught(project) > 0
        assert prior_of(project.workspace).shares("retry policy") == {"src/shop/retry.py": 0.15}
        assert "3 outcomes" in project.get_improvement_insights().prior
        assert project.forget_outcomes().outcomes == 3
        assert taught(project) == 0
        assert "nothing yet" in project.get_improvement_insights().prior
    with open_workspace(sample_repo) as project:
        assert taught(project) == 0
