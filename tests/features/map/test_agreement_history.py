"""What an agreement has been through."""

from pathlib import Path

import pytest

from shirube import open_workspace
from shirube.errors import UnknownName
from shirube.features.map.records import Outcome, Result, add_record
from tests.conftest import needs_git
from tests.features.mapped import git


@needs_git
def test_it_was_learned_changed_and_led_to_an_outcome(sample_repo: Path):
    git(sample_repo, "init", "-q")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        project.add_agreement("till", symbol=["checkout"], code_evidence="it takes the money")
        git(sample_repo, "add", "-A")
        git(sample_repo, "commit", "-qm", "learn the till")
        project.expire_agreement("till → checkout")
        git(sample_repo, "commit", "-qam", "no till any more")
        told = Outcome("s1", Result.SUCCESS, "2999-01-01T00:00:00Z", request="fix the till", symbols=("checkout",))
        add_record(project.workspace.journal, told)
        found = project.get_agreement_history("till")
        assert {one.kind for one in found.history} == {"learned", "committed", "success"}
        assert (found.history[0].kind, found.history[0].what) == ("success", "fix the till")
        changed = {one.what: one.changes for one in found.history if one.kind == "committed"}
        assert changed == {"learn the till": (), "no till any more": ("standing: agreed → expired",)}
        assert [one.who for one in found.history if one.kind == "committed"] == ["t", "t"]
        assert project.get_agreement_history("till", limit=1).truncated


def test_without_git_it_is_what_the_page_says(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        project.add_agreement("till", symbol=["checkout"])
        found = project.get_agreement_history("till → checkout")
        assert [one.kind for one in found.history] == ["learned"]
        with pytest.raises(UnknownName):
            project.get_agreement_history("nobody")


def test_an_agreement_shows_its_code_when_asked_to(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        project.add_agreement("till", symbol=["checkout"])
        assert project.check_agreements().agreements[0].preview == ""
        (shown,) = project.check_agreements(preview_lines=1).agreements
        assert shown.preview.startswith("def checkout(")
        assert "\n" not in shown.preview
