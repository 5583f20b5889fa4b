"""What learning does to the ranking of this project."""

from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument
from shirube.features.map.records import Outcome, Result, WrittenFile, add_record


def teach(project: Project, count: int, request: str = "retry policy") -> None:
    for number in range(count):
        outcome = Outcome(f"s{number}", Result.SUCCESS, request=request, files=(WrittenFile("src/shop/retry.py"),))
        add_record(project.workspace.journal, outcome)


def test_without_outcomes_nothing_is_claimed(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        found = project.get_learning_effect()
        assert (found.active, found.prior, found.replays, found.effect.requests) == (False, 0.15, (), 0)
        assert found.effect.first_with is None
        assert "0 outcomes with files are known; from 8 on" in found.next


def test_past_requests_are_asked_again(sample_repo: Path):
    with open_workspace(sample_repo, outcomes__prior=0.2, outcomes__prior_samples=2) as project:
        project.sync_index()
        teach(project, 4)
        found = project.get_learning_effect()
        assert (found.active, found.prior, found.outcomes) == (True, 0.2, 4)
        assert [one.session_id for one in found.replays] == ["s2", "s3"]
        assert all(0 < one.rank_with <= one.rank_without for one in found.replays)
        assert found.effect.requests == 2
        assert len(project.get_learning_effect(limit=1, prior=0.5).replays) == 1
        with pytest.raises(BadArgument):
            project.get_learning_effect(prior=2)


def test_a_request_without_words_is_not_found_rather_than_refused(sample_repo: Path):
    with open_workspace(sample_repo, outcomes__prior_samples=1) as project:
        project.sync_index()
        teach(project, 2, "?!")
        teach(project, 2)
        assert {one.rank_with for one in project.get_learning_effect().replays} <= {0, 1, 2}
