import json
from pathlib import Path

import pytest

from shirube import open_workspace
from tests.doors.conftest import Runner
from tests.features.mapped import confirmed, session


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


def test_without_a_session_it_is_said_what_to_do(fresh_cli: Runner):
    ran = fresh_cli("outcome", "success")
    assert ran.code == 2
    assert "there is no session" in ran.err
    assert fresh_cli("outcome", "success", "--session", "nobody").code == 2
