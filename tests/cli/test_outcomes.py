import json
from pathlib import Path

import pytest

from shirube import open_workspace
from tests.cli.conftest import Runner
from tests.operations.mapped import confirmed, session


@pytest.fixture
def with_session(sample_repo: Path) -> str:
    with open_workspace(sample_repo) as project:
        project.sync_index()
        return session(project, confirmed=[confirmed()])


def test_the_last_session_is_a_success(fresh_cli: Runner, with_session: str):
    ran = fresh_cli("outcome", "success", "ありがとう")
    assert ran.code == 0
    assert f"success recorded for {with_session}" in ran.out
    assert ".shirube/agreements/会計_checkout.md" in ran.out
    failed = fresh_cli("outcome", "failure", "--cause", "wrong file", "--at", "READY", "--session", with_session)
    assert "demoted: 会計 → checkout" in failed.out
    assert json.loads(fresh_cli("outcome", "partial", "--json").out)["outcome"] == "partial"


def test_insights_and_counts_are_shown(fresh_cli: Runner, with_session: str):
    fresh_cli("outcome", "failure", "--at", "tests")
    told = fresh_cli("outcome", "insights")
    assert "1 session with an outcome" in told.out
    assert "tests: 1" in told.out
    assert "ranking: off" in told.out
    assert "1 outcome of 1 session: 1 failure" in fresh_cli("outcome", "insights", "--stats").out
    assert "1 outcome: " in fresh_cli("outcome", "insights", "--forget").out


def test_without_a_session_it_is_said_what_to_do(fresh_cli: Runner):
    ran = fresh_cli("outcome", "success")
    assert ran.code == 2
    assert "there is no session" in ran.err
    assert fresh_cli("outcome", "success", "--session", "nobody").code == 2
